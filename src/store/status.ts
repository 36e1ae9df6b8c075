/** An answer in the place of its status post, where a room wants that. */
import type { Operation } from '../messaging/contract.js'
import { all, type Room } from './db.js'
import type { NewOperation } from './new-operation.js'
import type { OutboxRow, TurnRow } from './rows.js'
import { canOf } from './turns.js'

type Post = Extract<Operation, { kind: 'post' }>

/**
 * The status post that the beginning of an answer may take the place of: one that surely stands and that nothing else is
 * about to change. Null where there is none, and where the answer mentions somebody: an edit would ping nobody.
 */
export function statusToFill(room: Room, turn: TurnRow, first: Operation | undefined): OutboxRow | null {
  if (first?.kind !== 'post' || first.part.mentions.length > 0) return null
  if (!canOf(turn).operations.includes('edit')) return null
  const standing = all<OutboxRow>(
    room.sql(
      `SELECT * FROM outbox o WHERE turn = ? AND role = 'status' AND kind IN ('note', 'post') AND state = 'sent'
         AND native IS NOT NULL AND chat = ? AND NOT EXISTS (SELECT 1 FROM outbox d WHERE d.target = o.id)
       ORDER BY id DESC LIMIT 1`,
    ),
    turn.id,
    turn.chat,
  )
  return standing[0] ?? null
}

/** As an edit of it. Where it turns out to be gone, it is a post again, with its quote. */
export function filling(
  { place, part, agent, replyTo }: Post,
  status: OutboxRow,
): Pick<NewOperation, 'op' | 'target'> {
  return {
    target: status.id,
    op: {
      kind: 'edit',
      place,
      id: status.native ?? '',
      part,
      buttons: [],
      ...(agent === undefined ? {} : { agent }),
      ...(replyTo === undefined ? {} : { replyTo }),
    },
  }
}
