/**
 * What the chat server asks of its store, as plain data: commands cross into the store's worker thread by structured
 * clone. Every command is one step; the worker commits all the steps that wait for it together.
 */
import type { LocalRaw, RawMention, RawPerson } from './raw.js'

/** The bot's own id in every local room. Ids that begin with `@` are the platform's: no person can have one. */
export const BOT_ID = '@golem'
/** Who changes a room when nobody is named. */
export const PLATFORM_ID = '@local'

export interface PersonView {
  id: string
  name: string
  kind: 'person' | 'bot' | 'self'
}
export interface ButtonView {
  label: string
  value: string
  style?: 'default' | 'primary' | 'danger' | undefined
}
export interface FileView {
  id: string
  name: string
  mime: string
  bytes: number
}

/** A message as everybody may see it now. A deleted one keeps its place and nothing of its content. */
export interface MessageView {
  id: string
  room: string
  /** Root message of the thread it stands in. */
  thread?: string
  author: PersonView
  /** The agent that spoke, when the bot did. */
  agent?: string
  /** Markdown. */
  text: string
  mentions: RawMention[]
  at: number
  /** When it was last edited. */
  edited?: number
  deleted: boolean
  silent: boolean
  replyTo?: { id: string; author: PersonView; excerpt: string; deleted: boolean }
  reactions: { emoji: string; people: { id: string; name: string }[] }[]
  buttons: ButtonView[]
  files: FileView[]
}

export interface RoomView {
  id: string
  kind: 'group' | 'dm'
  title: string
  archived: boolean
  at: number
  /** People and bots who spoke here. */
  people: number
  last?: { id: string; at: number; author: string; excerpt: string }
}

export const LOG_TYPES = ['room', 'message', 'edit', 'delete', 'reaction'] as const
export type LogType = (typeof LOG_TYPES)[number]

/** A change, numbered. The content is always the state of now: the log itself holds no text. */
export interface LogEvent {
  id: number
  type: LogType
  room: string
  data: MessageView | RoomView
}

/** An event on its way to the core. */
export interface Delivery {
  seq: number
  room: string
  raw: LocalRaw
}

export interface Own {
  room: string
  message: string
  author: RawPerson
}

interface Change {
  message: MessageView
  /** Absent when nothing changed. */
  delivery?: Delivery
}

export interface BotPost {
  key: string
  room: string
  thread?: string | undefined
  name: string
  agent?: string | undefined
  text: string
  mentions: RawMention[]
  replyTo?: string | undefined
  buttons: ButtonView[]
  silent: boolean
  file?: FileView | undefined
  at: number
}

/** Name of a command -> what goes in and what comes out. */
export interface Commands {
  prepare: {
    in: { rooms: { id: string; title: string }[]; bot: string; at: number }
    out: { head: number; waiting: string[]; staleFiles: string[] }
  }
  makeRoom: {
    in: { id?: string | undefined; title?: string | undefined; kind: 'group' | 'dm'; at: number }
    out: { room: RoomView; made: boolean }
  }
  changeRoom: {
    in: {
      id: string
      title?: string | undefined
      archived?: boolean | undefined
      author: RawPerson
      at: number
    }
    out: { room: RoomView; delivery?: Delivery }
  }
  rooms: { in: Record<string, never>; out: RoomView[] }
  room: { in: { id: string }; out: RoomView }
  people: { in: { room?: string }; out: PersonView[] }
  say: {
    in: {
      room: string
      author: RawPerson
      text: string
      thread?: string | undefined
      replyTo?: string | undefined
      mentions: RawMention[]
      files: string[]
      at: number
      /** The client's own key and a hash of what it sent. */
      once?: { key: string; hash: string } | undefined
    }
    /** `fresh: false`: the same request came before. `delivery` is there while the core has not accepted it. */
    out: Change & { fresh: boolean }
  }
  amend: { in: Own & { text: string; mentions: RawMention[]; at: number }; out: Change }
  retract: { in: Own & { at: number }; out: Change & { files: string[] } }
  mark: { in: Own & { emoji: string; added: boolean; at: number }; out: Change }
  press: { in: Own & { value: string; at: number }; out: Change }
  messages: {
    in: {
      room: string
      before?: string | undefined
      after?: string | undefined
      /** A root message's id, `none` for what stands in no thread, absent for all. */
      thread?: string | undefined
      limit: number
    }
    out: { messages: MessageView[]; more: boolean }
  }
  history: {
    in: {
      room: string
      thread?: string | undefined
      before?: string | undefined
      after?: string | undefined
      limit: number
    }
    out: LocalRaw[]
  }
  message: { in: { room: string; message: string }; out: MessageView }
  addFile: { in: FileView & { room: string; at: number }; out: FileView }
  file: { in: { id: string }; out: FileView & { room: string } }
  forgetFiles: { in: { ids: string[] }; out: null }
  /** A write of this size, to see whether the disk takes one; 0 takes it back. */
  probe: { in: { bytes: number }; out: null }
  botPost: { in: BotPost; out: { id: string; at: number; fresh: boolean } }
  botEdit: {
    in: {
      room: string
      message: string
      text: string
      mentions: RawMention[]
      buttons: ButtonView[]
      agent?: string | undefined
      at: number
    }
    out: Change
  }
  botDelete: { in: { room: string; message: string; at: number }; out: { files: string[] } }
  botMark: { in: { room: string; message: string; emoji: string; at: number }; out: Change }
  posted: { in: { key: string }; out: { id: string; at: number } | null }
  delivered: { in: { seqs: number[] }; out: null }
  undelivered: { in: { room: string; after: number; limit: number }; out: Delivery[] }
  log: { in: { after: number; limit: number }; out: { events: LogEvent[]; oldest: number; head: number } }
}
export type CommandName = keyof Commands
export type In<N extends CommandName> = Commands[N]['in']
export type Out<N extends CommandName> = Commands[N]['out']

/** Why the chat server says no. The same words stand in HTTP answers. */
export type RefusalCode =
  | 'unknown-room'
  | 'unknown-message'
  | 'unknown-file'
  | 'unknown-button'
  | 'archived'
  | 'not-yours'
  | 'deleted'
  | 'key-reused'
  | 'room-exists'
  | 'too-many'

/** A rule said no; nothing was written. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message)
  }
}

/**
 * The store could not do its work: a full disk, a broken file, a dead worker. `code` is SQLite's own, `WORKER`, or for
 * one that could not be opened at the start, what kept it from it: `corrupt`, `full`, `read-only`, `in-use`,
 * `newer`, `failed`.
 */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
  constructor(
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

// ---- between the threads ------------------------------------------------------------------------------------------

export interface Request {
  id: number
  name: CommandName
  input: unknown
}
export type Reply =
  | { id: number; ok: true; output: unknown }
  | { id: number; ok: false; refused: RefusalCode; message: string }
  | { id: number; ok: false; failed: string; message: string }
/** One commit: its replies, the changes that everybody who listens is told, and what goes to the core, in order. */
export interface Batch {
  replies: Reply[]
  events: LogEvent[]
  deliveries: Delivery[]
}
