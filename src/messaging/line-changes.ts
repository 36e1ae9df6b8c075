/** What became of lines that somebody keeps outside the transcript: a session of an agent. Types only. */
import type { Millis } from './ambient.js'

/** A line that was edited or deleted at some time. */
export interface LineChange {
  /** As `TurnMessage` has it. */
  id: string
  /** As an agent is shown it now; null when it was deleted. */
  text: string | null
  /** When, by the platform's clock. */
  at: Millis
}

/** The store's part for them. */
export interface LineChangeStore {
  /** Those of these lines of a chat that are not as they were first said. */
  lineChanges(chat: string, ids: readonly string[]): Promise<LineChange[]>
}
