/** The outbox: rows are operations, and the states they go through are durable before and after each call. */
import { randomBytes } from 'node:crypto'
import type { Write } from '../messaging/budget.js'
import type { Operation } from '../messaging/contract.js'
import { OPERATION_STUCK } from '../messaging/limits.js'
import { isPassing } from '../messaging/operation.js'
import type {
  ClaimedOperation,
  ClaimedOperations,
  ClaimOperations,
  Note,
  OperationResult,
} from '../messaging/store.js'
import { all, type Db, one, parse } from './db.js'
import { nextAt, refreshOutboxLane, refreshStaleLanes } from './lanes.js'
import type { NewOperation } from './new-operation.js'
import type { OutboxRow } from './rows.js'
import { type Head, Scarcity } from './scarcity.js'
import { noteClock } from './set-back.js'
import { tellAsker } from './tell.js'
import { tokensFor } from './tokens.js'
import { deletionsOf, unsureOf } from './unsure.js'

/** Answers go first, then what Golem says, then marks, then status posts. */
const PRIORITY = { answer: 0, notice: 1, mark: 2, status: 3 } as const

let lastKey = 0

/** Unique and rising, so that its index grows at one end instead of everywhere. At most 36 characters. */
function nextKey(): string {
  lastKey = Math.max(lastKey + 1, Date.now() * 1_000)
  return `${lastKey.toString(36)}-${randomBytes(9).toString('base64url')}`
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
      item.first ? PRIORITY.answer : mark ? PRIORITY.mark : PRIORITY[item.role],
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

export function claim(db: Db, request: ClaimOperations): ClaimedOperations {
  const { now, max } = request
  noteClock(db, now)
  refreshStaleLanes(db)
  const scarcity = Scarcity.of(db, request)
  const claimed =
    scarcity === null
      ? { operations: claimFreely(db, request), held: [] }
      : claimScarcely(db, request, scarcity, max)
  return { ...claimed, nextAt: nextAt(db, 'outbox', now) }
}

function claimFreely(db: Db, request: ClaimOperations): ClaimedOperation[] {
  const operations: ClaimedOperation[] = []
  for (const lane of readyLanes(db, request, 0)) {
    if (operations.length >= request.max) break
    const head = headOf(db, lane, request.now)
    if (head) operations.push(take(db, head, request.now))
  }
  return operations
}

/** Answers and notices first; what must wait keeps its place and holds up no other conversation. */
function claimScarcely(
  db: Db,
  request: ClaimOperations,
  scarcity: Scarcity,
  max: number,
): { operations: ClaimedOperation[]; held: Write[] } {
  const { now } = request
  const operations: ClaimedOperation[] = []
  const held = new Map<string, Write>()
  for (let offset = 0; operations.length < max; offset += max * LOOK) {
    const lanes = readyLanes(db, request, offset)
    const heads = lanes.flatMap((lane) => headOf(db, lane, now) ?? [])
    for (const head of heads.sort((a, b) => Number(yields(a.row)) - Number(yields(b.row)))) {
      if (operations.length >= max) break
      const write = scarcity.writeOf(head, yields(head.row))
      const why = scarcity.holds(write)
      if (why === null) {
        scarcity.take(write)
        operations.push({ ...take(db, head, now), chat: write.chat })
      } else if (!dropped(db, head, now)) {
        if (why === 'budget') held.set(Object.values(write).join('\n'), write)
        noteHeld(db, head.row, now)
      }
    }
    if (lanes.length < max * LOOK) break
  }
  return { operations, held: [...held.values()] }
}

/** Lanes looked into for each operation that may be taken. */
const LOOK = 4

/** Conversations with something to do, the longest waiting first. */
function readyLanes(db: Db, { now, max, connections, blocked }: ClaimOperations, offset: number): string[] {
  const chats = Object.keys(blocked).filter((chat) => (blocked[chat] ?? 0) > now)
  const ready = `SELECT key FROM lanes WHERE queue = 'outbox' AND running IS NULL AND waiting > 0 AND head_at <= ?
    AND connection IN (${connections.map(() => '?').join(', ')})`
  const page = [max * LOOK, offset]
  // Chats that must wait are left out by the query: a long queue of theirs holds up nobody.
  const lanes =
    chats.length === 0
      ? all<{ key: string }>(
          db.sql(`${ready} ORDER BY head_at LIMIT ? + 0 OFFSET ?`),
          now,
          ...connections,
          ...page,
        )
      : all<{ key: string }>(
          db.sql(
            `${ready} AND chat NOT IN (SELECT value FROM json_each(?)) ORDER BY head_at LIMIT ? + 0 OFFSET ?`,
          ),
          now,
          ...connections,
          JSON.stringify(chats),
          ...page,
        )
  return lanes.map(({ key }) => key)
}

function yields(row: OutboxRow): boolean {
  return row.priority >= PRIORITY.mark
}

/** A mark or a status post that could not go for so long is worth no write any more. */
function dropped(db: Db, { row, op }: Head, now: number): boolean {
  return (
    isPassing(op) &&
    now - row.created_at > OPERATION_STUCK &&
    cancel(db, row.id, now, 'the platform allows no more writes for now, and it was about a moment')
  )
}

/** Said in the receipt once it takes long enough to be wondered about. */
const HELD_FOR = 5_000

function noteHeld(db: Db, row: OutboxRow, now: number): void {
  if (row.failure !== null || now - Math.max(row.ready_at, row.not_before) < HELD_FOR) return
  db.sql("UPDATE outbox SET failure = 'busy', log = ? WHERE id = ?").run(
    logged(row.log, now, 'waiting: the platform allows only so many writes in a while'),
    row.id,
  )
}

/** What goes next in a conversation, if it may go now. */
function headOf(db: Db, conversation: string, now: number): Head | null {
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
    if (op !== null) return { row, op }
    cancel(db, row.id, now, 'what it would change was never posted')
  }
}

function take(db: Db, { row, op }: Head, now: number): ClaimedOperation {
  const log = logged(row.log, now, row.ambiguous > 0 ? 'sending again' : 'sending')
  db.sql(
    "UPDATE outbox SET state = 'sending', attempt = attempt + 1, sending_at = ?, log = ? WHERE id = ?",
  ).run(now, log, row.id)
  refreshOutboxLane(db, row.conversation, now)
  return {
    id: row.id,
    key: row.key,
    connection: row.connection,
    chatKey: row.chat,
    conversation: row.conversation,
    turn: row.turn,
    attempt: row.attempt + 1,
    createdAt: row.created_at,
    op,
    role: row.role,
    yields: yields(row),
    tokens: op.kind === 'note' ? tokensFor(db, row, op, now) : [],
    unsure: row.ambiguous,
    sendingAt: row.sending_at,
    unsureSince: row.unsure_since,
    ...unsureOf(db, row),
    ladder: row.ladder,
    more: one(db.sql(MORE), row.conversation) !== undefined,
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
  if (op.kind === 'note') return { ...op, edits: target.native }
  return 'id' in op ? { ...op, id: target.native } : op
}

export function record(db: Db, id: number, result: OperationResult): { more: boolean } {
  const row = one<OutboxRow>(db.sql('SELECT * FROM outbox WHERE id = ?'), id)
  if (row?.state !== 'sending') return { more: false }
  switch (result.state) {
    case 'sent': {
      const native = result.receipt.id ?? null
      db.sql(
        "UPDATE outbox SET state = 'sent', settled_at = ?, native = ?, ambiguous = 0, unsure_since = NULL, failure = NULL, log = ? WHERE id = ?",
      ).run(result.at, native, logged(row.log, result.at, 'sent'), id)
      // Not where it went to another chat: a native id is one of its own chat.
      if (row.line !== null && native !== null)
        db.sql('UPDATE OR IGNORE messages SET native = ? WHERE id = ? AND native IS NULL AND chat = ?').run(
          native,
          row.line,
          row.chat,
        )
      break
    }
    case 'retry':
      retry(db, row, result)
      break
    case 'replace':
      replace(db, row, result)
      break
    case 'failed':
      db.sql("UPDATE outbox SET state = 'failed', settled_at = ?, failure = ?, log = ? WHERE id = ?").run(
        result.at,
        result.failure.kind,
        logged(row.log, result.at, `failed, ${result.failure.kind}: ${result.message}`),
        id,
      )
      if (result.tell) for (const item of tellAsker(db, row, result.tell, result.at)) enqueue(db, item)
      break
  }
  refreshOutboxLane(db, row.conversation, result.at)
  return { more: one(db.sql(MORE), row.conversation) !== undefined }
}

type Result<State extends OperationResult['state']> = Extract<OperationResult, { state: State }>

function retry(db: Db, row: OutboxRow, result: Result<'retry'>): void {
  const { failure } = result
  const before = result.cleared
    ? { times: 0, since: null }
    : { times: row.ambiguous, since: row.unsure_since }
  db.sql(
    `UPDATE outbox SET state = 'pending', not_before = ?, attempt = ?, ambiguous = ?, unsure_since = ?, failure = ?, log = ?
     WHERE id = ?`,
  ).run(
    result.retryAt,
    row.attempt - (failure.kind === 'rate-limited' ? 1 : 0),
    before.times + (result.ambiguous ? 1 : 0),
    before.since ?? (result.ambiguous ? row.sending_at : null),
    failure.kind,
    logged(row.log, result.at, `${failure.kind}: ${result.message}`),
    row.id,
  )
}

function replace(db: Db, row: OutboxRow, result: Result<'replace'>): void {
  const { op, at, failure, unsure = false } = result
  db.sql(
    `UPDATE outbox SET state = 'pending', not_before = ?, ambiguous = ?, unsure_since = ?, ladder = ladder + 1,
       op = ?, kind = ?, text = coalesce(?, text), failure = ?, log = ? WHERE id = ?`,
  ).run(
    at,
    unsure ? Math.max(row.ambiguous, 1) : 0,
    unsure ? (row.unsure_since ?? row.sending_at) : null,
    JSON.stringify(op),
    op.kind,
    'part' in op ? op.part.text : null,
    failure.kind,
    logged(row.log, at, `${failure.kind}: ${result.message}; trying the next way`),
    row.id,
  )
  // A status post becomes the answer: it stays. Where it could not, it goes after all.
  if (op.kind === 'edit')
    for (const { deletion } of deletionsOf(db, row.turn, op.id))
      if (deletion !== null) cancel(db, deletion, at, 'the post became the answer')
  const before = JSON.parse(row.op) as Operation | Note
  if (before.kind === 'edit' && op.kind === 'post' && failure.kind !== 'gone')
    for (const { status } of deletionsOf(db, row.turn, before.id))
      enqueue(db, {
        connection: row.connection,
        chatKey: row.chat,
        conversation: row.conversation,
        turn: row.turn,
        message: row.message,
        at,
        role: 'status',
        target: status,
        op: { kind: 'delete', place: before.place, id: before.id },
      })
}

/** At start: what an earlier life was sending may or may not have arrived. */
export function recoverOutbox(db: Db, now: number): number {
  const rows = all<OutboxRow>(db.sql("SELECT * FROM outbox WHERE state = 'sending'"))
  for (const row of rows) {
    db.sql(
      `UPDATE outbox SET state = 'pending', ambiguous = ambiguous + 1,
         unsure_since = coalesce(unsure_since, sending_at), log = ? WHERE id = ?`,
    ).run(logged(row.log, now, 'the process ended while this was being sent'), row.id)
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
