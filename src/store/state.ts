/** Reads what `decide` is shown of a room. */
import type { InboundMessage } from '../messaging/contract.js'
import type { RoomState, WaitingRequest } from '../messaging/state.js'
import { all, type Db, one, parse } from './db.js'
import { whereabouts } from './moves.js'
import type { ChatRow, ConversationRow, MessageRow, TurnRow } from './rows.js'

/** A message found by the platform's own id: a line of the transcript, or a post of Golem's (any part of it). */
export interface Found {
  message: number | null
  ours: boolean
  agent: string | null
  chain: string | null
  turn: number | null
  conversation: string
}

/** @param chat key of the chat, an earlier one of it too: then the id is one of that time */
export function findLine(db: Db, chat: string, native: string): MessageRow | undefined {
  const { key, former } = whereabouts(db, chat)
  return former
    ? one<MessageRow>(db.sql('SELECT * FROM messages WHERE former = ?'), `${chat}:${native}`)
    : one<MessageRow>(db.sql('SELECT * FROM messages WHERE chat = ? AND native = ?'), key, native)
}

/** @param chat see {@link findLine} */
export function findNative(db: Db, chat: string, native: string): Found | null {
  const line = findLine(db, chat, native)
  if (line)
    return {
      message: line.id,
      ours: line.author_kind === 'agent' || line.author_kind === 'self',
      agent: line.agent,
      chain: line.chain,
      turn: line.turn,
      conversation: line.conversation,
    }
  const { key, former } = whereabouts(db, chat)
  const post = one<{
    line: number | null
    message: number | null
    turn: number | null
    agent: string | null
    chain: string | null
    conversation: string
  }>(
    db.sql(
      `SELECT o.line, o.message, o.turn, o.conversation, t.agent, coalesce(l.chain, q.chain, q.native) AS chain
       FROM outbox o LEFT JOIN turns t ON t.id = o.turn
         LEFT JOIN messages l ON l.id = o.line LEFT JOIN messages q ON q.id = o.message
       WHERE ${former ? 'o.former = ?' : 'o.chat = ? AND o.native = ?'} AND o.kind IN ('post', 'note', 'upload')
       ORDER BY o.id LIMIT 1`,
    ),
    ...(former ? [`${chat}:${native}`] : [key, native]),
  )
  return post
    ? {
        message: post.line ?? post.message,
        ours: true,
        agent: post.agent,
        chain: post.chain,
        turn: post.turn,
        conversation: post.conversation,
      }
    : null
}

export function readState(
  db: Db,
  chat: ChatRow,
  conversation: ConversationRow | undefined,
  message: InboundMessage,
  repliedTo: Found | null,
  key: string,
  utterance: RoomState['utterance'],
): RoomState {
  const busy = conversation !== undefined && isBusy(db, key)
  return {
    botTurns: chat.bot_turns,
    quietNoticed: chat.quiet_noticed === 1,
    hintGiven: chat.hint_given === 1,
    thread: threadState(db, chat, message),
    owner: conversation?.owner ?? null,
    repliedTo: repliedTo && { ours: repliedTo.ours, agent: repliedTo.agent },
    waiting: waiting(db, chat.key, message.author.id),
    busy,
    tail: busy ? waitingRequest(tailTurn(db, key)) : null,
    unfinished: busy ? unfinished(unfinishedTurn(db, key, message.author.id)) : null,
    utterance,
  }
}

function threadState(db: Db, chat: ChatRow, message: InboundMessage): RoomState['thread'] {
  const { thread } = message.place
  if (thread === undefined) return null
  const answered =
    one(
      db.sql(
        "SELECT 1 FROM messages WHERE chat = ? AND thread = ? AND kind = 'agent' AND author_kind = 'agent' LIMIT 1",
      ),
      chat.key,
      thread,
    ) !== undefined
  if (!answered) return { answered, people: [] }
  // Where a thread hangs on a message, that message's author has spoken in it.
  const speakers = all<{ author_id: string }>(
    db.sql(
      `SELECT author_id FROM messages WHERE chat = ? AND native = ? AND kind = 'person'
       UNION SELECT author_id FROM messages WHERE chat = ? AND thread = ? AND kind = 'person' LIMIT 20`,
    ),
    chat.key,
    thread,
    chat.key,
    thread,
  ).map((row) => row.author_id)
  return { answered, people: [...new Set([...speakers, message.author.id])] }
}

function waiting(db: Db, chat: string, sender: string): RoomState['waiting'] {
  const room = one<{ n: number | null }>(
    db.sql(
      "SELECT sum(items) AS n FROM turns WHERE state = 'queued' AND chat = ? AND kind = 'message' AND request = id",
    ),
    chat,
  )
  if (!room?.n) return { sender: 0, room: 0 }
  const own = one<{ n: number | null }>(
    db.sql(
      "SELECT sum(items) AS n FROM turns WHERE state = 'queued' AND chat = ? AND sender = ? AND kind = 'message' AND request = id",
    ),
    chat,
    sender,
  )
  return { sender: own?.n ?? 0, room: room.n }
}

export function isBusy(db: Db, lane: string): boolean {
  return one(db.sql("SELECT 1 FROM lanes WHERE queue = 'turns' AND key = ?"), lane) !== undefined
}

/** The newest turn of the lane, if it and its siblings all still wait. */
export function tailTurn(db: Db, lane: string): TurnRow | null {
  const last = one<TurnRow>(
    db.sql("SELECT * FROM turns WHERE lane = ? AND state = 'queued' ORDER BY id DESC LIMIT 1"),
    lane,
  )
  if (last?.kind !== 'message' || last.request === null || last.attempt > 0) return null
  const first = one<TurnRow>(db.sql('SELECT * FROM turns WHERE id = ?'), last.request)
  return first && first.state === 'queued' && first.attempt === 0 ? first : null
}

/** The newest request of a sender that waits for its rest. */
export function unfinishedTurn(db: Db, lane: string, sender: string): TurnRow | null {
  return (
    one<TurnRow>(
      db.sql(
        `SELECT * FROM turns WHERE lane = ? AND state = 'queued' AND sender = ? AND kind = 'message' AND debounced = 1
           AND request = id AND attempt = 0 ORDER BY id DESC LIMIT 1`,
      ),
      lane,
      sender,
    ) ?? null
  )
}

function unfinished(turn: TurnRow | null): RoomState['unfinished'] {
  const request = waitingRequest(turn)
  return request && turn ? { ...request, until: turn.not_before } : null
}

function waitingRequest(first: TurnRow | null): WaitingRequest | null {
  if (first === null || first.sender === null) return null
  return {
    sender: first.sender,
    responders: parse<string[]>(first.responders, []),
    lastAt: first.last_at,
    items: first.items,
    characters: first.characters,
    addressed: first.addressed === 1,
  }
}
