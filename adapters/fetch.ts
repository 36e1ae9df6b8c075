/**
 * What the vendors' clients call in place of the global `fetch`: requests over `node:http`, for two reasons.
 *
 * It knows whether a request left: one that never reached the platform may be made again at once, one that may have must
 * be settled first, and `fetch` tells the two apart only by the wording of its errors. And it is small: the first use of
 * the global `fetch` costs 30 MB of memory, this 7.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** No answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  constructor(
    message: string,
    /** Some of the request may have reached the other side. */
    readonly sent: boolean,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** The {@link NoAnswer} that a vendor's client wrapped in errors of its own; undefined when it was something else. */
export function noAnswerIn(error: unknown): NoAnswer | undefined {
  const seen = new Set<unknown>()
  for (let at = error; at instanceof Error && !seen.has(at); ) {
    if (at instanceof NoAnswer) return at
    seen.add(at)
    const { cause, error: wrapped, original } = at as Error & { error?: unknown; original?: unknown }
    at = cause ?? wrapped ?? original
  }
  return undefined
}

export interface HttpRequest {
  method?: string
  headers?: unknown
  body?: unknown
  signal?: AbortSignal | null
}

/** The part of a web `Response` that the vendors' clients use. */
export interface HttpAnswer {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: {
    get(name: string): string | null
    entries(): IterableIterator<[string, string]>
    forEach(run: (value: string, name: string) => void): void
  }
  readonly body: ReadableStream<Uint8Array>
  arrayBuffer(): Promise<ArrayBuffer>
  text(): Promise<string>
  json(): Promise<unknown>
}

export interface HttpClient {
  (url: string | URL, init?: HttpRequest): Promise<HttpAnswer>
  /** Ends every connection that is open. */
  close(): void
}

/**
 * A client with connections of its own, kept alive between requests. Redirects are not followed.
 *
 * @param proxy `http://[user:password@]host:port`, through which every request goes (CONNECT)
 */
export async function httpClient(proxy?: string): Promise<HttpClient> {
  const agents = await agentsFor(proxy)
  const client = (url: string | URL, init: HttpRequest = {}): Promise<HttpAnswer> =>
    exchange(new URL(url), init, agents)
  return Object.assign(client, {
    close: () => {
      for (const agent of new Set(Object.values(agents))) agent.destroy()
    },
  })
}

interface Agents {
  plain: Agent
  secure: Agent
}

async function agentsFor(proxy: string | undefined): Promise<Agents> {
  if (proxy === undefined)
    return { plain: new Agent({ keepAlive: true }), secure: new SecureAgent({ keepAlive: true }) }
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  const agent = new HttpsProxyAgent(proxy, { keepAlive: true })
  return { plain: agent, secure: agent }
}

function exchange(url: URL, init: HttpRequest, agents: Agents): Promise<HttpAnswer> {
  const { signal } = init
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new NoAnswer('the request was called off', false))
    const isSecure = url.protocol === 'https:'
    const sending = (isSecure ? secure : plain)(url, {
      method: init.method ?? 'GET',
      headers: headersOf(init.headers),
      agent: isSecure ? agents.secure : agents.plain,
    })
    const watch = new Watch(sending)
    const abort = () => sending.destroy(new Error('the request was called off'))
    signal?.addEventListener('abort', abort, { once: true })
    sending.once('close', () => signal?.removeEventListener('abort', abort))
    sending.once('error', (error) => reject(new NoAnswer(reasonOf(error), watch.sent, { cause: error })))
    sending.once('response', (incoming) => resolve(answerOf(incoming)))
    write(sending, init.body).catch((error: unknown) =>
      sending.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  })
}

/** Whether bytes of a request may have left: a connection was there for it. */
class Watch {
  sent = false

  constructor(request: ClientRequest) {
    request.once('socket', (socket) => {
      if (!socket.connecting) {
        this.sent = true
        return
      }
      const encrypted = 'encrypted' in socket
      socket.once(encrypted ? 'secureConnect' : 'connect', () => {
        this.sent = true
      })
    })
  }
}

async function write(request: ClientRequest, body: unknown): Promise<void> {
  if (body === undefined || body === null) return void request.end()
  if (typeof body === 'string' || body instanceof Uint8Array) return void request.end(body)
  if (!isChunks(body)) throw new TypeError('a body must be text, bytes or a stream of bytes')
  await pipeline(body, request)
}

function isChunks(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** A plain record, pairs, or anything with `forEach(value, name)`, as a record. */
function headersOf(headers: unknown): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) return {}
  if (Array.isArray(headers)) return Object.fromEntries(headers as [string, string][])
  if (!('forEach' in headers) || typeof headers.forEach !== 'function')
    return { ...(headers as Record<string, string>) }
  const record: Record<string, string> = {}
  headers.forEach((value: string, name: string) => {
    record[name] = value
  })
  return record
}

function answerOf(incoming: IncomingMessage): HttpAnswer {
  const status = incoming.statusCode ?? 0
  const headers = new Map(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
  const bytes = async (): Promise<Buffer> => {
    try {
      return Buffer.concat(await incoming.toArray())
    } catch (error) {
      // The answer broke off: what was asked for has happened, or not.
      throw new NoAnswer(reasonOf(error), true, { cause: error })
    }
  }
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: incoming.statusMessage ?? '',
    headers: {
      get: (name) => headers.get(name.toLowerCase()) ?? null,
      entries: () => headers.entries(),
      forEach: (run) => {
        for (const [name, value] of headers) run(value, name)
      },
    },
    get body() {
      return Readable.toWeb(incoming) as ReadableStream<Uint8Array>
    },
    async arrayBuffer() {
      const all = await bytes()
      return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength) as ArrayBuffer
    },
    text: async () => (await bytes()).toString('utf8'),
    json: async () => JSON.parse((await bytes()).toString('utf8')) as unknown,
  }
}

/** Never holds the URL: a bot's token may stand in it. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code === 'string') return `no answer (${code})`
  return error instanceof Error ? error.message : String(error)
}
