/** The Web API: tokens, scopes, limits, then the method. https://docs.slack.dev/apis/web-api */
import { BadBody } from '../../kit/body.js'
import type { Answer, Calls } from '../../kit/calls.js'
import { type Incoming, type NoReply, type Reply, readParams } from '../../kit/server.js'
import type { Hub } from '../hub.js'
import type { Fields } from '../text/rich.js'
import { appMethods } from './app.js'
import { chatMethods } from './chat.js'
import { conversationMethods } from './conversations.js'
import { fileMethods } from './files.js'
import type { RateLimits } from './limits.js'
import { ApiError, Args, type Method } from './method.js'
import { peopleMethods } from './people.js'
import { reactionMethods } from './reactions.js'

const METHODS: Readonly<Record<string, Method>> = {
  ...appMethods,
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...peopleMethods,
  ...reactionMethods,
}

export class WebApi {
  readonly #hub: Hub
  readonly #calls: Calls
  readonly #limits: RateLimits
  readonly #methods: Readonly<Record<string, Method>>

  /** @param more methods that need what the Web API does not know: `apps.connections.open` */
  constructor(hub: Hub, calls: Calls, limits: RateLimits, more: Readonly<Record<string, Method>>) {
    this.#hub = hub
    this.#calls = calls
    this.#limits = limits
    this.#methods = { ...METHODS, ...more }
  }

  async serve(request: Incoming, name: string): Promise<Reply | NoReply> {
    let params: Record<string, unknown> = {}
    let isBad = false
    try {
      params = readParams(request).params
    } catch (error) {
      if (!(error instanceof BadBody)) throw error
      isBad = true
    }
    const { token: given, ...args } = params
    const token = bearer(request) ?? (typeof given === 'string' ? given : undefined)
    const chat = this.#chatOf(args)
    const asked = { method: name, ...(chat !== undefined && { chat }), params: readable(args) }
    return this.#calls.answer(request, asked, () => {
      if (isBad) return refused('invalid_json')
      return this.#answer(name, new Args(args), token, chat)
    })
  }

  #answer(name: string, args: Args, token: string | undefined, chat: string | undefined): Answer {
    const method = Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined
    if (method === undefined) return refused('unknown_method', { req_method: name })
    try {
      const kind = this.#kindOf(token, method)
      if (kind === 'bot') this.#checkScopes(method)
      if (this.#hub.options.limits !== 'off') {
        const wait = this.#limits.take(name, method.tier, chat)
        if (wait > 0) return rateLimited(wait)
      }
      const body = method.run({ hub: this.#hub, args, token: kind })
      return {
        status: 200,
        headers: this.#headers(method),
        body: { ok: true, ...body },
        effect: method.effect ?? false,
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { ...refused(error.code, error.more), headers: this.#headers(method) }
    }
  }

  /** https://docs.slack.dev/authentication/tokens @throws ApiError */
  #kindOf(token: string | undefined, method: Method): 'bot' | 'app' {
    const { botToken, appToken, revoked } = this.#hub.secrets
    if (token === undefined || token === '') throw new ApiError('not_authed')
    const isRevoked = revoked.get(token)
    if (isRevoked !== undefined) throw new ApiError(isRevoked)
    if (token !== botToken && token !== appToken) throw new ApiError('invalid_auth')
    const kind = token === appToken ? 'app' : 'bot'
    if (method.token !== 'any' && method.token !== kind) throw new ApiError('not_allowed_token_type')
    return kind
  }

  #checkScopes({ scopes }: Method): void {
    const has = this.#hub.scopes
    if (scopes.length === 0 || scopes.some((scope) => has.has(scope))) return
    throw new ApiError('missing_scope', { needed: scopes[0], provided: [...has].join(',') })
  }

  /** The chat a call is about; for a person's id, their direct chat once there is one. */
  #chatOf(args: Fields): string | undefined {
    const id = args.channel ?? args.channel_id
    if (typeof id !== 'string' || id === '') return undefined
    if (!/^[UW]/.test(id)) return id
    for (const { user, id: im } of this.#hub.world.channels.values()) if (user === id) return im
    return id
  }

  #headers({ scopes }: Method): Record<string, string> {
    return { 'x-oauth-scopes': [...this.#hub.scopes].join(','), 'x-accepted-oauth-scopes': scopes.join(',') }
  }
}

const bearer = (request: Incoming): string | undefined =>
  /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]

export const refused = (error: string, more: Fields = {}): Reply => ({
  status: 200,
  body: { ok: false, error, ...more },
})

/** Whole seconds, never less than one. */
export const rateLimited = (waitMs: number): Reply => ({
  status: 429,
  headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  body: { ok: false, error: 'ratelimited' },
})

/** Parameters for the log: what a form carries as JSON is read. */
function readable(args: Fields): Fields {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (typeof value !== 'string' || !/^[[{]/.test(value) || name === 'text') return [name, value]
      try {
        return [name, JSON.parse(value)]
      } catch {
        return [name, value]
      }
    }),
  )
}
