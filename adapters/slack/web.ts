/**
 * Slack's Web API through the vendor's client, one HTTP request a call: no retries, no queue that pauses, a time-out,
 * an abort signal, a dispatcher of its own. Each call has a client and options of its own, for the SDK writes into the
 * options it is given.
 */
import type { Logger as SlackLogger, WebClient } from '@slack/web-api'
import type { Dispatcher } from 'undici'
import { dispatcherOf, neverArrived, reasonOf } from '../http.js'
import { CallFailed } from './failures.js'
import { type Fields, fields, list, text } from './shape.js'

export interface WebOptions {
  apiUrl: string
  proxy?: string | undefined
}

export interface CallOptions {
  signal?: AbortSignal
  timeoutMs?: number
}

/** Long enough for a slow answer, short enough that an acknowledgement is not missed for want of a name. */
const PATIENCE = 15_000

interface Sdk {
  web: typeof import('@slack/web-api')
  undici: typeof import('undici')
}

export class Web {
  readonly #dispatcher: Dispatcher

  private constructor(
    private readonly sdk: Sdk,
    private readonly token: string,
    readonly apiUrl: string,
    readonly proxy: string | undefined,
  ) {
    this.#dispatcher = dispatcherOf(sdk.undici, proxy)
  }

  static async open(token: string, { apiUrl, proxy }: WebOptions): Promise<Web> {
    const [web, undici] = await Promise.all([import('@slack/web-api'), import('undici')])
    return new Web({ web, undici }, token, apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`, proxy)
  }

  /** @throws CallFailed only */
  async call(method: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Fields> {
    const { signal, timeoutMs = PATIENCE } = options
    if (signal?.aborted) throw new CallFailed('unreachable', method)
    const seen: Seen = {}
    try {
      const answer = fields(await this.#client(timeoutMs, signal, seen).apiCall(method, args))
      // The SDK takes whatever is not false for a yes.
      if (answer.ok !== true) throw new CallFailed('unanswered', method)
      return answer
    } catch (error) {
      throw this.#failed(method, error, seen)
    }
  }

  /** Something that is no method of the API: an upload, a download. Redirects are the caller's affair. */
  async request(
    url: string,
    init: {
      method: 'GET' | 'POST'
      authorized: boolean
      body?: Uint8Array | ReadableStream<Uint8Array>
      bytes?: number
      signal?: AbortSignal
    },
  ): Promise<Response> {
    const { method, authorized, body, bytes, signal } = init
    const response = await this.sdk.undici.fetch(url, {
      method,
      redirect: 'manual',
      dispatcher: this.#dispatcher,
      headers: {
        ...(authorized && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/octet-stream' }),
        ...(bytes !== undefined && { 'content-length': String(bytes) }),
      },
      ...(body !== undefined && { body: body as never, duplex: 'half' as const }),
      ...(signal !== undefined && { signal }),
    })
    return response as unknown as Response
  }

  /** What became of a request outside the API that threw. */
  failed(what: string, error: unknown): CallFailed {
    return this.#failed(what, error, {})
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  #client(timeout: number, signal: AbortSignal | undefined, seen: Seen): WebClient {
    const { undici, web } = this.sdk
    const send: typeof fetch = async (url, init) => {
      const signals = [init?.signal, signal].filter((each) => each instanceof AbortSignal)
      const response = await undici.fetch(
        url as string,
        {
          ...init,
          dispatcher: this.#dispatcher,
          ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
        } as never,
      )
      seen.status = response.status
      return response as unknown as Response
    }
    return new web.WebClient(this.token, {
      slackApiUrl: this.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout,
      logger: SILENT,
      fetch: send,
      allowAbsoluteUrls: false,
    })
  }

  #failed(method: string, error: unknown, seen: Seen): CallFailed {
    if (error instanceof CallFailed) return error
    const { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } = this.sdk.web
    if (error instanceof WebAPIRateLimitedError)
      return new CallFailed('rate_limited', method, { retryAfterMs: error.retryAfter * 1_000 })
    // Without the header that says until when.
    if (seen.status === 429) return new CallFailed('rate_limited', method)
    if (error instanceof WebAPIPlatformError) {
      const { needed, response_metadata: metadata } = fields(error.data)
      const code = text(error.data.error)
      if (code === 'ratelimited' || code === 'rate_limited') return new CallFailed('rate_limited', method)
      // The body was no JSON: a page of some proxy, or of Slack in trouble.
      if (code === undefined || !/^[a-z0-9_]{1,80}$/.test(code)) return new CallFailed('unanswered', method)
      const reasons = list(fields(metadata).messages).filter((each) => typeof each === 'string')
      return new CallFailed(code, method, {
        ...(text(needed) !== undefined && { needed: text(needed) as string }),
        ...(reasons.length > 0 && { cause: new Error(reasons.join('; ').slice(0, 500)) }),
      })
    }
    if (error instanceof WebAPIHTTPError) {
      const status = error.statusCode
      return new CallFailed(status >= 500 || status === 408 ? 'unanswered' : `http_${status}`, method)
    }
    const original = error instanceof WebAPIRequestError ? error.original : error
    const reason = reasonOf(original)
    return new CallFailed(neverArrived(original) ? 'unreachable' : 'unanswered', method, {
      reason,
      cause: new Error(reason),
    })
  }
}

interface Seen {
  status?: number
}

/** The SDK's own log lines hold addresses and payloads. What matters is in the errors. */
const SILENT: SlackLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => 'error' as never,
  setName: () => undefined,
}
export const silentLogger = SILENT
