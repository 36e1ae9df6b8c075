/** Which part of the simulator answers which address. */
import type { Answer, Calls } from '../kit/calls.js'
import { Control } from '../kit/control.js'
import type { Incoming, NoReply, Reply } from '../kit/server.js'
import { download, receiveUpload } from './api/files.js'
import type { WebApi } from './api/index.js'
import type { Hub } from './hub.js'
import type { Interactions } from './interactions.js'

export interface RoutesOptions {
  hub: Hub
  api: WebApi
  calls: Calls
  control: Control
  interactions: Interactions
}

export class Routes {
  readonly #options: RoutesOptions

  constructor(options: RoutesOptions) {
    this.#options = options
  }

  async serve(request: Incoming): Promise<Reply | NoReply> {
    const { hub, api, control, interactions } = this.#options
    const { pathname } = request.url
    if (Control.owns(pathname)) return control.serve(request)
    const method = /^\/api\/([\w.]+)$/.exec(pathname)?.[1]
    if (method !== undefined) return api.serve(request, method)
    if (pathname.startsWith('/upload/v1/')) {
      return this.#logged(request, 'files.upload', () => receiveUpload(hub, request))
    }
    if (pathname.startsWith('/response/')) {
      return this.#logged(request, 'response_url', () => ({ ...interactions.receive(request), effect: true }))
    }
    if (pathname.startsWith('/files-pri/')) {
      return this.#logged(request, 'files.download', () => download(hub, request, this.#mayRead(request)))
    }
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: SIGN_IN }
  }

  /** Requests beside the Web API go through the faults and into the log too. */
  #logged(request: Incoming, method: string, run: () => Answer): Promise<Reply | NoReply> {
    const params = { path: request.url.pathname, bytes: request.body.length }
    return this.#options.calls.answer(request, { method, params }, run)
  }

  #mayRead(request: Incoming): boolean {
    const { secrets, scopes } = this.#options.hub
    const isOurs = request.headers.authorization === `Bearer ${secrets.botToken}`
    return isOurs && !secrets.revoked.has(secrets.botToken) && scopes.has('files:read')
  }
}

const SIGN_IN = '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in</body></html>'
