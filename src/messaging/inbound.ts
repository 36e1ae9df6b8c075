/** What comes in from a platform, as the core reads it. Types only; adapters reach them through `contract.ts`. */
import type { Millis } from './ambient.js'
import type { Doc } from './doc/types.js'
import type { Author, FileRef, Member, Place } from './people.js'

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
  /** Cut by the platform's length limit, or an item of an album: more of the same message may follow. */
  partial?: boolean
  /** Messages of one album share it: what addresses one of them addresses all. */
  album?: string
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

/** The chat itself changed: its title, who is in it, or its id. */
export interface InboundChange extends Event {
  kind: 'change'
  title?: string
  /** The chat goes on under this id: settings, memory and context move with it. */
  movedTo?: string
  /** With `movedTo`: its messages and threads keep their ids. Else they are counted anew, and old ids mean nothing there. */
  keepsIds?: boolean
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
