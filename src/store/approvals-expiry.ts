/** No answer is a refusal, and is said. */
import { showEnd } from './approval-posts.js'
import { openOf } from './approvals.js'
import { all, one, type Room } from './db.js'
import type { ApprovalRow, TurnRow } from './rows.js'
import { finish } from './settle.js'
import { notify } from './turns.js'

/** Questions one call refuses at most. */
const STEP = 200
const UNDECIDED = 'nobody decided in time'

export function expireQuestions(
  room: Room,
  now: number,
): { expired: number; ruled: number[]; nextAt: number | null } {
  const late = all<ApprovalRow>(
    room.sql("SELECT * FROM approvals WHERE state = 'open' AND expires_at <= ? ORDER BY id LIMIT ? + 0"),
    now,
    STEP,
  )
  for (const row of late) {
    room.sql("UPDATE approvals SET state = 'expired', settled_at = ? WHERE id = ?").run(now, row.id)
    showEnd(room, row, { how: 'expired' }, now)
    giveUp(room, row.turn, now)
  }
  return { expired: late.length, ruled: ruled(room), nextAt: nextExpiry(room) }
}

/** A refusal is not worth doing a work again from its start, which may have had effects: a parked turn ends with it. */
function giveUp(room: Room, id: number, now: number): void {
  const turn = one<TurnRow>(room.sql("SELECT * FROM turns WHERE id = ? AND state = 'parked'"), id)
  if (!turn || openOf(room, id).length > 0) return
  room
    .sql("UPDATE turns SET state = 'cancelled', reason = ?, settled_at = ? WHERE id = ?")
    .run(UNDECIDED, now, id)
  notify(room, turn, { kind: 'undecided', agent: turn.agent }, now)
  finish(room, turn, { at: now, outcome: { state: 'cancelled', reason: UNDECIDED }, wakes: [] }, null)
}

/** Decisions that runs of this process wait for and have not taken: whatever became of the word that told them. */
function ruled(room: Room): number[] {
  return all<{ id: number }>(
    room.sql(
      `SELECT a.id FROM turns t JOIN approvals a ON a.turn = t.id
       WHERE t.state = 'running' AND t.boot = ? AND a.state <> 'open' AND a.used_at IS NULL`,
    ),
    room.boot,
  ).map(({ id }) => id)
}

function nextExpiry(room: Room): number | null {
  return (
    one<{ at: number | null }>(room.sql("SELECT min(expires_at) AS at FROM approvals WHERE state = 'open'"))
      ?.at ?? null
  )
}

/** The question could not be posted at all: nobody can decide it, so it is refused the next time that is looked for. */
export function notAsked(room: Room, operation: number, at: number): void {
  room
    .sql("UPDATE approvals SET expires_at = min(expires_at, ?) WHERE operation = ? AND state = 'open'")
    .run(at, operation)
}
