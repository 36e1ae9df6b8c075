/** The HTTP API, version 10: token, limits, then the route. https://docs.discord.com/developers/reference */
import { BadBody, readJson, readMultipart, type UploadedFile } from '../../kit/body.js'
import type { Answer, Calls } from '../../kit/calls.js'
import type { Incoming, NoReply, Reply } from '../../kit/server.js'
import type { Gateway } from '../gateway/gateway.js'
import type { Hub } from '../hub.js'
import type { Interactions } from '../interactions.js'
import type { Fields } from '../world.js'
import { appRoutes } from './app.js'
import { ApiError, apiError, rateLimited, replyOf } from './errors.js'
import { interactionRoutes } from './interactions.js'
import type { RateLimits } from './limits.js'
import { messageRoutes } from './messages.js'
import { readRoutes } from './read.js'
import { type Context, type Route, Router } from './route.js'
import { threadRoutes } from './threads.js'

export interface RestOptions {
  hub: Hub
  calls: Calls
  limits: RateLimits
  interactions: Interactions
  gateway: Gateway
}

interface Body {
  body: Fields
  files: Record<string, UploadedFile>
}

export class Rest {
  readonly #options: RestOptions
  readonly #router: Router

  constructor(options: RestOptions) {
    this.#options = options
    this.#router = new Router({
      ...messageRoutes,
      ...threadRoutes,
      ...readRoutes,
      ...interactionRoutes,
      ...appRoutes(options.gateway),
    })
  }

  /** @param path what follows `/api/v10` */
  async serve(request: Incoming, path: string): Promise<Reply | NoReply> {
    const found = this.#router.find(request.method, path)
    if (found === null || found === 'wrong-method') return this.#nowhere(request, found)
    const { route, path: parts } = found
    const read = bodyOf(request)
    const chat = this.#chatOf(parts)
    const asked = {
      method: route.name,
      ...(chat !== undefined && { chat }),
      params: paramsOf(parts, request.url.searchParams, read),
    }
    return this.#options.calls.answer(request, asked, () => {
      if (read === null) return replyOf(apiError(50109))
      return this.#answer(request, route, { path: parts, query: request.url.searchParams, ...read })
    })
  }

  #nowhere(request: Incoming, found: 'wrong-method' | null): Promise<Reply | NoReply> {
    const [status, message] = found === null ? [404, '404: Not Found'] : [405, '405: Method Not Allowed']
    const asked = { method: 'unknown', params: { method: request.method } }
    return this.#options.calls.answer(request, asked, () => ({ status, body: { message, code: 0 } }))
  }

  #answer(
    request: Incoming,
    route: Route,
    given: Pick<Context, 'path' | 'query' | 'body' | 'files'>,
  ): Answer {
    const { hub, limits, interactions } = this.#options
    if (route.auth !== 'none' && !this.#isAuthorized(request)) return replyOf(apiError(0))
    let headers: Record<string, string> = {}
    if (hub.options.limits !== 'off') {
      const { path } = given
      const taken = limits.take(
        route.name,
        path.channel ?? path.guild ?? path.token ?? '',
        route.auth !== 'none',
      )
      headers = taken.headers
      if (taken.waitMs > 0) {
        const refusal = rateLimited(taken.waitMs, taken.isGlobal ? 'global' : 'user')
        return { ...refusal, headers: { ...headers, ...refusal.headers } }
      }
    }
    try {
      const { status = 200, ...answer } = route.run({ hub, interactions, ...given })
      return { status, ...answer, headers }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { ...replyOf(error), headers }
    }
  }

  #isAuthorized(request: Incoming): boolean {
    const { botToken, revoked } = this.#options.hub.secrets
    return !revoked && request.headers.authorization === `Bot ${botToken}`
  }

  /** The chat a call is about: of a thread, its channel. */
  #chatOf(path: Readonly<Record<string, string>>): string | undefined {
    const { hub, interactions } = this.#options
    const id = path.channel ?? (path.token === undefined ? undefined : interactions.chatOf(path.token))
    return id === undefined ? undefined : hub.world.chatOf(id)
  }
}

/** Null: it is not what it says to be. A list becomes the field `list`. */
function bodyOf(request: Incoming): Body | null {
  const type = request.headers['content-type'] ?? ''
  try {
    if (/^multipart\/form-data/i.test(type)) {
      const { fields, files } = readMultipart(request.body, type)
      const { payload_json: json, ...rest } = fields
      return { body: json === undefined ? rest : fieldsOf(readJson(json)), files }
    }
    const text = request.body.toString('utf8')
    return { body: text === '' ? {} : fieldsOf(readJson(text)), files: {} }
  } catch (error) {
    if (error instanceof BadBody) return null
    throw error
  }
}

function fieldsOf(json: unknown): Fields {
  if (Array.isArray(json)) return { list: json }
  if (typeof json !== 'object' || json === null) throw new BadBody('The body is not a JSON object')
  return json as Fields
}

/** For the log: no token, and of files their names and sizes. */
function paramsOf(path: Readonly<Record<string, string>>, query: URLSearchParams, read: Body | null): Fields {
  const { token: _, ...parts } = path
  const files = Object.values(read?.files ?? {}).map(({ name, bytes }) => ({ name, bytes: bytes.length }))
  return { ...parts, ...Object.fromEntries(query), ...read?.body, ...(files.length > 0 && { files }) }
}
