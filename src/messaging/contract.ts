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
import type { Inbound, Skipped } from './inbound.js'
import type { BotIdentity, FileRef, Member, Place } from './people.js'

export type { Clock, Logger, Millis } from './ambient.js'
export { CHAT_COMMANDS, isChatCommand } from './command-names.js'
export * from './doc/index.js'
export { ConnectFailure, type Failure, PlatformFailure } from './failure.js'
export * from './inbound.js'
export type { Author, BotIdentity, FileRef, Member, Place } from './people.js'

/** `slack`, `discord`, `telegram`, `feishu`, `local`, or a plug-in's own. `[a-z0-9]+`. */
export type PlatformId = string
/** One bot account on a platform: the platform's id, or `platform.account`. `[a-z0-9.]+`. */
export type ConnectionId = string

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
  /** What the post quotes, for the case that it is gone and must be made anew. Nothing for an adapter. */
  replyTo?: string
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
/**
 * The text so far of an answer that is being written, shown where the answer will stand, without a message: in direct
 * chats, and gone by itself when the answer is posted or nothing more comes. Volatile.
 */
export interface Draft {
  kind: 'draft'
  place: Place
  /** The same for all drafts of one answer. Positive. */
  draft: number
  part: Part
}
export type Operation = Post | Edit | Delete | React | Upload | Typing | Whisper | Draft
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
  /** Sustained writes allowed; each that fits an operation binds it. Absent = no limit known. */
  budgets?: readonly Budget[]
  /** A `perform` that has not answered after this is ambiguous. */
  timeoutMs: number
  /** The platform takes the sign of typing away after this long. Default 5 s. */
  typingMs?: Millis
}

/** `writes` in any window of `perMs`, in each chat or over the account; only for some chats or kinds where it says so. */
export interface Budget {
  scope: 'chat' | 'account'
  writes: number
  perMs: number
  chats?: 'dm' | 'group'
  kinds?: readonly OperationKind[]
}

/** What the connection really does; each entry is proved by the conformance kit. */
export interface Capabilities {
  operations: readonly OperationKind[]
  events: readonly Inbound['kind'][]
  threads: boolean
  /** A quote opens a thread under the quoted message, or goes on in its thread: there is no other quote. */
  quoteOpensThread: boolean
  buttons: boolean
  /** What was said before can be read back: {@link Connection.history} is there. */
  history: boolean
  /** `Place.chat` of a post may be a person's id: it goes to their direct chat with the bot. */
  direct: boolean
  /**
   * For so long after a post the platform itself takes the same {@link IdempotencyKey} for the same post. 0: it knows no
   * keys; `Infinity`: always.
   */
  idempotentFor: Millis
  /** Several accounts in one chat: is one shown what the others say, and do they know people by the same ids? Absent: both. */
  accounts?: { hear: boolean; sameIds: boolean }
}

export interface Codec<Raw> {
  /** Pure. Never throws: what it does not know is `Skipped`. */
  read(raw: Raw, self: BotIdentity): Inbound | Skipped
  /** Pure. Never cuts a fence, a link, a mention or a character. */
  write(doc: Doc, limits: Limits): readonly Part[]
  /** The text as it is, in the platform's simplest form: what is left where markup was refused. Absent: `write` of it. */
  plain?(text: string): Part
}

export interface Platform<Raw = unknown, Settings = unknown> {
  readonly id: PlatformId
  /** Its part of golem.yaml, with descriptions: docs and editor completion come from it. */
  readonly settings: ZodType<Settings>
  readonly limits: Limits
  readonly can: Capabilities
  readonly codec: Codec<Raw>
  /** @throws ConnectFailure where trying again cannot help; any other error is tried again with backoff */
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
  /** What was said in a place, oldest first, the bot's own posts (author `self`) among it. A thread's first message is part of it. */
  history?(place: Place, range: { after?: string; before?: string; limit: number }): AsyncIterable<Inbound>
  /**
   * Places in which something was said that this connection may not have heard, also such that nobody spoke in before,
   * each with an id up to which all was heard: as far as the platform tells that without being read. Asked for after each
   * connect. When the iteration goes on or ends, what came before is stored: it need not be told again.
   */
  missed?(): AsyncIterable<{ place: Place; after: string }>
  members?(place: Place): AsyncIterable<Member>
  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>>
  /** HTTP that belongs to the platform (webhooks, the local rooms). `path` is what follows the mount point. */
  serve?(request: Request, path: string): Promise<Response>
  close(deadline: Millis): Promise<void>
}
