/** What came in and is not read still has a receipt. */
import type { Place } from '../messaging/contract.js'
import type { Decision, Gate } from '../messaging/decision.js'
import type { AcceptItem, AcceptResult } from '../messaging/store.js'
import { touchChat } from './chats.js'
import type { Room } from './db.js'

export function noteUnread(
  room: Room,
  item: AcceptItem,
  event: { place: Place; at: number },
  about: { reason: string; saw: Gate['saw']; why: string },
): Partial<AcceptResult> {
  const chat = touchChat(room, item.connection, { place: event.place }, item.receivedAt)
  const decision: Decision = {
    verdict: 'keep',
    addressed: false,
    reason: about.reason,
    responders: [],
    route: 'none',
    conversation: chat.key,
    notBefore: item.receivedAt,
    join: 'none',
    notices: [],
    trace: [{ gate: 'author', verdict: 'stop', saw: about.saw, why: about.why }],
  }
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, kind, author_id, author_name, author_kind, text, at, received_at, decision)
       VALUES (?, ?, 'skipped', '', '', 'bot', NULL, ?, ?, ?)`,
    )
    .run(chat.key, chat.key, event.at, item.receivedAt, JSON.stringify(decision))
  return { message: Number(lastInsertRowid) }
}
