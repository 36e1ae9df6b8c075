/**
 * The seam between a turn and the program that answers it. `TurnInput` is version 1 of the command protocol as it
 * stands on an engine's standard input, so every engine sees the same thing.
 */
import type { Logger } from './ambient.js'
import type { Question, Ruling } from './approval.js'
import type { LineChange } from './line-changes.js'
import type { Effects, GroupPolicy, Language } from './roster.js'
import type { Usage } from './store.js'

export interface TurnMessage {
  /** The platform's own message id where there is one, else Golem's. */
  id: string
  author: { id: string; name: string }
  kind: 'person' | 'agent' | 'bot' | 'result' | 'digest'
  text: string
  /** ISO 8601. */
  at: string
  /** The lines this turn answers; always last. */
  new: boolean
}

export interface ToolSpec {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  parameters: object
}

export interface TurnInput {
  v: 1
  agent: { name: string; role: string }
  turn: {
    id: string
    conversation: string
    chat: string
    platform: string
    addressed: boolean
    policy: GroupPolicy
    kind: 'message' | 'follow-up' | 'ask' | 'wake' | 'schedule'
    language: Language
    /** Identity of the context: another one once people have started afresh. What an engine keeps belongs to it alone. */
    context: string
  }
  /** Everything below, framed as one text for a model. */
  prompt: string
  messages: TurnMessage[]
  /** The chat's memory file: a copy's path for programs, and its text. Null in an ask without a room. */
  memory: { path: string; text: string } | null
  roster: { name: string; role: string; orchestrator: boolean }[]
  peers: { name: string; role: string }[]
  files: { name: string; path: string; mime?: string }[]
  tools: ToolSpec[]
  /** MCP endpoint for engines that speak it; null while none is served. */
  mcp: { url: string; token: string } | null
}

export type EngineEvent =
  | { type: 'text'; text: string }
  /** The whole answer; replaces the text so far. */
  | { type: 'final'; text: string }
  | { type: 'file'; path: string; name: string }
  /** What one request to a model took; a turn may report several. */
  | ({ type: 'usage' } & Usage)
  /** Something happened that is no text (keeps the stall clock quiet, counts as a first event). */
  | { type: 'progress'; note?: string }

export interface EngineRun {
  input: TurnInput
  /** Carries out a tool call within the turn's scope. Rejects with {@link ToolError} for what the agent may correct. */
  call(tool: string, args: unknown): Promise<unknown>
  /** Asks the person this turn works for, e.g. for a permission. See `TurnWork.decide`. */
  decide(question: Omit<Question, 'agent'>): Promise<Ruling>
  /** Those of these lines of the turn's chat that were edited or deleted, as they would be shown now. */
  changes(lines: readonly string[]): Promise<readonly LineChange[]>
  /** The model that people chose for this agent here, in place of the configured one; null = as configured. */
  model: string | null
  /** Working folder of the turn, absolute. */
  cwd: string
  /** Aborted on stop, time-out and shutdown. The iterable must then end soon, by return or throw. */
  signal: AbortSignal
  log: Logger
}

export interface Engine {
  readonly id: string
  readonly effects: Effects
  /** Ends by return (answer = `final`, else the joined text) or throws {@link EngineError}. */
  run(run: EngineRun): AsyncIterable<EngineEvent>
  close(): Promise<void>
}

/** A failed turn. `message` is for the receipt; people get one fixed sentence. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  constructor(
    readonly code:
      | 'exit'
      | 'spawn'
      | 'output-limit'
      | 'protocol'
      | 'reported'
      | 'folder'
      /** The model's provider: the key is not taken · too many requests · its own fault · it refused · it said nothing. */
      | 'unauthorized'
      | 'rate-limited'
      | 'model'
      | 'refused'
      | 'empty'
      | 'timeout'
      | 'stalled',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** Told to the agent, which may try otherwise. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
