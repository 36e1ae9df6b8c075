/** The outbox: rows are operations, and the states they go through are durable before and after each call. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Operation } from '../messaging/contract.js'
import { BUTTON_TTL } from '../messaging/limits.js'
import type { ButtonAction, ClaimedOperation, Enqueue, Note, OperationResult } from '../messaging/store.js'
import { all, type Db, one, parse } from './db.js'
import { nextAt, refreshOutboxLane, refreshStaleLanes } from './lanes.js'
import type { OutboxRow } from './rows.js'

/** Answers go first, then what Golem says, then marks, then status posts. */
const PRIORITY = { answer: 0, notice: 1, mark: 2, status: 3 } as const

let lastKey = 0

/** Unique and rising, so that its index grows at one end instead of everywhere. At most 36 characters. */
function nextKey(): string {
  lastKey = Math.max(lastKey + 1, Date.now() * 1_000)
  return `${lastKey.toString(36)}-${randomBytes(9).toString('base64url')}`
}

export interface NewOperation extends Enqueue {
  /** Transcript line that this operation shows. */
  line?: number | null
  /** Outbox row whose receipt names what this operation changes. */
  target?: number
}

export function enqueue(db: Db, item: NewOperation): number {
  const mark = item.op.kind === 'react' || item.op.kind === 'typing'
  const { lastInsertRowid } = db
    .sql(
      `INSERT INTO outbox (key, connection, chat, conversation, turn, message, line, role, kind, op, target, priority,
         state, ready_at, not_before, created_at, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
    )
    .run(
      nextKey(),
      item.connection,
      item.chatKey,
      item.conversation,
      item.turn,
      item.message,
      item.line ?? null,
      item.role,
      item.op.kind,
      JSON.stringify(item.op),
      item.target ?? null,
      mark ? PRIORITY.mark : PRIORITY[item.role],
      item.readyAt ?? item.at,
      item.at,
      item.at,
      'part' in item.op ? item.op.part.text : null,
    )
  refreshOutboxLane(db, item.conversation, item.at)
  const readyAt = item.readyAt ?? item.at
  db.readyAt = Math.min(readyAt, db.readyAt ?? readyAt)
  return Number(lastInsertRowid)
}

/** Takes back what was not sent yet. */
export function cancel(db: Db, id: number, at: number, why: string): boolean {
  const row = one<OutboxRow>(db.sql("SELECT * FROM outbox WHERE id = ? AND state = 'pending'"), id)
  if (!row || row.ambiguous) return false
  db.sql("UPDATE outbox SET state = 'cancelled', settled_at = ?, log = ? WHERE id = ?").run(
    at,
    logged(row.log, at, `cancelled: ${why}`),
    id,
  )
  refreshOutboxLane(db, row.conversation, at)
  return true
}

export function claim(
  db: Db,
  request: {
    now: number
    max: number
    connections: readonly string[]
    blocked: Readonly<Record<string, number>>
  },
): { operations: ClaimedOperation[]; nextAt: number | null } {
  const { now } = request
  refreshStaleLanes(db)
  const operations: ClaimedOperation[] = []
  const blocked = Object.keys(request.blocked).filter((chat) => (request.blocked[chat] ?? 0) > now)
  const ready = `SELECT key FROM lanes WHERE queue = 'outbox' AND running IS NULL AND waiting > 0 AND head_at <= ?
    AND connection IN (SELECT value FROM json_each(?))`
  const connections = JSON.stringify(request.connections)
  const most = request.max * 4
  // Chats whose budget is spent are left out by the query: a long queue of theirs holds up nobody.
  const lanes =
    blocked.length === 0
      ? all<{ key: string }>(db.sql(`${ready} ORDER BY head_at LIMIT ?`), now, connections, most)
      : all<{ key: string }>(
          db.sql(`${ready} AND chat NOT IN (SELECT value FROM json_each(?)) ORDER BY head_at LIMIT ?`),
          now,
          connections,
          JSON.stringify(blocked),
          most,
        )
  for (const lane of lanes) {
    if (operations.length >= request.max) break
    const claimed = claimHead(db, lane.key, now)
    if (claimed) operations.push(claimed)
  }
  return { operations, nextAt: nextAt(db, 'outbox', now) }
}

function claimHead(db: Db, conversation: string, now: number): ClaimedOperation | null {
  for (;;) {
    const row = one<OutboxRow>(
      db.sql(
        `SELECT * FROM outbox WHERE conversation = ? AND state = 'pending' AND ready_at <= ?
         ORDER BY priority, id LIMIT 1`,
      ),
      conversation,
      now,
    )
    if (!row || row.not_before > now) {
      refreshOutboxLane(db, conversation, now)
      return null
    }
    const op = targeted(db, row)
    if (op === null) {
      cancel(db, row.id, now, 'what it would change was never posted')
      continue
    }
    const log = logged(row.log, now, row.ambiguous ? 'sending again' : 'sending')
    db.sql(
      "UPDATE outbox SET state = 'sending', attempt = attempt + 1, sending_at = ?, log = ? WHERE id = ?",
    ).run(now, log, row.id)
    refreshOutboxLane(db, conversation, now)
    return {
      id: row.id,
      key: row.key,
      connection: row.connection,
      chatKey: row.chat,
      conversation,
      turn: row.turn,
      attempt: row.attempt + 1,
      createdAt: row.created_at,
      op,
      tokens: op.kind === 'note' ? tokensFor(db, row, op, now) : [],
      ambiguous: row.ambiguous === 1,
      ladder: row.ladder,
      more: one(db.sql(MORE), conversation) !== undefined,
    }
  }
}

/** Ready or not: a lane that is at work is in nobody's timer, so whoever ends its work must look again. */
const MORE = "SELECT 1 FROM outbox WHERE conversation = ? AND state = 'pending' LIMIT 1"

/** The operation with the native id of its target filled in; null when the target never came to be. */
function targeted(db: Db, row: OutboxRow): Operation | Note | null {
  const op = JSON.parse(row.op) as Operation | Note
  if (row.target === null) return op
  const target = one<{ native: string | null; state: string }>(
    db.sql('SELECT native, state FROM outbox WHERE id = ?'),
    row.target,
  )
  if (!target?.native) return null
  return 'id' in op ? { ...op, id: target.native } : op
}

/** Tokens are made from a secret of the data folder, so none is ever stored: only its hash is. */
function tokensFor(db: Db, row: OutboxRow, note: Note, now: number): string[] {
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
      now + BUTTON_TTL,
    )
    return token
  })
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function record(db: Db, id: number, result: OperationResult): { more: boolean } {
  const row = one<OutboxRow>(db.sql('SELECT * FROM outbox WHERE id = ?'), id)
  if (row?.state !== 'sending') return { more: false }
  switch (result.state) {
    case 'sent': {
      const native = result.receipt.id ?? null
      db.sql(
        "UPDATE outbox SET state = 'sent', settled_at = ?, native = ?, ambiguous = 0, failure = NULL, log = ? WHERE id = ?",
      ).run(result.at, native, logged(row.log, result.at, 'sent'), id)
      if (row.line !== null && native !== null)
        db.sql('UPDATE OR IGNORE messages SET native = ? WHERE id = ? AND native IS NULL').run(
          native,
          row.line,
        )
      break
    }
    case 'retry':
      db.sql(
        "UPDATE outbox SET state = 'pending', not_before = ?, ambiguous = max(ambiguous, ?), failure = ?, log = ? WHERE id = ?",
      ).run(
        result.retryAt,
        result.ambiguous ? 1 : 0,
        result.failure.kind,
        logged(row.log, result.at, `${result.failure.kind}: ${result.message}`),
        id,
      )
      break
    case 'replace':
      db.sql(
        `UPDATE outbox SET state = 'pending', not_before = ?, ambiguous = 0, ladder = ladder + 1, op = ?, kind = ?,
           text = coalesce(?, text), failure = ?, log = ? WHERE id = ?`,
      ).run(
        result.at,
        JSON.stringify(result.op),
        result.op.kind,
        'part' in result.op ? result.op.part.text : null,
        result.failure.kind,
        logged(row.log, result.at, `${result.failure.kind}: ${result.message}; trying the next way`),
        id,
      )
      break
    case 'failed':
      db.sql("UPDATE outbox SET state = 'failed', settled_at = ?, failure = ?, log = ? WHERE id = ?").run(
        result.at,
        result.failure.kind,
        logged(row.log, result.at, `failed, ${result.failure.kind}: ${result.message}`),
        id,
      )
      break
  }
  refreshOutboxLane(db, row.conversation, result.at)
  return { more: one(db.sql(MORE), row.conversation) !== undefined }
}

/** At start: what an earlier life was sending may or may not have arrived. */
export function recoverOutbox(db: Db, now: number): number {
  const rows = all<OutboxRow>(db.sql("SELECT * FROM outbox WHERE state = 'sending'"))
  for (const row of rows) {
    db.sql("UPDATE outbox SET state = 'pending', ambiguous = 1, log = ? WHERE id = ?").run(
      logged(row.log, now, 'the process ended while this was being sent'),
      row.id,
    )
  }
  for (const { conversation } of all<{ conversation: string }>(
    db.sql("SELECT DISTINCT conversation FROM outbox WHERE state = 'pending'"),
  ))
    refreshOutboxLane(db, conversation, now)
  return rows.length
}

/** Log entries of one operation that are kept: the first ones and the newest. */
const LOG_ENTRIES = 20

export function logged(log: string, at: number, what: string): string {
  const entries = parse<{ at: number; what: string }[]>(log, [])
  entries.push({ at, what: what.slice(0, 300) })
  if (entries.length > LOG_ENTRIES) entries.splice(LOG_ENTRIES / 2, 1)
  return JSON.stringify(entries)
}
