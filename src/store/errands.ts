/** Commands whose answer needs what the store does not have. A row each, until they are answered. */
import type { InboundMessage, Place } from '../messaging/contract.js'
import type { Errand } from '../messaging/facts.js'
import type { AcceptItem } from '../messaging/store.js'
import { all, one, parse, type Room } from './db.js'
import { factsOf } from './facts.js'
import { enqueue } from './outbox.js'
import type { MessageRow } from './rows.js'

/** A command as it was given. */
export interface CommandSaid {
  item: AcceptItem
  message: InboundMessage
  /** Internal id of the message. */
  id: number
  conversation: string
  chat: string
  now: number
}

interface ErrandRow {
  id: number
  message: number
  chat: string
  conversation: string
  connection: string
  kind: Errand['kind']
  words: string
  place: string
  reply_to: string | null
  done_at: number | null
}

export function openErrand(
  room: Room,
  { item, message, id, conversation, chat, now }: CommandSaid,
  kind: Errand['kind'],
  words: string,
): void {
  room
    .sql(
      `INSERT INTO errands (message, chat, conversation, connection, kind, words, place, reply_to, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(id, chat, conversation, item.connection, kind, words, JSON.stringify(message.place), message.id, now)
}

export function errands(room: Room, now: number, max: number): Errand[] {
  return all<ErrandRow>(
    room.sql('SELECT * FROM errands WHERE done_at IS NULL ORDER BY id LIMIT ? + 0'),
    max,
  ).map(({ id, chat, kind, words }) => ({
    id,
    chatKey: chat,
    kind,
    words,
    facts: factsOf(room, chat, now),
  }))
}

export function settleErrand(room: Room, id: number, text: string, at: number): void {
  const row = one<ErrandRow>(room.sql('SELECT * FROM errands WHERE id = ? AND done_at IS NULL'), id)
  if (row === undefined) return
  // The words are in the message; they need not stand here as well.
  room.sql("UPDATE errands SET done_at = ?, words = '' WHERE id = ?").run(at, id)
  const asked = one<MessageRow>(room.sql('SELECT * FROM messages WHERE id = ?'), row.message)
  if (asked?.deleted_at !== null) return
  enqueue(room, {
    connection: row.connection,
    chatKey: row.chat,
    conversation: row.conversation,
    turn: null,
    message: row.message,
    at,
    role: 'notice',
    op: {
      kind: 'note',
      place: parse<Place>(row.place, { chat: '' }),
      ...(row.reply_to !== null && { replyTo: row.reply_to }),
      notice: { kind: 'command', text },
    },
  })
}
