/** Calls of the Bot API through grammY's client, each bounded in time. */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../src/messaging/contract.js'
import { CALL_MS } from './limits.js'
import type { TelegramSettings } from './settings.js'
import { type CallInit, Transport, TransportError } from './transport.js'

export const PUBLIC_API = 'https://api.telegram.org'

/** Telegram said no. `method` and `description` are its own words; neither holds a token. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    readonly method: string,
    readonly status: number,
    readonly description: string,
    readonly parameters: { retryAfter?: number; migrateTo?: string },
  ) {
    super(`${method}: ${description} (${status})`)
  }
}

/** The token is no longer good: 401, or a bare 404 for what is no token at all. */
export function isUnauthorized(error: Error): boolean {
  if (!(error instanceof ApiError)) return false
  return error.status === 401 || (error.status === 404 && error.description === 'Not Found')
}

export interface CallOptions {
  signal?: AbortSignal
  /** Milliseconds; default 20 s. */
  timeoutMs?: number
}

/** The Bot API. A method throws {@link ApiError} when Telegram refuses and {@link TransportError} when nothing came back. */
export interface Api {
  call(method: string, parameters?: object, options?: CallOptions): Promise<unknown>
  /** A file on its way up: its bytes are read when the request is written. */
  file(path: string, name: string): unknown
  download(path: string, options?: CallOptions): Promise<IncomingMessage>
  close(): void
}

export async function openApi(settings: TelegramSettings, clock: Clock): Promise<Api> {
  const root = (settings.apiUrl ?? PUBLIC_API).replace(/\/+$/, '')
  // The build for browsers is the same client without node-fetch and its kin: 2 MB of memory instead of 19.
  const [{ Api: Client, GrammyError, HttpError, InputFile }, { createReadStream }, transport] =
    await Promise.all([import('grammy/web'), import('node:fs'), Transport.open(root, settings.proxy)])
  const client = new Client(settings.botToken, {
    apiRoot: root,
    // The clock below is stricter; this one only bounds what it missed.
    timeoutSeconds: 120,
    fetch: transport.fetch as never,
  })
  const methods = client.raw as unknown as Record<
    string,
    (parameters: object, signal: AbortSignal) => Promise<unknown>
  >

  async function call(method: string, parameters: object = {}, options: CallOptions = {}): Promise<unknown> {
    const bound = bounded(clock, options)
    try {
      const send = methods[method]
      if (send === undefined) throw new TypeError(`the Bot API has no method ${method}`)
      // Methods without parameters take the signal first.
      const plain = PLAIN.has(method)
      return await (plain
        ? (send as unknown as (signal: AbortSignal) => Promise<unknown>)(bound.signal)
        : send(parameters, bound.signal))
    } catch (error) {
      if (error instanceof GrammyError) throw refusal(method, error)
      const cause = error instanceof HttpError ? error.error : error
      if (cause instanceof TransportError)
        throw new TransportError(cause.sent, `${method}: ${cause.message}`, cause.code)
      // Nothing else comes out of a client that was given its transport: a stream that could not be read, mostly.
      const reason =
        cause instanceof Error && 'code' in cause ? String(cause.code) : 'the request could not be made'
      throw new TransportError(bound.signal.aborted, `${method}: ${reason}`, reason)
    } finally {
      bound.end()
    }
  }

  async function* bytes(path: string): AsyncGenerator<Uint8Array> {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>
  }

  return {
    call,
    file: (path, name) => new InputFile(bytes(path), name),
    async download(path, options = {}) {
      const bound = bounded(clock, options)
      try {
        const init: CallInit = { signal: bound.signal }
        return await transport.open(`${root}/file/bot${settings.botToken}/${path}`, init)
      } finally {
        bound.end()
      }
    },
    close: () => transport.close(),
  }
}

const PLAIN = new Set(['getMe', 'getWebhookInfo'])

/** A signal that also fires when the time is up. */
function bounded(
  clock: Clock,
  { signal, timeoutMs = CALL_MS }: CallOptions,
): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const cancel = clock.at(clock.now() + timeoutMs, abort)
  return {
    signal: controller.signal,
    end() {
      cancel()
      signal?.removeEventListener('abort', abort)
    },
  }
}

function refusal(
  method: string,
  error: {
    error_code: number
    description: string
    parameters: { retry_after?: number; migrate_to_chat_id?: number }
  },
): ApiError {
  const { retry_after: retryAfter, migrate_to_chat_id: migrateTo } = error.parameters
  const told = /retry after (\d+)/i.exec(error.description)?.[1]
  const seconds = retryAfter ?? (told === undefined ? undefined : Number(told))
  return new ApiError(method, error.error_code, error.description, {
    ...(seconds !== undefined && { retryAfter: seconds }),
    ...(migrateTo !== undefined && { migrateTo: String(migrateTo) }),
  })
}
