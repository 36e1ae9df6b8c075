/** What there is: guilds, people, channels, messages, files. Knows nothing of HTTP, sockets or who asks. */
import { Ids } from './ids.js'

export type Fields = Record<string, unknown>

export interface User {
  id: string
  /** Lower case, without blanks, unique. */
  username: string
  /** The name people see where there is no nickname. Bots have none. */
  globalName: string | null
  bot: boolean
}

export interface Role {
  id: string
  name: string
  permissions: bigint
  position: number
  mentionable: boolean
  /** The role that came with this bot, under its name. */
  botId?: string
}

export interface Member {
  user: string
  nick: string | null
  roles: Set<string>
  joinedAt: number
}

export interface Guild {
  id: string
  name: string
  ownerId: string
  /** `@everyone` has the guild's own id. */
  roles: Map<string, Role>
  members: Map<string, Member>
  /** Emoji of its own: id to name. */
  emojis: Map<string, string>
  /** An outage: there, and out of reach. */
  unavailable: boolean
  /** Where "… joined the server" is said. */
  systemChannel?: string
}

/** https://docs.discord.com/developers/resources/channel#channel-object-channel-types */
export const CHANNEL = {
  text: 0,
  dm: 1,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  forum: 15,
} as const
export type ChannelType = (typeof CHANNEL)[keyof typeof CHANNEL]

export interface Thread {
  ownerId: string
  archived: boolean
  locked: boolean
  archivedAt: number
  autoArchiveMinutes: number
  members: Set<string>
  tags: string[]
  /** Messages ever written, the first of a forum post not among them. */
  count: number
}

export interface Channel {
  id: string
  type: ChannelType
  guildId?: string
  name: string
  topic: string
  /** A thread's channel. */
  parentId?: string
  /** Of a direct chat. */
  recipients: Set<string>
  overwrites: { id: string; allow: bigint; deny: bigint }[]
  position: number
  thread?: Thread
  /** Forums: id to name. */
  tags: Map<string, string>
  /** Oldest first. */
  messages: Message[]
  byId: Map<string, Message>
}

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
export const FLAGS = {
  crossposted: 1 << 0,
  isCrosspost: 1 << 1,
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  voice: 1 << 13,
  hasSnapshot: 1 << 14,
  componentsV2: 1 << 15,
} as const

export interface Attachment {
  id: string
  name: string
  mime: string
  bytes: Buffer
  description?: string
  /** A voice message. */
  seconds?: number
}

/** What a reply, a forward or a system message refers to. */
export interface Reference {
  type: number
  channelId: string
  messageId?: string
  guildId?: string
}

/** A webhook, and the name under which it speaks. */
export interface Speaker {
  id: string
  name: string
  applicationId?: string
}

export interface Message {
  id: string
  channelId: string
  author: string
  /** https://docs.discord.com/developers/resources/message#message-object-message-types */
  type: number
  content: string
  embeds: Fields[]
  attachments: Attachment[]
  components: Fields[]
  /** Whom it mentions: what `mentions`, `mention_roles` and `mention_everyone` say. */
  mentions: { users: string[]; roles: string[]; everyone: boolean }
  /** Whom it paged when it was posted. An edit pages nobody. */
  pinged: string[]
  reactions: { key: string; id: string | null; name: string; users: string[] }[]
  flags: number
  pinned: boolean
  editedAt?: number
  nonce?: string | number
  reference?: Reference
  /** A forward carries a copy of what was forwarded. */
  snapshots?: Fields[]
  /** Said through a webhook, under a name of its own. */
  webhook?: Speaker
  /** The command or button that it answers. */
  interaction?: Fields
  poll?: Fields
  stickers?: Fields[]
  /** The thread that hangs on it has its id. */
  hasThread?: boolean
  /** Only this person sees it. */
  onlyFor?: string
  /** "… is thinking", until the answer comes. */
  loading?: boolean
  tts?: boolean
}

export class World {
  readonly ids = new Ids()
  readonly users = new Map<string, User>()
  readonly guilds = new Map<string, Guild>()
  readonly channels = new Map<string, Channel>()
  readonly files = new Map<string, Attachment & { channelId: string }>()
  /** Webhooks that people made: id to name. */
  readonly webhooks = new Map<string, string>()
  readonly bot: User
  readonly #now: () => number
  readonly #founded: number | undefined

  constructor(options: { bot: string; now: () => number; founded?: number }) {
    this.#now = options.now
    this.#founded = options.founded
    this.bot = this.addUser({ username: options.bot, globalName: null, bot: true })
  }

  now(): number {
    return this.#now()
  }

  nextId(): string {
    return this.ids.next(this.#now())
  }

  /** For what is there before anything is said. */
  foundingId(): string {
    return this.ids.next(this.#founded ?? this.#now())
  }

  addUser(user: Omit<User, 'id'>): User {
    const made = { id: this.foundingId(), ...user }
    this.users.set(made.id, made)
    return made
  }

  addGuild(name: string, ownerId: string, everyone: bigint): Guild {
    const id = this.foundingId()
    const guild: Guild = {
      id,
      name,
      ownerId,
      roles: new Map([
        [id, { id, name: '@everyone', permissions: everyone, position: 0, mentionable: false }],
      ]),
      members: new Map(),
      emojis: new Map(),
      unavailable: false,
    }
    this.guilds.set(id, guild)
    return guild
  }

  addChannel(channel: Pick<Channel, 'type' | 'name'> & Partial<Channel>): Channel {
    const made: Channel = {
      id: channel.id ?? this.foundingId(),
      topic: '',
      recipients: new Set(),
      overwrites: [],
      position: this.channels.size,
      tags: new Map(),
      messages: [],
      byId: new Map(),
      ...channel,
    }
    this.channels.set(made.id, made)
    return made
  }

  /** The direct chat of a person with the bot, made when first needed. `isNew` says which. */
  dm(user: string): { channel: Channel; isNew: boolean } {
    for (const channel of this.channels.values()) {
      if (channel.type === CHANNEL.dm && channel.recipients.has(user)) return { channel, isNew: false }
    }
    const channel = this.addChannel({
      type: CHANNEL.dm,
      name: user,
      recipients: new Set([user, this.bot.id]),
    })
    return { channel, isNew: true }
  }

  add(message: Message): void {
    const channel = this.channel(message.channelId)
    channel.byId.set(message.id, message)
    channel.messages.push(message)
  }

  remove(message: Message): void {
    const channel = this.channel(message.channelId)
    channel.byId.delete(message.id)
    const at = channel.messages.indexOf(message)
    if (at >= 0) channel.messages.splice(at, 1)
  }

  threadsOf(channel: string): Channel[] {
    return [...this.channels.values()].filter(
      ({ parentId, thread }) => parentId === channel && thread !== undefined,
    )
  }

  /** The chat a place belongs to: a thread's channel, else the channel itself. */
  chatOf(id: string): string {
    const channel = this.channels.get(id)
    return channel?.thread === undefined ? id : (channel.parentId ?? id)
  }

  /** A message of this chat or of one of its threads. @throws Error that says there is none */
  find(chat: string, id: string): Message {
    const own = this.channel(chat).byId.get(id)
    if (own !== undefined) return own
    for (const thread of this.threadsOf(chat)) {
      const found = thread.byId.get(id)
      if (found !== undefined) return found
    }
    throw new Error(`There is no message ${id} in ${chat} of the simulated Discord`)
  }

  /** @throws Error that says there is none: the test asks for what it did not make */
  channel(id: string): Channel {
    const channel = this.channels.get(id)
    if (channel === undefined) throw new Error(`The simulated Discord has no channel ${id}`)
    return channel
  }

  /** @throws Error that says there is none */
  guild(id: string): Guild {
    const guild = this.guilds.get(id)
    if (guild === undefined) throw new Error(`The simulated Discord has no guild ${id}`)
    return guild
  }

  /** @throws Error that says there is none */
  user(id: string): User {
    const user = this.users.get(id)
    if (user === undefined) throw new Error(`The simulated Discord has nobody with the id ${id}`)
    return user
  }

  /** The name people see: nickname, then display name, then username. */
  nameOf(id: string, guildId?: string): string {
    const user = this.users.get(id)
    const nick = guildId === undefined ? null : (this.guilds.get(guildId)?.members.get(id)?.nick ?? null)
    return nick ?? user?.globalName ?? user?.username ?? id
  }
}
