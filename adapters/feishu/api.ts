/**
 * Feishu's Open API: one HTTP request a call, through a pool of its own, with a time-out and an abort signal. Nothing is
 * tried again here. A refused token is thrown away and another one asked for; the call itself is left to the core.
 */
import type { Dispatcher } from 'undici'
import type { Clock, Millis } from '../../src/messaging/contract.js'
import { dispatcherOf, neverArrived, reasonOf, withoutAddresses } from '../http.js'
import { CallFailed, isTokenRefused, SCOPE_MISSING } from './failures.js'
import { CALL_MS } from './limits.js'
import { type Fields, fields, list, number, text } from './shape.js'
import { type Token, TokenCache } from './token.js'

/** Answers of calls are small; what is larger is none. */
const MOST_ANSWER = 16 * 1_048_576
/** The longest that a file may take on its way down. */
const DOWNLOAD_MS: Millis = 5 * 60_000
const JSON_TYPE = 'application/json; charset=utf-8'

export interface ApiOptions {
  appId: string
  appSecret: string
  /** Where `/open-apis/…` lies, without a slash at its end. */
  origin: string
  proxy?: string | undefined
  clock: Clock
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface CallOptions {
  query?: Readonly<Record<string, string | number | undefined>>
  body?: Readonly<Record<string, unknown>>
  signal?: AbortSignal | undefined
  timeoutMs?: Millis
}

/** A file on its way up: the parts of a form, one of them a stream. */
export interface Form {
  type: string
  bytes: number
  /** Read once. */
  stream: AsyncIterable<Uint8Array>
}

interface Sent {
  method: Method
  /** With ids in it: never shown. */
  path: string
  /** What errors call it. */
  name: string
  query?: CallOptions['query']
  headers: Record<string, string>
  body?: string | AsyncIterable<Uint8Array>
  signal?: AbortSignal | undefined
  timeoutMs: Millis
}

export class Api {
  #dispatcher: Dispatcher
  readonly #tokens: TokenCache
  /** Pools that are on their way out. */
  readonly #left = new Set<Dispatcher>()

  private constructor(
    private readonly undici: typeof import('undici'),
    private readonly options: ApiOptions,
  ) {
    this.#dispatcher = dispatcherOf(undici, options.proxy)
    this.#tokens = new TokenCache(options.clock, () => this.#token())
  }

  static async open(options: ApiOptions): Promise<Api> {
    return new Api(await import('undici'), options)
  }

  get proxy(): string | undefined {
    return this.options.proxy
  }

  /**
   * @param path behind `/open-apis/`, its ids escaped by {@link idPath}
   * @returns what stands under `data`, or the whole answer where nothing does
   * @throws CallFailed only
   */
  async call(method: Method, path: string, options: CallOptions = {}): Promise<Fields> {
    const { query, body, signal, timeoutMs = CALL_MS } = options
    return this.#authorized(nameOf(method, path), signal, async (headers, name) => {
      const answer = await this.#send({
        method,
        path: `/open-apis/${path}`,
        name,
        query,
        headers: { ...headers, ...(body !== undefined && { 'content-type': JSON_TYPE }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
        timeoutMs,
      })
      return 'data' in answer ? fields(answer.data) : answer
    })
  }

  /** A file into Feishu's store. Nobody sees it before a message shows it. */
  async upload(path: string, form: Form, signal: AbortSignal, timeoutMs: Millis): Promise<Fields> {
    return this.#authorized(nameOf('POST', path), signal, async (headers, name) => {
      const answer = await this.#send({
        method: 'POST',
        path: `/open-apis/${path}`,
        name,
        headers: { ...headers, 'content-type': form.type, 'content-length': String(form.bytes) },
        body: form.stream,
        signal,
        timeoutMs,
      })
      return fields(answer.data)
    })
  }

  /** A file of a message: its head. Whoever gets it reads the body or cancels it. */
  async open(path: string, query: CallOptions['query'], signal?: AbortSignal): Promise<Response> {
    return this.#authorized(nameOf('GET', path), signal, async (headers, name) => {
      const response = await this.#fetch({
        method: 'GET',
        path: `/open-apis/${path}`,
        name,
        query,
        headers,
        signal,
        timeoutMs: DOWNLOAD_MS,
      })
      if (response.status === 200) return response
      throw this.#refused(name, response, await this.#read(name, response))
    })
  }

  /**
   * Where the long connection is, and how it wants to be kept.
   * https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
   */
  async endpoint(signal?: AbortSignal): Promise<{ url: string; config: Fields }> {
    const { appId, appSecret } = this.options
    const answer = await this.#send({
      method: 'POST',
      path: '/callback/ws/endpoint',
      name: 'ws/endpoint',
      headers: { 'content-type': JSON_TYPE, locale: 'zh' },
      body: JSON.stringify({ AppID: appId, AppSecret: appSecret }),
      signal,
      timeoutMs: CALL_MS,
    })
    const { URL: url, ClientConfig: config } = fields(answer.data)
    if (text(url) === undefined) throw new CallFailed('unanswered', 'ws/endpoint')
    return { url: String(url), config: fields(config) }
  }

  /** Leaves the connections there are: where one line is dead, the others of the pool may be. What is under way goes on. */
  renew(): void {
    const left = this.#dispatcher
    this.#left.add(left)
    this.#dispatcher = dispatcherOf(this.undici, this.options.proxy)
    void left.close().finally(() => this.#left.delete(left))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#left].map((left) => left.destroy()))
    await this.#dispatcher.destroy()
  }

  /** With a token; one that is refused is not used again. */
  async #authorized<T>(
    name: string,
    signal: AbortSignal | undefined,
    act: (headers: Record<string, string>, name: string) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted === true) throw new CallFailed('unreachable', name)
    const token = await this.#untilAborted(name, signal, this.#tokens.get())
    try {
      return await act({ authorization: `Bearer ${token}` }, name)
    } catch (error) {
      if (isTokenRefused(error)) {
        this.#tokens.drop(token)
        // Whether another try can help is known at once: not with a secret that is wrong.
        await this.#untilAborted(name, signal, this.#tokens.get())
      }
      throw error
    }
  }

  async #untilAborted<T>(name: string, signal: AbortSignal | undefined, asked: Promise<T>): Promise<T> {
    if (signal === undefined) return this.#beforeTheCall(asked)
    let stop: () => void = () => undefined
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(new CallFailed('unreachable', name))
      signal.addEventListener('abort', stop, { once: true })
    })
    try {
      return await Promise.race([this.#beforeTheCall(asked), aborted])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Without a token nothing is sent: a doubt about it is none about the call. */
  async #beforeTheCall<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked
    } catch (error) {
      if (error instanceof CallFailed && error.code === 'unanswered')
        throw new CallFailed('unreachable', error.call, { ...error.details, cause: error })
      throw error
    }
  }

  async #token(): Promise<Token> {
    const { appId, appSecret } = this.options
    const name = 'auth/v3/tenant_access_token'
    const answer = await this.#send({
      method: 'POST',
      path: '/open-apis/auth/v3/tenant_access_token/internal',
      name,
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify({ app_id: appId, app_secret: appSecret }),
      timeoutMs: CALL_MS,
    })
    const value = text(answer.tenant_access_token)
    if (value === undefined) throw new CallFailed('unanswered', name)
    return { value, lives: (number(answer.expire) ?? 7_200) * 1_000 }
  }

  /** The answer's JSON, where its `code` is 0. */
  async #send(sent: Sent): Promise<Fields> {
    const { name } = sent
    const response = await this.#fetch(sent)
    const answer = await this.#read(name, response)
    if (response.status < 400 && answer !== null && answer.code === 0) return answer
    throw this.#refused(name, response, answer)
  }

  async #fetch({ method, path, name, query, headers, body, signal, timeoutMs }: Sent): Promise<Response> {
    const url = new URL(this.options.origin + path)
    for (const [key, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value))
    }
    const abort = new AbortController()
    const stop = (): void => abort.abort()
    const timer = setTimeout(stop, timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
    try {
      if (signal?.aborted === true) stop()
      const response = await this.undici.fetch(url, {
        method,
        headers,
        redirect: 'error',
        dispatcher: this.#dispatcher,
        signal: abort.signal,
        ...(body !== undefined && { body: body as never, duplex: 'half' as const }),
      })
      return watched(response as unknown as Response, done)
    } catch (error) {
      done()
      throw this.#broken(name, error)
    }
  }

  /** The body as JSON; null where it is none. */
  async #read(name: string, response: Response): Promise<Fields | null> {
    try {
      const value: unknown = JSON.parse(await readWithin(response, MOST_ANSWER))
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
    } catch (error) {
      if (error instanceof SyntaxError) return null
      throw this.#broken(name, error)
    }
  }

  #broken(name: string, error: unknown): CallFailed {
    if (error instanceof CallFailed) return error
    return new CallFailed(neverArrived(error) ? 'unreachable' : 'unanswered', name, {
      said: reasonOf(error),
      cause: new Error(reasonOf(error)),
    })
  }

  #refused(name: string, { status, headers }: Response, answer: Fields | null): CallFailed {
    const code = number(answer?.code)
    const waitMs = secondsOf(headers.get('x-ogw-ratelimit-reset'))
    if (status === 429) return new CallFailed(code ?? 0, name, { status, ...waiting(waitMs) })
    const said = text(answer?.msg)
    // A page of some proxy, or of Feishu in trouble. A refusal is Feishu's own only with a code or a sentence.
    if (answer === null || (code === undefined && (status < 400 || said === undefined)) || code === 0)
      return new CallFailed('unanswered', name, { status })
    return new CallFailed(code ?? 0, name, {
      status,
      ...waiting(waitMs),
      ...(said !== undefined && { said: withoutAddresses(said) }),
      ...(code === SCOPE_MISSING && { scopes: scopesIn(answer) }),
    })
  }
}

const waiting = (waitMs: Millis | undefined): { waitMs?: Millis } => (waitMs === undefined ? {} : { waitMs })

function secondsOf(header: string | null): Millis | undefined {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : undefined
}

/** `error.permission_violations[].subject`, or the list in the sentence: `… scopes is required: [im:chat, …]`. */
function scopesIn(answer: Fields): string[] {
  const named = list(fields(answer.error).permission_violations).flatMap(
    (one) => text(fields(one).subject) ?? [],
  )
  const spelled = /\[([a-z0-9_:.,\s-]{3,400})\]/i.exec(text(answer.msg) ?? '')?.[1]?.split(/[,\s]+/) ?? []
  return [...new Set(named.length > 0 ? named : spelled)].filter((scope) => scope.includes(':')).slice(0, 8)
}

/** `im/v1/messages/om_1/reply` without its ids. */
function nameOf(method: Method, path: string): string {
  return `${method} ${path.replace(/(?<=\/)(?:om|oc|ou|omt|on|cli|img|file)_[^/]*/g, ':id')}`
}

/** An id as a part of a path: it cannot leave its place. */
export function idPath(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E')
}

async function readWithin(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > most) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The response, which tells when its body has ended: until then its time runs. */
function watched(response: Response, done: () => void): Response {
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done: ended } = await reader.read()
        if (!ended) return controller.enqueue(value)
        done()
        controller.close()
      } catch (error) {
        done()
        throw error
      }
    },
    async cancel(reason) {
      done()
      await reader.cancel(reason)
    },
  })
  const { status, headers } = response
  return new Response(body, { status, headers: new Headers([...headers]) })
}
