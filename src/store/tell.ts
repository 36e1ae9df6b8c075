/** A chat that the bot may not post in: whoever asked there is told in their direct chat, and given their answer. */
import type { Operation, Place } from '../messaging/contract.js'
import { chatKeyOf } from '../messaging/keys.js'
import { isPassing } from '../messaging/operation.js'
import type { Note } from '../messaging/store.js'
import { type Db, one } from './db.js'
import type { NewOperation } from './new-operation.js'
import { receiptName } from './reference.js'
import type { OutboxRow, TurnRow } from './rows.js'

/**
 * What to post to the one who asked: one line, once for a turn, and each post of the answer. Nobody else sees it, and it
 * holds nothing that was not meant for the chat they asked in: `tried` is what could not be posted there. Empty where nobody is known to have asked, and where the
 * chat is a direct one already.
 */
export function tellAsker(db: Db, row: OutboxRow, tried: Operation, at: number): NewOperation[] {
  const op = JSON.parse(row.op) as Operation | Note
  const turn =
    row.turn === null ? undefined : one<TurnRow>(db.sql('SELECT * FROM turns WHERE id = ?'), row.turn)
  if (!turn || turn.requester_id === null || row.chat !== turn.chat || row.role === 'status' || isPassing(op))
    return []
  const chat = one<{ kind: string }>(db.sql('SELECT kind FROM chats WHERE key = ?'), turn.chat)
  if (chat?.kind !== 'group') return []
  const place: Place = { chat: turn.requester_id }
  const chatKey = chatKeyOf(row.connection, turn.requester_id)
  const to = {
    connection: row.connection,
    chatKey,
    conversation: `${chatKey}:${turn.requester_id}`,
    turn: turn.id,
    message: row.message,
    at,
  }
  const told = one(
    db.sql(`SELECT 1 FROM outbox WHERE turn = ? AND chat = ? AND kind = 'note' LIMIT 1`),
    turn.id,
    chatKey,
  )
  const notice = { kind: 'may-not-post', receipt: receiptName(db, turn) } as const
  return [
    ...(told === undefined
      ? [{ ...to, role: 'notice' as const, first: true, op: { kind: 'note' as const, place, notice } }]
      : []),
    ...(tried.kind === 'post' && row.role === 'answer'
      ? [{ ...to, role: 'answer' as const, line: row.line, op: direct(tried, place) }]
      : []),
  ]
}

/** The same words: without the quote, which is of another chat. */
function direct({ part, agent }: Extract<Operation, { kind: 'post' }>, place: Place): Operation {
  return { kind: 'post', place, part, ...(agent === undefined ? {} : { agent }) }
}
