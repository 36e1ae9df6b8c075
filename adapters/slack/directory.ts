/**
 * Names of people, bots, channels and groups: asked for once, kept for an hour, never waited for long. Whoever cannot
 * be asked about is called by their id.
 */
import type { Clock, Logger, Member, Millis } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import type { Known, Names } from './raw.js'
import { type Fields, fields, nativeId, text } from './shape.js'
import type { Web } from './web.js'

const KEEP = 60 * 60_000
/** Nobody of that id: asked again after this. */
const KEEP_UNKNOWN = 5 * 60_000
const MOST = 20_000
/** The acknowledgement has 3 s. */
const PATIENCE = 1_500
const MOST_IDS = 50
/** More people than this are looked up by list. */
const ONE_BY_ONE = 20

interface Entry<T> {
  value: T | null
  until: Millis
}

class Cache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #asked = new Map<string, Promise<T | null>>()

  constructor(private readonly clock: Clock) {}

  get(id: string): T | null | undefined {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.until <= this.clock.now() ? undefined : entry.value
  }

  /** What was known, however old. */
  last(id: string): T | null | undefined {
    return this.#entries.get(id)?.value
  }

  set(id: string, value: T | null, keep = value === null ? KEEP_UNKNOWN : KEEP): void {
    this.#entries.delete(id)
    this.#entries.set(id, { value, until: this.clock.now() + keep })
    if (this.#entries.size > MOST) {
      const oldest = this.#entries.keys().next().value
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
  }

  /** Asks once, however many want to know. */
  ask(id: string, how: () => Promise<T | null>): Promise<T | null> {
    const going = this.#asked.get(id)
    if (going !== undefined) return going
    const asked = how().finally(() => this.#asked.delete(id))
    this.#asked.set(id, asked)
    return asked
  }
}

export interface Channel {
  name?: string
  member?: boolean
}

export class Directory {
  readonly #people: Cache<Known>
  readonly #channels: Cache<Channel>
  readonly #groups: Cache<string>
  /** Methods that may not be called, until when. */
  readonly #closed = new Map<string, Millis>()
  /** Scopes that were found missing. */
  readonly missing = new Set<string>()

  constructor(
    private readonly web: Web,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly team: { id?: string | undefined; enterprise?: string | undefined },
    private readonly scopes: ReadonlySet<string> | null,
    private readonly selfId: string,
  ) {
    this.#people = new Cache(clock)
    this.#channels = new Cache(clock)
    this.#groups = new Cache(clock)
  }

  /** The names in an event: at once where all are known, else when they are there or patience is over. */
  names(body: unknown): Names | Promise<Names> {
    // The envelope names nobody but the bot.
    const { type, event } = fields(body)
    const { people, channels, groups } = idsIn(type === 'event_callback' ? event : body, this.selfId)
    const waits = [
      ...people.filter((id) => this.#people.get(id) === undefined).map((id) => this.person(id)),
      ...channels.filter((id) => this.#channels.get(id) === undefined).map((id) => this.channel(id)),
      ...groups.filter((id) => this.#groups.get(id) === undefined).map((id) => this.#group(id)),
    ]
    const known = (): Names => ({
      users: pick(people, (id) => this.#people.last(id) ?? undefined),
      channels: pick(channels, (id) => this.#channels.last(id)?.name),
      groups: pick(groups, (id) => this.#groups.last(id) ?? undefined),
    })
    if (waits.length === 0) return known()
    const { over, cancel } = this.#patience()
    return Promise.race([Promise.allSettled(waits), over]).then(() => {
      cancel()
      return known()
    })
  }

  async person(id: string): Promise<Known | null> {
    const known = this.#people.get(id)
    if (known !== undefined) return known
    const isBot = id.startsWith('B')
    return this.#people.ask(id, async () => {
      const method = isBot ? 'bots.info' : 'users.info'
      const answer = await this.#tryCall(method, isBot ? { bot: id } : { user: id })
      if (answer === undefined) return this.#people.last(id) ?? null
      const found =
        answer === null ? null : isBot ? botOf(fields(answer.bot)) : this.#personOf(fields(answer.user))
      this.#people.set(id, found)
      return found
    })
  }

  async channel(id: string): Promise<Channel | null> {
    const known = this.#channels.get(id)
    if (known !== undefined) return known
    return this.#channels.ask(id, async () => {
      const answer = await this.#tryCall('conversations.info', { channel: id })
      if (answer === undefined) return this.#channels.last(id) ?? null
      const found = answer === null ? null : channelOf(fields(answer.channel))
      this.#channels.set(id, found)
      return found
    })
  }

  /** Who these ids are, for lists of members. */
  async members(ids: readonly string[]): Promise<Member[]> {
    const unknown = ids.filter((id) => this.#people.get(id) === undefined)
    if (unknown.length > ONE_BY_ONE) await this.#listPeople(new Set(unknown))
    const members: Member[] = []
    for (const id of ids) {
      const known = (await this.person(id).catch(() => null)) ?? undefined
      members.push({
        id,
        name: known?.name ?? id,
        kind: id === this.selfId ? 'self' : known?.bot === true ? 'bot' : 'person',
        ...(known?.outside !== undefined && { outside: known.outside || known.guest === true }),
        ...(known?.aliases !== undefined && { aliases: known.aliases }),
      })
    }
    return members
  }

  /** Somebody changed their profile, or a channel its name. */
  learn(event: Fields): void {
    const { type } = event
    if (type === 'user_change' || type === 'team_join') {
      const user = fields(event.user)
      const id = nativeId(user.id)
      if (id !== undefined) this.#people.set(id, this.#personOf(user))
    } else if (type === 'channel_rename' || type === 'group_rename' || type === 'channel_created') {
      const channel = fields(event.channel)
      const id = nativeId(channel.id)
      if (id !== undefined) this.#channels.set(id, channelOf(channel))
    }
  }

  async #group(id: string): Promise<string | null> {
    return this.#groups.ask('all', async () => {
      const answer = await this.#tryCall('usergroups.list', {})
      const groups = Array.isArray(answer?.usergroups) ? answer.usergroups : []
      this.#groups.set(id, null)
      for (const value of groups) {
        const group = fields(value)
        const name = text(group.handle) ?? text(group.name)
        if (nativeId(group.id) !== undefined && name !== undefined) this.#groups.set(String(group.id), name)
      }
      return this.#groups.get(id) ?? null
    })
  }

  async #listPeople(wanted: Set<string>): Promise<void> {
    let cursor: string | undefined
    for (let page = 0; page < 20 && wanted.size > 0; page++) {
      const answer = await this.#tryCall('users.list', {
        limit: 500,
        ...(cursor !== undefined && { cursor }),
      })
      if (answer === undefined || answer === null) return
      for (const value of Array.isArray(answer.members) ? answer.members : []) {
        const user = fields(value)
        const id = nativeId(user.id)
        if (id === undefined) continue
        this.#people.set(id, this.#personOf(user))
        wanted.delete(id)
      }
      cursor = text(fields(answer.response_metadata).next_cursor)
      if (cursor === undefined) return
    }
  }

  /** Undefined: could not be asked now. Null: there is no such thing. */
  async #tryCall(method: string, args: Record<string, unknown>): Promise<Fields | null | undefined> {
    const scope = SCOPES[method]
    if (scope !== undefined && this.scopes !== null && !this.scopes.has(scope)) {
      this.missing.add(scope)
      return undefined
    }
    if ((this.#closed.get(method) ?? 0) > this.clock.now()) return undefined
    try {
      return await this.web.call(method, args, { timeoutMs: 5_000 })
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      if (/_not_found$|^user_not_visible$/.test(error.code)) return null
      const wait =
        error.code === 'rate_limited'
          ? (error.details.retryAfterMs ?? 30_000)
          : error.code === 'missing_scope'
            ? KEEP
            : 0
      if (wait > 0) this.#closed.set(method, this.clock.now() + wait)
      if (error.code === 'missing_scope') this.missing.add(error.details.needed ?? scope ?? method)
      this.log.debug({ method, code: error.code }, 'a name could not be asked for')
      return undefined
    }
  }

  #personOf(user: Fields): Known {
    const profile = fields(user.profile)
    const display = text(profile.display_name)
    const real = text(user.real_name) ?? text(profile.real_name)
    const handle = text(user.name)
    const name = display ?? real ?? handle ?? String(user.id)
    const aliases = [...new Set([real, handle, display])].filter(
      (alias): alias is string => alias !== undefined && (alias !== name || alias === handle),
    )
    const team = text(user.team_id)
    const sameHouse =
      team === undefined ||
      team === this.team.id ||
      (this.team.enterprise !== undefined &&
        text(fields(user.enterprise_user).enterprise_id) === this.team.enterprise)
    const outside = user.is_stranger === true || !sameHouse
    // https://docs.slack.dev/reference/objects/user-object: guests see single channels, not the workspace.
    const isGuest = user.is_restricted === true || user.is_ultra_restricted === true
    return {
      name,
      ...(user.is_bot === true && { bot: true }),
      ...(isGuest && { guest: true }),
      outside,
      ...(aliases.length > 0 && { aliases }),
    }
  }

  #patience(): { over: Promise<void>; cancel: () => void } {
    let cancel: () => void = () => undefined
    const over = new Promise<void>((resolve) => {
      cancel = this.clock.at(this.clock.now() + PATIENCE, resolve)
    })
    return { over, cancel }
  }
}

const SCOPES: Readonly<Record<string, string>> = {
  'users.info': 'users:read',
  'users.list': 'users:read',
  'bots.info': 'users:read',
  'usergroups.list': 'usergroups:read',
}

function botOf(bot: Fields): Known | null {
  const name = text(bot.name)
  return name === undefined ? null : { name, bot: true }
}

function channelOf(channel: Fields): Channel {
  const name = channel.is_im === true || channel.is_mpim === true ? undefined : text(channel.name)
  return {
    ...(name !== undefined && { name }),
    ...(typeof channel.is_member === 'boolean' && { member: channel.is_member }),
  }
}

function pick<T>(ids: readonly string[], get: (id: string) => T | undefined): Record<string, T> {
  const picked: Record<string, T> = Object.create(null) as Record<string, T>
  for (const id of ids) {
    const value = get(id)
    if (value !== undefined) picked[id] = value
  }
  return picked
}

const PERSON =
  /"(?:user|user_id|author_id|inviter)":"([UW][A-Z0-9]{1,30})"|<@([UW][A-Z0-9]{1,30})|"user":\{"id":"([UW][A-Z0-9]{1,30})"/g
const BOT = /"bot_id":"(B[A-Z0-9]{1,30})"/
const CHANNEL =
  /"(?:channel|channel_id)":"([CGD][A-Z0-9]{1,30})"|<#([CG][A-Z0-9]{1,30})|"channel":\{"id":"([CGD][A-Z0-9]{1,30})"/g
const GROUP = /"usergroup_id":"(S[A-Z0-9]{1,30})"|<!subteam\^(S[A-Z0-9]{1,30})/g

/** Everybody and everything an event names. */
export function idsIn(
  event: unknown,
  selfId?: string,
): { people: string[]; channels: string[]; groups: string[] } {
  const written = JSON.stringify(event) ?? ''
  const all = (pattern: RegExp): string[] => {
    const found = new Set<string>()
    for (const [, ...ids] of written.matchAll(pattern)) {
      for (const id of ids) if (id !== undefined && id !== selfId) found.add(id)
      if (found.size >= MOST_IDS) break
    }
    return [...found]
  }
  const people = all(PERSON)
  const bot = BOT.exec(written)?.[1]
  // A bot has a user as well, in all but old apps.
  if (bot !== undefined && people.length === 0 && !written.includes('"bot_profile"')) people.push(bot)
  return { people, channels: all(CHANNEL), groups: all(GROUP) }
}
