/**
 * A platform in a box, as the people in it see it. Every simulator offers this one surface, so that the conformance kit,
 * the crash matrix, the journeys and `golem simulate` speak to all of them in the same words. What only one platform has
 * (topics, workspaces, privacy mode) is a member of that simulator's own class.
 */
import type { VirtualClock } from './clock.js'
import type { FaultRule } from './faults.js'

/** Anyone with an account on the platform. */
export interface Person {
  id: string
  /** Display name. */
  name: string
  /** Name to mention them by, where the platform has such names. */
  username?: string
}

export interface Said {
  /** The quoted message. On a platform whose quote is a thread, the thread's first message. */
  replyTo?: string
  /** Native thread or topic. */
  thread?: string
  /** Puts a native mention of the bot in front of the text. */
  mention?: boolean
  files?: readonly { name: string; mime: string; bytes: Uint8Array }[]
}

/** One message in a chat as a person sees it now. */
export interface Seen {
  id: string
  author: { id: string; name: string; bot: boolean }
  /** The visible text: markup applied, names instead of ids. */
  text: string
  /** The text as the platform keeps it, in its own markup or entities: for assertions on form. */
  raw: unknown
  replyTo?: string
  thread?: string
  /** Ids of the people it notifies by a mention. */
  pings: readonly string[]
  links: readonly { text: string; url: string }[]
  buttons: readonly { label: string; value: string }[]
  reactions: readonly { emoji: string; by: string }[]
  files: readonly { name: string; bytes: number }[]
  silent: boolean
  edited: boolean
  /** Only this person sees it. */
  onlyFor?: string
}

/** A request of the bot to the platform's API. */
export interface Call {
  /** The API's method, e.g. `sendMessage`, `chat.postMessage`. */
  method: string
  /** By the simulator's clock. */
  at: number
  chat?: string
  /** HTTP status it was answered with; null when it was left without an answer. */
  status: number | null
  /** It changed what people see. */
  effect: boolean
  /** Parameters as the platform understood them. Never holds a token. */
  params: Readonly<Record<string, unknown>>
}

export interface Stage {
  readonly platform: string
  /** What `channels.<platform>` of golem.yaml needs to connect here, `apiUrl` and secrets included. `how`: socket (or polling) or webhook. */
  settings(how: 'socket' | 'webhook'): Record<string, unknown>
  /** Account of the bot under test. */
  readonly bot: Person
  person(name: string): Person
  /** A chat with these people and the bot in it. Its id is the native one. */
  group(title: string, people: readonly Person[]): string
  dm(person: Person): string

  /** Native id of the new message. Delivered to the bot as the platform would (privacy mode, intents, subscriptions). */
  say(chat: string, person: Person, text: string, options?: Said): string
  edit(chat: string, id: string, text: string): void
  /** A person takes back their message. Whether the bot learns of it is the platform's affair. */
  delete(chat: string, id: string): void
  react(chat: string, id: string, person: Person, emoji: string): void
  press(chat: string, id: string, person: Person, value: string): void

  /** What `viewer` (anyone, when absent) would see in this chat now, oldest first. */
  seen(chat: string, viewer?: Person): readonly Seen[]
  /** Every request so far, oldest first. */
  readonly calls: readonly Call[]
  /** Deliveries the bot has acknowledged, by the platform's own delivery id, oldest first. */
  readonly acknowledged: readonly string[]
  /** Deliveries waiting to be sent or acknowledged. */
  readonly pending: number
  /** Sends again what was acknowledged already, as platforms do when an acknowledgement is lost. */
  redeliver(count?: number): void
  /** Puts a fault in force; returns its undo. */
  fault(rule: FaultRule): () => void
  /** Cuts every live connection: `half-open` leaves the socket there and says nothing any more. */
  cut(how: 'close' | 'half-open'): void
  /** Resolves when `holds` does; asked again after each call, delivery and change. Rejects after `ms` (default 15 s). */
  until(holds: () => boolean, what: string, ms?: number): Promise<void>
  /** Where webhooks go: the daemon's URL for this connection, e.g. `http://127.0.0.1:3000/webhooks/slack`. */
  webhook(url: string | null): void
  close(): Promise<void>
}

/** A stage that runs by itself for a person to use by hand (`golem simulate`), through the control API under `/_sim/`. */
export interface Simulator extends Stage {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly clock: VirtualClock
  chats(): readonly StageChat[]
  people(): readonly Person[]
  /** All that came in and was called so far, as JSON lines without tokens. */
  recording(): string
  /** Delivers the recorded events again, at the recorded distances. Returns how many. */
  replay(recording: string): Promise<number>
  /** Calls back after each change; returns its undo. */
  onChange(listener: () => void): () => void
}

export interface StageChat {
  id: string
  title: string
  kind: 'dm' | 'group'
  members: readonly Person[]
}
