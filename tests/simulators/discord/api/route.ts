/** What a route of the API is, and how a request finds it. */
import type { UploadedFile } from '../../kit/body.js'
import type { Answer } from '../../kit/calls.js'
import type { Hub } from '../hub.js'
import { isSnowflake } from '../ids.js'
import type { Interactions } from '../interactions.js'
import { maySee } from '../permissions.js'
import type { Channel, Fields, Guild, Message } from '../world.js'
import { apiError, invalid, notSnowflake } from './errors.js'

export interface Context {
  hub: Hub
  interactions: Interactions
  /** What stood in the path. */
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  body: Fields
  files: Readonly<Record<string, UploadedFile>>
}

export interface Route {
  /** As `calls` names it. */
  name: string
  /** `none`: the path holds what is needed. Absent: the bot's token is asked for. */
  auth?: 'none'
  run: (context: Context) => Omit<Answer, 'status'> & { status?: number }
}

/** `GET /channels/:channel` to what it does. */
export type Routes = Readonly<Record<string, Route>>

interface Compiled {
  method: string
  parts: readonly string[]
  route: Route
}

export class Router {
  readonly #routes: readonly Compiled[]

  constructor(routes: Routes) {
    this.#routes = Object.entries(routes).map(([key, route]) => {
      const [method = '', path = ''] = key.split(' ')
      return { method, parts: path.split('/').slice(1), route }
    })
  }

  /** `null`: there is no such address. */
  find(method: string, path: string): { route: Route; path: Record<string, string> } | 'wrong-method' | null {
    const parts = path.split('/').slice(1)
    let isThere = false
    // A literal part (`@me`) comes before one that takes anything.
    let best: { route: Route; path: Record<string, string>; literal: number } | null = null
    for (const compiled of this.#routes) {
      const found = match(compiled.parts, parts)
      if (found === null) continue
      isThere = true
      const literal = compiled.parts.filter((part) => !part.startsWith(':')).length
      if (compiled.method === method && (best === null || literal > best.literal))
        best = { route: compiled.route, path: found, literal }
    }
    return best ?? (isThere ? 'wrong-method' : null)
  }
}

function match(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null
  const found: Record<string, string> = {}
  for (const [at, want] of pattern.entries()) {
    const part = parts[at] ?? ''
    if (want.startsWith(':')) {
      try {
        found[want.slice(1)] = decodeURIComponent(part)
      } catch {
        return null
      }
    } else if (want !== part) return null
  }
  return found
}

/** The channel of the path, which the bot can see. @throws ApiError */
export function channelIn({ hub, path }: Context, name = 'channel'): Channel {
  const id = path[name]
  if (!isSnowflake(id)) throw notSnowflake(`${name}_id`, id)
  const channel = hub.world.channels.get(id)
  if (channel === undefined) throw apiError(10003)
  if (!maySee(hub.world, channel, hub.world.bot.id)) throw apiError(50001)
  return channel
}

/** The message of the path. @throws ApiError */
export function messageIn(context: Context, channel: Channel): Message {
  const id = context.path.message
  if (!isSnowflake(id)) throw notSnowflake('message_id', id)
  const message = channel.byId.get(id)
  if (message === undefined || message.onlyFor !== undefined) throw apiError(10008)
  return message
}

/** The guild of the path, which the bot is in. @throws ApiError */
export function guildIn({ hub, path }: Context): Guild {
  const id = path.guild
  if (!isSnowflake(id)) throw notSnowflake('guild_id', id)
  const guild = hub.world.guilds.get(id)
  if (guild === undefined) throw apiError(10004)
  if (!guild.members.has(hub.world.bot.id)) throw apiError(50001)
  return guild
}

/** A number of the query within bounds. @throws ApiError */
export function limitOf(query: URLSearchParams, fallback: number, most: number): number {
  const given = query.get('limit')
  if (given === null) return fallback
  const limit = Number(given)
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw invalid('limit', 'NUMBER_TYPE_MAX', `int value should be between 1 and ${most}.`)
  return limit
}
