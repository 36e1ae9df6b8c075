/** Who is who in a raw event: authors, mentions, names by id. */
import type { Author, BotIdentity, MentionTarget } from '../../src/messaging/contract.js'
import type { FeishuRaw } from './raw.js'
import { type Fields, fields, list, nativeId, text } from './shape.js'

/** An id may be called `constructor`: only what was put there is known. */
function own<T>(names: Readonly<Record<string, T>> | undefined, id: string): T | undefined {
  return names !== undefined && Object.hasOwn(names, id) ? names[id] : undefined
}

/** Names stand in a line of text. */
const tidy = (name: string): string => name.replace(/\s+/g, ' ').trim()

/** The id of a person or bot in the app's own view, whatever of them the app may see. */
export function personId(value: unknown): string | undefined {
  if (typeof value === 'string') return nativeId(value)
  const ids = fields(value)
  return nativeId(ids.open_id) ?? nativeId(ids.union_id) ?? nativeId(ids.user_id) ?? nativeId(ids.app_id)
}

/** Most mentions of a message that are looked at. */
const MOST_MENTIONS = 500

export class People {
  /** By placeholder: `@_user_1`. */
  readonly #mentioned = new Map<string, MentionTarget>()
  readonly #named = new Map<string, string>()

  /**
   * @param mentions of the message, as events or history list them
   * @param tenant that the app belongs to
   */
  constructor(
    readonly self: BotIdentity,
    readonly raw: FeishuRaw,
    mentions?: unknown,
    readonly tenant?: string,
  ) {
    for (const value of list(mentions).slice(0, MOST_MENTIONS)) this.#learn(fields(value))
  }

  #learn(mention: Fields): void {
    const key = text(mention.key)
    const id = personId(mention.id)
    const name = tidy(text(mention.name) ?? '')
    if (id !== undefined && name !== '') this.#named.set(id, name)
    if (key === undefined) return
    // Both spellings occur: an entry with empty ids, and `all` as the id.
    if (key === '@_all' || id === 'all') this.#mentioned.set(key, everyone(name))
    else if (id !== undefined) this.#mentioned.set(key, this.mention(id, name))
    else if (name !== '') this.#mentioned.set(key, { target: 'user', name })
  }

  /** Undefined where a text only looks like a placeholder. `@_all` may come without an entry. */
  placeholder(key: string): MentionTarget | undefined {
    return this.#mentioned.get(key) ?? (key === '@_all' ? everyone('') : undefined)
  }

  /** Of a tag: an id, a placeholder, or `all`. */
  mention(id: string, label?: string): MentionTarget {
    if (id === 'all' || id === '@_all') return this.#mentioned.get('@_all') ?? everyone(label ?? '')
    const known = this.#mentioned.get(id)
    if (known !== undefined) return known
    if (id.startsWith('@')) return { target: 'user', name: tidy(label ?? '') || id.slice(1) }
    const native = this.isSelf(id) ? this.self.id : id
    return { target: 'user', id: native, name: this.name(native, label) }
  }

  name(id: string, otherwise?: string): string {
    if (this.isSelf(id)) return this.self.name
    return tidy(text(this.#known(id).name) ?? otherwise ?? this.#named.get(id) ?? '') || id
  }

  /** The name of a chat, where it is known. */
  title(chat: string): string | undefined {
    return text(fields(own(this.raw.names?.chats, chat)).name)
  }

  kind(chat: string): 'dm' | 'group' | undefined {
    const { kind } = fields(own(this.raw.names?.chats, chat))
    return kind === 'dm' || kind === 'group' ? kind : undefined
  }

  /** As JSON that nobody has checked: stored events are read again by later versions. */
  #known(id: string): Fields {
    return fields(own(this.raw.names?.people, id))
  }

  /** Equality with what the platform told at the start, and nothing else: guests and other bots look like us. */
  isSelf(id: string): boolean {
    return id === this.self.id || (this.raw.appId !== undefined && id === this.raw.appId)
  }

  /**
   * @param type `user`, `app` or `bot`; absent where it must be a person
   * @param label a name that the event itself gives
   */
  author(id: string, type?: unknown, tenant?: unknown, label?: string): Author {
    if (this.isSelf(id)) return { id: this.self.id, name: this.self.name, kind: 'self' }
    const known = this.#known(id)
    const theirs = text(tenant)
    const foreign = theirs !== undefined && this.tenant !== undefined && theirs !== this.tenant
    const outside = typeof known.outside === 'boolean' ? known.outside : foreign
    const isBot = type === 'app' || type === 'bot' || known.bot === true || id.startsWith('cli_')
    const aliases = list(known.aliases).filter((alias) => typeof alias === 'string')
    return {
      id,
      name: this.name(id, label),
      kind: isBot ? 'bot' : 'person',
      ...(aliases.length > 0 && { aliases }),
      ...(outside && { outside: true }),
    }
  }
}

function everyone(name: string): MentionTarget {
  return { target: 'everyone', name: tidy(name) || 'all' }
}
