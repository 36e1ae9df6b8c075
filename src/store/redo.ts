/** An answer to words that have changed since may be asked for again, by a button. */
import { one, type Room } from './db.js'
import type { TurnRow } from './rows.js'
import { canOf, notify } from './turns.js'

/** Reason of a turn that is at work on words that were edited meanwhile. */
export const EDITED = 'the message was edited while it worked'

/** Offers it once: a second edit needs no second button. */
export function offerRedo(room: Room, turn: TurnRow, at: number): void {
  if (!canOf(turn).buttons || turn.message === null || turn.kind !== 'message' || turn.requester_id === null)
    return
  const offered = one(
    room.sql(
      `SELECT 1 FROM outbox o WHERE message = ? AND kind IN ('note', 'post') AND state IN ('pending', 'sending', 'sent')
         AND op LIKE '%"do":"redo"%' AND NOT EXISTS (
           SELECT 1 FROM buttons WHERE operation = o.id AND (used_at IS NOT NULL OR expires_at <= ?)) LIMIT 1`,
    ),
    turn.message,
    at,
  )
  if (offered === undefined)
    notify(room, turn, { kind: 'edited' }, at, {
      buttons: [{ label: 'redo', action: { do: 'redo', message: turn.message } }],
    })
}

/** The turn that a message brought, of one that goes on with what teammates report. */
export function beginningOf(room: Room, turn: TurnRow): TurnRow {
  let first = turn
  while (first.kind === 'follow-up' && first.follows !== null) {
    const before = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), first.follows)
    if (before === undefined) break
    first = before
  }
  return first
}

/** Agents that answer together offer it once, after the last of them. */
export function isLastOfRequest(room: Room, turn: TurnRow): boolean {
  return (
    one(
      room.sql('SELECT 1 FROM turns WHERE request = ? AND request <> id AND id > ? LIMIT 1'),
      turn.request,
      turn.id,
    ) === undefined
  )
}
