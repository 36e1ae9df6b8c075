/** What a workspace holds: people, channels, messages, files. Knows nothing of HTTP, sockets or who asks. */
import { Ids } from './ids.js'
import type { Block, Fields } from './text/rich.js'

export interface User {
  id: string
  /** The workspace the person belongs to; with Slack Connect, another than the bot's. */
  team: string
  /** The handle, `alice`: lower case, no blanks. */
  handle: string
  /** Full name. */
  realName: string
  /** What is shown where it is not empty. */
  displayName: string
  /** `multi` and `single`: guests, who see some channels or one only. */
  guest?: 'multi' | 'single'
  /** A person of another workspace with whom no channel is shared: hardly anything is known of them. */
  stranger?: boolean
  deleted?: boolean
  botId?: string
  appId?: string
  /** An integration of old: its messages have a name but no author. */
  legacy?: boolean
  updated: number
}

export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim'

export interface Channel {
  id: string
  kind: ChannelKind
  name: string
  creator: string
  created: number
  members: Set<string>
  archived: boolean
  topic: string
  purpose: string
  /** Direct chat: the person in it. */
  user?: string
  /** Shared with another workspace (Slack Connect). */
  shared: boolean
  /** Every message, oldest first, thread replies among them. */
  messages: Message[]
  /** By timestamp. */
  byTs: Map<string, Message>
}

export interface SlackFile {
  id: string
  name: string
  title: string
  mime: string
  bytes: Buffer
  user: string
  created: number
  /** Uploaded and shared; before that nobody sees it. */
  shared: Set<string>
}

export interface Message {
  ts: string
  channel: string
  user?: string
  subtype?: string
  text: string
  blocks: Block[]
  /** What was sent, before Slack made blocks of it. */
  sent?: Fields
  threadTs?: string
  broadcast?: boolean
  clientMsgId?: string
  botId?: string
  appId?: string
  /** A persona's name and icon. */
  username?: string
  icons?: Fields
  files: SlackFile[]
  edited?: { user: string; ts: string }
  metadata?: Fields
  reactions: { name: string; users: string[] }[]
  /** Only this person sees it, until they reload. */
  onlyFor?: string
  /** Fields of a subtype: `inviter`, `topic`, `old_name` … */
  extra?: Fields
  /** Whom it paged when it was posted. An edit pages nobody. */
  pinged: string[]
  /** A deleted message that has replies leaves this behind. */
  tombstone?: boolean
}

export interface UserGroup {
  id: string
  handle: string
  name: string
  users: string[]
}

export class World {
  readonly ids = new Ids()
  readonly users = new Map<string, User>()
  readonly channels = new Map<string, Channel>()
  readonly files = new Map<string, SlackFile>()
  readonly usergroups = new Map<string, UserGroup>()
  /** Threads: the root's channel and timestamp to its replies, oldest first. */
  readonly #threads = new Map<string, Message[]>()
  readonly team: { id: string; name: string; domain: string }
  readonly bot: User

  constructor(options: { team: string; bot: string }) {
    const domain = options.team.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    this.team = { id: this.ids.next('T'), name: options.team, domain }
    this.addUser({ handle: 'slackbot', realName: 'Slackbot', id: 'USLACKBOT', botId: 'B01' })
    this.bot = this.addUser({
      handle: handleOf(options.bot),
      realName: options.bot,
      botId: this.ids.next('B'),
      appId: this.ids.next('A'),
    })
  }

  addUser(user: Partial<User> & { realName: string; handle: string }): User {
    const made: User = { id: this.ids.next('U'), team: this.team.id, displayName: '', updated: 0, ...user }
    this.users.set(made.id, made)
    return made
  }

  addChannel(channel: Pick<Channel, 'kind' | 'name' | 'creator' | 'created'> & Partial<Channel>): Channel {
    const id = this.ids.next(channel.kind === 'im' ? 'D' : 'C')
    const made: Channel = {
      id,
      members: new Set(),
      archived: false,
      topic: '',
      purpose: '',
      shared: false,
      messages: [],
      byTs: new Map(),
      ...channel,
    }
    this.channels.set(id, made)
    return made
  }

  /** The direct chat of a person with the bot, made when first needed. */
  im(user: string, now: number): Channel {
    for (const channel of this.channels.values()) if (channel.user === user) return channel
    return this.addChannel({
      kind: 'im',
      name: user,
      creator: this.bot.id,
      created: Math.floor(now / 1000),
      user,
      members: new Set([user, this.bot.id]),
    })
  }

  add(message: Message): void {
    const channel = this.channel(message.channel)
    channel.byTs.set(message.ts, message)
    channel.messages.push(message)
    if (message.threadTs === undefined || message.onlyFor !== undefined) return
    const key = `${message.channel}:${message.threadTs}`
    const replies = this.#threads.get(key)
    if (replies === undefined) this.#threads.set(key, [message])
    else replies.push(message)
  }

  remove(message: Message): void {
    const channel = this.channel(message.channel)
    channel.byTs.delete(message.ts)
    channel.messages.splice(channel.messages.indexOf(message), 1)
    const replies = this.#threads.get(`${message.channel}:${message.threadTs}`)
    const at = replies?.indexOf(message) ?? -1
    if (at >= 0) replies?.splice(at, 1)
  }

  /** Replies to a root message, oldest first. */
  replies(channel: string, threadTs: string): readonly Message[] {
    return this.#threads.get(`${channel}:${threadTs}`) ?? []
  }

  /** @throws Error that says there is none: the test asks for what it did not make */
  channel(id: string): Channel {
    const channel = this.channels.get(id)
    if (channel === undefined) throw new Error(`The simulated workspace has no chat ${id}`)
    return channel
  }

  /** @throws Error that says there is none */
  user(id: string): User {
    const user = this.users.get(id)
    if (user === undefined) throw new Error(`The simulated workspace has nobody with the id ${id}`)
    return user
  }

  /** @throws Error that says there is none */
  message(channel: string, ts: string): Message {
    const message = this.channel(channel).byTs.get(ts)
    if (message === undefined)
      throw new Error(`There is no message ${ts} in ${channel} of the simulated workspace`)
    return message
  }

  /** The name people see. */
  nameOf(user: User): string {
    return user.displayName === '' ? user.realName : user.displayName
  }
}

/** `Ann Lee` to `ann.lee`. Slack's handles hold no blanks and no capitals. */
export const handleOf = (name: string): string =>
  name
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '.')
    .replace(/[^\p{L}\p{N}._-]/gu, '')
