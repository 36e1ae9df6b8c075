/**
 * An inbound event becomes durable: dedupe key, transcript line, decision and turns in one transaction. Only after its
 * commit is the platform acknowledged.
 */
import type { InboundMessage, Skipped } from '../messaging/contract.js'
import { decide } from '../messaging/decide.js'
import type { Decision, Notice } from '../messaging/decision.js'
import { chatKeyOf, conversationOf } from '../messaging/keys.js'
import { settingsFor } from '../messaging/roster.js'
import type { AcceptItem, AcceptResult } from '../messaging/store.js'
import { forgetPerson, nextCtx, notePerson, touchChat, touchConversation } from './chats.js'
import { runCommand } from './commands.js'
import { one, type Room } from './db.js'
import { acceptDelete, acceptEdit } from './edits.js'
import { refreshTurnLane } from './lanes.js'
import { enqueue } from './outbox.js'
import { press } from './press.js'
import type { ChatRow, ConversationRow } from './rows.js'
import { findNative, isBusy, readState, tailTurn, unfinishedTurn } from './state.js'
import { addTurn, attach, notifyWaiting } from './turns.js'

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
      for (const member of event.joined ?? []) notePerson(room, chat.key, member, now)
      for (const member of event.left ?? []) forgetPerson(room, chat.key, member.id)
      return {}
    }
    case 'reaction': {
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
  // Two different events may be one post (a platform's "message" and "mention"): the first one wins.
  const twin = one<{ id: number }>(
    room.sql('SELECT id FROM messages WHERE chat = ? AND native = ?'),
    chat.key,
    message.id,
  )
  if (twin) return { message: twin.id }

  const settings = settingsFor(room.policy, chat.key)
  const repliedTo = message.replyTo ? findNative(room, chat.key, message.replyTo.id) : null
  const chain = message.replyTo ? (repliedTo?.chain ?? message.replyTo.id) : null
  const key = conversationOf(chat.key, settings.sessionScope, message, chain)
  const conversation = one<ConversationRow>(room.sql('SELECT * FROM conversations WHERE key = ?'), key)
  const state = readState(room, chat, conversation, message, repliedTo, key)
  const { decision, visible, text } = decide(room.policy, {
    connection,
    self,
    message,
    conversation: key,
    settings,
    state,
    now,
  })
  touchConversation(room, key, chat.key, key === chat.key ? null : (message.place.thread ?? null))
  notePerson(room, chat.key, message.author, now)

  // What is said while the room works stays out of the context until the turn has settled.
  const outside = decision.verdict === 'run' || isBusy(room, key)
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, native, thread, chain, kind, author_id, author_name, author_kind, text,
         shown, at, received_at, reply_to, ctx, files, decision)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      chat.key,
      key,
      message.id,
      message.place.thread ?? null,
      chain,
      message.author.kind === 'bot' ? 'bot' : 'person',
      message.author.id,
      message.author.name,
      message.author.kind,
      visible,
      text === visible ? null : text,
      message.at,
      now,
      message.replyTo?.id ?? null,
      decision.command ? OUT_OF_CONTEXT : outside ? null : nextCtx(room, key),
      message.files?.length ? JSON.stringify(message.files) : null,
      storable(decision),
    )
  const id = Number(lastInsertRowid)
  countTurn(room, chat, message, now)
  const abort: AcceptResult['abort'][number][] = []
  if (decision.verdict === 'run') makeTurns(room, item, message, id, chat, decision, text, state.busy)
  if (conversation?.owner != null) release(room, conversation, decision)
  if (decision.command) abort.push(...runCommand(room, item, message, id, key, decision.command, now))
  for (const notice of decision.notices) say(room, item, message, id, chat, key, notice)
  return { message: id, abort, awaited: decision.verdict === 'run' && decision.addressed }
}

/** A decision holds no words of the message: what a command was given stays out of it. */
function storable({ command, ...decision }: Decision): string {
  return JSON.stringify(command ? { ...decision, command: { name: command.name } } : decision)
}

/** A conversation that was handed to an agent goes to the next one that is named in it, or back to the orchestrator. */
function release(room: Room, conversation: ConversationRow, decision: Decision): void {
  const [named, second] = decision.responders
  if (decision.route !== 'named' || decision.join === 'debounce') return
  if (named === undefined || second !== undefined || named === conversation.owner) return
  const lead = room.policy.agents.find((agent) => agent.name === named)?.orchestrator === true
  room.sql('UPDATE conversations SET owner = ? WHERE key = ?').run(lead ? null : named, conversation.key)
}

function countTurn(room: Room, chat: ChatRow, message: InboundMessage, now: number): void {
  if (message.author.kind === 'person')
    room
      .sql(
        'UPDATE chats SET bot_turns = 0, quiet_noticed = 0, messages = messages + 1, last_at = ? WHERE key = ?',
      )
      .run(now, chat.key)
  // Another bot's line is no reply: what is counted is how often agents answer without a person (see settle).
  else room.sql('UPDATE chats SET messages = messages + 1, last_at = ? WHERE key = ?').run(now, chat.key)
}

function makeTurns(
  room: Room,
  item: AcceptItem,
  message: InboundMessage,
  id: number,
  chat: ChatRow,
  decision: Decision,
  text: string,
  busy: boolean,
): void {
  const { receivedAt: now } = item
  const lane = decision.conversation
  if (decision.join !== 'none') {
    const first =
      decision.join === 'debounce' ? unfinishedTurn(room, lane, message.author.id) : tailTurn(room, lane)
    if (first) {
      join(room, first.id, lane, message, id, decision, text, now)
      return
    }
  }
  let request: number | null = null
  for (const agent of decision.responders) {
    const turn = addTurn(room, {
      chat: chat.key,
      conversation: lane,
      lane,
      connection: item.connection,
      agent,
      kind: 'message',
      addressed: decision.addressed,
      sender: message.author.id,
      requester:
        message.author.kind === 'person' ? { id: message.author.id, name: message.author.name } : null,
      replyTo: message.id,
      message: id,
      thread: message.place.thread ?? null,
      can: item.can,
      responders: decision.responders,
      request,
      at: now,
      notBefore: decision.notBefore,
      debounced: decision.notBefore > now,
      characters: text.length,
      hop: 0,
    })
    request ??= turn
  }
  if (busy && request !== null && decision.addressed) notifyWaiting(room, request, now)
}

/** Joins the request that waits: texts in order, addressed by any, quoting its last addressed message. */
function join(
  room: Room,
  request: number,
  lane: string,
  message: InboundMessage,
  id: number,
  decision: Decision,
  text: string,
  now: number,
): void {
  const quotes = decision.addressed && decision.reason !== 'continues'
  const turns = room
    .sql("SELECT id FROM turns WHERE lane = ? AND state = 'queued' AND request = ?")
    .all(lane, request) as { id: number }[]
  for (const turn of turns) {
    attach(room, turn.id, id)
    room
      .sql(
        `UPDATE turns SET items = items + 1, characters = characters + ?, last_at = ?, not_before = ?, debounced = ?,
           addressed = max(addressed, ?), reply_to = CASE WHEN ? THEN ? ELSE reply_to END,
           message = CASE WHEN ? THEN ? ELSE message END WHERE id = ?`,
      )
      .run(
        text.length,
        now,
        decision.notBefore,
        decision.notBefore > now ? 1 : 0,
        decision.addressed ? 1 : 0,
        quotes ? 1 : 0,
        message.id,
        quotes ? 1 : 0,
        id,
        turn.id,
      )
  }
  refreshTurnLane(room, lane)
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
  if (notice.kind === 'quiet') room.sql('UPDATE chats SET quiet_noticed = 1 WHERE key = ?').run(chat.key)
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
  if (event.place === undefined || event.event === undefined) return {}
  const chat = touchChat(room, item.connection, { place: event.place }, item.receivedAt)
  const decision: Decision = {
    verdict: 'keep',
    addressed: false,
    reason: `skipped-${event.reason}`,
    responders: [],
    route: 'none',
    conversation: chat.key,
    notBefore: item.receivedAt,
    join: 'none',
    notices: [],
    trace: [
      {
        gate: 'author',
        verdict: 'stop',
        saw: { reason: event.reason, detail: event.detail ?? null },
        why: `The platform sent something that is not read: ${event.detail ?? event.reason}.`,
      },
    ],
  }
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, kind, author_id, author_name, author_kind, text, at, received_at, decision)
       VALUES (?, ?, 'skipped', '', '', 'bot', NULL, ?, ?, ?)`,
    )
    .run(chat.key, chat.key, event.at, item.receivedAt, JSON.stringify(decision))
  return { message: Number(lastInsertRowid) }
}
