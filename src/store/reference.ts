import { referenceOf } from '../messaging/keys.js'
import { type Db, one } from './db.js'
import type { MessageRow, TurnRow } from './rows.js'

/** The name under which people find the receipt of what a turn answers. */
export function receiptName(db: Db, turn: Pick<TurnRow, 'id' | 'message'>): string {
  const message =
    turn.message === null
      ? undefined
      : one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ?'), turn.message)
  return message ? referenceOf(message) : String(turn.id)
}
