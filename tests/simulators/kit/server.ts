/** A small HTTP server for a simulated platform: bodies with a bound, sockets that can be cut or go mute, an end at once. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { BadBody, readForm, readJson, readMultipart, type UploadedFile } from './body.js'

/** A request with its whole body. */
export interface Incoming {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  /** The raw body, for signatures. */
  readonly body: Buffer
  readonly socket: Socket
  /** Aborts when the client goes away, or the server ends. */
  readonly gone: AbortSignal
  /** Nothing said on this connection arrives any more. */
  isMute(): boolean
}

export interface Reply {
  status: number
  headers?: Record<string, string>
  /** A `Buffer` or string goes as it is; anything else as JSON. */
  body?: unknown
}

/** Instead of a reply. `hang`: none comes and the connection stays. `cut`: the connection is ended. */
export type NoReply = 'hang' | 'cut'

export interface ServerOptions {
  /** 0 or absent: any free port. */
  port?: number
  /** Larger bodies are answered by 413. Default 64 MiB. */
  maxBodyBytes?: number
  handle: (request: Incoming) => Promise<Reply | NoReply> | Reply | NoReply
  /** WebSocket handshakes. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Where people drive the simulator: behind the scenes, so that what befalls the platform does not befall them. */
export const CONTROL_PATH = '/_sim'

/** Listens on 127.0.0.1 only. */
export class SimulatorServer {
  readonly #server: Server
  readonly #options: ServerOptions
  readonly #sockets = new Set<Socket>()
  readonly #mute = new WeakSet<Socket>()
  /** What asks behind the scenes: `curl`, the page. */
  readonly #control = new WeakSet<Socket>()

  private constructor(options: ServerOptions) {
    this.#options = options
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.keepAliveTimeout = 60_000
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
    })
    const { upgrade } = options
    if (upgrade) this.#server.on('upgrade', upgrade)
  }

  /** @throws the listener's error, e.g. `EADDRINUSE` */
  static async start(options: ServerOptions): Promise<SimulatorServer> {
    const server = new SimulatorServer(options)
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject)
      server.#server.listen(options.port ?? 0, '127.0.0.1', resolve)
    })
    return server
  }

  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get connections(): number {
    return this.#sockets.size
  }

  /** `close` ends every connection but those of the control API. `half-open` leaves those there are, and never says a word on them again. */
  cut(how: 'close' | 'half-open'): void {
    for (const socket of this.#sockets) {
      if (this.#control.has(socket)) continue
      if (how === 'close') socket.destroy()
      else this.#mute.add(socket)
    }
  }

  /** Ends at once: nobody is waited for. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      for (const socket of this.#sockets) socket.destroy()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isMute = () => this.#mute.has(request.socket)
    const gone = new AbortController()
    if (request.url?.startsWith(CONTROL_PATH)) this.#control.add(request.socket)
    response.on('close', () => gone.abort())
    try {
      const body = await readBody(request, this.#options.maxBodyBytes ?? MAX_BODY_BYTES)
      if (body === null) {
        send(response, { status: 413, headers: { connection: 'close' }, body: 'Request Entity Too Large' })
        return
      }
      // What is sent into a half-open connection never arrives.
      if (isMute()) return
      const reply = await this.#options.handle({
        method: request.method ?? 'GET',
        url: new URL(request.url ?? '/', 'http://127.0.0.1'),
        headers: request.headers,
        body,
        socket: request.socket,
        gone: gone.signal,
        isMute,
      })
      if (reply === 'cut') request.socket.destroy()
      else if (reply !== 'hang' && !isMute()) send(response, reply)
    } catch (error) {
      // The client went away while its body was read, or the simulator itself is at fault: say so where one looks.
      if (response.destroyed || response.headersSent) return
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      send(response, { status: 500, body: `The simulator failed: ${message}` })
    }
  }
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.destroyed) return
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const bytes = isRaw ? Buffer.from(body) : Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const type = isRaw || body === undefined ? 'text/plain; charset=utf-8' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers, 'content-length': bytes.length })
  response.end(bytes)
}

/** The whole body; null when it is larger than `most`. */
async function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Parameters of a request as the usual platforms read them: the query, then a JSON object, a form or a multipart body.
 *
 * @throws BadBody when the body is not what its content type says
 */
export function readParams(request: Incoming): {
  params: Record<string, unknown>
  files: Record<string, UploadedFile>
} {
  const params: Record<string, unknown> = Object.fromEntries(request.url.searchParams)
  const type = request.headers['content-type'] ?? ''
  if (/^multipart\/form-data/i.test(type)) {
    const form = readMultipart(request.body, type)
    return { params: { ...params, ...form.fields }, files: form.files }
  }
  const text = request.body.toString('utf8')
  if (text === '') return { params, files: {} }
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    return { params: { ...params, ...readForm(text) }, files: {} }
  }
  if (!/^application\/json/i.test(type)) return { params, files: {} }
  const json = readJson(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new BadBody('The body is not a JSON object')
  }
  return { params: { ...params, ...json }, files: {} }
}
