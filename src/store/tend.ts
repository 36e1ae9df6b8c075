/** Housekeeping: what waited too long ends, what is too old to matter goes. Small steps, so that it never holds up work. */
import { EXPIRED } from '../messaging/admit.js'
import type { Gate } from '../messaging/decision.js'
import { DEDUPE_DAYS } from '../messaging/limits.js'
import type { AcceptResult } from '../messaging/store.js'
import { expireQuestions } from './approvals-expiry.js'
import { timeOutAsks } from './asks.js'
import { all, parse, type Room } from './db.js'
import type { TurnRow } from './rows.js'
import { pruneSchedules } from './schedule-runs.js'
import { followClock } from './set-back.js'
import { finish } from './settle.js'
import { notify } from './turns.js'

const DAY = 86_400_000
/** Rows one call removes at most. */
const STEP = 2_000

export function tend(
  room: Room,
  now: number,
): { expired: number; pruned: number; abort: AcceptResult['abort'] } {
  followClock(room, now)
  const asks = timeOutAsks(room, now)
  const expired = expireTurns(room, now) + asks.expired + expireQuestions(room, now).expired
  const pruned =
    room
      .sql('DELETE FROM events WHERE key IN (SELECT key FROM events WHERE at < ? LIMIT ? + 0)')
      .run(now - DEDUPE_DAYS * DAY, STEP).changes +
    room
      .sql(
        `DELETE FROM outbox WHERE id IN (SELECT id FROM outbox
           WHERE state = 'cancelled' AND attempt = 0 AND settled_at < ? LIMIT ? + 0)`,
      )
      .run(now - DAY, STEP).changes +
    room.sql('DELETE FROM buttons WHERE expires_at < ?').run(now - DAY).changes +
    pruneSchedules(room, now, STEP)
  return { expired, pruned, abort: asks.running.map((turn) => ({ turn, why: 'overdue' })) }
}

/** What has waited longer than a room remembers is not answered any more, and its sender is told. */
function expireTurns(room: Room, now: number): number {
  const late = all<TurnRow>(
    room.sql(
      "SELECT * FROM turns WHERE state = 'queued' AND kind = 'message' AND attempt = 0 AND last_at < ? LIMIT 100",
    ),
    now - room.policy.bounds.waitingMs,
  )
  for (const turn of late) {
    const gate: Gate = {
      gate: 'admit',
      verdict: 'stop',
      saw: { agent: turn.agent, 'waited ms': now - turn.last_at, kind: turn.kind },
      why: EXPIRED,
    }
    room
      .sql("UPDATE turns SET state = 'cancelled', reason = 'expired', settled_at = ?, trace = ? WHERE id = ?")
      .run(now, JSON.stringify([...parse<Gate[]>(turn.trace, []), gate]), turn.id)
    // Agents that were called together waited for one message: it is told once.
    if (turn.addressed && turn.request === turn.id) notify(room, turn, { kind: 'expired' }, now)
    finish(room, turn, { at: now, outcome: { state: 'cancelled', reason: 'expired' }, wakes: [] }, null)
  }
  return late.length
}
