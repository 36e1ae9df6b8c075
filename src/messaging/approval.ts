/** Questions to a person: an agent's own, and an engine's requests for a permission. Types only. */

export interface Question {
  /** `permission`: an engine wants to do something that it may not do by itself. */
  kind: 'question' | 'permission'
  /** Who asks: the agent. */
  agent: string
  /** What is asked, as people read it: Markdown, at most 2,000 characters. */
  text: string
  /** What may be chosen, in order: 1 to 8. `deny`: this one refuses. */
  options: readonly QuestionOption[]
  /**
   * Identity of what is decided, beside its turn: the same call of a turn that runs again has the same one. A decision
   * holds for exactly that, and once.
   */
  subject: string
}

export interface QuestionOption {
  /** The engine's own name of it. */
  id: string
  /** On the button: at most 40 characters. */
  label: string
  deny?: boolean
}

/** What became of a question. No answer is a refusal, and says so. */
export type Ruling =
  | { kind: 'chosen'; option: string; by: { id: string; name: string } }
  | { kind: 'refused'; why: 'expired' | 'stopped' | 'nobody-to-ask' }
