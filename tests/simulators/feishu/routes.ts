/** Which part of the simulator answers which address. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from '../kit/calls.js'
import { Control } from '../kit/control.js'
import { type Incoming, type NoReply, type Reply, readParams } from '../kit/server.js'
import type { OpenApi } from './api/index.js'
import type { Fields } from './fields.js'
import type { Hub } from './hub.js'
import { CLIENT_CONFIG } from './options.js'
import type { Runtime } from './runtime.js'
import { MOST_SOCKETS } from './sockets.js'

/** Codes of the endpoint, as the SDK knows them. */
const AUTH_FAILED = 514
const EXCEEDED = 1_000_040_350

export interface RoutesOptions {
  hub: Hub
  api: OpenApi
  runtimes: ReadonlyMap<string, Runtime>
  control: Control
}

export class Routes {
  readonly #options: RoutesOptions

  constructor(options: RoutesOptions) {
    this.#options = options
  }

  async serve(request: Incoming): Promise<Reply | NoReply> {
    const { api, control } = this.#options
    const { pathname } = request.url
    if (Control.owns(pathname)) return control.serve(request)
    if (pathname === '/open-apis/auth/v3/tenant_access_token/internal' && request.method === 'POST')
      return this.#logged(request, 'auth.tenantAccessToken', 'app_id', (runtime, args) =>
        token(runtime, args),
      )
    if (pathname === '/callback/ws/endpoint' && request.method === 'POST') return this.#endpoint(request)
    return api.serve(request)
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const ticket = url.searchParams.get('access_key') ?? ''
    const runtime = [...this.#options.runtimes.values()].find(({ sockets }) => sockets.owns(ticket))
    if (url.pathname === '/ws/v2' && runtime !== undefined) {
      runtime.sockets.upgrade(request, socket, head, ticket)
      return
    }
    const refusal = 'Handshake-Status: 403\r\nHandshake-Msg: invalid ticket\r\nConnection: close\r\n'
    socket.end(`HTTP/1.1 403 Forbidden\r\n${refusal}Content-Length: 0\r\n\r\n`)
  }

  /** The SDK takes an answer without `data` for a failure of the network. */
  async #endpoint(request: Incoming): Promise<Reply | NoReply> {
    const reply = await this.#logged(request, 'ws.endpoint', 'AppID', (runtime, args) =>
      this.#address(runtime, args),
    )
    if (typeof reply === 'string' || reply.status !== 400) return reply
    return { ...reply, status: 200 }
  }

  #address(runtime: Runtime | undefined, args: Fields): Answer {
    const refuse = (code: number, msg: string): Answer => ({ status: 200, body: { code, msg, data: {} } })
    if (runtime === undefined || !knows(runtime, args.AppSecret)) return refuse(AUTH_FAILED, 'auth failed')
    if (runtime.sockets.count >= MOST_SOCKETS)
      return refuse(EXCEEDED, 'the number of connections exceeded the limit')
    const { hub } = this.#options
    const data = {
      URL: `${hub.url.replace('http:', 'ws:')}${runtime.sockets.ticket()}`,
      ClientConfig: { ...CLIENT_CONFIG, ...hub.options.clientConfig },
    }
    return { status: 200, body: { code: 0, msg: '', data } }
  }

  /** @param idName which field says the app */
  #logged(
    request: Incoming,
    method: string,
    idName: string,
    run: (runtime: Runtime | undefined, args: Fields) => Answer,
  ): Promise<Reply | NoReply> {
    const { hub, runtimes } = this.#options
    const { params } = readParams(request)
    const id = String(params[idName] ?? '')
    const runtime = runtimes.get(id)
    const logger = runtime ?? runtimes.get(hub.main.appId)
    if (logger === undefined) throw new Error('The simulated tenant has lost its first app')
    const asked = { method, params: { [idName]: id, locale: request.headers.locale ?? '' } }
    return logger.calls.answer(request, asked, () => run(runtime, params))
  }
}

const knows = ({ app, isRevoked }: Runtime, secret: unknown): boolean => !isRevoked && app.secret === secret

/** https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal */
function token(runtime: Runtime | undefined, args: Fields): Answer {
  if (runtime === undefined) return { status: 200, body: { code: 10003, msg: 'invalid param' } }
  if (!knows(runtime, args.app_secret))
    return { status: 200, body: { code: 10014, msg: 'app secret invalid' } }
  const { token, seconds } = runtime.newToken()
  return { status: 200, body: { code: 0, msg: 'ok', tenant_access_token: token, expire: seconds } }
}
