/** What the core asks of its store about questions to people. Types only. */
import type { Millis } from './ambient.js'
import type { Question, Ruling } from './approval.js'
import type { ApprovalView } from './views.js'

export interface NewQuestion {
  turn: number
  question: Question
  at: Millis
}

/** `open`: it stands in the chat and waits for these people (empty: their names are not known). `ruled`: it was decided before, or cannot be asked. */
export type Opened =
  | { status: 'open'; approval: number; expiresAt: Millis; who: readonly string[] }
  | { status: 'ruled'; ruling: Ruling }

/** The store's part for questions. A question is a row: it survives the process, and is decided once. */
export interface ApprovalStore {
  /** Asks it in the chat, unless this turn has asked it before: then what was decided is handed out, once. */
  openQuestion(ask: NewQuestion): Promise<Opened>
  /** What was decided, for the run that waits for it: handed out once. Null while it is open, and afterwards. */
  takeRuling(approval: number, at: Millis): Promise<Ruling | null>
  /**
   * Refuses what nobody has decided in time. `ruled`: questions of turns at work that are decided and whose decision
   * nobody has taken yet. `nextAt`: when the next open one expires.
   */
  expireQuestions(now: Millis): Promise<{ expired: number; ruled: readonly number[]; nextAt: Millis | null }>
  /** Questions that wait for a person, the oldest first. */
  approvals(): Promise<ApprovalView[]>
}
