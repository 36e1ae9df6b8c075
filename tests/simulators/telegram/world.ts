/** Who and what there is on the simulated platform: accounts, chats, topics, messages, files. State only; no rule of the API. */
import type { VirtualClock } from '../kit/clock.js'
import type { Formatted } from './entities.js'

/** A user or a bot. */
export interface Account {
  id: number
  isBot: boolean
  firstName: string
  lastName?: string
  username?: string
}

export type Status = 'creator' | 'administrator' | 'member' | 'restricted' | 'left' | 'kicked'

export interface Membership {
  status: Status
  /** An administrator whose messages show the chat's name instead of theirs. */
  anonymous: boolean
  /** A bot: it is given every message, because privacy mode was off when it joined. */
  seesAll: boolean
}

export interface Topic {
  name: string
  closed: boolean
}

export type ChatType = 'private' | 'group' | 'supergroup' | 'channel'

export interface Chat {
  id: number
  type: ChatType
  title: string
  username?: string
  isForum: boolean
  members: Map<number, Membership>
  topics: Map<number, Topic>
  posts: Map<number, Post>
  /** A channel's discussion group, or a discussion group's channel. */
  linked?: number
  movedTo?: number
  /** A private chat whose person never spoke to the bot, or blocked it. */
  shut?: 'not-started' | 'blocked'
  nextId: number
}

export interface StoredFile {
  id: string
  uniqueId: string
  name: string
  mime: string
  bytes: Uint8Array
  path: string
}

export interface Media {
  kind: 'photo' | 'document' | 'voice' | 'audio' | 'video'
  file: StoredFile
  /** Seconds, of voice and audio. */
  duration?: number
}

export interface Button {
  text: string
  data?: string
  url?: string
}

export type Origin =
  | { type: 'user'; account: number; date: number }
  | { type: 'hidden_user'; name: string; date: number }
  | { type: 'chat'; chat: number; date: number }
  | { type: 'channel'; chat: number; post: number; date: number }

export interface Post {
  id: number
  chat: number
  /** Absent in channels. */
  from?: number
  /** The chat or channel it was sent on behalf of. */
  senderChat?: number
  /** Seconds. */
  date: number
  editDate?: number
  /** `message_thread_id`: a topic, or the first message of a reply chain. */
  thread?: number
  isTopic: boolean
  replyTo?: number
  quote?: Formatted & { position: number }
  body: Formatted
  media?: Media
  album?: string
  keyboard?: readonly (readonly Button[])[]
  origin?: Origin
  isAutomaticForward?: boolean
  /** A service message's own fields, as the Bot API has them. */
  service?: Readonly<Record<string, unknown>>
  silent: boolean
  /** `link_preview_options`, as given. */
  preview?: Readonly<Record<string, unknown>>
  /** By account: one emoji each. */
  reactions: Map<number, string>
  /** Accounts that it notified when it was sent. An edit notifies nobody. */
  pings: readonly number[]
}

export type NewPost = Omit<Post, 'id' | 'date' | 'isTopic' | 'silent' | 'reactions' | 'pings' | 'body'> &
  Partial<Pick<Post, 'isTopic' | 'silent' | 'pings' | 'body'>>

/** Stands for anonymous administrators: https://core.telegram.org/bots/api#message (`from`, `sender_chat`) */
export const ANONYMOUS: Account = {
  id: 1087968824,
  isBot: true,
  firstName: 'Group',
  username: 'GroupAnonymousBot',
}
/** Stands for those who write as a channel. */
export const AS_CHANNEL: Account = {
  id: 136817688,
  isBot: true,
  firstName: 'Channel',
  username: 'Channel_Bot',
}
/** Stands for a linked channel's posts in its discussion group. */
export const SERVICE: Account = { id: 777000, isBot: false, firstName: 'Telegram' }

const NOBODY: Formatted = { text: '', entities: [] }

export class World {
  readonly clock: VirtualClock
  readonly bot: Account
  readonly accounts = new Map<number, Account>()
  readonly chats = new Map<number, Chat>()
  readonly files = new Map<string, StoredFile>()
  readonly #dms = new Map<number, Chat>()
  #nextUser = 5_000_000_011
  #nextGroup = 4_000_000_001
  #nextSuper = 1_000_000_000_001
  /** Messages of private chats and small groups share one row of numbers: that of the account. */
  #nextShared: number
  readonly #firstId: number
  #nextFile = 1
  #nextAlbum = 13_000_000_000_000_001n

  /** @param session added to the first ids of messages */
  constructor(clock: VirtualClock, bot: Account, session = 0) {
    this.clock = clock
    this.#firstId = 101 + session
    this.#nextShared = this.#firstId
    this.bot = bot
    for (const account of [bot, ANONYMOUS, AS_CHANNEL, SERVICE]) this.accounts.set(account.id, account)
  }

  /** Seconds, as the API's dates are. */
  now(): number {
    return Math.floor(this.clock.now() / 1000)
  }

  addAccount(firstName: string, more: { isBot?: boolean; username?: string; id?: number } = {}): Account {
    const id = more.id ?? this.#nextUser++
    const account: Account = {
      id,
      isBot: more.isBot ?? false,
      firstName,
      ...(more.username !== undefined && { username: more.username }),
    }
    this.accounts.set(id, account)
    return account
  }

  account(id: number): Account {
    const account = this.accounts.get(id)
    if (!account) throw new Error(`There is no account ${id} on the simulated Telegram`)
    return account
  }

  byUsername(name: string): Account | undefined {
    const wanted = name.toLowerCase()
    for (const account of this.accounts.values())
      if (account.username?.toLowerCase() === wanted) return account
    return undefined
  }

  /** A user name made of this name, that nobody has. At least five characters, as Telegram asks. */
  freeUsername(name: string): string {
    const slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^[_0-9]+|_+$/g, '')
    const long = slug.length < 5 ? `${slug || 'user'}_example` : slug.slice(0, 24)
    let candidate = long
    for (let number = 2; this.byUsername(candidate); number++) candidate = `${long}${number}`
    return candidate
  }

  addChat(
    type: ChatType,
    title: string,
    more: { id?: number; isForum?: boolean; username?: string } = {},
  ): Chat {
    const id = more.id ?? (type === 'group' ? -this.#nextGroup++ : -this.#nextSuper++)
    const chat: Chat = {
      id,
      type,
      title,
      ...(more.username !== undefined && { username: more.username }),
      isForum: more.isForum ?? false,
      members: new Map(),
      topics: new Map(),
      posts: new Map(),
      nextId: this.#firstId,
    }
    this.chats.set(id, chat)
    return chat
  }

  /** The private chat of this person with the bot. */
  dm(person: number): Chat {
    const known = this.#dms.get(person)
    if (known) return known
    const chat = this.addChat('private', this.account(person).firstName, { id: person })
    for (const id of [person, this.bot.id]) this.join(chat, id)
    this.#dms.set(person, chat)
    return chat
  }

  join(chat: Chat, account: number, more: Partial<Membership> = {}): void {
    chat.members.set(account, { status: 'member', anonymous: false, seesAll: false, ...more })
  }

  isMember(chat: Chat, account: number): boolean {
    const status = chat.members.get(account)?.status
    return status !== undefined && status !== 'left' && status !== 'kicked'
  }

  isAdmin(chat: Chat, account: number): boolean {
    const status = chat.members.get(account)?.status
    return status === 'creator' || status === 'administrator'
  }

  members(chat: Chat): Account[] {
    return [...chat.members.keys()].filter((id) => this.isMember(chat, id)).map((id) => this.account(id))
  }

  chat(id: number): Chat {
    const chat = this.chats.get(id)
    if (!chat) throw new Error(`There is no chat ${id} on the simulated Telegram`)
    return chat
  }

  post(chat: Chat, id: number): Post {
    const post = chat.posts.get(id)
    if (!post) throw new Error(`There is no message ${id} in chat ${chat.id} on the simulated Telegram`)
    return post
  }

  add({ isTopic = false, silent = false, pings = [], body = NOBODY, ...rest }: NewPost): Post {
    const chat = this.chat(rest.chat)
    const isShared = chat.type === 'private' || chat.type === 'group'
    const id = isShared ? this.#nextShared++ : chat.nextId++
    const post: Post = { ...rest, id, date: this.now(), isTopic, silent, pings, body, reactions: new Map() }
    chat.posts.set(id, post)
    return post
  }

  /** The next message of this chat gets an id after this one. */
  passId(chat: Chat, id: number): void {
    chat.nextId = Math.max(chat.nextId, id + 1)
    this.#nextShared = Math.max(this.#nextShared, id + 1)
  }

  addFile(kind: Media['kind'], name: string, mime: string, bytes: Uint8Array): StoredFile {
    const number = this.#nextFile++
    const folder = {
      photo: 'photos',
      voice: 'voice',
      audio: 'music',
      video: 'videos',
      document: 'documents',
    }[kind]
    const ending =
      /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ??
      ({ photo: '.jpg', voice: '.oga' } as const)[kind as 'photo'] ??
      ''
    const key = String(number).padStart(6, '0')
    const file: StoredFile = {
      id: `AgACAgIAAxkBAAIBZ2${kind}${key}`,
      uniqueId: `AQAD${key}`,
      name,
      mime,
      bytes,
      path: `${folder}/file_${number}${ending}`,
    }
    this.files.set(file.id, file)
    return file
  }

  newAlbum(): string {
    return String(this.#nextAlbum++)
  }

  /** Accounts of this chat that a text pings: `@username` of members, and mentions by id. Never the author. */
  pinged(chat: Chat, { text, entities }: Formatted, author: number | undefined): number[] {
    const ids = new Set<number>()
    for (const { type, offset, length, user } of entities) {
      const id = type === 'mention' ? this.byUsername(text.slice(offset + 1, offset + length))?.id : user
      if (id !== undefined && id !== author && this.isMember(chat, id)) ids.add(id)
    }
    return [...ids]
  }
}
