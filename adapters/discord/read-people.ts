/** Who is who in a raw event: authors, mentions, names by id. */
import type { Author, BotIdentity, Mention } from '../../src/messaging/contract.js'
import type { Context } from './raw.js'
import { type Fields, fields, list, own, snowflake, text } from './shape.js'

type Named = Omit<Mention, 'type' | 'position'>

export class People {
  constructor(
    readonly self: BotIdentity,
    readonly context: Context,
    /** Who is mentioned in the message, with their names: `mentions`, or `resolved.users` of an interaction. */
    readonly mentioned: readonly Fields[] = [],
    /** `resolved.members`: what users are called in the server, by their id. */
    readonly members: Fields = {},
  ) {}

  /** The same people as another message of the event mentions. */
  of(message: Fields): People {
    return new People(this.self, this.context, list(message.mentions).slice(0, 100).map(fields), this.members)
  }

  /** With what an interaction resolved. */
  with(mentioned: readonly Fields[], members: Fields): People {
    return new People(this.self, this.context, mentioned, members)
  }

  name(id: string): string {
    if (id === this.self.id) return this.self.name
    const known = text(this.#known(id).name)
    if (known !== undefined) return known
    const user = this.mentioned.find((one) => one.id === id)
    return user === undefined ? id : (this.#names(user)[0] ?? id)
  }

  mention(id: string): Named {
    return { target: 'user', id, name: this.name(id) }
  }

  /** The bot's own role has its name and stands beside it in the list people pick from: whoever takes it means the bot. */
  role(id: string): Named {
    if (this.context.ownRoles?.includes(id) === true) return this.mention(this.self.id)
    return { target: 'role', id, name: text(own(this.context.roles, id)) ?? id }
  }

  channel(id: string): string {
    return `#${text(fields(own(this.context.channels, id)).name) ?? id}`
  }

  /** Written by this very app. An answer to an interaction may come as a webhook of the app. */
  isSelf(message: Fields): boolean {
    const { applicationId } = this.context
    if (fields(message.author).id === this.self.id) return true
    return (
      applicationId !== undefined &&
      message.webhook_id === applicationId &&
      message.application_id === applicationId
    )
  }

  /** Of a message. Undefined where Discord does not say who it was. */
  author(message: Fields): Author | undefined {
    if (this.isSelf(message)) return { id: this.self.id, name: this.self.name, kind: 'self' }
    const webhook = snowflake(message.webhook_id)
    const user = fields(message.author)
    // "the author object corresponds to the webhook's id": https://docs.discord.com/developers/resources/message#message-object
    if (webhook !== undefined) return { id: webhook, name: text(user.username) ?? webhook, kind: 'bot' }
    return this.person(user, fields(message.member))
  }

  /** A user, called as the server calls them. */
  person(user: Fields, member: Fields = {}): Author | undefined {
    const id = snowflake(user.id)
    if (id === undefined) return undefined
    if (id === this.self.id) return { id, name: this.self.name, kind: 'self' }
    const known = this.#known(id)
    const names = this.#names({ ...user, member: Object.keys(member).length > 0 ? member : user.member })
    const isBot = user.bot === true || user.system === true || known.bot === true
    const name = names[0] ?? text(known.name) ?? id
    const others = names.filter((one) => one !== name)
    const aliases = others.length > 0 ? others : list(known.aliases).flatMap((alias) => text(alias) ?? [])
    return {
      id,
      name,
      kind: isBot ? 'bot' : 'person',
      ...(aliases.length > 0 && { aliases }),
    }
  }

  /** Somebody of whom only the id is told. */
  byId(id: string): Author {
    return (
      this.person({ id, ...fields(this.mentioned.find((one) => one.id === id)) }) ?? {
        id,
        name: id,
        kind: 'person',
      }
    )
  }

  #known(id: string): Fields {
    return fields(own(this.context.people, id))
  }

  /** Nickname, display name, user name: https://docs.discord.com/developers/resources/user#usernames-and-nicknames */
  #names(user: Fields): string[] {
    const id = snowflake(user.id)
    const member = fields(user.member ?? (id === undefined ? undefined : own(this.members, id)))
    const names = [member.nick, user.global_name, user.username].flatMap((name) => text(name) ?? [])
    return [...new Set(names)]
  }
}
