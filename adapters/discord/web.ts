/**
 * Requests to Discord over undici's own `fetch`: a dispatcher of its own (another SDK in this process may replace the
 * global one), a proxy, a time limit, an abort signal, and no retries: one call is one request.
 */
import type { Dispatcher, FormData } from 'undici'
import { dispatcherOf, neverArrived, reasonOf } from '../http.js'
import { CallFailed } from './failures.js'

/** Milliseconds. */
const PATIENCE = 15_000
/** An answer of the API is far smaller. */
const MOST_ANSWER_BYTES = 16 * 1_048_576

export type Undici = typeof import('undici')

export interface WebOptions {
  /** Without the version. */
  apiUrl: string
  proxy?: string | undefined
}

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names it in errors: a path may hold a token. */
  what: string
  body?: string | FormData
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** Milliseconds; default 15 s. */
  timeoutMs?: number
}

export interface Answer {
  status: number
  headers: Headers
  body: string
}

/** "Provide a valid User Agent": https://docs.discord.com/developers/reference#user-agent */
const USER_AGENT = 'DiscordBot (https://www.npmjs.com/package/golem-gateway, 1)'

export class Web {
  readonly #dispatcher: Dispatcher

  private constructor(
    readonly undici: Undici,
    readonly apiUrl: string,
    readonly proxy: string | undefined,
  ) {
    this.#dispatcher = dispatcherOf(undici, proxy)
  }

  static async open({ apiUrl, proxy }: WebOptions): Promise<Web> {
    return new Web(await import('undici'), apiUrl.replace(/\/+$/, ''), proxy)
  }

  /** Any answer with its whole body. @throws CallFailed where there is none */
  async send(url: string, request: Request): Promise<Answer> {
    const response = await this.open(url, request)
    try {
      const body = await textOf(response, request.what)
      return { status: response.status, headers: response.headers, body }
    } catch (error) {
      throw failed(request.what, error)
    }
  }

  /** The head of an answer; its body is the caller's affair. Redirects are not followed. */
  async open(url: string, request: Request): Promise<Response> {
    const { method, what, body, headers, signal, timeoutMs = PATIENCE } = request
    if (signal?.aborted) throw new CallFailed('unreachable', what, 'given up before it began')
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const response = await this.undici.fetch(url, {
        method,
        redirect: 'manual',
        dispatcher: this.#dispatcher,
        headers: { 'user-agent': USER_AGENT, ...headers },
        ...(body !== undefined && { body }),
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      })
      return response as unknown as Response
    } catch (error) {
      throw failed(what, error)
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }
}

async function textOf(response: Response, what: string): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > MOST_ANSWER_BYTES) throw new CallFailed('unanswered', what, 'the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What became of a request that threw. */
function failed(what: string, error: unknown): CallFailed {
  if (error instanceof CallFailed) return error
  const reason = reasonOf(error)
  const kind = neverArrived(error) ? 'unreachable' : 'unanswered'
  return new CallFailed(kind, what, reason, { cause: new Error(reason) })
}
