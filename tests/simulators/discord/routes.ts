/** Which part of the simulator answers which address. */
import type { Answer, Calls } from '../kit/calls.js'
import { Control } from '../kit/control.js'
import type { Incoming, NoReply, Reply } from '../kit/server.js'
import type { Rest } from './api/index.js'
import type { Hub } from './hub.js'
import { fileSignature } from './wire.js'

export interface RoutesOptions {
  hub: Hub
  rest: Rest
  calls: Calls
  control: Control
}

export class Routes {
  readonly #options: RoutesOptions

  constructor(options: RoutesOptions) {
    this.#options = options
  }

  async serve(request: Incoming): Promise<Reply | NoReply> {
    const { rest, calls, control, hub } = this.#options
    const { pathname } = request.url
    if (Control.owns(pathname)) return control.serve(request)
    const path = /^\/api(?:\/v(?:9|10))?(\/.*)$/.exec(pathname)?.[1]
    if (path !== undefined) return rest.serve(request, path)
    if (pathname.startsWith('/attachments/')) {
      const chat = hub.world.chatOf(pathname.split('/')[2] ?? '')
      return calls.answer(request, { method: 'downloadFile', chat, params: { path: pathname } }, () =>
        download(hub, request),
      )
    }
    return { status: 404, body: { message: '404: Not Found', code: 0 } }
  }
}

/** Without a good signature a file is not there. https://docs.discord.com/developers/reference#signed-attachment-cdn-urls */
function download(hub: Hub, { url }: Incoming): Answer {
  const gone = { status: 404, body: 'This content is no longer available.' }
  const [, , channel = '', id = ''] = url.pathname.split('/')
  const file = hub.world.files.get(id)
  const until = url.searchParams.get('ex') ?? ''
  const isSigned = url.searchParams.get('hm') === fileSignature(hub, url.pathname, until)
  if (file === undefined || file.channelId !== channel || !isSigned) return gone
  if (Number.parseInt(until, 16) * 1000 < hub.clock.now()) return gone
  return { status: 200, headers: { 'content-type': file.mime }, body: file.bytes }
}
