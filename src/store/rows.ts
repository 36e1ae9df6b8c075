/** Rows as the tables hold them. */
export interface ChatRow {
  key: string
  connection: string
  native: string
  kind: 'dm' | 'group'
  title: string | null
  created_at: number
  last_at: number
  messages: number
  bot_turns: number
  quiet_noticed: number
  hint_given: number
  whole: number
  sees: 'all' | 'addressed'
  /** When the platform last named everybody who reads it, all of them of the organisation. */
  listed_at: number | null
  /** Somebody who is not has been seen in it. */
  outsiders: 0 | 1
  /** Its account has been taken out of it. */
  gone: 0 | 1
}
export interface ConversationRow {
  key: string
  chat: string
  thread: string | null
  owner: string | null
  /** When it was handed to its owner, or that one last answered in it. */
  owner_at: number | null
  ctx: number
  fresh_from: number
  answered: number
  /** 1: earlier lines may be missing · 2: they cannot be read, and the agent was told. */
  gap: number
}
export interface MessageRow {
  id: number
  chat: string
  conversation: string
  native: string | null
  thread: string | null
  chain: string | null
  kind: 'person' | 'bot' | 'agent' | 'result' | 'skipped' | 'schedule'
  author_id: string
  author_name: string
  author_kind: 'person' | 'bot' | 'self' | 'agent'
  agent: string | null
  text: string | null
  shown: string | null
  at: number
  received_at: number
  reply_to: string | null
  ctx: number | null
  edited_at: number | null
  deleted_at: number | null
  files: string | null
  decision: string | null
  turn: number | null
  utterance: string | null
  partial: number
  outside: number
  read_back: number
  former: string | null
}
export interface TurnRow {
  id: number
  chat: string
  conversation: string
  lane: string
  connection: string
  agent: string
  kind: 'message' | 'follow-up' | 'ask' | 'wake' | 'schedule'
  state: 'queued' | 'running' | 'parked' | 'settled' | 'passed' | 'failed' | 'cancelled' | 'interrupted'
  reason: string | null
  addressed: number
  sender: string | null
  requester_id: string | null
  requester_name: string | null
  reply_to: string | null
  message: number | null
  thread: string | null
  request: number | null
  responders: string | null
  can: string
  created_at: number
  last_at: number
  not_before: number
  started_at: number | null
  first_event_at: number | null
  settled_at: number | null
  boot: string | null
  effects: string | null
  attempt: number
  hop: number
  items: number
  characters: number
  debounced: number
  ask: number | null
  follows: number | null
  trace: string | null
  shown: string | null
  tools: string | null
  usage: string | null
  files: string | null
  previews: string | null
}
export interface AskRow {
  id: number
  turn: number
  chat: string
  conversation: string
  asker: string
  teammate: string
  task: string
  state: 'open' | 'answered' | 'failed' | 'timed-out' | 'cancelled'
  depth: number
  chain: string
  root: number | null
  created_at: number
  deadline: number
  settled_at: number | null
  result: number | null
}
export interface ApprovalRow {
  id: number
  turn: number
  chat: string
  conversation: string
  connection: string
  message: number | null
  requester_id: string | null
  requester_name: string | null
  /** Ids of those who may decide. */
  approvers: string
  agent: string
  kind: 'question' | 'permission'
  /** Hash of what is decided. */
  subject: string
  text: string
  options: string
  code: string
  state: 'open' | 'chosen' | 'expired' | 'withdrawn'
  created_at: number
  expires_at: number
  settled_at: number | null
  by_id: string | null
  by_name: string | null
  /** Place of the option that was chosen. */
  choice: number | null
  how: 'button' | 'text' | null
  used_at: number | null
  /** The outbox row that asks. */
  operation: number | null
  again: 'no' | 'restarted' | 'paused'
}
export interface OutboxRow {
  id: number
  key: string
  connection: string
  chat: string
  conversation: string
  turn: number | null
  message: number | null
  line: number | null
  role: 'answer' | 'status' | 'notice'
  kind: string
  op: string
  target: number | null
  priority: number
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'cancelled'
  attempt: number
  ready_at: number
  not_before: number
  created_at: number
  sending_at: number | null
  settled_at: number | null
  native: string | null
  ambiguous: number
  unsure_since: number | null
  ladder: number
  failure: string | null
  text: string | null
  log: string
  former: string | null
}
