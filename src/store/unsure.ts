/** What a second attempt must know where nobody can say whether the first one stands in the chat. Reads only. */
import type { ClaimedOperation } from '../messaging/store.js'
import { all, type Db, one } from './db.js'
import type { OutboxRow } from './rows.js'

/** The status post whose place the answer may take, and the words to say again with a label. */
export function unsureOf(db: Db, row: OutboxRow): Pick<ClaimedOperation, 'status' | 'answer'> {
  if (row.ambiguous === 0 || row.role !== 'answer' || row.kind !== 'post') return {}
  const status = statusOf(db, row)
  const answer = wordsOf(db, row)
  return { ...(status === null ? {} : { status }), ...(answer === null ? {} : { answer }) }
}

/** Only for the beginning of an answer: what follows it must stand below it. */
function statusOf(db: Db, row: OutboxRow): string | null {
  if (row.turn === null) return null
  const first = one<{ id: number }>(
    db.sql("SELECT min(id) AS id FROM outbox WHERE turn = ? AND role = 'answer'"),
    row.turn,
  )
  if (first?.id !== row.id) return null
  const standing = one<{ native: string }>(
    db.sql(
      `SELECT native FROM outbox o WHERE turn = ? AND role = 'status' AND kind = 'note' AND state = 'sent'
         AND native IS NOT NULL AND chat = ? AND NOT EXISTS (
           SELECT 1 FROM outbox d WHERE d.target = o.id AND d.kind = 'delete' AND d.state NOT IN ('pending', 'cancelled'))
       ORDER BY id DESC LIMIT 1`,
    ),
    row.turn,
    row.chat,
  )
  return standing?.native ?? null
}

function wordsOf(db: Db, row: OutboxRow): string | null {
  if (row.line === null) return null
  const posts = one<{ n: number }>(
    db.sql("SELECT count(*) AS n FROM outbox WHERE turn IS ? AND line = ? AND kind = 'post'"),
    row.turn,
    row.line,
  )
  if (posts?.n !== 1) return null
  return (
    one<{ text: string | null }>(db.sql('SELECT text FROM messages WHERE id = ?'), row.line)?.text ?? null
  )
}

/** Status posts of this turn with this native id, and their deletions that were not sent yet. */
export function deletionsOf(
  db: Db,
  turn: number | null,
  native: string,
): { status: number; deletion: number | null }[] {
  return all<{ status: number; deletion: number | null }>(
    db.sql(
      `SELECT o.id AS status, d.id AS deletion FROM outbox o
       LEFT JOIN outbox d ON d.target = o.id AND d.kind = 'delete' AND d.state = 'pending'
       WHERE o.turn IS ? AND o.role = 'status' AND o.kind = 'note' AND o.native = ?`,
    ),
    turn,
    native,
  )
}
