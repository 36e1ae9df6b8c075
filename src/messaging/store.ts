/**
 * What the core asks of its store: coarse commands, never transactions or callbacks, so that the same interface fits
 * an embedded file and a shared database. Every promise resolves only when its effect is durable. Commands given in the
 * same tick share one commit, in the order in which they were given: `accept` followed by `claimTurns` in one tick costs
 * one fsync and the claim sees the accepted message.
 */
import type { AccountStore } from './accounts.js'
import type { ApprovalStore } from './approval-store.js'
import type {
  BotIdentity,
  Capabilities,
  ConnectionId,
  FileRef,
  Inbound,
  InboundMessage,
  Member,
  Millis,
  Operation,
  Place,
  Skipped,
} from './contract.js'
import type { Notice } from './decision.js'
import type { FactStore, ShownFact } from './facts.js'
import type { LineChangeStore } from './line-changes.js'
import type { ClaimedOperations, ClaimOperations, Enqueue, OperationResult } from './outbox.js'
import type { PostStore, RoomTexts } from './posts.js'
import type { ScheduleStore } from './schedule.js'
import type { QueueView, ReceiptView, RoomMessage, RoomView, StatusView } from './views.js'
import type { TranscriptStore } from './voice.js'

export type {
  ButtonAction,
  ButtonLabel,
  ClaimedOperation,
  ClaimedOperations,
  ClaimOperations,
  Enqueue,
  Note,
  NoteButton,
  OperationResult,
  OperationState,
} from './outbox.js'

// ---- accept -----------------------------------------------------------------------------------------------------

export interface AcceptItem {
  connection: ConnectionId
  self: BotIdentity
  can: Pick<Capabilities, 'operations' | 'buttons' | 'threads'>
  event: Inbound | Skipped
  receivedAt: Millis
  /** What the connection is shown; default all. */
  sees?: 'all' | 'addressed'
  /**
   * Read after an absence: `decide` what was said lately, keep as `context` what is too old to be answered. Left out for
   * what a platform delivers.
   */
  missed?: 'decide' | 'context'
}

/** A chat that goes on under another id. `memory`: its memory file has moved too. */
export interface MovedChat {
  from: string
  to: string
  at: Millis
  memory: boolean
}

export interface AcceptResult {
  status: 'new' | 'known'
  /** Internal id of the message, when one was stored or found. */
  message?: number
  /** Turns to abort now: stopped by a command or a button, or their message was edited or deleted. */
  abort: readonly { turn: number; why: 'stopped' | 'edited' | 'deleted' | 'overdue' }[]
  /** When the first of the operations it led to may go out; null when there is none. */
  operationsAt: Millis | null
  /** An addressed message that will be answered: to be marked as received, if that takes its time. */
  awaited: boolean
  /** The chat goes on under another id, which was not known before. */
  moved?: MovedChat
  /** A private note for the sender (a button that is not theirs). Volatile. */
  whisper?: { place: Place; to: string; text: string }
  /** Questions that were decided by it: a run may wait for them. */
  ruled?: readonly number[]
  /** A command that is answered outside of the store. */
  errand?: boolean
}

// ---- turns ------------------------------------------------------------------------------------------------------

export type TurnState =
  | 'queued'
  | 'running'
  | 'parked'
  | 'settled'
  | 'passed'
  | 'failed'
  | 'cancelled'
  | 'interrupted'
export type TurnKind = 'message' | 'follow-up' | 'ask' | 'wake' | 'schedule'

export interface ContextLine {
  /** Internal id. */
  message: number
  native: string | null
  author: { id: string; name: string }
  kind: 'person' | 'agent' | 'bot' | 'result' | 'digest' | 'schedule'
  text: string
  at: Millis
  new: boolean
}

export interface ClaimedTurn {
  id: number
  kind: TurnKind
  agent: string
  chatKey: string
  conversation: string
  connection: ConnectionId
  place: Place
  chat: { kind: 'dm' | 'group'; title: string | null }
  addressed: boolean
  /** The person whose message started it all; null when only bots did. */
  requester: { id: string; name: string } | null
  /** Native id of the message the answer quotes. */
  replyTo: string | null
  /** Internal id of the message the receipt hangs on. */
  message: number | null
  attempt: number
  /** Hops by wakes since a person spoke; agents named in an answer are woken only at hop 0. */
  hop: number
  /** The ask this turn works on (`ask`) or the asks it follows (`follow-up`). */
  ask: { id: number; asker: string; task: string; depth: number; chain: readonly string[] } | null
  /** Oldest first, new lines last; at most CONTEXT_LINES and CONTEXT_CHARACTERS. */
  lines: readonly ContextLine[]
  /** Lines left out for being too many or too long. */
  cut: number
  /** `transcript`: what is said in it, where somebody has written it down. */
  files: readonly { message: number; file: FileRef; transcript?: string }[]
  /** The context starts afresh here. */
  first: boolean
  /** Identity of the context: another one once people have started afresh with `/new`. */
  context: string
  /** The model that people chose for this agent here, in place of the configured one. */
  model?: string
  /** What people had changed in this room, over its settings. */
  texts?: RoomTexts
  /** What everybody who reads along here may know. */
  facts?: readonly ShownFact[]
  /** There would be more to know, if the platform said that everybody here is of the organisation. */
  unlisted?: boolean
  /** What had this turn run. */
  schedule?: DueRun
  /** Earlier lines may be missing: they are read back before the engine runs. */
  gap?: { before: string | null }
  /** Earlier lines cannot be read, and the agent is told so. */
  unread?: boolean
  /** It begins again, and somebody has decided what it asked before: asked in the same words, it is told. */
  answered?: readonly { question: string; options: readonly string[] }[]
  /** Keys that the chat had before; see `settingsFor`. */
  formerly?: readonly string[]
}

/** What came of reading back what was said before a turn. */
export interface Backfill {
  turn: number
  at: Millis
  self: BotIdentity
  /** Oldest first; what is known already changes nothing. */
  messages: readonly InboundMessage[]
  /**
   * `whole`: nothing was said before them. `some`: more may stand before. `failed`: not now; the next turn tries again.
   * `unreadable`: not at all.
   */
  end: { kind: 'whole' } | { kind: 'some' } | { kind: 'failed' | 'unreadable'; why: string }
}

export interface Backfilled {
  /** How many were new. */
  read: number
  /** What the turn is shown with them; null where none was new. */
  shown: Pick<ClaimedTurn, 'lines' | 'cut'> | null
  unread: boolean
}

/** A place that may hold messages which nobody delivered, and the last one there that is known for sure. */
export interface MissedPlace {
  chatKey: string
  place: Place
  after: string
}

/** A schedule's run, as its agent is told of it. */
export interface DueRun {
  name: string
  due: Millis
  timezone: string
  /** Who made the schedule; null where it stands in golem.yaml. */
  by: string | null
  /** Earlier runs that this one stands for, too, because nobody was there at their time. */
  missed: number
}

/** Tokens as the model's provider counts them. `cachedTokens` are part of the input. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  cachedTokens?: number
  costUsd?: number
  /** The one that answered, or answered last. */
  model?: string
  /** What went wrong before it did: other models, further tries. */
  note?: string
}

export interface Shown {
  lines: number
  characters: number
  cut: number
  memoryHash: string | null
  /** Characters of the memory file that were left out of the prompt; it can be read on. */
  memoryCut?: number
  /** Facts that were shown. */
  facts?: number
  template: string
  engine: string
  /** Where people chose another than the configured one. */
  model?: string
  /** Where the agent's window is bounded: the tokens the prompt was estimated at, and the bound. */
  tokens?: number
  budget?: number
}

export type TurnOutcome =
  | { state: 'settled'; text: string }
  | { state: 'passed'; reason: string }
  /** `code` and `message` are for the receipt; `public` posts the fixed failure line when the turn was addressed. */
  | { state: 'failed'; code: string; message: string }
  | { state: 'cancelled'; reason: string; partial?: string }
  /** Put back in the queue: shutdown before it started, or an engine without effects was cut off. */
  | { state: 'queued'; reason: string }
  /** It waits for a person's decision, which puts it back in the queue. Nothing of it runs meanwhile. */
  | { state: 'parked'; reason: string }
  | { state: 'interrupted'; reason: string }

export interface SettleTurn {
  turn: number
  at: Millis
  /** When the engine gave its first event; null when it gave none. */
  firstEventAt: Millis | null
  outcome: TurnOutcome
  /** What the answer became: rendered, in order. */
  operations: readonly Operation[]
  /** Its beginning takes the place of the turn's status post, where one stands and it pings nobody. */
  inPlace?: boolean
  notices: readonly Notice[]
  /** Agents the answer names, to be woken for one hop. */
  wakes: readonly string[]
  shown: Shown
  usage?: Usage
  tools: readonly ToolCall[]
  files: readonly { name: string; refused?: string }[]
  previews?: Previews
}

/** What of an answer was shown before it was there: how often, by edits of its status post or by drafts, and when last. */
export interface Previews {
  edits: number
  drafts: number
  at: Millis
}

/** One tool call as the receipt tells it: names and verdicts, no contents. */
export interface ToolCall {
  name: string
  at: Millis
  ok: boolean
  note: string
}

export interface NewAsk {
  turn: number
  teammate: string
  task: string
  at: Millis
}
export type AskResult = { status: 'asked'; ask: number } | { status: 'refused'; why: string }

// ---- search -----------------------------------------------------------------------------------------------------

export interface KnowledgeDocument {
  /** e.g. `skill golem-faq`. */
  source: string
  title: string
  text: string
}
export interface KnowledgeHit extends KnowledgeDocument {
  /** Higher is better. */
  score: number
}
export interface TranscriptHit {
  id: string
  author: string
  at: Millis
  text: string
  score: number
}

// ---- the store --------------------------------------------------------------------------------------------------

export interface Store
  extends LineChangeStore,
    PostStore,
    TranscriptStore,
    FactStore,
    ScheduleStore,
    ApprovalStore,
    AccountStore {
  accept(item: AcceptItem): Promise<AcceptResult>
  /** Starts what may start. `nextAt`: when to ask again, if nothing else happens before. */
  claimTurns(request: { now: Millis; max: number }): Promise<{
    turns: ClaimedTurn[]
    nextAt: Millis | null
    /** When the first of the operations it led to (status posts, notices) may go out. */
    operationsAt: Millis | null
  }>
  /** Stores what was read back, and shows the turn anew: its lines, and how many were new. */
  backfill(backfill: Backfill): Promise<Backfilled>
  /** Number of the last message that was accepted; 0 when there is none. */
  newest(): Promise<number>
  /**
   * Where something may have been missed after message `upTo`: places spoken in since `since`, the latest first. They stay
   * marked until they are caught up with.
   */
  missed(request: {
    connection: ConnectionId
    upTo: number
    since: Millis
    max: number
  }): Promise<MissedPlace[]>
  /** A place that a platform says was spoken in while nobody heard; if it is known to be behind it stays as it is. */
  noteMissed(place: MissedPlace, connection: ConnectionId): Promise<void>
  /** Read up to `after`; `done`: nothing more is missing there, `given-up`: there is, and the next turn reads it back. */
  caughtUp(place: MissedPlace, state: 'more' | 'done' | 'given-up'): Promise<void>
  /** Chats that got another id, in that order. */
  moves(): Promise<MovedChat[]>
  memoryMoved(from: string): Promise<void>
  /** The engine of this turn gave its first event. Durable before the event has any visible consequence. */
  markFirstEvent(turn: number, at: Millis): Promise<void>
  /** The message is marked as received, if it still waits for its answer. Resolves to whether it was. */
  noteReceived(message: number, at: Millis): Promise<boolean>
  /** The turn takes its time: an addressed one, or one that `speaks`, shows a status post, if it still runs. */
  noteWorking(turn: number, at: Millis, speaks?: boolean): Promise<void>
  /** `marked`: messages that bear their last mark now, so that nobody need mark them as received. */
  settleTurn(settle: SettleTurn): Promise<{ marked: readonly number[] }>
  ask(ask: NewAsk): Promise<AskResult>
  handOff(turn: number, teammate: string, at: Millis): Promise<{ ok: true } | { ok: false; why: string }>
  /** Marks operations `sending` and hands them out: one in flight a conversation. */
  claimOperations(request: ClaimOperations): Promise<ClaimedOperations>
  /** `more`: something else of the conversation waits, be it what turned up while this one was on its way. */
  recordReceipt(operation: number, result: OperationResult): Promise<{ more: boolean }>
  enqueue(item: Enqueue): Promise<{ operation: number }>
  noteMembers(connection: ConnectionId, chat: string, members: readonly Member[], at: Millis): Promise<void>
  members(chatKey: string): Promise<Member[]>
  /** Drops what is too old to be kept; times out asks. Returns how much it did. */
  /** `abort`: what works on something that nobody waits for any more. */
  tend(now: Millis): Promise<{ expired: number; pruned: number; abort: AcceptResult['abort'] }>

  indexKnowledge(documents: readonly KnowledgeDocument[]): Promise<void>
  searchKnowledge(query: string, limit: number): Promise<KnowledgeHit[]>
  searchTranscript(conversation: string, query: string, limit: number): Promise<TranscriptHit[]>
  readTranscript(conversation: string, before: Millis | null, limit: number): Promise<TranscriptHit[]>

  receipt(reference: string): Promise<ReceiptView | null>
  rooms(): Promise<RoomView[]>
  roomMessages(
    chatKey: string,
    page: { before?: number; after?: number; limit: number },
  ): Promise<RoomMessage[] | null>
  queue(): Promise<QueueView>
  status(): Promise<StatusView>
  close(): Promise<void>
}
