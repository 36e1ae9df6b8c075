/**
 * Names of people, channels and roles, as the gateway tells them and follows their changes. Only channels that it does
 * not tell of (archived threads, direct chats) are asked for. Bounded; whoever is not known is called by their id.
 */
import type { Clock, Logger, Member, Millis } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { Bounded } from './bounded.js'
import { CallFailed } from './failures.js'
import { Guild, type Overwrite, overwritesOf, personOf } from './guild.js'
import {
  CHANNEL,
  type Context,
  type DiscordRaw,
  isThread,
  type KnownChannel,
  type KnownPerson,
} from './raw.js'
import { type Fields, fields, list, number, snowflake, text } from './shape.js'

const MOST_CHANNELS = 20_000
const MOST_PEOPLE = 20_000
const MOST_DIRECT = 5_000
/** Names that one event may mention. */
const MOST_IDS = 50
/** A channel that could not be asked for is asked for again after this. Milliseconds. */
const AGAIN = 30_000
const TRIES = 4
const PAUSE = 250
/** Members of one page, and of how many pages at most. https://docs.discord.com/developers/resources/guild#list-guild-members */
const PAGE = 1_000
const MOST_PAGES = 20

interface ChannelEntry extends KnownChannel {
  overwrites: readonly Overwrite[]
}

export interface DirectoryOptions {
  api: Api
  clock: Clock
  log: Logger
  selfId: string
  /** The GuildMembers intent is granted: everybody can be listed, and changes are told. */
  members(): boolean
}

export class Directory {
  readonly #options: DirectoryOptions
  readonly #guilds = new Map<string, Guild>()
  readonly #channels = new Bounded<ChannelEntry>(MOST_CHANNELS)
  readonly #people = new Bounded<KnownPerson>(MOST_PEOPLE)
  /** Person -> their direct chat with the bot. */
  readonly #direct = new Bounded<string>(MOST_DIRECT)
  readonly #asked = new Map<string, Promise<void>>()
  /** Channels that could not be asked for, until when. */
  readonly #unknown = new Bounded<Millis>(1_000)
  readonly #wakes = new Set<() => void>()
  #closed = false

  constructor(options: DirectoryOptions) {
    this.#options = options
  }

  /** A new session: what changed before it was not told. */
  begin(): void {
    for (const guild of this.#guilds.values()) guild.isWhole = false
  }

  // ---- learning ---------------------------------------------------------------------------------------------------

  /** Whatever a dispatch tells of names. Comes before the dispatch is read. */
  learn({ t, d }: DiscordRaw): void {
    const data = fields(d)
    const guild = this.#guildOf(data.guild_id)
    switch (t) {
      case 'GUILD_CREATE':
        this.#learnGuild(data)
        break
      case 'GUILD_UPDATE':
        this.#guildOf(data.id)?.rename(data)
        break
      case 'GUILD_DELETE':
        // Unavailable: an outage, and it comes back.
        if (data.unavailable !== true) this.#guilds.delete(String(data.id))
        break
      case 'GUILD_ROLE_CREATE':
      case 'GUILD_ROLE_UPDATE':
        guild?.learnRole(fields(data.role))
        break
      case 'GUILD_ROLE_DELETE':
        guild?.forgetRole(snowflake(data.role_id))
        break
      case 'GUILD_MEMBER_ADD':
      case 'GUILD_MEMBER_UPDATE':
        guild?.learn(fields(data.user), data)
        break
      case 'GUILD_MEMBER_REMOVE':
        guild?.forget(snowflake(fields(data.user).id))
        break
      case 'CHANNEL_DELETE':
      case 'THREAD_DELETE':
        this.#channels.delete(String(data.id))
        break
      default:
        this.#learnOther(t, data, guild)
    }
  }

  #learnOther(t: string, data: Fields, guild: Guild | undefined): void {
    const guildId = snowflake(data.guild_id)
    switch (t) {
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE':
        this.learnChannel(data)
        break
      case 'THREAD_LIST_SYNC':
        for (const thread of list(data.threads)) this.learnChannel(fields(thread), guildId)
        break
      case 'MESSAGE_CREATE':
      case 'MESSAGE_UPDATE':
        this.#learnMessage(data, guild)
        break
      case 'INTERACTION_CREATE':
        this.learnChannel(fields(data.channel), guildId)
        this.#learnPerson(fields(fields(data.member).user), fields(data.member), guild, data)
        break
      case 'MESSAGE_REACTION_ADD':
        this.#learnPerson(fields(fields(data.member).user), fields(data.member), guild, data)
        break
    }
  }

  learnChannel(channel: Fields, guildId?: string): ChannelEntry | undefined {
    const id = snowflake(channel.id)
    if (id === undefined) return undefined
    const before = this.#channels.get(id)
    const type = number(channel.type) ?? before?.type
    const name = text(channel.name) ?? before?.name
    const guild = snowflake(channel.guild_id) ?? guildId ?? before?.guild
    const parent = isThread(type) ? (snowflake(channel.parent_id) ?? before?.parent) : undefined
    // A part of it (of an interaction) does not say who sees it.
    const overwrites =
      channel.permission_overwrites === undefined ? (before?.overwrites ?? []) : overwritesOf(channel)
    const entry = {
      ...(type !== undefined && { type }),
      ...(name !== undefined && { name }),
      ...(parent !== undefined && { parent }),
      ...(guild !== undefined && { guild }),
      overwrites,
    }
    this.#channels.set(id, entry)
    const [recipient] = list(channel.recipients).map(fields)
    if (type === CHANNEL.dm && recipient !== undefined) this.#learnDirect(id, recipient)
    return entry
  }

  #learnGuild(data: Fields): void {
    const id = snowflake(data.id)
    if (id === undefined || data.unavailable === true) return
    const guild = this.#guilds.get(id) ?? new Guild(id)
    this.#guilds.set(id, guild)
    guild.describe(data, this.#options.members())
    for (const channel of [...list(data.channels), ...list(data.threads)])
      this.learnChannel(fields(channel), id)
  }

  #learnMessage(message: Fields, guild: Guild | undefined): void {
    this.#learnPerson(fields(message.author), fields(message.member), guild, message)
    for (const value of list(message.mentions).slice(0, MOST_IDS)) {
      const user = fields(value)
      this.#learnPerson(user, fields(user.member), guild, {})
    }
  }

  #learnPerson(user: Fields, member: Fields, guild: Guild | undefined, event: Fields): void {
    const id = snowflake(user.id)
    // What a webhook says comes under a name of its own each time.
    if (id === undefined || event.webhook_id !== undefined) return
    if (guild !== undefined && Object.keys(member).length > 0) guild.learn(user, member)
    const known = personOf(user)
    if (known !== undefined) this.#people.set(id, known)
    const channel = snowflake(event.channel_id)
    if (guild === undefined && event.guild_id === undefined && channel !== undefined && event.author === user)
      this.#learnDirect(channel, user)
  }

  #learnDirect(channel: string, user: Fields): void {
    const id = snowflake(user.id)
    if (id === undefined || id === this.#options.selfId) return
    this.#direct.set(id, channel)
    if (!this.#channels.has(channel)) this.#channels.set(channel, { type: CHANNEL.dm, overwrites: [] })
    const known = personOf(user)
    if (known !== undefined) this.#people.set(id, known)
  }

  // ---- asking -----------------------------------------------------------------------------------------------------

  channel(id: string): KnownChannel | undefined {
    return this.#channels.get(id)
  }

  direct(person: string): string | undefined {
    return this.#direct.get(person)
  }

  noteDirect(person: string, channel: string): void {
    this.#direct.set(person, channel)
    if (!this.#channels.has(channel)) this.#channels.set(channel, { type: CHANNEL.dm, overwrites: [] })
  }

  knowsPerson(id: string): boolean {
    return this.#people.has(id)
  }

  /** What is known of an event's people and places; waits only for a channel that is not known yet. */
  context({ d }: Pick<DiscordRaw, 'd'>): Context | Promise<Context> {
    const data = fields(d)
    const id = snowflake(data.channel_id)
    const isUnknown = id !== undefined && data.guild_id !== undefined && !this.#channels.has(id)
    if (!isUnknown) return this.#known(data)
    return this.askChannel(id).then(() => this.#known(data))
  }

  /** Asks for a channel that is not known. Never rejects. */
  askChannel(id: string): Promise<void> {
    const { clock } = this.#options
    if (this.#channels.has(id) || (this.#unknown.get(id) ?? 0) > clock.now()) return Promise.resolve()
    const going = this.#asked.get(id)
    if (going !== undefined) return going
    const asked = this.#ask(id).finally(() => this.#asked.delete(id))
    this.#asked.set(id, asked)
    return asked
  }

  /** What it is in decides who may be answered there: tried a few times before it is given up. */
  async #ask(id: string): Promise<void> {
    const { api, clock, log } = this.#options
    for (let tries = 1; !this.#closed; tries++) {
      try {
        this.learnChannel(await api.get(['channels', id], { timeoutMs: 5_000 }))
        return
      } catch (error) {
        log.debug({ channel: id, error: String(error) }, 'a channel could not be asked for')
        if (tries >= TRIES || (error instanceof CallFailed && error.kind === 'refused')) break
        const named = error instanceof CallFailed ? (error.details.retryAfter ?? 0) : 0
        await this.#sleep(Math.max(named, PAUSE * 2 ** tries))
      }
    }
    this.#unknown.set(id, clock.now() + AGAIN)
  }

  close(): void {
    this.#closed = true
    for (const wake of this.#wakes) wake()
  }

  #sleep(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve()
    const { clock } = this.#options
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        this.#wakes.delete(wake)
        resolve()
      }
      const cancel = clock.at(clock.now() + ms, wake)
      this.#wakes.add(wake)
    })
  }

  #known(data: Fields): Context {
    const { selfId } = this.#options
    const place = snowflake(data.channel_id) ?? snowflake(data.id)
    const channel = place === undefined ? undefined : this.#channels.get(place)
    const guild = this.#guilds.get(snowflake(data.guild_id) ?? channel?.guild ?? '')
    const named = idsIn(data)
    const people: Record<string, KnownPerson> = {}
    for (const id of named.people) {
      const known = guild?.person(id) ?? this.#people.get(id)
      if (known !== undefined)
        people[id] = { name: known.name, ...pick(known, 'bot'), ...pick(known, 'aliases') }
    }
    const channels: Record<string, KnownChannel> = {}
    for (const id of [place, channel?.parent, ...named.channels]) {
      const known = id === undefined ? undefined : this.#channels.get(id)
      if (id === undefined || known === undefined) continue
      const { overwrites: _, ...rest } = known
      channels[id] = rest
    }
    const roles: Record<string, string> = {}
    for (const id of named.roles) {
      const name = guild?.roleName(id)
      if (name !== undefined) roles[id] = name
    }
    return { people, channels, roles, ownRoles: guild?.rolesOf(selfId) ?? [] }
  }

  // ---- listing ----------------------------------------------------------------------------------------------------

  /** People who see a channel: all of them with the intent, else those who were heard. @throws CallFailed */
  async *members(chat: string): AsyncGenerator<Member> {
    await this.askChannel(chat)
    const channel = this.#channels.get(chat)
    if (channel === undefined)
      throw new CallFailed('refused', 'members', 'no such channel', { status: 404, code: 10_003 })
    if (channel.guild === undefined) {
      yield* this.#recipients(chat)
      return
    }
    const guild = this.#guilds.get(channel.guild)
    if (guild === undefined) return
    if (this.#options.members() && !guild.isWhole) await this.#list(guild)
    for (const [id, known] of guild.people(channel.overwrites)) yield this.#member(id, known)
  }

  *#recipients(chat: string): Generator<Member> {
    for (const [person, channel] of this.#direct.entries()) {
      const known = channel === chat ? this.#people.get(person) : undefined
      if (known !== undefined) yield this.#member(person, known)
    }
  }

  async #list(guild: Guild): Promise<void> {
    let after = '0'
    for (let page = 0; page < MOST_PAGES; page++) {
      const found = list(
        await this.#options.api.call('GET', ['guilds', guild.id, 'members'], {
          query: { limit: PAGE, after },
        }),
      ).map(fields)
      for (const member of found) guild.learn(fields(member.user), member)
      after = snowflake(fields(found.at(-1)?.user).id) ?? after
      if (found.length < PAGE) {
        guild.isWhole = true
        return
      }
    }
  }

  #member(id: string, known: KnownPerson): Member {
    return {
      id,
      name: known.name,
      kind: id === this.#options.selfId ? 'self' : known.bot === true ? 'bot' : 'person',
      ...pick(known, 'aliases'),
    }
  }

  #guildOf(id: unknown): Guild | undefined {
    return this.#guilds.get(snowflake(id) ?? '')
  }
}

function pick<T extends object, K extends keyof T>(from: T, key: K): Partial<Pick<T, K>> {
  return from[key] === undefined ? {} : ({ [key]: from[key] } as Pick<T, K>)
}

const MENTION = /<(@!?|@&|#)(\d{1,20})>/g

/** Everybody and everything a message names. */
function idsIn(data: Fields): { people: Set<string>; channels: Set<string>; roles: Set<string> } {
  const people = new Set<string>()
  const channels = new Set<string>()
  const roles = new Set<string>()
  const quoted = fields(data.referenced_message)
  const add = (id: unknown): void => {
    const one = snowflake(id)
    if (one !== undefined) people.add(one)
  }
  for (const one of [data, quoted]) {
    add(fields(one.author).id)
    for (const mention of list(one.mentions).slice(0, MOST_IDS)) add(fields(mention).id)
    if (typeof one.content !== 'string') continue
    for (const [, mark = '', id = ''] of one.content.matchAll(MENTION)) {
      const named = mark === '#' ? channels : mark === '@&' ? roles : people
      if (named.size < MOST_IDS) named.add(id)
    }
  }
  for (const id of [data.user_id, fields(data.user).id, fields(fields(data.member).user).id]) add(id)
  return { people, channels, roles }
}
