/** The outbox as the courier and its store speak of it: one row is one call of a platform. Types only. */
import type { Allowance, Write } from './budget.js'
import type { Button, ConnectionId, Millis, Operation, OperationKind, Place, Receipt } from './contract.js'
import type { Notice } from './decision.js'
import type { Failure } from './failure.js'

export type OperationState = 'pending' | 'sending' | 'sent' | 'ambiguous' | 'failed' | 'cancelled'

/** A line of Golem's own, rendered when it is sent. */
export interface Note {
  kind: 'note'
  place: Place
  replyTo?: string
  notice: Notice
  buttons?: readonly NoteButton[]
  /** Native id of a note that this one replaces by an edit. */
  edits?: string
}
export interface NoteButton {
  label: ButtonLabel
  /** What stands on it, for an `option`. */
  text?: string
  style?: Button['style']
  action: ButtonAction
}
export type ButtonLabel = 'stop' | 'retry' | 'redo' | 'option'
export type ButtonAction =
  | { do: 'stop'; turn: number }
  | { do: 'retry'; turn: number }
  | { do: 'redo'; message: number }
  | { do: 'decide'; approval: number; option: number }

export interface ClaimedOperation {
  id: number
  key: string
  connection: ConnectionId
  chatKey: string
  conversation: string
  turn: number | null
  attempt: number
  /** Durable time of the first attempt: what has been tried since then is too old to be tried for ever. */
  createdAt: Millis
  op: Operation | Note
  role: Enqueue['role']
  /** A mark or a status post: it leaves the last of a write budget to the others. */
  yields: boolean
  /** Kind of the chat; only where the claim was given budgets. */
  chat?: 'dm' | 'group'
  /** Tokens for the buttons of a note, in their order. */
  tokens: readonly string[]
  /** Earlier attempts that may have had their effect. */
  unsure: number
  /** When the attempt before this one began; null when this is the first. */
  sendingAt: Millis | null
  /** Where `unsure`: when the first of those began. */
  unsureSince: Millis | null
  /** Where `unsure`: native id of the turn's status post, if it stands and the answer may take its place. */
  status?: string
  /** Where `unsure`: the answer as Markdown, if this post is all of it. */
  answer?: string
  /** Step of the fallback ladder this attempt stands on. */
  ladder: number
  /** Another operation of the conversation waits behind this one. */
  more: boolean
}

export type OperationResult =
  | { state: 'sent'; receipt: Receipt; at: Millis }
  /**
   * Try again (or settle) not before `retryAt`. `ambiguous`: this attempt may have had its effect. `cleared`: the ones
   * before it surely had none. A rate limit counts as no attempt.
   */
  | {
      state: 'retry'
      at: Millis
      retryAt: Millis
      failure: Failure
      ambiguous: boolean
      cleared?: boolean
      message: string
    }
  /** The next step of the ladder: the operation is replaced by this one. `unsure`: what it was may stand, under this key. */
  | { state: 'replace'; at: Millis; op: Operation; failure: Failure; message: string; unsure?: boolean }
  /**
   * `tell`: the platform can write to a person directly: who asked is told there, and given the answer as it was tried
   * last, with its label if it may stand in the chat.
   */
  | { state: 'failed'; at: Millis; failure: Failure; message: string; tell?: Operation }

export interface ClaimOperations {
  now: Millis
  max: number
  /** Only these connections are up. */
  connections: readonly ConnectionId[]
  /** Chats that must wait until a time. */
  blocked: Readonly<Record<string, Millis>>
  /** Kinds of operation that a connection must not perform for now. */
  kinds?: Readonly<Record<ConnectionId, readonly OperationKind[]>>
  /** Write budgets, and what is used up of them. No more is handed out than is left. */
  budgets?: Readonly<Record<ConnectionId, readonly Allowance[]>>
}
export interface ClaimedOperations {
  operations: ClaimedOperation[]
  /** When something that waits for its time becomes ready. */
  nextAt: Millis | null
  /** What is ready and waits for a budget: nobody but the one who counts knows until when. */
  held: Write[]
}

export interface Enqueue {
  connection: ConnectionId
  chatKey: string
  conversation: string
  turn: number | null
  message: number | null
  at: Millis
  op: Operation | Note
  /** `status`: the turn's status post, deleted when the turn settles. */
  role: 'answer' | 'status' | 'notice'
  /** Not before this time, and without holding up what comes after it. */
  readyAt?: Millis
}
