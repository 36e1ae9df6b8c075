/** The first command of a boot: what an earlier life left half done is put right. */
import { hasUnusedRuling, park } from './approvals.js'
import { all, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import { recoverOutbox } from './outbox.js'
import type { TurnRow } from './rows.js'
import { followClock } from './set-back.js'
import { finish, interrupted } from './settle.js'
import { clearStatus } from './turns.js'

export interface Recovered {
  requeued: number
  interrupted: number
  ambiguous: number
}

/**
 * A running turn of an older boot is dead. It runs again when it never gave an event, or when its engine has no effects
 * that could happen twice, or when somebody has decided what it asked. While its question is open it waits. Otherwise its chat gets one line and a Retry button.
 */
export function recover(room: Room, now: number): Recovered {
  const ambiguous = recoverOutbox(room, now)
  const dead = all<TurnRow>(room.sql("SELECT * FROM turns WHERE state = 'running' AND boot <> ?"), room.boot)
  let requeued = 0
  let stopped = 0
  for (const turn of dead) {
    clearStatus(room, turn, now)
    // What a person is asked is waited for, whatever the engine may have done: the decision begins it again.
    if (park(room, turn, 'restarted', now)) continue
    // A decision that nobody was given yet was the word to begin again.
    const again = turn.first_event_at === null || turn.effects === 'none' || hasUnusedRuling(room, turn.id)
    if (again) {
      room
        .sql("UPDATE turns SET state = 'queued', reason = 'the process ended', not_before = ? WHERE id = ?")
        .run(now, turn.id)
      requeued++
      refreshTurnLane(room, turn.lane)
      continue
    }
    const reason = 'the process ended while it worked; what it had done is not known'
    room
      .sql("UPDATE turns SET state = 'interrupted', reason = ?, settled_at = ? WHERE id = ?")
      .run(reason, now, turn.id)
    interrupted(room, turn, now)
    finish(room, turn, { at: now, outcome: { state: 'interrupted', reason }, wakes: [] }, null)
    stopped++
  }
  followClock(room, now)
  for (const { lane } of all<{ lane: string }>(
    room.sql("SELECT DISTINCT lane FROM turns WHERE state = 'queued'"),
  ))
    refreshTurnLane(room, lane)
  return { requeued, interrupted: stopped, ambiguous }
}
