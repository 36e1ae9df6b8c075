/** Questions as people read them: on receipts, in the API, in the queue. */
import type { ApprovalView, QuestionView } from '../messaging/views.js'
import { decidersOf, labelOf, optionsOf } from './approval-rows.js'
import { all, type Db, parse, type Room } from './db.js'
import type { ApprovalRow } from './rows.js'

export function approvals(room: Room): ApprovalView[] {
  return all<ApprovalRow & { parked: number }>(
    room.sql(
      `SELECT a.*, t.state = 'parked' AS parked FROM approvals a JOIN turns t ON t.id = a.turn
       WHERE a.state = 'open' ORDER BY a.id LIMIT 1000`,
    ),
  ).map((row) => ({
    ...questionView(row),
    turn: row.turn,
    chatKey: row.chat,
    conversation: row.conversation,
    requester: row.requester_id === null ? null : { id: row.requester_id, name: row.requester_name ?? '' },
    approvers: parse<string[]>(row.approvers, []),
    parked: row.parked === 1,
  }))
}

/** What a turn asked people. */
export function questionsOf(db: Db, turn: number): QuestionView[] {
  return all<ApprovalRow>(db.sql('SELECT * FROM approvals WHERE turn = ? ORDER BY id LIMIT 100'), turn).map(
    questionView,
  )
}

function questionView(row: ApprovalRow): QuestionView {
  return {
    id: row.id,
    kind: row.kind,
    agent: row.agent,
    text: row.text,
    options: optionsOf(row).map(({ label }) => label),
    code: row.code,
    state: row.state,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    settledAt: row.settled_at,
    choice: labelOf(row),
    by: row.by_id === null ? null : { id: row.by_id, name: row.by_name ?? '' },
    how: row.how,
    usedAt: row.used_at,
  }
}

/** Turns that wait for a person, and whom they wait for. */
export function waitingForDecision(db: Db): Map<number, string[]> {
  const waiting = new Map<number, string[]>()
  for (const row of all<ApprovalRow>(
    db.sql("SELECT * FROM approvals WHERE state = 'open' ORDER BY id LIMIT 1000"),
  )) {
    const who = decidersOf(db, row)
    waiting.set(row.turn, [...new Set([...(waiting.get(row.turn) ?? []), ...who])])
  }
  return waiting
}
