/**
 * The heads of the queues. A lane is a conversation's line of turns, or of outgoing operations; it has at most one at
 * work. Its row is made anew from the rows in it after each change, so that "what may start now" is one index scan.
 */
import { type Db, one } from './db.js'

export type Queue = 'turns' | 'outbox'

export function refreshTurnLane(db: Db, lane: string): void {
  const head = one<{ chat: string; connection: string; agent: string; not_before: number }>(
    db.sql(
      "SELECT chat, connection, agent, not_before FROM turns WHERE lane = ? AND state = 'queued' ORDER BY id LIMIT 1",
    ),
    lane,
  )
  const running = one<{ id: number }>(
    db.sql("SELECT id FROM turns WHERE state = 'running' AND lane = ? LIMIT 1"),
    lane,
  )
  put(db, 'turns', lane, head && { ...head, at: head.not_before }, running?.id ?? null)
}

/** Several changes of one commit look for the head once: by the next claim, or before the commit. */
export function refreshOutboxLane(db: Db, conversation: string, now: number): void {
  db.stale.set(conversation, Math.max(now, db.stale.get(conversation) ?? 0))
}

export function refreshStaleLanes(db: Db): void {
  for (const [conversation, now] of db.stale) outboxLane(db, conversation, now)
  db.stale.clear()
}

function outboxLane(db: Db, conversation: string, now: number): void {
  const ready = one<{ chat: string; connection: string; at: number }>(
    db.sql(
      `SELECT chat, connection, not_before AS at FROM outbox
       WHERE conversation = ? AND state = 'pending' AND ready_at <= ? ORDER BY priority, id LIMIT 1`,
    ),
    conversation,
    now,
  )
  const next = one<{ chat: string; connection: string; at: number }>(
    db.sql(
      `SELECT chat, connection, ready_at AS at FROM outbox
       WHERE conversation = ? AND state = 'pending' AND ready_at > ? ORDER BY ready_at LIMIT 1`,
    ),
    conversation,
    now,
  )
  // A delayed row (a status post) never holds up what is ready; but a lane that waits for a retry must look again for it.
  const head = ready && next && next.at < ready.at ? { ...ready, at: next.at } : (ready ?? next)
  const sending = one<{ id: number }>(
    db.sql("SELECT id FROM outbox WHERE state = 'sending' AND conversation = ? LIMIT 1"),
    conversation,
  )
  put(db, 'outbox', conversation, head, sending?.id ?? null)
}

function put(
  db: Db,
  queue: Queue,
  key: string,
  head: { chat: string; connection: string; agent?: string; at: number } | undefined,
  running: number | null,
): void {
  if (head === undefined && running === null) {
    db.sql('DELETE FROM lanes WHERE queue = ? AND key = ?').run(queue, key)
    return
  }
  db.sql(
    `INSERT INTO lanes (queue, key, connection, chat, agent, waiting, running, head_at, rank)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (queue, key) DO UPDATE SET connection = excluded.connection, chat = excluded.chat,
       agent = excluded.agent, waiting = excluded.waiting, running = excluded.running, head_at = excluded.head_at,
       rank = max(rank, excluded.rank)`,
  ).run(
    queue,
    key,
    head?.connection ?? '',
    head?.chat ?? '',
    head?.agent ?? '',
    head === undefined ? 0 : 1,
    running,
    head?.at ?? 0,
    head?.at ?? 0,
  )
}

/**
 * A turn of the lane has been started: its room has had its turn, and comes after those that have waited since. Within the
 * room its other conversations come before this one.
 *
 * @param place how many were started with it, before it: their rooms come first again as well
 */
export function noteServed(db: Db, lane: string, chat: string, now: number, place: number): void {
  const rank = now + 2 * place
  db.sql("UPDATE lanes SET rank = max(rank, ?) WHERE queue = 'turns' AND chat = ?").run(rank, chat)
  db.sql("UPDATE lanes SET rank = max(rank, ?) WHERE queue = 'turns' AND key = ?").run(rank + 1, lane)
}

/** When the next lane that waits for its time becomes ready. */
export function nextAt(db: Db, queue: Queue, now: number): number | null {
  refreshStaleLanes(db)
  const row = one<{ at: number | null }>(
    db.sql(
      `SELECT min(head_at) AS at FROM lanes WHERE queue = '${queue}' AND running IS NULL AND waiting > 0 AND head_at > ?`,
    ),
    now,
  )
  return row?.at ?? null
}
