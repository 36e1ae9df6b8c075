/** What `GET /health` says: open to everybody, so it names no chat, no person and no secret. */
import { z } from 'zod'
import type { ConnectionId, ConnectionState, Millis } from '../messaging/contract.js'

/** Takes secrets out of a text. */
type Redact = (text: string) => string

/** A connection as its supervisor sees it. */
export interface ConnectionStatus {
  id: ConnectionId
  state: ConnectionState
  /** When what was said in its absence was last read. */
  caughtUp?: { at: Millis; messages: number; complete: boolean } | null
  catchingUp?: boolean
}

/** Whether the store can keep what arrives. `reason` and `cure` are sentences for people. */
export type StoreHealth = { ok: true } | { ok: false; reason: string; cure?: string }

const problem = {
  reason: z.string().nullable().describe('what is wrong, in one sentence'),
  cure: z.string().nullable().describe('what a person can do about it'),
}

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'failed']),
  version: z.string(),
  connections: z.array(
    z.object({
      id: z.string(),
      phase: z.enum(['connecting', 'ready', 'degraded', 'failed']),
      sees: z
        .enum(['all', 'addressed'])
        .nullable()
        .describe('which messages the platform delivers; null until known'),
      note: z.string().nullable(),
      lastCatchUp: z
        .object({
          at: z.number().int().describe('milliseconds since the epoch'),
          messages: z.number().int(),
          complete: z.boolean(),
        })
        .nullable()
        .describe(
          'when what was said in its absence was last read, how much that was, and whether it was all',
        ),
      catchingUp: z.boolean().describe('what was said in its absence is still being read'),
      ...problem,
    }),
  ),
  store: z.object({ writable: z.boolean(), ...problem }),
})
export type Health = z.infer<typeof healthSchema>

function connectionHealth(
  { id, state, caughtUp = null, catchingUp = false }: ConnectionStatus,
  redact: Redact,
): Health['connections'][number] {
  const line = {
    id,
    phase: state.phase,
    sees: null,
    note: null,
    lastCatchUp: caughtUp,
    catchingUp,
    reason: null,
    cure: null,
  }
  switch (state.phase) {
    case 'connecting':
      return { ...line, reason: 'It is still connecting.' }
    case 'ready':
      return { ...line, sees: state.sees, note: noteOf(state, redact) }
    case 'degraded':
      return { ...line, reason: redact(state.reason) }
    case 'failed':
      return { ...line, reason: redact(state.reason), cure: redact(state.cure) }
  }
}

/** What the platform withholds has a consequence, whatever the connection itself says of it. */
function noteOf({ sees, note }: Extract<ConnectionState, { phase: 'ready' }>, redact: Redact): string | null {
  const sentences = [
    ...(note === undefined ? [] : [redact(note)]),
    ...(sees === 'addressed'
      ? [
          'It is shown only what addresses the bot: rooms that are set to smart or always behave as mention-only.',
        ]
      : []),
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}

/**
 * `failed`: nothing can be answered (no connection is left, although some are configured). `degraded`: something is
 * not as it should be: a connection is not ready, or the store cannot write and messages wait on their platforms.
 */
export function healthOf(
  version: string,
  statuses: readonly ConnectionStatus[],
  store: StoreHealth,
  redact: Redact,
): Health {
  const connections = statuses.map((status) => connectionHealth(status, redact))
  const dead = connections.length > 0 && connections.every(({ phase }) => phase === 'failed')
  const well = store.ok && connections.every(({ phase }) => phase === 'ready')
  return {
    status: dead ? 'failed' : well ? 'ok' : 'degraded',
    version,
    connections,
    store: store.ok
      ? { writable: true, reason: null, cure: null }
      : {
          writable: false,
          reason: redact(store.reason),
          cure: store.cure === undefined ? null : redact(store.cure),
        },
  }
}
