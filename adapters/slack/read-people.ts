/** Who is who in a raw event: authors, mentions, names by id. */
import type { Author, BotIdentity, Mention } from '../../src/messaging/contract.js'
import type { Known, SlackRaw } from './raw.js'
import { type Fields, fields, nativeId, text } from './shape.js'

type Named = Omit<Mention, 'type' | 'position'>

/** An id may be called `constructor`: only what was put there is known. */
function own<T>(names: Readonly<Record<string, T>> | undefined, id: string): T | undefined {
  return names !== undefined && Object.hasOwn(names, id) ? names[id] : undefined
}

export class People {
  constructor(
    readonly self: BotIdentity,
    readonly raw: SlackRaw,
    /** The event's envelope: which workspace it was delivered to. */
    readonly envelope: Fields = {},
  ) {}

  name(id: string, otherwise?: string): string {
    if (id === this.self.id) return this.self.name
    return this.#known(id)?.name || otherwise || id
  }

  mention(id: string, label?: string): Named {
    return { target: 'user', id, name: this.name(id, label?.replace(/^@/, '')) }
  }

  group(id: string, label?: string): Named {
    return { target: 'role', id, name: own(this.raw.names?.groups, id) || label?.replace(/^@/, '') || id }
  }

  channel(id: string, label?: string): string {
    return `#${(this.title(id) || label || id).replace(/^#/, '')}`
  }

  /** The name of a channel, where it is known. */
  title(id: string): string | undefined {
    return own(this.raw.names?.channels, id)
  }

  #known(id: string): Known | undefined {
    return own(this.raw.names?.users, id)
  }

  /** Posted by this very app, under whatever name. */
  isSelf(event: Fields): boolean {
    const { botId, appId } = this.raw.bot ?? {}
    if (event.user === this.self.id) return true
    if (botId !== undefined && event.bot_id === botId) return true
    return appId !== undefined && text(event.app_id) === appId && text(event.bot_id) !== undefined
  }

  /** Undefined where Slack does not say who it was. */
  author(event: Fields): Author | undefined {
    const profile = fields(event.bot_profile)
    const user = nativeId(event.user)
    const bot = nativeId(event.bot_id)
    const shown = text(event.username) ?? text(profile.name)
    if (this.isSelf(event)) return { id: this.self.id, name: shown ?? this.self.name, kind: 'self' }
    const id = user ?? bot
    if (id === undefined) return undefined
    const known = this.#known(id)
    const isBot = bot !== undefined || event.subtype === 'bot_message' || known?.bot === true
    const name = known?.name || shown || text(fields(event.user_profile).real_name) || id
    return {
      id,
      name,
      kind: isBot ? 'bot' : 'person',
      ...(known?.aliases !== undefined && { aliases: known.aliases }),
      ...(this.#outside(id, event) && { outside: true }),
    }
  }

  /** https://docs.slack.dev/apis/slack-connect: people of another organisation have another team. */
  #outside(id: string, event: Fields): boolean {
    const known = this.#known(id)?.outside
    if (known !== undefined) return known
    if (this.envelope.is_ext_shared_channel === false) return false
    const theirs = text(event.user_team) ?? text(event.source_team)
    const ours = text(this.envelope.team_id)
    return theirs !== undefined && ours !== undefined && theirs !== ours && theirs.startsWith('T')
  }
}
