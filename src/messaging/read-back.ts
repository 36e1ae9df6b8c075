/**
 * What was said before a conversation's first turn, read back from the platform before its engine runs. It is bounded in
 * time, and no failure of it is one of the turn: then the agent is told that it does not see what came before.
 */
import type { Clock, Logger } from './ambient.js'
import { type Connection, type InboundMessage, PlatformFailure } from './contract.js'
import type { Entry } from './directory.js'
import { BACKFILL_LINES, BACKFILL_PATIENCE } from './limits.js'
import type { Backfill, ClaimedTurn, Store } from './store.js'
import { within } from './within.js'

/** Asking again cannot help: until somebody changes a right, these lines are out of reach. */
const LASTING: ReadonlySet<string> = new Set(['forbidden', 'unauthorized', 'gone', 'invalid'])

type Found = Pick<Backfill, 'messages' | 'end'>

/** The turn with the lines that could be read back, if some were missing. Never rejects. */
export async function readBack(
  turn: ClaimedTurn,
  entry: Entry | undefined,
  parts: { store: Pick<Store, 'backfill'>; clock: Clock; log: Logger },
): Promise<ClaimedTurn> {
  if (turn.gap === undefined || entry === undefined) return turn
  const { store, clock, log } = parts
  const found = await look(turn, entry, clock)
  const stored = store
    .backfill({ turn: turn.id, at: clock.now(), self: entry.self, ...found })
    .catch((error: unknown) => {
      log.warn({ turn: turn.id, error: String(error) }, 'what was read back could not be stored')
      return null
    })
  if ('why' in found.end) {
    log.info(
      { turn: turn.id, chatKey: turn.chatKey, why: found.end.why },
      'earlier messages could not be read',
    )
    return turn.chat.kind === 'group' ? { ...turn, unread: true } : turn
  }
  // Nothing was said before: nobody need wait for that to be written down.
  if (found.messages.length === 0) return turn
  const shown = (await stored)?.shown ?? null
  return shown === null ? turn : { ...turn, ...shown }
}

async function look(turn: ClaimedTurn, { platform, connection }: Entry, clock: Clock): Promise<Found> {
  const without = (kind: 'failed' | 'unreadable', why: string): Found => ({
    messages: [],
    end: { kind, why },
  })
  if (!platform.can.history)
    return without('unreadable', 'the platform does not let a bot read what was said before.')
  if (connection?.history === undefined) return without('failed', 'the connection is down.')
  try {
    const found = await within(BACKFILL_PATIENCE, clock, (isLate) => collect(connection, turn, isLate))
    if (found === null)
      return without('failed', `the platform did not answer within ${BACKFILL_PATIENCE / 1_000} s.`)
    const { messages, events } = found
    return { messages, end: { kind: events < BACKFILL_LINES ? 'whole' : 'some' } }
  } catch (error) {
    const lasting = error instanceof PlatformFailure && LASTING.has(error.failure.kind)
    return without(lasting ? 'unreadable' : 'failed', error instanceof Error ? error.message : String(error))
  }
}

async function collect(
  connection: Connection,
  { place, gap }: ClaimedTurn,
  isLate: () => boolean,
): Promise<{ messages: InboundMessage[]; events: number }> {
  const range = { limit: BACKFILL_LINES, ...(gap?.before == null ? {} : { before: gap.before }) }
  const messages: InboundMessage[] = []
  let events = 0
  for await (const event of connection.history?.(place, range) ?? []) {
    if (isLate()) break
    events++
    if (event.kind === 'message') messages.push(event)
  }
  return { messages, events }
}
