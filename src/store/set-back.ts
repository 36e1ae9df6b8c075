/**
 * A machine's clock may be set back. What waits for a time then would wait as much longer, and its conversation behind it:
 * whatever was last touched in what is the future now keeps what was left of its wait.
 */
import { all, type Db } from './db.js'
import { refreshOutboxLane, refreshTurnLane } from './lanes.js'

/** Before each look for what may start: what was to come first must not be overtaken. */
export function noteClock(db: Db, now: number): void {
  if (now < db.lookedAt) followClock(db, now)
  db.lookedAt = now
}

/** @returns how many rows waited for a time that will not come as soon as it was meant to */
export function followClock(db: Db, now: number): number {
  const operations = all<{ conversation: string }>(
    db.sql(
      `UPDATE outbox SET not_before = :now + max(0, not_before - max(created_at, coalesce(sending_at, 0))),
         ready_at = :now + max(0, ready_at - max(created_at, coalesce(sending_at, 0))),
         created_at = min(created_at, :now), sending_at = min(sending_at, :now)
       WHERE state = 'pending' AND max(created_at, coalesce(sending_at, 0)) > :now RETURNING conversation`,
    ),
    { now },
  )
  for (const { conversation } of operations) refreshOutboxLane(db, conversation, now)
  const turns = all<{ lane: string }>(
    db.sql(
      `UPDATE turns SET not_before = :now + max(0, not_before - max(created_at, last_at)),
         created_at = min(created_at, :now), last_at = min(last_at, :now)
       WHERE state = 'queued' AND max(created_at, last_at) > :now RETURNING lane`,
    ),
    { now },
  )
  for (const { lane } of turns) refreshTurnLane(db, lane)
  db.sql('UPDATE lanes SET rank = min(rank, ?)').run(now)
  return operations.length + turns.length
}
