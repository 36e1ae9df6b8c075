/** What a button carries: a token that only this data folder can make, good once and for a while. */
import { createHash, createHmac } from 'node:crypto'
import { BUTTON_TTL } from '../messaging/limits.js'
import type { ButtonAction, Note } from '../messaging/store.js'
import { type Db, one } from './db.js'
import type { OutboxRow } from './rows.js'

/** Tokens are made from a secret of the data folder, so none is ever stored: only its hash is. */
export function tokensFor(db: Db, row: OutboxRow, note: Note, now: number): string[] {
  if (!note.buttons?.length) return []
  const secret = one<{ value: string }>(db.sql("SELECT value FROM meta WHERE key = 'secret'"))?.value ?? ''
  const requester = row.turn
    ? one<{ requester_id: string | null }>(db.sql('SELECT requester_id FROM turns WHERE id = ?'), row.turn)
    : undefined
  const author = row.message
    ? one<{ author_id: string }>(db.sql('SELECT author_id FROM messages WHERE id = ?'), row.message)
    : undefined
  return note.buttons.map((button, index) => {
    const token = createHmac('sha256', secret).update(`${row.key}:${index}`).digest('base64url').slice(0, 32)
    db.sql(
      `INSERT INTO buttons (hash, operation, action, requester, connection, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (hash) DO NOTHING`,
    ).run(
      hashOf(token),
      row.id,
      JSON.stringify(button.action satisfies ButtonAction),
      requester?.requester_id ?? author?.author_id ?? null,
      row.connection,
      expiryOf(db, button.action, now),
    )
    return token
  })
}

/** A question's buttons are good as long as the question. */
function expiryOf(db: Db, action: ButtonAction, now: number): number {
  if (action.do !== 'decide') return now + BUTTON_TTL
  const row = one<{ at: number }>(
    db.sql('SELECT expires_at AS at FROM approvals WHERE id = ?'),
    action.approval,
  )
  return row?.at ?? now
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
