/**
 * What may have been said while a connection was away. Each place spoken in lately is marked with the last message there
 * that is known for sure, and the mark stays until the place has been read to its end: whatever happens meanwhile, a
 * later life goes on from it.
 */

import { placeOf } from '../messaging/keys.js'
import type { MissedPlace } from '../messaging/store.js'
import { all, one, type Room } from './db.js'
import { whereabouts } from './moves.js'

/** What was delivered last may have overtaken what was lost: reading begins this much earlier. Doubles are known. */
const OVERLAP = 120_000

export function newest(room: Room): number {
  return one<{ id: number | null }>(room.sql('SELECT max(id) AS id FROM messages'))?.id ?? 0
}

export function missed(
  room: Room,
  request: { connection: string; upTo: number; since: number; max: number },
): MissedPlace[] {
  const { connection, upTo, since, max } = request
  // From the end, so that only what was said lately is looked at.
  const from = one<{ id: number }>(
    room.sql('SELECT id FROM messages WHERE received_at < ? ORDER BY id DESC LIMIT 1'),
    since,
  )
  for (const { chat, thread } of all<{ chat: string; thread: string | null }>(
    room.sql(
      `SELECT m.chat, m.thread FROM messages m JOIN chats c ON c.key = m.chat
       WHERE m.id > ? AND c.connection = ? AND m.id <= ? AND m.kind IN ('person', 'bot', 'agent')
       GROUP BY m.chat, m.thread ORDER BY max(m.id) DESC LIMIT ? + 0`,
    ),
    from?.id ?? 0,
    connection,
    upTo,
    max,
  )) {
    const after = lastKnown(room, chat, thread, upTo)
    if (after !== null)
      room
        .sql('INSERT OR IGNORE INTO behind (chat, thread, connection, after) VALUES (?, ?, ?, ?)')
        .run(chat, thread ?? '', connection, after)
  }
  return all<{ chat: string; native: string; thread: string; after: string }>(
    room.sql(
      // Of a chat in which nobody was heard before there is nothing but its key.
      `SELECT b.chat, coalesce(c.native, substr(b.chat, length(b.connection) + 2)) AS native, b.thread, b.after
       FROM behind b LEFT JOIN chats c ON c.key = b.chat
       WHERE b.connection = ? ORDER BY c.last_at DESC, b.thread LIMIT ? + 0`,
    ),
    connection,
    max,
  ).map(({ chat, native, thread, after }) => ({
    chatKey: chat,
    place: placeOf(native, thread === '' ? null : thread),
    after,
  }))
}

/**
 * The newest message that was heard some time before the last one; where there is none, the oldest that was heard. By the
 * platform's time: ids need not be numbers. Own posts bear this machine's time, so they count only where nobody else spoke.
 */
function lastKnown(room: Room, chat: string, thread: string | null, upTo: number): string | null {
  const heard = `FROM messages WHERE chat = ? AND thread IS ? AND native IS NOT NULL AND read_back = 0 AND id <= ?`
  for (const kinds of ["('person', 'bot')", "('agent')"]) {
    const bound = [chat, thread, upTo]
    const last = one<{ at: number }>(
      room.sql(`SELECT at ${heard} AND kind IN ${kinds} ORDER BY id DESC LIMIT 1`),
      ...bound,
    )
    if (last === undefined) continue
    const found =
      one<{ native: string }>(
        room.sql(`SELECT native ${heard} AND kind IN ${kinds} AND at <= ? ORDER BY id DESC LIMIT 1`),
        ...bound,
        last.at - OVERLAP,
      ) ??
      one<{ native: string }>(
        room.sql(`SELECT native ${heard} AND kind IN ${kinds} ORDER BY at, id LIMIT 1`),
        ...bound,
      )
    return found?.native ?? null
  }
  return null
}

export function noteMissed(room: Room, { chatKey, place, after }: MissedPlace, connection: string): void {
  room
    .sql('INSERT OR IGNORE INTO behind (chat, thread, connection, after) VALUES (?, ?, ?, ?)')
    .run(whereabouts(room, chatKey).key, place.thread ?? '', connection, after)
}

export function caughtUp(room: Room, missed: MissedPlace, state: 'more' | 'done' | 'given-up'): void {
  const thread = missed.place.thread ?? ''
  if (state === 'more') {
    room
      .sql('UPDATE behind SET after = ? WHERE chat = ? AND thread = ?')
      .run(missed.after, missed.chatKey, thread)
    return
  }
  room.sql('DELETE FROM behind WHERE chat = ? AND thread = ?').run(missed.chatKey, thread)
  if (state === 'done') return
  room.sql('UPDATE chats SET whole = 0 WHERE key = ?').run(missed.chatKey)
  room
    .sql('UPDATE conversations SET gap = 1 WHERE chat = ? AND thread IS ?')
    .run(missed.chatKey, thread === '' ? null : thread)
}
