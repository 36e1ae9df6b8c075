/** Questions to a person: an agent's own, and an engine's requests for a permission. Types only. */
import type { Millis } from './ambient.js'

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

// ---- the posts ----------------------------------------------------------------------------------------------------

/** The question as it stands in the chat. */
export interface QuestionNotice {
  kind: 'question'
  ask: Question['kind']
  agent: string
  text: string
  options: readonly string[]
  /** What is written in place of pressing: `approve 4F2K` and `deny 4F2K`, or `answer 4F2K 1`. */
  code: string
  /** It can be approved and denied: one option refuses and another one alone does not. */
  yesNo: boolean
  /** The name to write in front, where the bot hears nothing else. */
  mention: string | null
  /** Who may decide, by name. Empty: people whose names are not known. */
  who: readonly string[]
  /** Time to decide it in, in milliseconds. */
  within: Millis
  /** What it was about has ended meanwhile, and begins again with the decision. */
  again: 'no' | 'restarted' | 'paused'
}

/** What the same post says afterwards. */
export interface DecidedNotice {
  kind: 'decided'
  agent: string
  text: string
  end: { how: 'chosen'; label: string; by: string } | { how: 'expired' | 'withdrawn' }
  at: Millis
}
