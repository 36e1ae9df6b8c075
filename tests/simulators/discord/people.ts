/** What people of a Discord do, in the words that only Discord has. */
import type { Person, Said } from '../kit/stage.js'
import { applicationFlags } from './gateway/gateway.js'
import type { Hub } from './hub.js'
import type { Failed, Interactions } from './interactions.js'
import * as membership from './membership.js'
import type { PrivilegedIntent } from './options.js'
import { bits, EVERYONE, type PermissionName } from './permissions.js'
import { type Draft, edit, forwardOf, pin, post, react, removeAll, type, unfurl } from './posting.js'
import { FLAGS, namesIn } from './seen.js'
import { showComponents } from './text/render.js'
import * as threads from './threads.js'
import { channelOf, messageOf } from './wire.js'
import { CHANNEL, type Channel, type Fields, type Guild, type Message, type User } from './world.js'

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

export interface DiscordSaid extends Said {
  /** `@silent`: nobody's device makes a sound. */
  silent?: boolean
  /** Pages whom it replies to. Default true, as in Discord's app. */
  pingReply?: boolean
  /** Stickers by name. */
  stickers?: readonly string[]
  /** A poll: its question and answers. */
  poll?: { question: string; answers: readonly string[] }
  embeds?: readonly Fields[]
  /** A voice message of so many seconds. */
  voiceSeconds?: number
}

export class People {
  readonly #hub: Hub
  readonly #interactions: Interactions

  constructor(hub: Hub, interactions: Interactions) {
    this.#hub = hub
    this.#interactions = interactions
  }

  /** The first guild. */
  get guild(): string {
    return [...this.#hub.world.guilds.keys()][0] ?? ''
  }

  /** What people were told when the app did not answer in time: "The application did not respond". */
  get failed(): readonly Failed[] {
    return this.#interactions.failed
  }

  /** The commands that the app has put up. */
  get commands(): readonly { name: string; type: number; guildId?: string }[] {
    return this.#interactions.commands
  }

  /** Windows that the app opened. */
  get modals(): readonly { user: string; modal: Fields }[] {
    return this.#interactions.modals
  }

  /** Somebody new, also when the name is taken: two people may have one name, never one username. */
  person(options: PersonOptions): Person {
    const { world } = this.#hub
    const user = world.addUser({
      username: this.#freeUsername(options.username ?? options.name),
      globalName: options.name,
      bot: false,
    })
    if (options.guild !== undefined) membership.join(this.#hub, world.guild(options.guild), user.id)
    this.#hub.changes.changed()
    return this.personOf(user.id)
  }

  /** Another app's bot, in the first guild. */
  otherBot(name: string): Person {
    const user = this.#hub.world.addUser({ username: name, globalName: null, bot: true })
    membership.join(this.#hub, this.#hub.world.guild(this.guild), user.id)
    return this.personOf(user.id)
  }

  personOf(id: string): Person {
    const user = this.#hub.world.user(id)
    return { id, name: user.globalName ?? user.username, username: user.username }
  }

  /** A further guild with these people in it. `joined` false: without the bot. Its id. */
  addGuild(name: string, people: readonly Person[] = [], options: { joined?: boolean } = {}): string {
    const { world, clock } = this.#hub
    const owner =
      people[0]?.id ??
      world.addUser({ username: this.#freeUsername('owner'), globalName: 'Owner', bot: false }).id
    const guild = world.addGuild(name, owner, bits(EVERYONE))
    for (const id of new Set([owner, ...people.map((one) => one.id)]))
      guild.members.set(id, { user: id, nick: null, roles: new Set(), joinedAt: clock.now() })
    if (options.joined !== false) membership.addBot(this.#hub, guild)
    this.#hub.changes.changed()
    return guild.id
  }

  addBot(guild: string): void {
    membership.addBot(this.#hub, this.#guild(guild))
  }

  removeBot(guild: string): void {
    membership.removeBot(this.#hub, this.#guild(guild))
  }

  /** The role that came with the bot, under its name. */
  botRole(guild = this.guild): string {
    const { bot } = this.#hub.world
    const role = [...this.#guild(guild).roles.values()].find(({ botId }) => botId === bot.id)
    if (role === undefined) throw new Error(`The bot is not in the guild ${guild}`)
    return role.id
  }

  /** An outage of a guild: it is out of reach until it is available again. */
  outage(guild: string, isOut = true): void {
    membership.setAvailable(this.#hub, this.#guild(guild), !isOut)
  }

  renameGuild(guild: string, name: string): void {
    membership.renameGuild(this.#hub, this.#guild(guild), name)
  }

  /** A channel. Its id. */
  channel(name: string, options: ChannelOptions = {}): string {
    const { world } = this.#hub
    const guild = this.#guild(options.guild ?? this.guild)
    for (const { id } of options.people ?? []) membership.join(this.#hub, guild, id)
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
    return membership.addChannel(this.#hub, guild, kind, name, { overwrites, topic: options.topic ?? '' }).id
  }

  renameChannel(chat: string, name: string): void {
    const channel = this.#hub.world.channel(chat)
    if (channel.thread !== undefined) return threads.changeThread(this.#hub, channel, { name })
    channel.name = name
    membership.tellChannel(this.#hub, channel)
  }

  topic(chat: string, text: string): void {
    const channel = this.#hub.world.channel(chat)
    channel.topic = text
    membership.tellChannel(this.#hub, channel)
  }

  deleteChannel(chat: string): void {
    const channel = this.#hub.world.channel(chat)
    if (channel.thread === undefined) membership.removeChannel(this.#hub, channel)
    else threads.removeThread(this.#hub, channel)
  }

  /** What the bot (or somebody else, or a role) may do in a channel from now on. */
  permit(
    chat: string,
    change: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[]; who?: string },
  ): void {
    const { who = this.#hub.world.bot.id, ...rest } = change
    membership.overwrite(this.#hub, this.#hub.world.channel(chat), who, rest)
  }

  role(
    name: string,
    options: { people?: readonly Person[]; mentionable?: boolean; guild?: string } = {},
  ): string {
    const { people = [], mentionable = true, guild = this.guild } = options
    const members = people.map(({ id }) => id)
    return membership.addRole(this.#hub, this.#guild(guild), name, { mentionable, members }).id
  }

  /** A custom emoji of the guild, as it is written: `<:name:id>`. */
  emoji(name: string, guild = this.guild): string {
    const id = this.#hub.world.nextId()
    this.#guild(guild).emojis.set(id, name)
    return `<:${name}:${id}>`
  }

  /** Somebody comes into a guild; `welcome`: the channel that says so. */
  join(person: Person, options: { guild?: string; welcome?: string } = {}): void {
    const guild = this.#guild(options.guild ?? this.guild)
    if (options.welcome !== undefined) guild.systemChannel = options.welcome
    membership.join(this.#hub, guild, person.id)
  }

  leave(person: Person, guild = this.guild): void {
    if (person.id === this.#hub.world.bot.id) this.removeBot(guild)
    else membership.leave(this.#hub, this.#guild(guild), person.id)
  }

  nickname(person: Person, nick: string | null, guild = this.guild): void {
    membership.nickname(this.#hub, this.#guild(guild), person.id, nick)
  }

  renamePerson(person: Person, name: string): void {
    membership.renameUser(this.#hub, person.id, name)
  }

  /** The person takes no direct messages from the bot (any more). */
  closeDms(person: Person, isClosed = true): void {
    if (isClosed) this.#hub.closed.add(person.id)
    else this.#hub.closed.delete(person.id)
  }

  say(chat: string, person: Person, text: string, options: DiscordSaid = {}): string {
    const { world } = this.#hub
    const user = this.#user(person)
    const channel = this.#place(chat, options.thread, user)
    // Whoever speaks in a guild is in it.
    if (channel.guildId !== undefined) membership.join(this.#hub, world.guild(channel.guildId), user.id)
    const typed = options.mention === true ? `<@${world.bot.id}>${text === '' ? '' : ' '}${text}` : text
    return post(this.#hub, {
      channelId: channel.id,
      author: user.id,
      content: typed.trim(),
      ...this.#attached(options),
      ...(options.replyTo !== undefined &&
        this.#reply(chat, channel, options.replyTo, options.pingReply !== false)),
    }).id
  }

  /** Through a webhook of the channel, under any name; such authors are nobody's account. */
  sayAsWebhook(chat: string, name: string, text: string, options: DiscordSaid = {}): string {
    const { world } = this.#hub
    let id = [...world.webhooks].find(([, known]) => known === name)?.[0]
    if (id === undefined) {
      id = world.nextId()
      world.webhooks.set(id, name)
    }
    const channel = options.thread === undefined ? world.channel(chat) : world.channel(options.thread)
    return post(this.#hub, {
      channelId: channel.id,
      author: id,
      content: text,
      webhook: { id, name },
      ...this.#attached(options),
    }).id
  }

  /** A message of a channel somewhere else, as it comes into a channel that follows it. */
  crosspost(chat: string, name: string, text: string): string {
    const { world } = this.#hub
    const id = world.nextId()
    return post(this.#hub, {
      channelId: chat,
      author: id,
      content: text,
      webhook: { id, name },
      flags: FLAGS.isCrosspost,
      reference: { type: 0, channelId: world.nextId(), messageId: world.nextId(), guildId: world.nextId() },
    }).id
  }

  /** Forwards a message of another chat. */
  forward(chat: string, person: Person, from: { chat: string; id: string }): string {
    const message = this.#hub.world.find(from.chat, from.id)
    const copy = messageOf(this.#hub, message, 1)
    return post(this.#hub, { channelId: chat, author: person.id, ...forwardOf(this.#hub, message, copy) }).id
  }

  edit(chat: string, id: string, text: string): void {
    edit(this.#hub, this.#hub.world.find(chat, id), { content: text.trim() })
  }

  /** The preview of a link comes after the message, by an update that edits nothing. */
  unfurl(chat: string, id: string, embed: Fields): void {
    unfurl(this.#hub, this.#hub.world.find(chat, id), embed)
  }

  unreact(chat: string, id: string, person: Person, emoji: string): void {
    react(this.#hub, this.#hub.world.find(chat, id), person.id, emoji, false)
  }

  /** Several at once, by a moderator. */
  deleteMany(chat: string, ids: readonly string[]): void {
    removeAll(
      this.#hub,
      ids.map((id) => this.#hub.world.find(chat, id)),
    )
  }

  pin(chat: string, id: string, person: Person): void {
    pin(this.#hub, this.#hub.world.find(chat, id), person.id)
  }

  type(chat: string, person: Person): void {
    type(this.#hub, this.#hub.world.channel(chat), person.id)
  }

  /** Somebody boosts the server: a message that Discord writes. */
  boost(chat: string, person: Person): string {
    return post(this.#hub, { channelId: chat, author: person.id, type: 8 }).id
  }

  /** A thread, on a message or by itself. Its id, which on a message is the message's. */
  thread(
    chat: string,
    person: Person,
    name: string,
    options: threads.ThreadOptions & { on?: string; text?: string } = {},
  ): string {
    const { world } = this.#hub
    const channel = world.channel(chat)
    const { on, text, ...rest } = options
    if (channel.type === CHANNEL.forum) return this.forumPost(chat, person, name, text ?? name, rest)
    const thread =
      on === undefined
        ? threads.threadIn(this.#hub, channel, name, person.id, rest)
        : threads.threadFrom(this.#hub, world.find(chat, on), name, person.id, rest)
    if (text !== undefined) post(this.#hub, { channelId: thread.id, author: person.id, content: text })
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
    const channel = this.#hub.world.channel(forum)
    const content = text.trim()
    return threads.forumPost(this.#hub, channel, title, { author: person.id, content }, options).thread.id
  }

  archive(thread: string, isArchived = true): void {
    threads.changeThread(this.#hub, this.#hub.world.channel(thread), { archived: isArchived })
  }

  lock(thread: string, isLocked = true): void {
    threads.changeThread(this.#hub, this.#hub.world.channel(thread), { locked: isLocked })
  }

  /** Somebody, or the bot, is brought into a thread, or goes. */
  threadMember(thread: string, person: Person, isIn = true): void {
    threads.changeThreadMember(this.#hub, this.#hub.world.channel(thread), person.id, isIn)
  }

  /** @throws Error when the message has no such button: a person cannot press it */
  press(chat: string, id: string, person: Person, value: string): void {
    const message = this.#hub.world.find(chat, id)
    const channel = this.#hub.world.channel(message.channelId)
    const { buttons } = showComponents(message.components, namesIn(this.#hub, channel.guildId))
    const button = buttons.find((one) => one.value === value && one.url === undefined && !one.disabled)
    if (button === undefined)
      throw new Error(`The message ${id} in ${chat} has no button with the value ${JSON.stringify(value)}`)
    this.#interactions.press(channel, message, person.id, button)
  }

  /** `/name option:value`. @throws Error when the app has no such command */
  slash(chat: string, person: Person, name: string, options: Readonly<Record<string, unknown>> = {}): string {
    return this.#interactions.slash(this.#hub.world.channel(chat), person.id, name, options)
  }

  /** A command of a message's menu ("Apps"). */
  messageCommand(chat: string, id: string, person: Person, name: string): string {
    const message = this.#hub.world.find(chat, id)
    return this.#interactions.messageCommand(
      this.#hub.world.channel(message.channelId),
      person.id,
      name,
      message,
    )
  }

  /** A command of a person's menu. */
  userCommand(chat: string, person: Person, name: string, target: Person): string {
    return this.#interactions.userCommand(this.#hub.world.channel(chat), person.id, name, target.id)
  }

  /** Switches privileged intents in the developer portal. Sessions that are open keep theirs. */
  grant(intents: readonly PrivilegedIntent[]): number {
    this.#hub.granted.clear()
    for (const one of intents) this.#hub.granted.add(one)
    return applicationFlags(this.#hub.granted)
  }

  /** Whether the bot is seen typing in a chat now. */
  isTyping(chat: string, person?: Person): boolean {
    const until = this.#hub.typing.get(`${chat}:${person?.id ?? this.#hub.world.bot.id}`)
    return until !== undefined && until > this.#hub.clock.now()
  }

  /** A channel as the API writes it. */
  describe(chat: string): Fields {
    return channelOf(this.#hub, this.#hub.world.channel(chat))
  }

  #attached(options: DiscordSaid): Partial<Draft> {
    const { world } = this.#hub
    const attachments = (options.files ?? []).map((file) => ({
      id: world.nextId(),
      name: file.name.replace(/\s+/g, '_'),
      mime: file.mime,
      bytes: Buffer.from(file.bytes),
      ...(options.voiceSeconds !== undefined && { seconds: options.voiceSeconds }),
    }))
    const { stickers, poll } = options
    return {
      attachments,
      flags:
        (options.silent === true ? FLAGS.suppressNotifications : 0) |
        (options.voiceSeconds === undefined ? 0 : FLAGS.voice),
      ...(options.embeds !== undefined && { embeds: [...options.embeds] }),
      ...(stickers !== undefined && {
        stickers: stickers.map((name) => ({ id: world.nextId(), name, format_type: 1 })),
      }),
      ...(poll !== undefined && {
        poll: {
          question: { text: poll.question },
          answers: poll.answers.map((text, at) => ({ answer_id: at + 1, poll_media: { text } })),
          expiry: new Date(this.#hub.clock.now() + 86_400_000).toISOString(),
          allow_multiselect: false,
          layout_type: 1,
        },
      }),
    }
  }

  #reply(chat: string, channel: Channel, id: string, isPing: boolean): Partial<Draft> {
    const target: Message = this.#hub.world.find(chat, id)
    const { guildId } = channel
    return {
      type: 19,
      reference: {
        type: 0,
        channelId: target.channelId,
        messageId: target.id,
        ...(guildId !== undefined && { guildId }),
      },
      allowed: {
        parse: new Set(['users', 'roles', 'everyone']),
        users: new Set(),
        roles: new Set(),
        repliedUser: isPing,
      },
    }
  }

  /** A thread that is not there yet is made on the message of that id. */
  #place(chat: string, thread: string | undefined, user: User): Channel {
    const { world } = this.#hub
    if (thread === undefined) return world.channel(chat)
    const known = world.channels.get(thread)
    if (known !== undefined) return known
    return threads.threadFrom(this.#hub, world.find(chat, thread), 'Thread', user.id)
  }

  #freeUsername(name: string): string {
    const wanted = name.toLowerCase().replace(/[^a-z0-9_.]+/g, '') || 'user'
    const taken = new Set([...this.#hub.world.users.values()].map(({ username }) => username))
    let free = wanted
    for (let count = 2; taken.has(free); count++) free = `${wanted}${count}`
    return free
  }

  #guild(id: string): Guild {
    return this.#hub.world.guild(id)
  }

  #user(person: Person): User {
    return this.#hub.world.user(person.id)
  }
}
