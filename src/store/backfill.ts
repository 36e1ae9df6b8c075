/** What was said before a turn, read back from the platform: context only, neither new nor decided. */
import type { InboundMessage } from '../messaging/contract.js'
import type { Gate } from '../messaging/decision.js'
import { nameOf } from '../messaging/gates/naming.js'
import { chatKeyOf, conversationOf } from '../messaging/keys.js'
import { roomAgents } from '../messaging/roster.js'
import type { Backfill, Backfilled } from '../messaging/store.js'
import { speakerOf } from './accounts.js'
import { notePerson, touchConversation } from './chats.js'
import { contextFor } from './context.js'
import { all, one, parse, type Room } from './db.js'
import { settingsOf, whereabouts } from './moves.js'
import type { ChatRow, ConversationRow, TurnRow } from './rows.js'
import { findNative } from './state.js'

/** How far a platform's clock and this machine's may differ, and a post take its time, in milliseconds. */
const SKEW = 120_000
/** Lines of a context that are looked at for the place of an earlier one. */
const LOOK_BACK = 500

export function backfill(room: Room, given: Backfill): Backfilled {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), given.turn)
  const chat = turn && one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), turn.chat)
  if (!turn || !chat) return { read: 0, shown: null, unread: false }
  const read = store(room, given, turn, chat)
  const { end } = given
  const gap = end.kind === 'failed' ? 1 : end.kind === 'unreadable' ? 2 : 0
  room.sql('UPDATE conversations SET gap = ? WHERE key = ?').run(gap, turn.conversation)
  if (end.kind === 'whole' && turn.thread === null && chat.sees === 'all')
    room.sql('UPDATE chats SET whole = 1 WHERE key = ?').run(chat.key)
  if (read > 0 || 'why' in end) note(room, turn, gateFor(given, read))
  let shown: Backfilled['shown'] = null
  if (read > 0) {
    const { lines, cut } = contextFor(room, turn, chat, settingsOf(room, chat.key))
    shown = { lines, cut }
  }
  // In a direct chat there is nothing to be told: whoever wrote to the bot knows what they wrote before.
  return { read, shown, unread: 'why' in end && chat.kind === 'group' }
}

function gateFor({ end, messages }: Backfill, read: number): Gate {
  const saw = { 'lines read back': read, 'known already': messages.length - read }
  const why =
    'why' in end
      ? `Earlier messages could not be read: ${end.why}`
      : `${read} earlier ${read === 1 ? 'line was' : 'lines were'} read back from the platform.`
  return { gate: 'history', verdict: 'note', saw, why }
}

function note(room: Room, turn: TurnRow, gate: Gate): void {
  const row = one<{ trace: string | null }>(room.sql('SELECT trace FROM turns WHERE id = ?'), turn.id)
  room
    .sql('UPDATE turns SET trace = ? WHERE id = ?')
    .run(JSON.stringify([...parse<Gate[]>(row?.trace, []), gate]), turn.id)
}

interface Fresh {
  id: number
  at: number
}

function store(room: Room, given: Backfill, turn: TurnRow, chat: ChatRow): number {
  const newest = one<{ at: number | null }>(
    room.sql(
      'SELECT max(m.at) AS at FROM turn_messages tm JOIN messages m ON m.id = tm.message WHERE tm.turn = ?',
    ),
    turn.id,
  )?.at
  const fresh = new Map<string, Fresh[]>()
  for (const message of given.messages) {
    // What was said since comes by itself.
    if (message.at > (newest ?? given.at)) continue
    const line = write(room, given, turn, chat, message)
    if (line === null) continue
    fresh.set(line.conversation, [...(fresh.get(line.conversation) ?? []), { id: line.id, at: message.at }])
  }
  for (const [conversation, lines] of fresh) place(room, conversation, lines)
  return [...fresh.values()].reduce((sum, lines) => sum + lines.length, 0)
}

function write(
  room: Room,
  given: Backfill,
  turn: TurnRow,
  chat: ChatRow,
  message: InboundMessage,
): { id: number; conversation: string } | null {
  const said = chatKeyOf(turn.connection, message.place.chat)
  if (whereabouts(room, said).key !== chat.key || whereabouts(room, said).former) return null
  if (findNative(room, said, message.id) !== null) return null
  const own = message.author.kind === 'self'
  if (own && isUnsettled(room, chat.key, message.at)) return null
  const settings = settingsOf(room, chat.key)
  const { visible, text } = nameOf(message.doc, given.self, roomAgents(room.policy, settings), settings)
  if (visible.trim() === '' && !message.files?.length) return null
  const repliedTo = message.replyTo ? findNative(room, said, message.replyTo.id) : null
  const chain = message.replyTo ? (repliedTo?.chain ?? message.replyTo.id) : null
  const conversation = own
    ? (repliedTo?.conversation ?? threadOf(turn, chat, message))
    : conversationOf(chat.key, settings.sessionScope, { ...message, chat: { kind: chat.kind } }, chain)
  if (isBeforeNew(room, conversation, message.at)) return null
  const thread = message.place.thread ?? null
  touchConversation(room, conversation, chat.key, conversation === chat.key ? null : thread, 1)
  if (!own) notePerson(room, chat.key, message.author, given.at)
  const speaker = own ? null : speakerOf(room, turn.connection, message.author)
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, native, thread, chain, kind, author_id, author_name, author_kind, text,
         shown, at, received_at, reply_to, ctx, files, outside, agent, read_back)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
    )
    .run(
      chat.key,
      conversation,
      message.id,
      thread,
      chain,
      own || speaker !== null ? 'agent' : message.author.kind === 'bot' ? 'bot' : 'person',
      message.author.id,
      speaker ?? message.author.name,
      own ? 'agent' : message.author.kind,
      visible,
      text === visible || own ? null : text,
      message.at,
      given.at,
      message.replyTo?.id ?? null,
      null,
      message.files?.length ? JSON.stringify(message.files) : null,
      message.author.outside ? 1 : 0,
      speaker,
    )
  return { id: Number(lastInsertRowid), conversation }
}

/** The bot's own post of an earlier life: part of the context in which it is found. */
function threadOf(turn: TurnRow, chat: ChatRow, message: InboundMessage): string {
  const same = (message.place.thread ?? null) === turn.thread
  return same ? turn.conversation : chat.key
}

/** It may be what is being sent, or was sent without its answer having come: that line stands already. */
function isUnsettled(room: Room, chat: string, at: number): boolean {
  return (
    one(
      room.sql(
        `SELECT 1 FROM outbox WHERE chat = ? AND native IS NULL AND kind IN ('post', 'note', 'upload') AND attempt > 0
           AND created_at <= ? AND (state IN ('pending', 'sending') OR (state = 'failed' AND sending_at >= ?)) LIMIT 1`,
      ),
      chat,
      at + SKEW,
      at - SKEW,
    ) !== undefined
  )
}

/** `/new` was said after it: the context starts there. */
function isBeforeNew(room: Room, conversation: string, at: number): boolean {
  const row = one<{ at: number }>(
    room.sql(
      `SELECT m.at FROM conversations c JOIN messages m ON m.id = c.fresh_from WHERE c.key = ? AND c.fresh_from > 0`,
    ),
    conversation,
  )
  return row !== undefined && at <= row.at
}

/** Gives the lines their places in the context, by the time they were said; what comes after them moves on. */
function place(room: Room, conversation: string, fresh: readonly Fresh[]): void {
  const row = one<ConversationRow>(room.sql('SELECT * FROM conversations WHERE key = ?'), conversation)
  const end = row?.ctx ?? 0
  const lines = [...fresh].sort((a, b) => a.at - b.at || a.id - b.id)
  const oldest = lines[0]?.at ?? 0
  const known = all<{ id: number; at: number; ctx: number }>(
    room.sql('SELECT id, at, ctx FROM messages WHERE conversation = ? AND ctx > ? ORDER BY ctx'),
    conversation,
    Math.max(0, end - LOOK_BACK),
  )
  const first = known.findIndex(({ at }) => at > oldest)
  const after = first < 0 ? [] : known.slice(first)
  let next = after[0]?.ctx ?? end + 1
  const put = (id: number): void => {
    room.sql('UPDATE messages SET ctx = ? WHERE id = ?').run(next++, id)
  }
  for (const line of after) {
    while (lines[0] !== undefined && lines[0].at < line.at) put((lines.shift() as Fresh).id)
    put(line.id)
  }
  for (const line of lines) put(line.id)
  room.sql('UPDATE conversations SET ctx = ? WHERE key = ?').run(Math.max(end, next - 1), conversation)
}
