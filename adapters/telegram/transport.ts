/**
 * HTTP for grammY's client, on Node's own modules.
 *
 * grammY's default (node-fetch) costs 15 MB of memory, puts the token into its error messages and does not tell whether a
 * failed request had been sent. That last is what decides between "try again" and "it may stand in the chat".
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** An idle connection is closed by us before the server does: a request on a closing one may or may not arrive. */
const IDLE_MS = 15_000
/** 100 updates at their largest are far below this. */
const MOST_ANSWER_BYTES = 32 * 1_048_576

/** The request came to nothing. `sent`: it may have arrived all the same. The message holds no address. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  constructor(
    readonly sent: boolean,
    message: string,
    /** Code of the system's error, such as `ECONNREFUSED`. */
    readonly code?: string,
  ) {
    super(message)
  }
}

/** What grammY hands to `fetch`. */
export interface CallInit {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal
}

export class Transport {
  readonly #https: boolean
  readonly #agent: HttpAgent
  readonly #proxied: boolean

  private constructor(https: boolean, agent: HttpAgent, proxied: boolean) {
    this.#https = https
    this.#agent = agent
    this.#proxied = proxied
  }

  static async open(root: string, proxy: string | undefined): Promise<Transport> {
    const https = root.startsWith('https:')
    const options = { keepAlive: true, timeout: IDLE_MS }
    if (proxy === undefined)
      return new Transport(https, https ? new HttpsAgent(options) : new HttpAgent(options), false)
    const { HttpsProxyAgent } = await import('https-proxy-agent')
    return new Transport(https, new HttpsProxyAgent(proxy, options), true)
  }

  /** In the shape of `fetch`, as much of it as grammY uses. */
  readonly fetch = async (url: string | URL, init: CallInit = {}): Promise<{ json(): Promise<unknown> }> => {
    const answer = await this.open(url, init)
    const value = parsed(await collect(answer))
    if (value === null) {
      const status = answer.statusCode ?? 0
      throw new TransportError(
        true,
        `the answer is none of the Bot API (HTTP status ${status})`,
        `HTTP_${status}`,
      )
    }
    return { json: () => Promise.resolve(value) }
  }

  /** Sends a request and resolves with the answer's head. */
  open(url: string | URL, init: CallInit = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      let sent = false
      const fail = (error: unknown) => reject(error instanceof TransportError ? error : failure(error, sent))
      const { signal } = init
      if (signal?.aborted) return fail(new TransportError(false, 'given up before it began'))
      const send = this.#https ? httpsRequest : httpRequest
      const headers = { ...init.headers }
      if (typeof init.body === 'string') headers['content-length'] = String(Buffer.byteLength(init.body))
      const request = send(url, { method: init.method ?? 'GET', agent: this.#agent, headers })
      const abort = () => request.destroy(new TransportError(sent, 'given up before an answer came'))
      signal?.addEventListener('abort', abort, { once: true })
      request.once('close', () => signal?.removeEventListener('abort', abort))
      request.on('socket', (socket) => {
        whenReachable(socket, this.#https, request.reusedSocket, () => {
          sent = true
        })
      })
      request.once('error', fail)
      request.once('response', (answer) => {
        // A proxy that refuses answers in the server's place, before anything went through it.
        if (
          this.#proxied &&
          (answer.statusCode === 407 || (this.#https && !(answer.socket instanceof TLSSocket)))
        ) {
          answer.resume()
          return fail(
            new TransportError(false, `the proxy refused the connection (HTTP status ${answer.statusCode})`),
          )
        }
        resolve(answer)
      })
      write(request, init.body, fail)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Until the connection stands, nothing of a request can have arrived. */
function whenReachable(socket: Socket, https: boolean, reused: boolean, reached: () => void): void {
  if (reused) reached()
  else if (https && socket instanceof TLSSocket) socket.once('secureConnect', reached)
  else if (socket.connecting) socket.once('connect', reached)
  else reached()
}

function write(request: ReturnType<typeof httpRequest>, body: unknown, fail: (error: unknown) => void): void {
  if (body === undefined || body === null) request.end()
  else if (typeof body === 'string') request.end(body)
  else {
    const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
    stream.once('error', (error) => {
      fail(error)
      request.destroy()
    })
    stream.pipe(request)
  }
}

/** `{ok: true, result}` or `{ok: false, error_code, description}`; null when it is neither. */
function parsed(body: string): object | null {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || !('ok' in value)) return null
    if (value.ok === true) return 'result' in value ? value : null
    const refused = 'error_code' in value && typeof value.error_code === 'number' && 'description' in value
    return value.ok === false && refused && typeof value.description === 'string' ? value : null
  } catch {
    return null
  }
}

async function collect(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_ANSWER_BYTES) {
        answer.destroy()
        throw new TransportError(true, 'the answer is too large')
      }
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof TransportError ? error : failure(error, true)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function failure(error: unknown, sent: boolean): TransportError {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const what = sent ? 'the connection broke before an answer came' : 'no connection'
  return new TransportError(sent, code === undefined ? what : `${what} (${code})`, code)
}
