/**
 * The seam between the platforms and the core.
 *
 * An adapter (`adapters/<platform>`) imports this file and nothing else of `src`. The core imports no adapter: it is
 * handed `Platform` values by the composition root. Everything here is plain data or a small interface, so that an
 * operation can be stored, replayed, redacted, audited and simulated by one path: **the outbox row is the call**.
 */
import type { MessagePort } from 'node:worker_threads'
import type { ZodType } from 'zod'
import type { Clock, Logger, Millis } from './ambient.js'
import type { Doc } from './doc/types.js'
import type { Author, BotIdentity, FileRef, Member, Place } from './people.js'

export type { Clock, Logger, Millis } from './ambient.js'
export * from './doc/index.js'
export { type Failure, PlatformFailure } from './failure.js'
export type { Author, BotIdentity, FileRef, Member, Place } from './people.js'

/** `slack`, `discord`, `telegram`, `feishu`, `local`, or a plug-in's own. `[a-z0-9]+`. */
export type PlatformId = string
/** One bot account on a platform: the platform's id, or `platform.account`. `[a-z0-9.]+`. */
export type ConnectionId = string

// ---- what comes in ----------------------------------------------------------------------------------------------

interface Event {
  /**
   * Identity of the thing that happened, not of its delivery: the same for every redelivery, different for different
   * things. Unique within a connection; the core puts the connection in front of it.
   */
  event: string
  at: Millis
  place: Place
  author: Author
}

export interface InboundMessage extends Event {
  kind: 'message'
  /** The message's native id, unique within its chat. */
  id: string
  chat: { kind: 'dm' | 'group'; title?: string }
  doc: Doc
  files?: readonly FileRef[]
  /** The message this one replies to. `author` when the platform says whose it was. */
  replyTo?: { id: string; author?: Author; text?: string }
  /** A command of the platform or a leading `/word`; `target` when it names its bot (`/cmd@bot`). */
  command?: { name: string; target?: string }
  /** Text cut by the platform's length limit, an album's first item: more of the same message may follow. */
  partial?: boolean
}

export interface InboundEdit extends Event {
  kind: 'edit'
  id: string
  doc: Doc
}

export interface InboundDelete extends Event {
  kind: 'delete'
  id: string
}

export interface InboundReaction extends Event {
  kind: 'reaction'
  id: string
  emoji: string
  added: boolean
}

/** A button was pressed. `value` is what the button carried; `id` the post it stood on. */
export interface InboundPress extends Event {
  kind: 'press'
  id: string
  value: string
}

/** The chat itself changed: its title, or who is in it. */
export interface InboundChange extends Event {
  kind: 'change'
  title?: string
  joined?: readonly Member[]
  left?: readonly Member[]
}

export type Inbound =
  | InboundMessage
  | InboundEdit
  | InboundDelete
  | InboundReaction
  | InboundPress
  | InboundChange

export const SKIP_REASONS = [
  'own-message',
  'unsupported-kind',
  'malformed',
  'no-content',
  'service-notice',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** What a codec does not handle. It still gets a receipt: never an exception, never silence. */
export interface Skipped {
  kind: 'skipped'
  reason: SkipReason
  detail?: string
  event?: string
  place?: Place
  at: Millis
}

// ---- what goes out ----------------------------------------------------------------------------------------------

/** One message-sized piece of a rendered document. `body` is the platform's own payload; the core never reads it. */
export interface Part {
  /** What a person sees, as plain text. Used for fallbacks, receipts and audit. */
  text: string
  body: unknown
  /** Ids of the users this part pings: exactly the resolved mentions. */
  mentions: readonly string[]
}

export interface Button {
  label: string
  value: string
  style?: 'default' | 'primary' | 'danger'
}

export interface Post {
  kind: 'post'
  place: Place
  part: Part
  /** Native id of the quoted message. A target that is gone must not fail the post where the platform allows that. */
  replyTo?: string
  /** The agent that speaks, shown where a platform can show a persona. */
  agent?: string
  buttons?: readonly Button[]
  /** No push notification (status posts, notices). */
  silent?: boolean
}
export interface Edit {
  kind: 'edit'
  place: Place
  id: string
  part: Part
  agent?: string
  buttons?: readonly Button[]
}
export interface Delete {
  kind: 'delete'
  place: Place
  id: string
}
/** The bot's mark on a message; setting one replaces the bot's earlier mark. */
export interface React {
  kind: 'react'
  place: Place
  id: string
  mark: 'received' | 'done' | 'failed' | 'stopped'
}
export interface Upload {
  kind: 'upload'
  place: Place
  /** Absolute path on this machine, already checked by the core. */
  path: string
  name: string
  replyTo?: string
  agent?: string
}
/** Volatile: no outbox row, never retried. */
export interface Typing {
  kind: 'typing'
  place: Place
  on: boolean
}
/** A note only `to` sees. Volatile. */
export interface Whisper {
  kind: 'whisper'
  place: Place
  to: string
  part: Part
}
export type Operation = Post | Edit | Delete | React | Upload | Typing | Whisper
export type OperationKind = Operation['kind']

/** Stable over retries of one outbox row; handed to platforms that can deduplicate. At most 36 characters. */
export type IdempotencyKey = string

export interface Receipt {
  /** Native id of what was made or changed, where there is one. */
  id?: string
  at: Millis
}

// ---- the platform -----------------------------------------------------------------------------------------------

export interface Limits {
  /** Longest text of one part and what it is counted in. */
  text: { max: number; unit: 'utf16' | 'codepoint' | 'byte' }
  files: { maxBytes: number; perPost: number }
  /** Sustained writes allowed, by scope. Absent = no limit known. */
  budgets?: readonly { scope: 'chat' | 'account'; writes: number; perMs: number }[]
  /** A `perform` that has not answered after this is ambiguous. */
  timeoutMs: number
}

/** What the connection really does; each entry is proved by the conformance kit. */
export interface Capabilities {
  operations: readonly OperationKind[]
  events: readonly Inbound['kind'][]
  threads: boolean
  buttons: boolean
  /** `true`: the platform itself deduplicates by {@link IdempotencyKey}. */
  idempotentPosts: boolean
}

export interface Codec<Raw> {
  /** Pure. Never throws: what it does not know is `Skipped`. */
  read(raw: Raw, self: BotIdentity): Inbound | Skipped
  /** Pure. Never cuts a fence, a link, a mention or a character. */
  write(doc: Doc, limits: Limits): readonly Part[]
}

export interface Platform<Raw = unknown, Settings = unknown> {
  readonly id: PlatformId
  /** Its part of golem.yaml, with descriptions: docs and editor completion come from it. */
  readonly settings: ZodType<Settings>
  readonly limits: Limits
  readonly can: Capabilities
  readonly codec: Codec<Raw>
  connect(settings: Settings, host: Host): Promise<Connection>
}

export type ConnectionState =
  | { phase: 'connecting' }
  | { phase: 'ready'; sees: 'all' | 'addressed'; note?: string }
  | { phase: 'degraded'; reason: string }
  | { phase: 'failed'; reason: string; cure: string }

export interface Closed {
  reason: string
  /** `fatal`: restarting cannot help until a person acts. */
  fatal?: boolean
  cure?: string
}

/** All that a connection may ask of the core. */
export interface Host {
  readonly connection: ConnectionId
  /** Display name of the bot, from golem.yaml `name`. */
  readonly name: string
  /** Absolute folder this connection may keep its own state in. */
  readonly dataDir: string
  /**
   * Runs a module of the adapter's own in the daemon's storage thread, where work that waits for the disk belongs: its
   * default export is called with the other end of the returned port, and `data`. A thread for each would cost 10 MB.
   *
   * @param module its URL
   */
  thread(module: URL, data: unknown): MessagePort
  /** Who the connection speaks as. Said before the first event is accepted. */
  identify(self: BotIdentity): void
  /** Resolves when the event is durable; the platform is acknowledged only after it. Rejects when it could not be stored. */
  accept(event: Inbound | Skipped): Promise<'new' | 'known'>
  state(state: ConnectionState): void
  readonly clock: Clock
  readonly log: Logger
}

export interface Connection {
  readonly self: BotIdentity
  /** Pending while the connection lives; a supervisor restarts it with backoff when it settles. */
  readonly done: Promise<Closed>
  /** At most one request to the platform. Throws {@link PlatformFailure} only. */
  perform(op: Operation, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt>
  /** After an ambiguous send: what became of it. `sent` brings the receipt where it can be read back. */
  settle?(op: Operation, key: IdempotencyKey): Promise<'not-sent' | 'unknown' | Receipt>
  /** To catch up on what was missed while away, oldest first. */
  history?(place: Place, range: { after?: string; before?: string; limit: number }): AsyncIterable<Inbound>
  members?(place: Place): AsyncIterable<Member>
  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>>
  /** HTTP that belongs to the platform (webhooks, the local rooms). `path` is what follows the mount point. */
  serve?(request: Request, path: string): Promise<Response>
  close(deadline: Millis): Promise<void>
}
