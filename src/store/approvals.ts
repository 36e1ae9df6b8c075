/**
 * Questions to people, as rows. A question belongs to one turn, one chat and one subject; it is decided once, by the
 * people it is for, and the decision is handed out once: to the run that waits, or to the next run of the same turn.
 */
import { createHash, randomInt } from 'node:crypto'
import { CODE_ALPHABET, CODE_LENGTH } from '../messaging/answers.js'
import type { Question, QuestionOption, Ruling } from '../messaging/approval.js'
import type { NewQuestion, Opened } from '../messaging/approval-store.js'
import { APPROVAL_EXPIRE } from '../messaging/limits.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { safeLine } from '../messaging/text/index.js'
import { post, showAgain, showEnd } from './approval-posts.js'
import { decidersOf, optionsOf } from './approval-rows.js'
import { all, one, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import { settingsOf } from './moves.js'
import type { ApprovalRow, TurnRow } from './rows.js'
import { canOf } from './turns.js'

/** Longest question that is kept; see `Question`. */
const TEXT_CHARACTERS = 2_000
const LABEL_CHARACTERS = 40
const OPTIONS = 8

const STOPPED: Opened = { status: 'ruled', ruling: { kind: 'refused', why: 'stopped' } }
const NOBODY: Opened = { status: 'ruled', ruling: { kind: 'refused', why: 'nobody-to-ask' } }

export function openQuestion(room: Room, { turn: id, question, at }: NewQuestion): Opened {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), id)
  if (turn?.state !== 'running' || turn.boot !== room.boot) return STOPPED
  const subject = createHash('sha256').update(`${question.kind}\n${question.subject}`).digest('hex')
  const known = one<ApprovalRow>(
    room.sql(
      `SELECT * FROM approvals WHERE turn = ? AND subject = ? AND used_at IS NULL AND state <> 'withdrawn'
       ORDER BY id DESC LIMIT 1`,
    ),
    id,
    subject,
  )
  if (known?.state === 'open') return opened(room, known)
  if (known) return { status: 'ruled', ruling: take(room, known, at) }
  const approvers = approversOf(room, turn)
  if (approvers.length === 0 || !canOf(turn).operations.includes('post')) return NOBODY
  const row = insert(room, turn, question, subject, approvers, at)
  post(room, turn, row, at)
  patience(room, turn, row.expires_at)
  return opened(room, row)
}

function opened(room: Room, row: ApprovalRow): Opened {
  return { status: 'open', approval: row.id, expiresAt: row.expires_at, who: decidersOf(room, row) }
}

/** Nobody means the requester. Who is listed decides in the requester's place. */
function approversOf(room: Room, turn: TurnRow): string[] {
  const listed = settingsOf(room, turn.chat).approvers ?? []
  const ids = (listed.length === 0 ? ['requester'] : listed).flatMap((id) =>
    id === 'requester' ? (turn.requester_id ?? []) : id,
  )
  return [...new Set(ids)]
}

function insert(
  room: Room,
  turn: TurnRow,
  question: Question,
  subject: string,
  approvers: readonly string[],
  at: number,
): ApprovalRow {
  const options: QuestionOption[] = question.options.slice(0, OPTIONS).map(({ id, label, deny }, index) => ({
    id,
    label: safeLine(label, LABEL_CHARACTERS) || String(index + 1),
    ...(deny === true ? { deny } : {}),
  }))
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO approvals (turn, chat, conversation, connection, message, requester_id, requester_name, approvers,
         agent, kind, subject, text, options, code, state, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`,
    )
    .run(
      turn.id,
      turn.chat,
      turn.conversation,
      turn.connection,
      turn.message,
      turn.requester_id,
      turn.requester_name,
      JSON.stringify(approvers),
      turn.agent,
      question.kind,
      subject,
      [...question.text].slice(0, TEXT_CHARACTERS).join(''),
      JSON.stringify(options),
      newCode(room, turn.chat),
      at,
      at + (room.policy.approvals?.expireMs ?? APPROVAL_EXPIRE),
    )
  return byId(room, Number(lastInsertRowid)) as ApprovalRow
}

/** A code that no question of the chat ever had: an old answer said again means nothing. */
function newCode(room: Room, chat: string): string {
  for (let tries = 0; ; tries++) {
    const length = CODE_LENGTH + Math.floor(tries / 50)
    const code = Array.from({ length }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')
    if (!/\d/.test(code) || !/[A-Z]/.test(code)) continue
    if (one(room.sql('SELECT 1 FROM approvals WHERE chat = ? AND code = ?'), chat, code) === undefined)
      return code
  }
}

export function byId(room: Room, id: number): ApprovalRow | undefined {
  return one<ApprovalRow>(room.sql('SELECT * FROM approvals WHERE id = ?'), id)
}

// ---- deciding -----------------------------------------------------------------------------------------------------

/** It is decided; what was parked for it goes on. Only of an open question, by someone who may. */
export function decideIt(
  room: Room,
  row: ApprovalRow,
  decision: { choice: number; by: { id: string; name: string }; how: 'button' | 'text'; at: number },
): void {
  const { choice, by, how, at } = decision
  room
    .sql(
      `UPDATE approvals SET state = 'chosen', choice = ?, by_id = ?, by_name = ?, how = ?, settled_at = ?
       WHERE id = ? AND state = 'open'`,
    )
    .run(choice, by.id, by.name, how, at, row.id)
  requeue(room, row.turn, at)
}

/** A parked turn begins again, if it is one. It has waited for a person, so how long it has waited does not count. */
export function requeue(room: Room, id: number, at: number): void {
  const turn = one<TurnRow>(room.sql("SELECT * FROM turns WHERE id = ? AND state = 'parked'"), id)
  if (!turn) return
  room
    .sql("UPDATE turns SET state = 'queued', reason = NULL, not_before = ?, last_at = ? WHERE id = ?")
    .run(at, at, id)
  refreshTurnLane(room, turn.lane)
}

export function takeRuling(room: Room, approval: number, at: number): Ruling | null {
  const row = byId(room, approval)
  return !row || row.state === 'open' || row.used_at !== null ? null : take(room, row, at)
}

function take(room: Room, row: ApprovalRow, at: number): Ruling {
  room.sql('UPDATE approvals SET used_at = ? WHERE id = ?').run(at, row.id)
  const option = row.choice === null ? undefined : optionsOf(row)[row.choice]
  if (row.state === 'chosen' && option !== undefined)
    return { kind: 'chosen', option: option.id, by: { id: row.by_id ?? '', name: row.by_name ?? '' } }
  return { kind: 'refused', why: row.state === 'expired' ? 'expired' : 'stopped' }
}

// ---- what becomes of its turn ---------------------------------------------------------------------------------------

/** The turn needs no answer any more: it has ended, or begins again with other words. */
export function withdrawQuestions(room: Room, turn: number, at: number): void {
  for (const row of openOf(room, turn)) {
    room.sql("UPDATE approvals SET state = 'withdrawn', settled_at = ? WHERE id = ?").run(at, row.id)
    showEnd(room, row, { how: 'withdrawn' }, at)
  }
}

export function openOf(room: Room, turn: number): ApprovalRow[] {
  return all<ApprovalRow>(
    room.sql("SELECT * FROM approvals WHERE turn = ? AND state = 'open' ORDER BY id"),
    turn,
  )
}

/** A decision that was made and not handed out: the turn's next run is given it. */
export function hasUnusedRuling(room: Room, turn: number): boolean {
  return (
    one(
      room.sql(
        "SELECT 1 FROM approvals WHERE turn = ? AND state IN ('chosen', 'expired') AND used_at IS NULL LIMIT 1",
      ),
      turn,
    ) !== undefined
  )
}

/**
 * The turn's run is over and its question is not: it waits as a row, holds up nobody, and begins again with the
 * decision, which the post says. @returns whether there is something to wait for
 */
export function park(room: Room, turn: TurnRow, why: 'restarted' | 'paused', at: number): boolean {
  const open = openOf(room, turn.id)
  if (open.length === 0) return false
  room
    .sql(
      "UPDATE turns SET state = 'parked', reason = 'it waits for a decision', settled_at = NULL WHERE id = ?",
    )
    .run(turn.id)
  refreshTurnLane(room, turn.lane)
  for (const row of open) {
    if (row.again !== 'no') continue
    room.sql('UPDATE approvals SET again = ? WHERE id = ?').run(why, row.id)
    showAgain(room, turn, { ...row, again: why }, at)
  }
  return true
}

/** Whoever waits for a teammate's result waits for the teammate's question as well. */
function patience(room: Room, turn: TurnRow, until: number): void {
  for (let ask = turn.ask; ask !== null; ) {
    room.sql("UPDATE asks SET deadline = max(deadline, ?) WHERE id = ? AND state = 'open'").run(until, ask)
    ask =
      one<{ ask: number | null }>(
        room.sql('SELECT t.ask FROM asks a JOIN turns t ON t.id = a.turn WHERE a.id = ?'),
        ask,
      )?.ask ?? null
  }
}

/** What a turn that begins again asked before, and was decided meanwhile: asked in the same words, it is told. */
export function answeredOf(room: Room, turn: number): Pick<ClaimedTurn, 'answered'> {
  const answered = all<ApprovalRow>(
    room.sql(
      `SELECT * FROM approvals WHERE turn = ? AND kind = 'question' AND state = 'chosen' AND used_at IS NULL ORDER BY id`,
    ),
    turn,
  ).map((row) => ({ question: row.text, options: optionsOf(row).map(({ label }) => label) }))
  return answered.length === 0 ? {} : { answered }
}
