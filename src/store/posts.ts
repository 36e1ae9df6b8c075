/** What a turn posts beside its answer: its line, its operations and that it was said are one transaction. */
import { createHash } from 'node:crypto'
import { referenceOf } from '../messaging/keys.js'
import {
  mayReach,
  PLACES_LISTED,
  type PlaceView,
  POSTS_PER_TURN,
  type Posted,
  type TurnPost,
} from '../messaging/posts.js'
import { nextCtx, touchChat, touchConversation } from './chats.js'
import { all, type Db, one, type Room } from './db.js'
import { settingsOf, whereabouts } from './moves.js'
import { enqueue } from './outbox.js'
import type { ChatRow, MessageRow, OutboxRow, TurnRow } from './rows.js'
import { conversationIn, isScheduled } from './schedule-runs.js'
import { isBusy } from './state.js'

interface TurnPostRow {
  turn: number
  /** Key of the chat, as it was asked for. */
  place: string
  hash: string
  attempt: number
  line: number
}

const refused = (why: string): Posted => ({ status: 'refused', why })

export function postFromTurn(room: Room, post: TurnPost): Posted {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), post.turn)
  if (turn?.state !== 'running' || turn.boot !== room.boot)
    return refused('This turn is over; nothing was posted.')
  const place = post.to ?? turn.chat
  const hash = createHash('sha256').update(post.text).digest('hex')
  const before = postsSoFar(room, turn)
  // Run again after a restart or a decision: what was posted before is not posted twice.
  const same = before.find((row) => row.place === place && row.hash === hash)
  if (same) return { status: 'known', reference: nameOf(room, same.line) }
  const earlier = before.find(
    (row) => row.place === place && (row.turn !== turn.id || row.attempt < turn.attempt),
  )
  if (earlier && !post.more) return refused(alreadySaid(room, earlier.line))
  if (before.length >= POSTS_PER_TURN)
    return refused(`This turn has posted ${POSTS_PER_TURN} messages already. Say the rest in your answer.`)
  const target = post.to === null ? here(room, turn) : there(room, turn, post.to, post.at)
  if (typeof target === 'string') return refused(target)
  const { chat } = target
  const { maxTurns } = settingsOf(room, chat.key)
  if (chat.bot_turns >= maxTurns)
    return refused(
      `${maxTurns} messages by bots in a row stand there already: a person must speak before another one.`,
    )
  const line = say(room, turn, target, post)
  room
    .sql('INSERT INTO turn_posts (turn, place, hash, attempt, line) VALUES (?, ?, ?, ?, ?)')
    .run(turn.id, place, hash, turn.attempt, line)
  for (const op of post.operations)
    enqueue(room, {
      connection: chat.connection,
      chatKey: chat.key,
      conversation: target.conversation,
      // No part of the answer: it stands whatever becomes of that.
      turn: null,
      message: line,
      line,
      at: post.at,
      role: 'answer',
      op,
    })
  return { status: 'posted', reference: nameOf(room, line) }
}

/** By the turn, and by those that were cut off in the same work: a person may have pressed Retry. */
function postsSoFar(room: Room, turn: TurnRow): TurnPostRow[] {
  return all<TurnPostRow>(
    room.sql(
      `SELECT * FROM turn_posts WHERE turn = :id OR turn IN (
         SELECT t.id FROM turn_messages tm JOIN turns t ON t.id = tm.turn
         WHERE tm.message = :message AND t.state = 'interrupted' AND t.agent = :agent AND t.kind = :kind)
       ORDER BY line`,
    ),
    { id: turn.id, message: turn.message, agent: turn.agent, kind: turn.kind },
  )
}

interface Target {
  chat: ChatRow
  conversation: string
  thread: string | null
  /** Its own turn is the one at work there: the line comes before what waits behind it. */
  own: boolean
}

function here(room: Room, turn: TurnRow): Target | string {
  const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), turn.chat)
  if (chat === undefined) return 'This chat is not known any more.'
  return { chat, conversation: turn.conversation, thread: turn.thread, own: turn.ask === null }
}

function there(room: Room, turn: TurnRow, to: string, at: number): Target | string {
  const { key } = whereabouts(room, to)
  if (key === turn.chat) return 'That is this very chat: use post_to_room.'
  const known = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), key)
  const { places } = settingsOf(room, turn.chat)
  const kind = known !== undefined && isGroup(room, known) ? 'group' : 'dm'
  if (!mayReach(places, to, kind) && !mayReach(places, key, kind))
    return 'This room may not post there. list_places names where it may; whoever runs Golem can add places to the room in golem.yaml.'
  const colon = to.indexOf(':')
  const connection = to.slice(0, colon)
  const chat = touchChat(room, connection, { place: { chat: to.slice(colon + 1) } }, at)
  const conversation = conversationIn(room, chat)
  touchConversation(room, conversation, chat.key, null, 1)
  return { chat, conversation, thread: null, own: false }
}

/**
 * Known to be a group: its platform has named it, or people have spoken in it. An id that nothing was heard from may be a
 * person's, and to post there is to write to them alone.
 */
const GROUP = "c.kind = 'group' AND (c.title IS NOT NULL OR EXISTS (SELECT 1 FROM people WHERE chat = c.key))"

function isGroup(db: Db, { key }: ChatRow): boolean {
  return one(db.sql(`SELECT 1 FROM chats c WHERE c.key = ? AND ${GROUP}`), key) !== undefined
}

/** Its line in the transcript. Where another turn is at work it waits outside of the context, as what people say does. */
function say(room: Room, turn: TurnRow, target: Target, { at, text }: TurnPost): number {
  const { chat, conversation, thread, own } = target
  const ctx = !own && isBusy(room, conversation) ? null : nextCtx(room, conversation)
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, thread, kind, author_id, author_name, author_kind, agent, text,
         at, received_at, ctx, turn) VALUES (?, ?, ?, 'agent', ?, ?, 'agent', ?, ?, ?, ?, ?, ?)`,
    )
    .run(chat.key, conversation, thread, turn.agent, turn.agent, turn.agent, text, at, at, ctx, turn.id)
  room
    .sql('UPDATE chats SET bot_turns = bot_turns + ?, messages = messages + 1, last_at = ? WHERE key = ?')
    .run(isScheduled(room, turn) ? 0 : 1, at, chat.key)
  return Number(lastInsertRowid)
}

function nameOf(db: Db, line: number): string {
  const row = one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ?'), line)
  return row === undefined ? `#${line}` : referenceOf(row)
}

function alreadySaid(db: Db, line: number): string {
  const row = one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ?'), line)
  const words = row?.text == null ? 'a message' : JSON.stringify(row.text.slice(0, 500))
  return `An earlier run of this very turn has posted there already: ${words}. Post only what is missing, and call with more: true.`
}

/** Chats that the turn's room may reach: those it is allowed by name, and the groups of whole connections. */
export function placesOf(room: Room, id: number): PlaceView[] {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), id)
  if (turn === undefined) return []
  const { places = [] } = settingsOf(room, turn.chat)
  const found = new Map<string, PlaceView>()
  for (const place of places) {
    for (const view of place.endsWith(':*') ? groupsOf(room, place.slice(0, -2)) : [viewOf(room, place)]) {
      if (view.key !== turn.chat && found.size < PLACES_LISTED) found.set(view.key, view)
    }
  }
  return [...found.values()]
}

/** One that nothing was heard from yet is a place all the same. */
function viewOf(room: Room, place: string): PlaceView {
  const { key } = whereabouts(room, place)
  const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), key)
  return { key, kind: chat?.kind ?? 'group', title: chat?.title ?? null }
}

function groupsOf(room: Room, connection: string): PlaceView[] {
  return all<ChatRow>(
    room.sql(
      `SELECT c.* FROM chats c WHERE c.connection = ? AND ${GROUP} ORDER BY c.last_at DESC, c.key LIMIT ? + 0`,
    ),
    connection,
    PLACES_LISTED,
  ).map(({ key, kind, title }) => ({ key, kind, title }))
}

/** Rows of the outbox by which a turn said something beside its answer; for its receipt. */
export function postsBeside(db: Db, turn: number): OutboxRow[] {
  return all<OutboxRow>(
    db.sql(
      `SELECT o.* FROM turn_posts p JOIN outbox o ON o.message = p.line AND o.line = p.line AND o.turn IS NULL
       WHERE p.turn = ? ORDER BY o.id`,
    ),
    turn,
  )
}
