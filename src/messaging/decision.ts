/** What `decide` and `admit` say, and the trace that becomes the receipt. Types only. */
import type { DecidedNotice, QuestionNotice } from './approval.js'
import type { Millis } from './contract.js'

/** The gates a message passes, in this order. A receipt lists each one that was asked. */
export const GATES = [
  'schedule',
  'author',
  'access',
  'addressed',
  'account',
  'policy',
  'smart-gate',
  'responders',
  'max-turns',
  'bounds',
  'admit',
  'history',
] as const
export type GateName = (typeof GATES)[number]

/** One gate's question, what it saw and what it said. `why` is one sentence a person understands. */
export interface Gate {
  gate: GateName
  verdict: 'pass' | 'stop' | 'note'
  /** What the gate looked at: small, plain, free of secrets and of other people's text. */
  saw: Readonly<Record<string, string | number | boolean | null | readonly string[]>>
  why: string
}

/** A line that Golem itself says in the chat; worded in the room's language by `notices.ts`. */
export type Notice =
  /** `gone`: they are not in golem.yaml, or not in this room, any more. */
  | { kind: 'archived'; agents: readonly string[]; gone?: true }
  | { kind: 'no-active-members' }
  | { kind: 'mention-hint' }
  | { kind: 'quiet'; maxTurns: number }
  | { kind: 'not-taken'; reason: 'sender-full' | 'room-full' }
  | { kind: 'expired' }
  | { kind: 'interrupted'; agent: string }
  | { kind: 'failed'; agent: string; receipt: string }
  | { kind: 'stopped'; agent: string }
  | { kind: 'fresh' }
  | { kind: 'command'; text: string }
  | { kind: 'edited' }
  | { kind: 'handed-off'; from: string; to: string }
  /** `reset`: it is again what golem.yaml says. */
  | { kind: 'room-changed'; what: 'bulletin' | 'description'; by: string; reset: boolean }
  | { kind: 'asked'; agents: readonly string[] }
  /** `tool` or `note`: what it does · `asking`: whom it waits for. */
  | { kind: 'working'; tool?: string; note?: string; asking?: string }
  /** `elsewhere`: the agent is at work in other chats, as many as it may. */
  | { kind: 'waiting'; agent: string; elsewhere?: true }
  | { kind: 'pressed'; what: 'stop' | 'retry' | 'redo'; by: string }
  | { kind: 'file-lost'; name: string; why: string }
  | { kind: 'fell-back'; what: 'duplicate' }
  | { kind: 'may-not-post'; receipt: string }
  | QuestionNotice
  | DecidedNotice
  | { kind: 'undecided'; agent: string }

/** `run`: agents are woken · `keep`: stored as context only · `refuse`: stored, and its sender is told it was not taken. */
export type Verdict = 'run' | 'keep' | 'refuse'

export interface Decision {
  verdict: Verdict
  addressed: boolean
  /** One word for machines: the rule that decided, e.g. `mention`, `reply`, `direct`, `policy-always`, `max-turns`. */
  reason: string
  /** Agents that will answer, in order. Empty unless `run`. */
  responders: readonly string[]
  /** How the responders were found. */
  route: 'everyone' | 'named' | 'reply' | 'thread' | 'default' | 'auto' | 'orchestrator' | 'none'
  conversation: string
  /** The turn must not start before (debounce of a bare mention). */
  notBefore: Millis
  /**
   * Joins a waiting turn of the same sender instead of making one of its own; `utterance`: that of the other parts of
   * the same message, which then goes to `responders`.
   */
  join: 'none' | 'merge' | 'debounce' | 'utterance'
  notices: readonly Notice[]
  /** A chat command to carry out instead of a turn. */
  command?: { name: string; argument: string }
  trace: readonly Gate[]
}

export interface Admission {
  verdict: 'run' | 'drop' | 'wait'
  /** For `wait`. */
  until?: Millis
  reason: string
  notices: readonly Notice[]
  trace: readonly Gate[]
}
