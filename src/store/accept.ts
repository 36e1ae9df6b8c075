/**
 * An inbound event becomes durable: dedupe key, transcript line, decision and turns in one transaction. Only after its
 * commit is the platform acknowledged.
 */
import { isAnswer } from '../messaging/answers.js'
import type { InboundMessage, Skipped } from '../messaging/contract.js'
import { decide } from '../messaging/decide.js'
import type { Decision, Notice } from '../messaging/decision.js'
import { nameOf } from '../messaging/gates/naming.js'
import { chatKeyOf, conversationOf } from '../messaging/keys.js'
import { type RoomSettings, roomAgents, settingsFor } from '../messaging/roster.js'
import type { AcceptItem, AcceptResult } from '../messaging/store.js'
import {
  accountsHere,
  noteAccount,
  noteHere,
  noteOwnMoves,
  noteQuiet,
  personSpoke,
  speakerOf,
} from './accounts.js'
import { forgetPerson, nextCtx, notePerson, touchChat, touchConversation } from './chats.js'
import { runCommand } from './commands.js'
import { one, type Room } from './db.js'
import { decideByText } from './decisions.js'
import { acceptDelete, acceptEdit } from './edits.js'
import { formerKeys, moveChat, whereabouts } from './moves.js'
import { enqueue } from './outbox.js'
import { lapse, release } from './owners.js'
import { press } from './press.js'
import { makeTurns } from './requests.js'
import type { ChatRow, ConversationRow, MessageRow } from './rows.js'
import { type Found, findLine, findNative, isBusy, readState } from './state.js'
import { talkOf } from './talk.js'
import { noteUnread } from './unread.js'
import { partsOf, utteranceOf } from './utterance.js'

/** A place before every context: a command to Golem is no part of the conversation. */
const OUT_OF_CONTEXT = 0

const NOTHING: Omit<AcceptResult, 'status'> = { abort: [], operationsAt: null, awaited: false }

export function accept(room: Room, item: AcceptItem): AcceptResult {
  const { event, receivedAt: now } = item
  const key = event.event === undefined ? null : `${item.connection} ${event.event}`
  if (key !== null) {
    const known = one<{ message: number | null }>(room.sql('SELECT message FROM events WHERE key = ?'), key)
    if (known)
      return { ...NOTHING, status: 'known', ...(known.message === null ? {} : { message: known.message }) }
  }
  room.readyAt = null
  const result = store(room, item)
  if (key !== null)
    room.sql('INSERT INTO events (key, message, at) VALUES (?, ?, ?)').run(key, result.message ?? null, now)
  return { ...NOTHING, ...result, operationsAt: room.readyAt, status: 'new' }
}

function store(room: Room, item: AcceptItem): Partial<AcceptResult> {
  const { event, receivedAt: now } = item
  if (room.policy.accounts !== undefined) noteAccount(room, item.connection, item.self)
  switch (event.kind) {
    case 'message':
      return event.author.kind === 'self' ? ownMessage(room, item, event) : acceptMessage(room, item, event)
    case 'edit':
      return acceptEdit(room, item, event)
    case 'delete':
      return acceptDelete(room, item, event)
    case 'press':
      return press(room, item, event)
    case 'change': {
      const chat = touchChat(room, item.connection, event, now)
      if (event.title !== undefined)
        room.sql('UPDATE chats SET title = ? WHERE key = ?').run(event.title, chat.key)
      noteOwnMoves(room, chat, item.self, event)
      for (const member of event.joined ?? []) notePerson(room, chat.key, member, now)
      for (const member of event.left ?? []) forgetPerson(room, chat.key, member.id)
      return moveChat(room, item, event)
    }
    case 'reaction': {
      // On something that was never seen here it is nothing: reactions are not read otherwise.
      const found = findNative(room, chatKeyOf(item.connection, event.place.chat), event.id)
      return found?.message === null || found === null ? {} : { message: found.message }
    }
    case 'skipped':
      return skipped(room, item, event)
  }
}

/** The platform's echo of our own post: the outbox knows it already. */
function ownMessage(room: Room, item: AcceptItem, message: InboundMessage): Partial<AcceptResult> {
  const found = findNative(room, chatKeyOf(item.connection, message.place.chat), message.id)
  return found?.message ? { message: found.message } : {}
}

function acceptMessage(room: Room, item: AcceptItem, message: InboundMessage): Partial<AcceptResult> {
  const { connection, self, receivedAt: now } = item
  const chat = touchChat(room, connection, message, now)
  noteHere(room, chat)
  // Whatever a bot is not shown: a direct chat it is.
  const sees = chat.kind === 'dm' ? 'all' : (item.sees ?? 'all')
  if (chat.sees !== sees) room.sql('UPDATE chats SET sees = ? WHERE key = ?').run(sees, chat.key)
  // Two different events may be one post (a platform's "message" and "mention"): the first one wins. What was only read
  // back is heard now.
  const twin = findLine(room, chatKeyOf(connection, message.place.chat), message.id)
  if (twin && (twin.read_back === 0 || item.missed !== undefined)) return { message: twin.id }

  const heard = placed(room, item, chat, message)
  const { settings, key, utterance } = heard
  const conversation = lapse(
    room,
    one<ConversationRow>(room.sql('SELECT * FROM conversations WHERE key = ?'), key),
    now,
  )
  const gap = gapOf(room, chat, message, sees)
  touchConversation(room, key, chat.key, key === chat.key ? null : heard.thread, gap)
  // Where only some lines are shown, there is always something between them.
  if (conversation?.gap === 0 && sees === 'addressed')
    room.sql('UPDATE conversations SET gap = 1 WHERE key = ?').run(key)
  notePerson(room, chat.key, message.author, now)
  if (item.missed === 'context') {
    const { visible, text } = nameOf(message.doc, self, roomAgents(room.policy, settings), settings)
    const ctx = isBusy(room, key) ? null : nextCtx(room, key)
    return {
      message: write(room, item, message, heard, { visible, text, ctx, decision: null, readBack: true }),
    }
  }

  const parts = partsOf(room, chat.key, utterance)
  const state = {
    ...readState(room, chat, conversation, message, heard.repliedTo, key, parts?.state ?? null),
    ...talkOf(room, chat.key, key, settings),
    ...accountsHere(room, { ...chat, sees }, message),
  }
  const { decision, visible, text } = decide(room.policy, {
    connection,
    self,
    message,
    conversation: key,
    settings,
    state,
    now,
    sees,
    formerly: heard.formerly,
  })
  // What is said while the room works stays out of the context until the turn has settled.
  const outside = decision.verdict === 'run' || isBusy(room, key)
  const line = { visible, text, decision: storable(decision), readBack: false }
  const id =
    twin === undefined
      ? write(room, item, message, heard, {
          ...line,
          ctx: decision.command ? OUT_OF_CONTEXT : outside ? null : nextCtx(room, key),
        })
      : overwrite(room, item, message, twin, { ...line, utterance })
  if (message.author.kind === 'person') personSpoke(room, chat, state.accounts?.heard ?? null)
  room.sql('UPDATE chats SET messages = messages + 1, last_at = ? WHERE key = ?').run(now, chat.key)
  const abort: AcceptResult['abort'][number][] = []
  if (decision.verdict === 'run')
    makeTurns(room, {
      item,
      message,
      id,
      chat,
      decision,
      text,
      busy: state.busy,
      parts,
      native: heard.native,
      thread: heard.thread,
    })
  release(room, conversation, decision, now)
  if (decision.command && isAnswer(decision.command.name)) {
    const said = { message, id, conversation: key, text }
    return { ...decideByText(room, item, said, decision.command), message: id }
  }
  if (decision.command) abort.push(...runCommand(room, item, message, id, key, decision.command, now))
  for (const notice of decision.notices) say(room, item, message, id, chat, key, notice)
  const errand = decision.command?.name === 'memory'
  return {
    message: id,
    abort,
    awaited: decision.verdict === 'run' && decision.addressed,
    ...(errand && { errand }),
  }
}

/** Where a message belongs, whatever id its chat had when it was said. */
interface Heard {
  settings: RoomSettings
  key: string
  chain: string | null
  repliedTo: Found | null
  utterance: string | null
  /** Null where the id is one of the chat's earlier life: then it can be found, and not be quoted. */
  native: string | null
  former: string | null
  thread: string | null
  formerly: string[]
}

function placed(room: Room, item: AcceptItem, chat: ChatRow, message: InboundMessage): Heard {
  const said = chatKeyOf(item.connection, message.place.chat)
  const { former } = whereabouts(room, said)
  const formerly = formerKeys(room, chat.key)
  const settings = settingsFor(room.policy, chat.key, formerly)
  const { replyTo } = message
  const repliedTo = replyTo ? findNative(room, said, replyTo.id) : null
  const root = replyTo && (former ? `${message.place.chat}:${replyTo.id}` : replyTo.id)
  const chain = replyTo ? (repliedTo?.chain ?? root ?? null) : null
  const thread = former ? null : (message.place.thread ?? null)
  const place = thread === null ? { chat: message.place.chat } : { chat: message.place.chat, thread }
  return {
    settings,
    key: conversationOf(chat.key, settings.sessionScope, { ...message, place }, chain),
    chain,
    repliedTo,
    utterance: utteranceOf(room, chat.key, message, item.receivedAt, settings.debounceMs),
    native: former ? null : message.id,
    former: former ? `${said}:${message.id}` : null,
    thread,
    formerly: formerly.map((key) => key.slice(key.indexOf(':') + 1)),
  }
}

interface Line {
  visible: string
  text: string
  ctx: number | null
  decision: string | null
  readBack: boolean
}

function write(room: Room, item: AcceptItem, message: InboundMessage, heard: Heard, line: Line): number {
  const speaker = speakerOf(room, item.connection, message.author)
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, native, thread, chain, kind, author_id, author_name, author_kind, text,
         shown, at, received_at, reply_to, ctx, files, decision, utterance, partial, outside, read_back, former, agent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      whereabouts(room, chatKeyOf(item.connection, message.place.chat)).key,
      heard.key,
      heard.native,
      heard.thread,
      heard.chain,
      speaker !== null ? 'agent' : message.author.kind === 'bot' ? 'bot' : 'person',
      message.author.id,
      speaker ?? message.author.name,
      message.author.kind,
      line.visible,
      line.text === line.visible ? null : line.text,
      message.at,
      item.receivedAt,
      heard.former === null ? (message.replyTo?.id ?? null) : null,
      line.ctx,
      message.files?.length ? JSON.stringify(message.files) : null,
      line.decision,
      heard.utterance,
      message.partial ? 1 : 0,
      message.author.outside ? 1 : 0,
      line.readBack ? 1 : 0,
      heard.former,
      speaker,
    )
  return Number(lastInsertRowid)
}

/** It was read as context before its event came: the line keeps its place, and is decided now. */
function overwrite(
  room: Room,
  item: AcceptItem,
  message: InboundMessage,
  twin: MessageRow,
  line: Omit<Line, 'ctx'> & { utterance: string | null },
): number {
  room
    .sql(
      `UPDATE messages SET text = ?, shown = ?, received_at = ?, files = ?, decision = ?, utterance = ?, partial = ?,
         read_back = 0 WHERE id = ?`,
    )
    .run(
      line.visible,
      line.text === line.visible ? null : line.text,
      item.receivedAt,
      message.files?.length ? JSON.stringify(message.files) : null,
      line.decision,
      line.utterance,
      message.partial ? 1 : 0,
      twin.id,
    )
  return twin.id
}

/**
 * Whether something may have been said in a conversation before its first line here. A thread under a message that was
 * heard is known from its beginning, and so is every conversation of a chat that is known from its own.
 */
function gapOf(room: Room, chat: ChatRow, message: InboundMessage, sees: 'all' | 'addressed'): 0 | 1 {
  if (sees === 'addressed') return 1
  if (chat.whole === 1) return 0
  const { thread } = message.place
  if (thread === undefined) return 1
  const key = chatKeyOf(chat.connection, message.place.chat)
  const root = findLine(room, key, thread)
  return root ? (root.read_back as 0 | 1) : findNative(room, key, thread) === null ? 1 : 0
}

/** A decision holds no words of the message: what a command was given stays out of it. */
function storable({ command, ...decision }: Decision): string {
  return JSON.stringify(command ? { ...decision, command: { name: command.name } } : decision)
}

function say(
  room: Room,
  item: AcceptItem,
  message: InboundMessage,
  id: number,
  chat: ChatRow,
  conversation: string,
  notice: Notice,
): void {
  if (notice.kind === 'quiet') noteQuiet(room, chat.key)
  if (notice.kind === 'mention-hint') room.sql('UPDATE chats SET hint_given = 1 WHERE key = ?').run(chat.key)
  enqueue(room, {
    connection: item.connection,
    chatKey: chat.key,
    conversation,
    turn: null,
    message: id,
    at: item.receivedAt,
    role: 'notice',
    op: { kind: 'note', place: message.place, replyTo: message.id, notice },
  })
}

function skipped(room: Room, item: AcceptItem, event: Skipped): Partial<AcceptResult> {
  const { place, at, reason, detail } = event
  if (place === undefined || event.event === undefined) return {}
  return noteUnread(
    room,
    item,
    { place, at },
    {
      reason: `skipped-${reason}`,
      saw: { reason, detail: detail ?? null },
      why: `The platform sent something that is not read: ${detail ?? reason}.`,
    },
  )
}
