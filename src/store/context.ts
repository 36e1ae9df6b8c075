/** What a claimed turn is shown: the window of its conversation, and the lines it answers. */
import type { FileRef } from '../messaging/contract.js'
import { placeOf } from '../messaging/keys.js'
import { CONTEXT_LINES } from '../messaging/limits.js'
import type { RoomSettings } from '../messaging/roster.js'
import type { ClaimedTurn, ContextLine } from '../messaging/store.js'
import { isEligible, windowOf } from '../messaging/window.js'
import { all, type Db, one, parse, type Room } from './db.js'
import { chosenModel } from './models.js'
import { formerKeys } from './moves.js'
import { roomTextsOf } from './room-texts.js'
import type { AskRow, ChatRow, ConversationRow, MessageRow, TurnRow } from './rows.js'
import { dueRunOf } from './schedule-runs.js'
import { transcriptsOf } from './spoken.js'
import { inOrder } from './utterance.js'

/** What a line of context needs of a message: not its decision, which is larger than its text. */
const LINE = 'm.id, m.native, m.kind, m.author_id, m.author_name, m.text, m.shown, m.at'
type LineRow = Pick<
  MessageRow,
  'id' | 'native' | 'kind' | 'author_id' | 'author_name' | 'text' | 'shown' | 'at'
>

/** What was said before `/new`, or answers something that was, is not shown any more. Bound twice. */
const FRESH = 'm.id > ? AND coalesce(t.message, m.id) > ?'
/** Only lines that will be shown are counted; `isEligible` has the last word. */
const ELIGIBLE = "m.ctx > 0 AND m.deleted_at IS NULL AND trim(coalesce(m.shown, m.text, '')) <> ''"
/** Lines read beyond the window, so that it is known that some are cut. */
const BEYOND = 2
/** A file that was sent so long before the words, in milliseconds, belongs to them; and how many such messages. */
const FILES_BEFORE = 5 * 60_000
const MOST_BEFORE = 20

export function contextFor(room: Room, turn: TurnRow, chat: ChatRow, settings: RoomSettings): ClaimedTurn {
  const answered = inOrder(
    all<MessageRow>(
      room.sql(
        `SELECT m.* FROM turn_messages tm JOIN messages m ON m.id = tm.message
       WHERE tm.turn = ? AND m.deleted_at IS NULL ORDER BY m.id`,
      ),
      turn.id,
    ),
  )
  const ask =
    turn.ask === null ? undefined : one<AskRow>(room.sql('SELECT * FROM asks WHERE id = ?'), turn.ask)
  const fresh = freshLines(room, turn, answered, ask)
  // A teammate is shown its task and what it asked for itself, not the conversation of its asker.
  const earlier =
    turn.ask !== null
      ? []
      : earlierLines(room, turn, chat, settings.historyLimit, new Set(fresh.map((line) => line.message)))
  const { lines, cut } = windowOf([...earlier, ...fresh], fresh.length, settings.historyLimit)
  return {
    id: turn.id,
    kind: turn.kind,
    agent: turn.agent,
    chatKey: turn.chat,
    conversation: turn.conversation,
    connection: turn.connection,
    place: placeOf(chat.native, turn.thread),
    chat: { kind: chat.kind, title: chat.title },
    addressed: turn.addressed === 1,
    requester: turn.requester_id === null ? null : { id: turn.requester_id, name: turn.requester_name ?? '' },
    replyTo: turn.reply_to,
    message: turn.message,
    attempt: turn.attempt,
    hop: turn.hop,
    ask: ask
      ? {
          id: ask.id,
          asker: ask.asker,
          task: ask.task,
          depth: ask.depth,
          chain: parse<string[]>(ask.chain, []),
        }
      : null,
    lines,
    cut,
    files: filesOf(room, withFiles(room, turn, answered)),
    first: earlier.length === 0,
    context: contextName(room, turn.conversation),
    ...dueOf(room, turn),
    ...modelFor(room, turn),
    ...formerlyOf(room, turn.chat),
    ...textsOf(room, turn.chat),
  }
}

/** The answered messages, and those whose files they speak of: what they quote, else what their author has just sent. */
function withFiles(room: Room, turn: TurnRow, answered: readonly MessageRow[]): MessageRow[] {
  const quoted = quotedBy(room, turn.chat, answered)
  const own = [...quoted, ...answered]
  return own.some(({ files }) => files !== null) ? own : [...sentBefore(room, turn, answered), ...own]
}

/**
 * Files that the asker sent on their own just before asking, as platforms have it where a file carries no words. Not those
 * that were sent with an earlier question, and none where the words quote something else.
 */
function sentBefore(room: Room, turn: TurnRow, answered: readonly MessageRow[]): MessageRow[] {
  const [first] = answered
  if (turn.kind !== 'message' || first === undefined || answered.some(({ reply_to }) => reply_to !== null))
    return []
  // By the index of what has files: most often there is nothing, and no message is looked at.
  const sent = all<MessageRow>(
    room.sql(
      `SELECT m.* FROM messages m INDEXED BY messages_files WHERE m.conversation = ? AND m.files IS NOT NULL AND m.id < ?
         AND m.author_id = ? AND m.kind = 'person' AND m.deleted_at IS NULL AND m.at BETWEEN ? AND ?
       ORDER BY m.id DESC LIMIT ? + 0`,
    ),
    turn.conversation,
    first.id,
    first.author_id,
    first.at - FILES_BEFORE,
    first.at,
    MOST_BEFORE,
  ).reverse()
  const [oldest] = sent
  if (oldest === undefined) return []
  const asked = one<{ id: number | null }>(
    room.sql(
      `SELECT max(m.id) AS id FROM messages m JOIN turn_messages tm ON tm.message = m.id
       WHERE m.chat = ? AND m.id BETWEEN ? AND ? AND m.conversation = ? AND m.author_id = ?`,
    ),
    turn.chat,
    oldest.id,
    first.id - 1,
    turn.conversation,
    first.author_id,
  )
  const fresh = one<ConversationRow>(
    room.sql('SELECT * FROM conversations WHERE key = ?'),
    turn.conversation,
  )?.fresh_from
  const from = Math.max(asked?.id ?? 0, fresh ?? 0)
  return sent.filter(({ id }) => id > from)
}

/** Messages with files that the answered ones quote: "summarise this" is said of them. */
function quotedBy(room: Room, chat: string, answered: readonly MessageRow[]): MessageRow[] {
  const natives = answered.flatMap(({ reply_to }) => reply_to ?? [])
  if (natives.length === 0) return []
  const own = new Set(answered.map(({ id }) => id))
  return all<MessageRow>(
    room.sql(
      `SELECT m.* FROM messages m WHERE m.chat = ? AND m.native IN (SELECT value FROM json_each(?))
         AND m.files IS NOT NULL AND m.deleted_at IS NULL ORDER BY m.id`,
    ),
    chat,
    JSON.stringify([...new Set(natives)]),
  ).filter(({ id }) => !own.has(id))
}

function filesOf(db: Db, messages: readonly MessageRow[]): ClaimedTurn['files'] {
  return messages.flatMap((message) => {
    const files = parse<FileRef[]>(message.files, [])
    const transcripts = files.length === 0 ? undefined : transcriptsOf(db, message.id)
    return files.map((file) => {
      const transcript = transcripts?.get(file.id)
      return { message: message.id, file, ...(transcript === undefined ? {} : { transcript }) }
    })
  })
}

function textsOf(room: Room, chat: string): Pick<ClaimedTurn, 'texts'> {
  const texts = roomTextsOf(room, chat)
  return texts === undefined ? {} : { texts }
}

function formerlyOf(room: Room, chat: string): Pick<ClaimedTurn, 'formerly'> {
  const formerly = formerKeys(room, chat)
  return formerly.length === 0 ? {} : { formerly }
}

/** Lines of the context before the ones that are answered, oldest first. */
function earlierLines(
  room: Room,
  turn: TurnRow,
  chat: ChatRow,
  historyLimit: number,
  skip: ReadonlySet<number>,
): ContextLine[] {
  if (historyLimit === 0) return []
  const conversation = one<ConversationRow>(
    room.sql('SELECT * FROM conversations WHERE key = ?'),
    turn.conversation,
  )
  const fresh = conversation?.fresh_from ?? 0
  const limit = Math.min(CONTEXT_LINES, historyLimit) + skip.size + BEYOND
  const lines = `WHERE m.conversation = ? AND m.ctx IS NOT NULL AND ${ELIGIBLE}`
  const newest =
    fresh === 0
      ? all<LineRow>(
          room.sql(`SELECT ${LINE} FROM messages m ${lines} ORDER BY m.ctx DESC LIMIT ? + 0`),
          turn.conversation,
          limit,
        )
      : all<LineRow>(
          room.sql(
            `SELECT ${LINE} FROM messages m LEFT JOIN turns t ON t.id = m.turn
             ${lines} AND ${FRESH} ORDER BY m.ctx DESC LIMIT ? + 0`,
          ),
          turn.conversation,
          fresh,
          fresh,
          limit,
        )
  const own = newest.reverse()
  return [...startOf(room, turn, chat, fresh), ...own]
    .filter((message) => !skip.has(message.id) && isEligible({ ...message, text: textOf(message) }))
    .map((message) => toLine(message, false))
}

/** A thread or a reply chain hangs on a message of the chat: that message and its answers belong to its context. */
function startOf(room: Room, turn: TurnRow, chat: ChatRow, fresh: number): LineRow[] {
  if (chat.kind === 'dm' || turn.conversation === turn.chat) return []
  const root = turn.conversation.slice(turn.chat.length + 1)
  return all<LineRow>(
    room.sql(
      `SELECT ${LINE} FROM messages m LEFT JOIN turns t ON t.id = m.turn
       WHERE m.chat = ? AND (m.native = ? OR m.chain = ? OR m.former = ?) AND m.conversation = m.chat AND m.ctx IS NOT NULL
         AND ${FRESH} AND ${ELIGIBLE} ORDER BY m.ctx DESC LIMIT ? + 0`,
    ),
    turn.chat,
    root,
    root,
    // Of a chat that moved: the root is one of its earlier life.
    `${chat.connection}:${root}`,
    fresh,
    fresh,
    CONTEXT_LINES,
  ).reverse()
}

function freshLines(
  room: Room,
  turn: TurnRow,
  answered: readonly MessageRow[],
  ask: AskRow | undefined,
): ContextLine[] {
  if (turn.kind === 'ask' && ask)
    return [
      {
        message: turn.message ?? 0,
        native: null,
        author: { id: ask.asker, name: ask.asker },
        kind: 'agent',
        text: ask.task,
        at: ask.created_at,
        new: true,
      },
    ]
  if (turn.kind === 'follow-up' && turn.follows !== null)
    return all<MessageRow>(
      room.sql('SELECT m.* FROM asks a JOIN messages m ON m.id = a.result WHERE a.turn = ? ORDER BY a.id'),
      turn.follows,
    ).map((message) => toLine(message, true))
  return answered.map((message) => toLine(message, true))
}

function toLine(message: LineRow, fresh: boolean): ContextLine {
  return {
    message: message.id,
    native: message.native,
    author: { id: message.author_id, name: message.author_name },
    kind: message.kind === 'skipped' ? 'digest' : message.kind,
    text: textOf(message),
    at: message.at,
    new: fresh,
  }
}

/** As an agent is shown it. */
function textOf(message: LineRow): string {
  return message.shown ?? message.text ?? ''
}

/** Where people start afresh, whatever an engine has kept of the conversation before is not to be gone on with. */
function contextName(room: Room, conversation: string): string {
  const fresh =
    one<{ fresh_from: number }>(room.sql('SELECT fresh_from FROM conversations WHERE key = ?'), conversation)
      ?.fresh_from ?? 0
  return fresh === 0 ? conversation : `${conversation}@${fresh}`
}

function dueOf(room: Room, turn: TurnRow): Pick<ClaimedTurn, 'schedule'> {
  const schedule = dueRunOf(room, turn.message)
  return schedule === undefined ? {} : { schedule }
}

function modelFor(room: Room, turn: TurnRow): Pick<ClaimedTurn, 'model'> {
  const agent = room.policy.agents.find(({ name }) => name === turn.agent)
  const choice = chosenModel(room, turn.chat, turn.conversation, agent)
  return choice === undefined ? {} : { model: choice.model }
}
