/**
 * The daemon's JSON as the page reads it. The page shares no code with the daemon but the text rules: these types say
 * what it relies on, and `tests/browser/wire.test.ts` has the compiler compare them with the daemon's own.
 */

export const GATE_NAMES = [
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
export type GateName = (typeof GATE_NAMES)[number]

export type Seen = string | number | boolean | null | readonly string[]

export interface Gate {
  gate: GateName
  verdict: 'pass' | 'stop' | 'note'
  saw: Readonly<Record<string, Seen>>
  why: string
}

export interface Operation {
  id: number
  kind: string
  role: 'answer' | 'status' | 'notice'
  state: 'pending' | 'sending' | 'sent' | 'ambiguous' | 'failed' | 'cancelled'
  attempts: number
  createdAt: number
  sendingAt: number | null
  settledAt: number | null
  native: string | null
  text: string | null
  failure: string | null
  log: readonly { at: number; what: string }[]
}

/** A question that an agent has put to a person. */
export interface AskedQuestion {
  id: number
  kind: 'question' | 'permission'
  agent: string
  text: string
  options: readonly string[]
  code: string
  state: 'open' | 'chosen' | 'expired' | 'withdrawn'
  createdAt: number
  expiresAt: number
  settledAt: number | null
  choice: string | null
  by: { id: string; name: string } | null
  how: 'button' | 'text' | null
  usedAt: number | null
}

export interface Turn {
  id: number
  kind: 'message' | 'follow-up' | 'ask' | 'wake' | 'schedule'
  agent: string
  state: 'queued' | 'running' | 'parked' | 'settled' | 'passed' | 'failed' | 'cancelled' | 'interrupted'
  reason: string | null
  attempts: number
  createdAt: number
  startedAt: number | null
  firstEventAt: number | null
  settledAt: number | null
  messages: readonly string[]
  gates: readonly Gate[]
  shown: {
    lines: number
    characters: number
    cut: number
    memoryHash: string | null
    memoryCut?: number | undefined
    facts?: number | undefined
    template: string
    engine: string
    model?: string | undefined
    tokens?: number | undefined
    budget?: number | undefined
  } | null
  tools: readonly { name: string; at: number; ok: boolean; note: string }[]
  usage: {
    inputTokens: number
    outputTokens: number
    cachedTokens?: number | undefined
    costUsd?: number | undefined
    model?: string | undefined
    note?: string | undefined
  } | null
  files: readonly { name: string; refused?: string | undefined }[]
  previews?: { edits: number; drafts: number; at: number } | undefined
  questions?: readonly AskedQuestion[] | undefined
  operations: readonly Operation[]
}

export type Outcome =
  | 'kept'
  | 'refused'
  | 'waiting'
  | 'running'
  | 'sending'
  | 'answered'
  | 'passed'
  | 'failed'
  | 'stopped'
  | 'interrupted'
  | 'skipped'
  | 'said'
  | 'read'

export interface CoreAuthor {
  id: string
  name: string
  kind: 'person' | 'bot' | 'self' | 'agent'
  outside?: boolean | undefined
}

export interface Receipt {
  message: {
    id: number
    reference: string
    chatKey: string
    conversation: string
    native: string | null
    author: CoreAuthor
    at: number
    receivedAt: number
    text: string | null
    editedAt: number | null
    deletedAt: number | null
  }
  outcome: Outcome
  summary: string
  decision: {
    verdict: 'run' | 'keep' | 'refuse'
    addressed: boolean
    reason: string
    route: string
    responders: readonly string[]
    gates: readonly Gate[]
  } | null
  turns: readonly Turn[]
  operations: readonly Operation[]
  answers: readonly string[]
}

export interface TranscriptRow {
  id: number
  reference: string
  native: string | null
  conversation: string
  thread: string | null
  author: CoreAuthor
  kind: 'person' | 'agent' | 'bot' | 'result' | 'notice' | 'schedule'
  text: string | null
  at: number
  replyTo: string | null
  editedAt: number | null
  deletedAt: number | null
  outcome: Outcome
}

export interface CoreRoom {
  key: string
  connection: string
  kind: 'dm' | 'group'
  title: string | null
  policy: 'mention-only' | 'smart' | 'always'
  /** Why the room does not follow the policy it was given. */
  policyNote: string | null
  members: readonly string[]
  messages: number
  lastAt: number | null
  running: number
  waiting: number
  quiet: boolean
}

export interface QueuedTurn {
  turn: number
  conversation: string
  agent: string
  kind: string
  state: 'running' | 'queued' | 'waiting-for-teammates' | 'waiting-for-decision'
  position: number
  since: number
  requester: string | null
  waitsFor: readonly string[]
}

export interface Health {
  status: 'ok' | 'degraded' | 'failed'
  version: string
  connections: readonly { id: string; phase: string; reason: string | null; cure: string | null }[]
  store: { writable: boolean; reason: string | null; cure: string | null }
}

// ---- the local rooms ----------------------------------------------------------------------------------------------

export interface LocalPerson {
  id: string
  name: string
  kind: 'person' | 'bot' | 'self'
}

export interface LocalFile {
  id: string
  name: string
  mime: string
  bytes: number
}

export interface LocalMessage {
  id: string
  room: string
  thread?: string | undefined
  author: LocalPerson
  agent?: string | undefined
  text: string
  at: number
  edited?: number | undefined
  deleted: boolean
  silent: boolean
  replyTo?: { id: string; author: LocalPerson; excerpt: string; deleted: boolean } | undefined
  reactions: readonly { emoji: string; people: readonly { id: string; name: string }[] }[]
  buttons: readonly { label: string; value: string; style?: 'default' | 'primary' | 'danger' | undefined }[]
  files: readonly LocalFile[]
}

export interface LocalRoom {
  id: string
  kind: 'group' | 'dm'
  title: string
  archived: boolean
  at: number
  people: number
  last?: { id: string; at: number; author: string; excerpt: string } | undefined
}
