/** What a question's row says. Reads only. */
import type { QuestionOption } from '../messaging/approval.js'
import { type Db, one, parse } from './db.js'
import type { ApprovalRow } from './rows.js'

export function optionsOf(row: ApprovalRow): QuestionOption[] {
  return parse<QuestionOption[]>(row.options, [])
}

export function labelOf(row: ApprovalRow): string | null {
  return row.choice === null ? null : (optionsOf(row)[row.choice]?.label ?? null)
}

/** The options that approve and deny, where one refuses and another one alone does not. */
export function yesNo(options: readonly QuestionOption[]): { approve: number; deny: number } | null {
  const deny = options.findIndex((option) => option.deny === true)
  const others = options.flatMap((option, index) => (option.deny === true ? [] : [index]))
  const [approve, second] = others
  return deny < 0 || approve === undefined || second !== undefined ? null : { approve, deny }
}

export function mayDecide(row: ApprovalRow, person: string): boolean {
  return parse<string[]>(row.approvers, []).includes(person)
}

/** Names of those who may decide, as far as they are known. Not complete: then it is empty. */
export function decidersOf(db: Db, row: ApprovalRow): string[] {
  const names = parse<string[]>(row.approvers, []).map((id) =>
    id === row.requester_id
      ? row.requester_name
      : one<{ name: string }>(db.sql('SELECT name FROM people WHERE chat = ? AND id = ?'), row.chat, id)
          ?.name,
  )
  return names.every((name) => name != null) ? names.flatMap((name) => name ?? []) : []
}
