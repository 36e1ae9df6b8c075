/** Calls of Discord's API. https://docs.discord.com/developers/reference */
import type { FormData } from 'undici'
import { CallFailed } from './failures.js'
import { type Fields, fields, list, number, text } from './shape.js'
import type { Answer, Request, Web } from './web.js'

const VERSION = 'v10'

export interface CallOptions {
  /** Sent as JSON, */
  body?: unknown
  /** or as a form with files. */
  form?: FormData
  query?: Readonly<Record<string, string | number | undefined>>
  signal?: AbortSignal | undefined
  timeoutMs?: number
  /** `false`: the path carries its own right (a token of an interaction), and the bot's has no business there. */
  authorized?: boolean
}

/** Parts of a path: each is escaped, so that none can leave its place. Tokens in it are never shown. */
export type Path = readonly string[]

export class Api {
  constructor(
    readonly web: Web,
    private readonly token: string,
  ) {}

  /** The JSON of the answer; `{}` where it has none. @throws CallFailed only */
  async call(method: Request['method'], path: Path, options: CallOptions = {}): Promise<unknown> {
    const { body, form, query = {}, signal, timeoutMs, authorized = true } = options
    const what = named(method, path)
    const url = new URL(`${this.web.apiUrl}/${VERSION}/${path.map(escaped).join('/')}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const answer = await this.web.send(url.href, {
      method,
      what,
      ...(form !== undefined && { body: form }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(authorized && { authorization: `Bot ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    return resultOf(answer, what)
  }

  async get(path: Path, options: CallOptions = {}): Promise<Fields> {
    return fields(await this.call('GET', path, options))
  }
}

/** `@me` stays as it is written everywhere. */
const escaped = (part: string): string => encodeURIComponent(part).replace(/^%40/, '@')

/** `POST channels/1/messages`; what follows a word for a token's owner is left out. */
function named(method: string, path: Path): string {
  const shown = path.map((part) => (/^[a-z-]{1,20}$|^\d{1,20}$|^@\w+$/.test(part) ? part : '…'))
  return `${method} ${shown.join('/')}`
}

function resultOf({ status, headers, body }: Answer, what: string): unknown {
  const said = parsed(body)
  if (status >= 200 && status < 300) {
    if (said !== undefined) return said
    // 204, or a page of something in between that is not Discord.
    if (body === '') return {}
    throw new CallFailed('unanswered', what, 'the answer is no JSON', { status })
  }
  const error = fields(said)
  if (status === 429) throw limited(error, headers, what)
  // "Some aspect of the operation may have succeeded": nobody knows.
  if (status >= 500 || status === 408)
    throw new CallFailed('unanswered', what, `status ${status}`, { status })
  const code = number(error.code)
  const complaints = complaintsIn(error.errors)
  const words = [text(error.message) ?? `status ${status}`, ...complaints].join('; ').slice(0, 400)
  const retryAfter = seconds(error.retry_after)
  throw new CallFailed('refused', what, `${words}${code === undefined ? '' : ` (${code})`}`, {
    status,
    ...(code !== undefined && { code }),
    ...(complaints.length > 0 && { fields: complaints }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
function limited(error: Fields, headers: Headers, what: string): CallFailed {
  const retryAfter = seconds(error.retry_after) ?? seconds(Number(headers.get('retry-after') ?? Number.NaN))
  // Cloudflare's own limit is one of this machine's address, and comes without JSON.
  const global =
    error.global === true ||
    headers.get('x-ratelimit-scope') === 'global' ||
    headers.get('x-ratelimit-global') !== null ||
    text(error.message) === undefined
  const code = number(error.code)
  return new CallFailed('limited', what, 'too many requests (429)', {
    status: 429,
    global,
    ...(code !== undefined && { code }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** Seconds with a fraction, as milliseconds. */
function seconds(value: unknown): number | undefined {
  const given = number(value)
  return given === undefined || given < 0 ? undefined : Math.ceil(given * 1_000)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const MOST_COMPLAINTS = 10

/** `{content: {_errors: [{code}]}}` as `content.CODE`. https://docs.discord.com/developers/reference#error-messages */
function complaintsIn(errors: unknown, path: readonly string[] = [], depth = 0): string[] {
  if (depth > 6) return []
  return Object.entries(fields(errors))
    .flatMap(([name, value]) =>
      name === '_errors'
        ? list(value).map((each) => [...path, text(fields(each).code) ?? '?'].join('.'))
        : complaintsIn(value, [...path, name.slice(0, 40)], depth + 1),
    )
    .slice(0, MOST_COMPLAINTS)
}
