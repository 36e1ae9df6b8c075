/** Guilds, channels, threads, and who is in them: what people make and change of these. */
import type { Person } from '../kit/stage.js'
import type { Hub } from './hub.js'
import * as membership from './membership.js'
import { applicationFlags, type PrivilegedIntent } from './options.js'
import { bits, EVERYONE, type PermissionName } from './permissions.js'
import { post } from './posting.js'
import * as threads from './threads.js'
import { channelOf } from './wire.js'
import { CHANNEL, type Fields, type Guild } from './world.js'

export interface PersonOptions {
  name: string
  username?: string
  /** Comes into this guild at once. */
  guild?: string
}

export interface ChannelOptions {
  people?: readonly Person[]
  /** Absent: the first guild. */
  guild?: string
  kind?: 'text' | 'announcement' | 'forum'
  /** Only these people, and the bot unless `joined` is false, can see it. */
  private?: boolean
  /** The bot can see it. Default true. */
  joined?: boolean
  topic?: string
}

export class Places {
  protected readonly hub: Hub

  constructor(hub: Hub) {
    this.hub = hub
  }

  /** The first guild. */
  get guild(): string {
    return [...this.hub.world.guilds.keys()][0] ?? ''
  }

  /** Somebody new, also when the name is taken: two people may have one name, never one username. */
  person(options: PersonOptions): Person {
    const { world } = this.hub
    const user = world.addUser({
      username: this.#freeUsername(options.username ?? options.name),
      globalName: options.name,
      bot: false,
    })
    if (options.guild !== undefined) membership.join(this.hub, world.guild(options.guild), user.id)
    this.hub.changes.changed()
    return this.personOf(user.id)
  }

  /** Another app's bot, in the first guild. */
  otherBot(name: string): Person {
    const user = this.hub.world.addUser({ username: name, globalName: null, bot: true })
    membership.join(this.hub, this.hub.world.guild(this.guild), user.id)
    return this.personOf(user.id)
  }

  personOf(id: string): Person {
    const user = this.hub.world.user(id)
    return { id, name: user.globalName ?? user.username, username: user.username }
  }

  /** A further guild with these people in it. `joined` false: without the bot. Its id. */
  addGuild(name: string, people: readonly Person[] = [], options: { joined?: boolean } = {}): string {
    const { world, clock } = this.hub
    // A guild has an owner; where nobody was named it is somebody whom nobody sees.
    const owner = people[0]?.id ?? world.foundingId()
    const guild = world.addGuild(name, owner, bits(EVERYONE))
    for (const { id } of people)
      guild.members.set(id, { user: id, nick: null, roles: new Set(), joinedAt: clock.now() })
    if (options.joined !== false) membership.addBot(this.hub, guild)
    this.hub.changes.changed()
    return guild.id
  }

  addBot(guild: string): void {
    membership.addBot(this.hub, this.#guild(guild))
  }

  removeBot(guild: string): void {
    membership.removeBot(this.hub, this.#guild(guild))
  }

  /** The role that came with the bot, under its name. */
  botRole(guild = this.guild): string {
    const { bot } = this.hub.world
    const role = [...this.#guild(guild).roles.values()].find(({ botId }) => botId === bot.id)
    if (role === undefined) throw new Error(`The bot is not in the guild ${guild}`)
    return role.id
  }

  /** An outage of a guild: it is out of reach until it is available again. */
  outage(guild: string, isOut = true): void {
    membership.setAvailable(this.hub, this.#guild(guild), !isOut)
  }

  renameGuild(guild: string, name: string): void {
    membership.renameGuild(this.hub, this.#guild(guild), name)
  }

  /** A channel. Its id. */
  channel(name: string, options: ChannelOptions = {}): string {
    const { world } = this.hub
    const guild = this.#guild(options.guild ?? this.guild)
    for (const { id } of options.people ?? []) membership.join(this.hub, guild, id)
    const view = bits(['ViewChannel'])
    const isOpen = options.private !== true
    const overwrites = isOpen ? [] : [{ id: guild.id, allow: 0n, deny: view }]
    const seers = [
      ...(options.people ?? []).map(({ id }) => id),
      ...(options.joined === false ? [] : [world.bot.id]),
    ]
    if (!isOpen) overwrites.push(...seers.map((id) => ({ id, allow: view, deny: 0n })))
    if (isOpen && options.joined === false) overwrites.push({ id: world.bot.id, allow: 0n, deny: view })
    const kind = CHANNEL[options.kind ?? 'text']
    return membership.addChannel(this.hub, guild, kind, name, { overwrites, topic: options.topic ?? '' }).id
  }

  renameChannel(chat: string, name: string): void {
    const channel = this.hub.world.channel(chat)
    if (channel.thread !== undefined) {
      threads.changeThread(this.hub, channel, { name })
      return
    }
    channel.name = name
    membership.tellChannel(this.hub, channel)
  }

  topic(chat: string, text: string): void {
    const channel = this.hub.world.channel(chat)
    channel.topic = text
    membership.tellChannel(this.hub, channel)
  }

  deleteChannel(chat: string): void {
    const channel = this.hub.world.channel(chat)
    if (channel.thread === undefined) membership.removeChannel(this.hub, channel)
    else threads.removeThread(this.hub, channel)
  }

  /** What the bot (or somebody else, or a role) may do in a channel from now on. */
  permit(
    chat: string,
    change: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[]; who?: string },
  ): void {
    const { who = this.hub.world.bot.id, ...rest } = change
    membership.overwrite(this.hub, this.hub.world.channel(chat), who, rest)
  }

  role(
    name: string,
    options: { people?: readonly Person[]; mentionable?: boolean; guild?: string } = {},
  ): string {
    const { people = [], mentionable = true, guild = this.guild } = options
    const members = people.map(({ id }) => id)
    return membership.addRole(this.hub, this.#guild(guild), name, { mentionable, members }).id
  }

  /** A custom emoji of the guild, as it is written: `<:name:id>`. */
  emoji(name: string, guild = this.guild): string {
    const id = this.hub.world.nextId()
    this.#guild(guild).emojis.set(id, name)
    return `<:${name}:${id}>`
  }

  /** Somebody comes into a guild; `welcome`: the channel that says so. */
  join(person: Person, options: { guild?: string; welcome?: string } = {}): void {
    const guild = this.#guild(options.guild ?? this.guild)
    if (options.welcome !== undefined) guild.systemChannel = options.welcome
    membership.join(this.hub, guild, person.id)
  }

  leave(person: Person, guild = this.guild): void {
    if (person.id === this.hub.world.bot.id) this.removeBot(guild)
    else membership.leave(this.hub, this.#guild(guild), person.id)
  }

  nickname(person: Person, nick: string | null, guild = this.guild): void {
    membership.nickname(this.hub, this.#guild(guild), person.id, nick)
  }

  renamePerson(person: Person, name: string): void {
    membership.renameUser(this.hub, person.id, name)
  }

  /** The person takes no direct messages from the bot (any more). */
  closeDms(person: Person, isClosed = true): void {
    if (isClosed) this.hub.closed.add(person.id)
    else this.hub.closed.delete(person.id)
  }

  /** A thread, on a message or by itself. Its id, which on a message is the message's. */
  thread(
    chat: string,
    person: Person,
    name: string,
    options: threads.ThreadOptions & { on?: string; text?: string } = {},
  ): string {
    const { world } = this.hub
    const channel = world.channel(chat)
    const { on, text, ...rest } = options
    if (channel.type === CHANNEL.forum) return this.forumPost(chat, person, name, text ?? name, rest)
    const thread =
      on === undefined
        ? threads.threadIn(this.hub, channel, name, person.id, rest)
        : threads.threadFrom(this.hub, world.find(chat, on), name, person.id, rest)
    if (text !== undefined) post(this.hub, { channelId: thread.id, author: person.id, content: text })
    return thread.id
  }

  /** A post in a forum. Its id is that of its first message too. */
  forumPost(
    forum: string,
    person: Person,
    title: string,
    text: string,
    options: threads.ThreadOptions = {},
  ): string {
    const channel = this.hub.world.channel(forum)
    const content = text.trim()
    return threads.forumPost(this.hub, channel, title, { author: person.id, content }, options).thread.id
  }

  archive(thread: string, isArchived = true): void {
    threads.changeThread(this.hub, this.hub.world.channel(thread), { archived: isArchived })
  }

  lock(thread: string, isLocked = true): void {
    threads.changeThread(this.hub, this.hub.world.channel(thread), { locked: isLocked })
  }

  /** Somebody, or the bot, is brought into a thread, or goes. */
  threadMember(thread: string, person: Person, isIn = true): void {
    threads.changeThreadMember(this.hub, this.hub.world.channel(thread), person.id, isIn)
  }

  /** Switches privileged intents in the developer portal. Sessions that are open keep theirs. */
  grant(intents: readonly PrivilegedIntent[]): number {
    this.hub.granted.clear()
    for (const one of intents) this.hub.granted.add(one)
    return applicationFlags(this.hub.granted)
  }

  /** Whether the bot is seen typing in a chat now. */
  isTyping(chat: string, person?: Person): boolean {
    const until = this.hub.typing.get(`${chat}:${person?.id ?? this.hub.world.bot.id}`)
    return until !== undefined && until > this.hub.clock.now()
  }

  /** A channel as the API writes it. */
  describe(chat: string): Fields {
    return channelOf(this.hub, this.hub.world.channel(chat))
  }

  #freeUsername(name: string): string {
    const wanted = name.toLowerCase().replace(/[^a-z0-9_.]+/g, '') || 'user'
    const taken = new Set([...this.hub.world.users.values()].map(({ username }) => username))
    let free = wanted
    for (let count = 2; taken.has(free); count++) free = `${wanted}${count}`
    return free
  }

  #guild(id: string): Guild {
    return this.hub.world.guild(id)
  }
}
