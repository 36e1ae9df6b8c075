/** One server as the gateway describes it: its roles, and those of its people who are known. */
import type { KnownPerson } from './raw.js'
import { type Fields, fields, list, snowflake, text } from './shape.js'

/** https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags */
const VIEW_CHANNEL = 1n << 10n
const ADMINISTRATOR = 1n << 3n
/** More people than this are asked for when they are wanted. */
const MOST_MEMBERS = 10_000
const MOST_ROLES = 500

interface Role {
  name: string
  views: boolean
  administers: boolean
  /** It stands for this bot. */
  bot?: string
}

/** Of a channel: who sees it against the rule, by role or person. */
export interface Overwrite {
  id: string
  allows: boolean
  denies: boolean
}

interface GuildMember extends KnownPerson {
  roles: readonly string[]
}

export class Guild {
  name: string | undefined
  readonly #roles = new Map<string, Role>()
  readonly #members = new Map<string, GuildMember>()
  #owner: string | undefined
  /** Everybody is known, and the gateway tells of every change. */
  isWhole = false

  constructor(readonly id: string) {}

  /** https://docs.discord.com/developers/events/gateway-events#guild-create */
  describe(guild: Fields, tellsChanges: boolean): void {
    this.rename(guild)
    this.#roles.clear()
    for (const role of list(guild.roles)) this.learnRole(fields(role))
    const members = list(guild.members)
    for (const member of members) this.learn(fields(fields(member).user), fields(member))
    this.isWhole = tellsChanges && guild.large !== true && members.length === guild.member_count
  }

  rename(guild: Fields): void {
    this.name = text(guild.name) ?? this.name
    this.#owner = snowflake(guild.owner_id) ?? this.#owner
  }

  learnRole(role: Fields): void {
    const id = snowflake(role.id)
    const name = text(role.name)
    if (id === undefined || name === undefined || this.#roles.size >= MOST_ROLES) return
    const permissions = bits(role.permissions)
    // "managed": it came with an integration; `bot_id` says with which bot.
    const bot = role.managed === true ? snowflake(fields(role.tags).bot_id) : undefined
    this.#roles.set(id, {
      name,
      views: (permissions & VIEW_CHANNEL) !== 0n,
      administers: (permissions & ADMINISTRATOR) !== 0n,
      ...(bot !== undefined && { bot }),
    })
  }

  forgetRole(id: string | undefined): void {
    if (id !== undefined) this.#roles.delete(id)
  }

  roleName(id: string): string | undefined {
    return this.#roles.get(id)?.name
  }

  /** Roles that stand for this bot. */
  rolesOf(bot: string): string[] {
    return [...this.#roles].filter(([, role]) => role.bot === bot).map(([id]) => id)
  }

  learn(user: Fields, member: Fields): void {
    const id = snowflake(user.id)
    const known = personOf(user, member)
    if (id === undefined || known === undefined) return
    if (!this.#members.has(id) && this.#members.size >= MOST_MEMBERS) {
      this.isWhole = false
      return
    }
    this.#members.set(id, { ...known, roles: list(member.roles).flatMap((role) => snowflake(role) ?? []) })
  }

  forget(id: string | undefined): void {
    if (id !== undefined) this.#members.delete(id)
  }

  person(id: string): KnownPerson | undefined {
    return this.#members.get(id)
  }

  /** Those who are known and see a channel with these overwrites. */
  *people(overwrites: readonly Overwrite[]): Generator<[string, KnownPerson]> {
    for (const [id, member] of this.#members) if (this.#sees(id, member, overwrites)) yield [id, member]
  }

  /** https://docs.discord.com/developers/topics/permissions#permission-hierarchy */
  #sees(id: string, { roles }: GuildMember, overwrites: readonly Overwrite[]): boolean {
    if (id === this.#owner) return true
    const own = [this.id, ...roles].flatMap((role) => this.#roles.get(role) ?? [])
    if (own.some(({ administers }) => administers)) return true
    let sees = own.some(({ views }) => views)
    const [everyone] = overwrites.filter((one) => one.id === this.id)
    if (everyone !== undefined) sees = everyone.allows || (sees && !everyone.denies)
    const byRole = overwrites.filter((one) => roles.includes(one.id))
    if (byRole.some(({ denies }) => denies)) sees = false
    if (byRole.some(({ allows }) => allows)) sees = true
    const [personal] = overwrites.filter((one) => one.id === id)
    return personal === undefined ? sees : personal.allows || (sees && !personal.denies)
  }
}

/** Overwrites of a channel, as far as they are about seeing it. */
export function overwritesOf(channel: Fields): Overwrite[] {
  return list(channel.permission_overwrites).flatMap((value) => {
    const overwrite = fields(value)
    const id = snowflake(overwrite.id)
    const allows = (bits(overwrite.allow) & VIEW_CHANNEL) !== 0n
    const denies = (bits(overwrite.deny) & VIEW_CHANNEL) !== 0n
    return id === undefined || (!allows && !denies) ? [] : [{ id, allows, denies }]
  })
}

/** A bitfield comes as a decimal text. */
function bits(value: unknown): bigint {
  return typeof value === 'string' && /^\d{1,30}$/.test(value) ? BigInt(value) : 0n
}

/** What people call somebody: nickname, else display name, else user name; the others are aliases. */
export function personOf(user: Fields, member: Fields = {}): KnownPerson | undefined {
  const names = [text(member.nick), text(user.global_name), text(user.username)].flatMap((name) => name ?? [])
  const [name, ...rest] = names
  if (name === undefined) return undefined
  const username = text(user.username)
  // The user name stays an alias where it is the name as well: it is what may be typed.
  const aliases = [...new Set(rest.length === 0 && username !== undefined ? [username] : rest)]
  return { name, ...(user.bot === true && { bot: true }), ...(aliases.length > 0 && { aliases }) }
}
