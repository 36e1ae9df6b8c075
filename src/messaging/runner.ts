/** How `MessagingThreads` has a turn worked on. The agents room implements it; the core knows no engine. */
import type { Question, Ruling } from './approval.js'
import type { FileRef } from './contract.js'
import type { RoomSettings } from './roster.js'
import type { ClaimedTurn, Shown, ToolCall, Usage } from './store.js'

export interface TurnWork {
  turn: ClaimedTurn
  settings: RoomSettings
  /** Aborted with one of {@link AbortReason} as its reason. */
  signal: AbortSignal
  /** Must be awaited before anything that the first event causes. Idempotent. */
  firstEvent(): Promise<void>
  /** Must be awaited before a tool has an effect that may not happen twice. Idempotent. */
  effect(): Promise<void>
  /**
   * Puts a question to the person this turn works for, and waits for the decision: it is a row, so it survives a restart.
   * The same question of a turn that runs again gets the decision that was made, once.
   */
  decide(question: Question): Promise<Ruling>
  /** Fetches an inbound file's bytes from the platform. */
  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>>
  /** For previews and the status post: the text so far, once it can no longer become a silence token. */
  progress(text: string): void
  /** For the status post: what the agent does besides writing. A remark is data, without secrets. */
  doing(what: { tool: string } | { note: string }): void
}

/** `parked`: it has waited so long for a person that it does not hold up its conversation any more. */
export type AbortReason = 'stopped' | 'edited' | 'deleted' | 'shutdown' | 'parked' | 'overdue'

export interface TurnEnd {
  /** `answer`: text to post (may be empty when files or asks are the outcome) · `silence`: nothing is posted. */
  result:
    | { kind: 'answer'; text: string }
    | { kind: 'silence'; reason: string }
    | { kind: 'failed'; code: string; message: string }
    /** `started`: it may have had effects that must not happen twice. */
    | { kind: 'aborted'; reason: AbortReason; partial: string; started: boolean }
  shown: Shown
  tools: readonly ToolCall[]
  usage?: Usage
  /** Files to upload: checked, copied to a folder of Golem's own, absolute. */
  files: readonly { path: string; name: string }[]
  refused: readonly { name: string; why: string }[]
  /** Teammates asked; the follow-up turn brings their results. */
  asked: readonly string[]
}

export interface TurnRunner {
  /** Never rejects: every failure is a result. */
  run(work: TurnWork): Promise<TurnEnd>
  close(): Promise<void>
}
