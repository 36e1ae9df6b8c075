/**
 * Several messages that are one utterance: the items of an album, the pieces of a text that the platform cut. What
 * addresses one of them addresses all, and they are answered once.
 */
import type { InboundMessage } from '../messaging/contract.js'
import type { Decision } from '../messaging/decision.js'
import type { RoomState } from '../messaging/state.js'
import { all, type Db, one, parse, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import type { MessageRow, TurnRow } from './rows.js'
import { attach, clearStatus } from './turns.js'

/** Addressed by its own words, not only because everything is that is said there. */
const EXPLICIT: ReadonlySet<string> = new Set(['mention', 'name', 'command', 'reply', 'everyone'])

/** The name of the utterance the message is a part of; null where it is one by itself. */
export function utteranceOf(
  db: Db,
  chat: string,
  message: InboundMessage,
  now: number,
  debounceMs: number,
): string | null {
  if (message.album !== undefined) return `album ${message.author.id} ${message.album}`
  const begun = one<{ id: number; utterance: string | null; thread: string | null; received_at: number }>(
    db.sql(
      `SELECT id, utterance, thread, received_at FROM messages WHERE chat = ? AND author_id = ? AND partial = 1
       ORDER BY id DESC LIMIT 1`,
    ),
    chat,
    message.author.id,
  )
  if (
    begun?.utterance?.startsWith('cut ') &&
    begun.thread === (message.place.thread ?? null) &&
    now - begun.received_at <= debounceMs &&
    one(
      db.sql('SELECT 1 FROM messages WHERE chat = ? AND id > ? AND author_id = ? LIMIT 1'),
      chat,
      begun.id,
      message.author.id,
    ) === undefined
  )
    return begun.utterance
  return message.partial ? `cut ${message.author.id} ${message.id}` : null
}

/** Parts that have come already. */
export interface Parts {
  ids: readonly number[]
  state: NonNullable<RoomState['utterance']>
  /** The first turn of the request that waits with them. */
  waiting: TurnRow | null
}

export function partsOf(db: Db, chat: string, utterance: string | null): Parts | null {
  if (utterance === null) return null
  const ids = all<{ id: number }>(
    db.sql(
      `SELECT id FROM messages WHERE chat = ? AND utterance = ? AND deleted_at IS NULL AND (ctx IS NULL OR ctx > 0)
       ORDER BY id`,
    ),
    chat,
    utterance,
  ).map(({ id }) => id)
  if (ids.length === 0) return null
  const turns = all<TurnRow>(
    db.sql(
      `SELECT DISTINCT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn
       WHERE tm.message IN (SELECT value FROM json_each(?)) AND t.kind = 'message' ORDER BY t.id`,
    ),
    JSON.stringify(ids),
  )
  // A request that was called off before it began answers nothing.
  const live = turns.filter((turn) => turn.state !== 'cancelled' || turn.attempt > 0)
  const begun = live.filter((turn) => turn.state !== 'queued' || turn.attempt > 0)
  const first = begun.length > 0 ? null : (live.find((turn) => turn.request === turn.id) ?? null)
  return {
    ids,
    waiting: first,
    state: {
      begun:
        begun.length === 0 ? 'no' : begun.some((turn) => turn.addressed === 1) ? 'addressed' : 'unaddressed',
      waiting: first && {
        sender: first.sender ?? '',
        responders: parse<string[]>(first.responders, []),
        lastAt: first.last_at,
        items: first.items,
        characters: first.characters,
        addressed: first.addressed === 1,
      },
    },
  }
}

/** Which part the answer quotes: the first that is addressed by its own words, else the first of all. */
export function quotesPart(
  db: Db,
  request: Pick<TurnRow, 'message' | 'reply_to'>,
  decision: Decision,
  native: string | null,
): boolean {
  if (native === null) return false
  const quoted =
    request.message === null
      ? undefined
      : one<{ decision: string | null }>(
          db.sql('SELECT decision FROM messages WHERE id = ?'),
          request.message,
        )
  const reason = parse<{ reason: string }>(quoted?.decision, { reason: '' }).reason
  if (EXPLICIT.has(reason)) return false
  if (EXPLICIT.has(decision.reason)) return true
  return request.reply_to !== null && compareNative(native, request.reply_to) < 0
}

/** Order of messages by their native ids: numbers and time stamps, as strings. */
export function compareNative(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** The parts that waited for nobody belong to the turns of the one that is addressed. */
export function adopt(room: Room, turns: readonly number[], parts: Parts | null, decision: Decision): void {
  if (parts === null || turns.length === 0) return
  for (const turn of turns) {
    for (const id of parts.ids) attach(room, turn, id)
    room.sql('UPDATE turns SET items = items + ? WHERE id = ?').run(parts.ids.length, turn)
  }
  for (const id of parts.ids) {
    const row = one<{ decision: string | null }>(room.sql('SELECT decision FROM messages WHERE id = ?'), id)
    const before = parse<Decision | null>(row?.decision, null)
    if (before === null || before.verdict === 'run') continue
    const after: Decision = {
      ...before,
      verdict: 'run',
      reason: 'continues',
      responders: decision.responders,
      route: decision.route,
      trace: before.trace.map((gate) =>
        gate.verdict === 'stop'
          ? {
              ...gate,
              verdict: 'pass',
              why: 'Another part of the same message is answered: this one with it.',
            }
          : gate,
      ),
    }
    room.sql('UPDATE messages SET decision = ? WHERE id = ?').run(JSON.stringify(after), id)
  }
}

/** The request that waits, called off because a later part calls other agents. @returns its messages */
export function withdraw(room: Room, first: TurnRow, at: number): number[] {
  const messages = all<{ message: number }>(
    room.sql('SELECT message FROM turn_messages WHERE turn = ? ORDER BY message'),
    first.id,
  ).map(({ message }) => message)
  for (const turn of all<TurnRow>(
    room.sql("SELECT * FROM turns WHERE request = ? AND state = 'queued'"),
    first.id,
  ))
    clearStatus(room, turn, at)
  room
    .sql(
      `UPDATE turns SET state = 'cancelled', reason = 'a later part of the message called other agents', settled_at = ?
       WHERE request = ? AND state = 'queued'`,
    )
    .run(at, first.id)
  refreshTurnLane(room, first.lane)
  return messages
}

/** Parts of one utterance in the order of their ids, whatever the order in which they came. */
export function inOrder(rows: readonly MessageRow[]): MessageRow[] {
  const sorted = [...rows]
  for (const name of new Set(rows.map((row) => row.utterance))) {
    if (name === null) continue
    const slots = rows.flatMap((row, index) => (row.utterance === name ? [index] : []))
    if (slots.length < 2) continue
    const parts = slots
      .flatMap((index) => rows[index] ?? [])
      .sort((a, b) => compareNative(a.native ?? '', b.native ?? ''))
    slots.forEach((slot, index) => {
      const part = parts[index]
      if (part) sorted[slot] = part
    })
  }
  return sorted
}
