/** What a claimed turn is shown: the window of its conversation, and the lines it answers. */
import type { FileRef } from '../messaging/contract.js'
import { CONTEXT_LINES } from '../messaging/limits.js'
import type { RoomSettings } from '../messaging/roster.js'
import type { ClaimedTurn, ContextLine } from '../messaging/store.js'
import { isEligible, windowOf } from '../messaging/window.js'
import { all, one, parse, type Room } from './db.js'
import type { AskRow, ChatRow, ConversationRow, MessageRow, TurnRow } from './rows.js'

/** What a line of context needs of a message: not its decision, which is larger than its text. */
const LINE = 'id, native, kind, author_id, author_name, text, shown, at'
type LineRow = Pick<
  MessageRow,
  'id' | 'native' | 'kind' | 'author_id' | 'author_name' | 'text' | 'shown' | 'at'
>

/** Lines read beyond the window, for those that are filtered out of it. */
const INELIGIBLE = 10

export function contextFor(room: Room, turn: TurnRow, chat: ChatRow, settings: RoomSettings): ClaimedTurn {
  const answered = all<MessageRow>(
    room.sql(
      `SELECT m.* FROM turn_messages tm JOIN messages m ON m.id = tm.message
       WHERE tm.turn = ? AND m.deleted_at IS NULL ORDER BY m.id`,
    ),
    turn.id,
  )
  const ask =
    turn.ask === null ? undefined : one<AskRow>(room.sql('SELECT * FROM asks WHERE id = ?'), turn.ask)
  const fresh = freshLines(room, turn, answered, ask)
  // A teammate is shown its task and what it asked for itself, not the conversation of its asker.
  const earlier =
    turn.ask !== null
      ? []
      : earlierLines(room, turn, settings.historyLimit, new Set(fresh.map((line) => line.message)))
  const { lines, cut } = windowOf([...earlier, ...fresh], fresh.length, settings.historyLimit)
  return {
    id: turn.id,
    kind: turn.kind,
    agent: turn.agent,
    chatKey: turn.chat,
    conversation: turn.conversation,
    connection: turn.connection,
    place: turn.thread === null ? { chat: chat.native } : { chat: chat.native, thread: turn.thread },
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
    files: answered.flatMap((message) =>
      parse<FileRef[]>(message.files, []).map((file) => ({ message: message.id, file })),
    ),
    first: earlier.length === 0,
  }
}

function earlierLines(
  room: Room,
  turn: TurnRow,
  historyLimit: number,
  skip: ReadonlySet<number>,
): ContextLine[] {
  if (historyLimit === 0) return []
  const conversation = one<ConversationRow>(
    room.sql('SELECT * FROM conversations WHERE key = ?'),
    turn.conversation,
  )
  return all<LineRow>(
    room.sql(
      `SELECT ${LINE} FROM messages WHERE conversation = ? AND ctx IS NOT NULL AND ctx > ? AND deleted_at IS NULL
       ORDER BY ctx DESC LIMIT ?`,
    ),
    turn.conversation,
    conversation?.fresh_from ?? 0,
    Math.min(CONTEXT_LINES, historyLimit) + skip.size + INELIGIBLE,
  )
    .reverse()
    .filter((message) => !skip.has(message.id) && isEligible(message))
    .map((message) => toLine(message, false))
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
    text: message.shown ?? message.text ?? '',
    at: message.at,
    new: fresh,
  }
}
