/** What every method of the Web API is made of. https://docs.slack.dev/apis/web-api */
import type { Hub } from '../hub.js'
import type { Fields } from '../text/rich.js'
import type { Channel, User } from '../world.js'

/** Calls a minute. https://docs.slack.dev/apis/web-api/rate-limits · `post`: one a second in each channel */
export type Tier = 1 | 2 | 3 | 4 | 'post' | 'none'

export interface Asked {
  hub: Hub
  args: Args
  /** The kind of token it was asked with. */
  token: 'bot' | 'app'
}

export interface Method {
  tier: Tier
  /** Any one of them is enough. */
  scopes: readonly string[]
  token: 'bot' | 'app' | 'any'
  /** What is answered beside `ok: true`. @throws ApiError */
  run(asked: Asked): Fields
  /** It changes what people see. */
  effect?: boolean
}

/** Answered as `{ok: false, error}` with status 200. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly more: Fields = {},
  ) {
    super(code)
  }
}

/** Arguments, from a form or from JSON. In a form, what is not a string stands as JSON. */
export class Args {
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields
  }

  /** The same arguments with one more. */
  with(name: string, value: unknown): Args {
    return new Args({ ...this.#fields, [name]: value })
  }

  has(name: string): boolean {
    const value = this.#fields[name]
    return value !== undefined && value !== null && value !== ''
  }

  text(name: string): string | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return undefined
    return typeof value === 'string'
      ? value
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  }

  /** @throws ApiError `invalid_arguments`, as Slack answers when a required one is missing */
  need(name: string): string {
    const value = this.text(name)
    if (value !== undefined && value !== '') return value
    throw new ApiError('invalid_arguments', {
      response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
    })
  }

  flag(name: string): boolean {
    const value = this.#fields[name]
    return value === true || value === 1 || value === 'true' || value === '1'
  }

  number(name: string, fallback: number): number {
    const value = Number(this.text(name) ?? fallback)
    return Number.isFinite(value) ? value : fallback
  }

  /** @throws ApiError `code` when it is no JSON */
  json(name: string, code: string): unknown {
    const value = this.#fields[name]
    if (typeof value !== 'string') return value ?? undefined
    if (value === '') return undefined
    try {
      return JSON.parse(value)
    } catch {
      throw new ApiError(code)
    }
  }
}

/** The chat an argument names. The bot sees public ones, and those it is in. @throws ApiError `channel_not_found` */
export function channelArg({ hub, args }: Asked, name = 'channel'): Channel {
  const id = args.need(name)
  const { channels, bot } = hub.world
  const named = id.startsWith('#')
    ? [...channels.values()].find((channel) => channel.name === id.slice(1))
    : undefined
  const channel = named ?? channels.get(id)
  if (channel === undefined || (channel.kind !== 'channel' && !channel.members.has(bot.id))) {
    throw new ApiError('channel_not_found')
  }
  return channel
}

/** @throws ApiError `user_not_found` */
export function userArg({ hub, args }: Asked, name = 'user'): User {
  const user = hub.world.users.get(args.need(name))
  if (user === undefined) throw new ApiError('user_not_found')
  return user
}

export interface Page<Item> {
  items: Item[]
  metadata: { next_cursor: string }
}

/**
 * One page of a list by cursor. https://docs.slack.dev/apis/web-api/pagination
 *
 * @param most what a page may hold at most
 * @throws ApiError `invalid_cursor`, `invalid_limit`
 */
export function page<Item>(args: Args, items: readonly Item[], fallback: number, most: number): Page<Item> {
  const limit = args.number('limit', fallback)
  if (limit < 1) throw new ApiError('invalid_limit')
  const from = offsetOf(args.text('cursor') ?? '')
  const end = from + Math.min(limit, most)
  const next = end < items.length ? Buffer.from(`next:${end}`).toString('base64') : ''
  return { items: items.slice(from, end), metadata: { next_cursor: next } }
}

function offsetOf(cursor: string): number {
  if (cursor === '') return 0
  const offset = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1]
  if (offset === undefined) throw new ApiError('invalid_cursor')
  return Number(offset)
}
