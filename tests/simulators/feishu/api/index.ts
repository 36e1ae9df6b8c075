/** The Open API: tokens, scopes, limits, then the method. https://open.feishu.cn/document/server-docs/api-call-guide/calling-process/overview */
import { BadBody } from '../../kit/body.js'
import type { Answer } from '../../kit/calls.js'
import { type Incoming, type NoReply, type Reply, readParams } from '../../kit/server.js'
import type { Fields } from '../fields.js'
import type { Hub } from '../hub.js'
import type { Runtime } from '../runtime.js'
import { changeMethods } from './change.js'
import { ApiError, messageOf, statusOf } from './errors.js'
import { fileMethods } from './files.js'
import { RateLimits } from './limits.js'
import { Args, type Method } from './method.js'
import { readMethods } from './read.js'
import { sendMethods } from './send.js'

interface Route {
  method: Method
  pattern: RegExp
}

const ROUTES: readonly Route[] = [...sendMethods, ...changeMethods, ...readMethods, ...fileMethods].map(
  (method) => ({
    method,
    pattern: new RegExp(`^${method.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }),
)

export class OpenApi {
  readonly #hub: Hub
  readonly #runtimes: ReadonlyMap<string, Runtime>
  readonly #limits: RateLimits

  constructor(hub: Hub, runtimes: ReadonlyMap<string, Runtime>) {
    this.#hub = hub
    this.#runtimes = runtimes
    this.#limits = new RateLimits(hub.clock)
  }

  async serve(request: Incoming): Promise<Reply | NoReply> {
    const token = bearer(request)
    const owner = [...this.#runtimes.values()].find(({ tokens }) => tokens.has(token ?? ''))
    const runtime = owner ?? this.#main()
    const found = route(request)
    let read: ReturnType<typeof readParams> = { params: {}, files: {} }
    let isBad = false
    try {
      read = readParams(request)
    } catch (error) {
      if (!(error instanceof BadBody)) throw error
      isBad = true
    }
    const userIds = request.url.searchParams.getAll('user_ids')
    const params = {
      ...read.params,
      ...(userIds.length > 0 && { user_ids: userIds }),
      ...found?.params,
    }
    const chat = this.#chatOf(params)
    const name = found?.method.name ?? `${request.method} ${request.url.pathname}`
    const asked = { method: name, ...(chat !== undefined && { chat }), params: readable(params) }
    return runtime.calls.answer(request, asked, () => {
      if (found === undefined) return { status: 404, body: '404 page not found' }
      if (isBad) return this.#refused(new ApiError(230001, 'invalid request body.'))
      return this.#answer(found.method, runtime, token, { ...read, params }, request)
    })
  }

  #main(): Runtime {
    const main = this.#runtimes.get(this.#hub.main.appId)
    if (main === undefined) throw new Error('The simulated tenant has lost its first app')
    return main
  }

  #answer(
    method: Method,
    runtime: Runtime,
    token: string | undefined,
    { params, files }: ReturnType<typeof readParams>,
    request: Incoming,
  ): Answer {
    const isLimited = this.#hub.options.limits !== 'off'
    try {
      if (token === undefined) throw new ApiError(99991661)
      if (!runtime.isGood(token)) throw new ApiError(99991663)
      this.#checkScopes(method, runtime)
      const wait = isLimited ? this.#limits.takeMethod(runtime.app.appId, method.name) : 0
      if (wait > 0) return rateLimited(wait)
      const result = method.run({
        hub: this.#hub,
        app: runtime.app,
        args: new Args(params),
        files,
        headers: request.headers,
        isTooMuch: (target, perSecond) => isLimited && !this.#limits.takeTarget(target, perSecond),
      })
      if ('answer' in result) return result.answer
      const body = { code: 0, msg: 'success', data: result.data }
      return { status: 200, headers: this.#headers(), body, effect: method.effect ?? false }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return this.#refused(error)
    }
  }

  #checkScopes({ scopes }: Method, { app }: Runtime): void {
    if (scopes.length === 0 || scopes.some((scope) => app.scopes.has(scope))) return
    throw new ApiError(99991672, `[${scopes.join(', ')}]`, {
      permission_violations: scopes.map((subject) => ({ type: 'action_scope_required', subject })),
    })
  }

  #refused(error: ApiError): Answer {
    const { code, message, status, more } = error
    const headers = this.#headers()
    return {
      status,
      headers,
      body: { code, msg: message, error: { log_id: headers['x-tt-logid'], ...more } },
    }
  }

  #headers(): { 'x-tt-logid': string } {
    return { 'x-tt-logid': this.#hub.world.ids.logId(this.#hub.clock.now()) }
  }

  /** The chat a call is about. */
  #chatOf(params: Fields): string | undefined {
    const { world } = this.#hub
    const message = world.messages.get(String(params.message_id ?? ''))
    if (message !== undefined) return message.chat
    const id = [params.chat_id, params.container_id, params.receive_id].find(
      (value): value is string => typeof value === 'string',
    )
    if (id === undefined) return undefined
    const thread = world.threads.get(id)
    return thread?.chat ?? id
  }
}

function route(request: Incoming): { method: Method; params: Fields } | undefined {
  for (const { method, pattern } of ROUTES) {
    if (method.verb !== request.method) continue
    const match = pattern.exec(request.url.pathname)
    if (match === null) continue
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      decodeURIComponent(value),
    ])
    return { method, params: Object.fromEntries(params) as Fields }
  }
  return undefined
}

const bearer = ({ headers }: Incoming): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** Content is JSON in a text: in the log it is read. */
function readable(params: Fields): Fields {
  const { content } = params
  if (typeof content !== 'string' || !content.startsWith('{')) return params
  try {
    return { ...params, content: JSON.parse(content) as unknown }
  } catch {
    return params
  }
}

/** https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control: seconds until one may ask again. */
export function rateLimited(waitMs: number): Reply {
  const code = 99991400
  return {
    status: statusOf(code),
    headers: { 'x-ogw-ratelimit-limit': '50', 'x-ogw-ratelimit-reset': String(Math.ceil(waitMs / 1000)) },
    body: { code, msg: messageOf(code) },
  }
}

/**
 * A refusal on demand: by a number the code of that name, by an empty text or a word an answer without a code, as it has
 * been seen for withdrawn messages.
 */
export function refused(code: string | number, description: string | undefined): Reply {
  const number = Number(code)
  if (code === '' || Number.isNaN(number)) return { status: 400, body: { msg: description ?? String(code) } }
  return { status: statusOf(number), body: { code: number, msg: description ?? messageOf(number), data: {} } }
}
