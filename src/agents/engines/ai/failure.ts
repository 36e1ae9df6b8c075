/** What went wrong with a request to a model, by what may be done about it. */
import type { EngineError } from '../../../messaging/engine.js'
import { safeLine } from '../../../messaging/text/index.js'

export type FailureKind =
  /** The key is not taken, or may not use the model. */
  | 'unauthorized'
  /** Too many requests; later there are fewer. */
  | 'busy'
  /** The account has no credit or quota left. */
  | 'no-credit'
  /** The provider's own fault, or no connection to it. */
  | 'unavailable'
  /** The reply broke off. */
  | 'cut'
  /** What came is no reply in the provider's protocol. */
  | 'garbage'
  /** The prompt is longer than the model's window. */
  | 'overflow'
  /** The provider knows no such model. */
  | 'no-model'
  /** The address answers that the provider is somewhere else. */
  | 'moved'
  /** The provider does not take the request as it is. */
  | 'rejected'
  /** The provider's filter, or the model, declines to answer. */
  | 'refused'

export interface Failure {
  kind: FailureKind
  /** One line for the receipt: status, and what the provider says. */
  said: string
  /** When to come again, in milliseconds from now, where the provider says so. */
  retryAfter?: number
}

/** Longest words of a provider that are kept. */
const SAID = 400

const RETRIED: readonly FailureKind[] = ['busy', 'unavailable', 'cut', 'garbage']

/** Whether the same request may succeed a moment later. */
export function mayRetry(failure: Failure): boolean {
  return RETRIED.includes(failure.kind)
}

const CODES: Readonly<Record<FailureKind, EngineError['code']>> = {
  unauthorized: 'unauthorized',
  busy: 'rate-limited',
  'no-credit': 'rate-limited',
  unavailable: 'model',
  cut: 'model',
  garbage: 'model',
  overflow: 'model',
  'no-model': 'model',
  moved: 'model',
  rejected: 'model',
  refused: 'refused',
}
const CURES: Readonly<Record<FailureKind, string>> = {
  unauthorized: 'Check the key of this provider: apiKey in golem.yaml, or its environment variable.',
  busy: 'Ask again later, or give the agent a fallback model.',
  'no-credit': 'Add credit or raise the limit at the provider, or give the agent a fallback model.',
  unavailable: 'See whether the provider is up and baseUrl is right, or give the agent a fallback model.',
  cut: 'Ask again; when it goes on, look at what is between Golem and the provider.',
  garbage: 'See whether baseUrl leads to the provider’s API, with its version, e.g. /v1.',
  overflow: 'Set contextTokens to the model’s window, or ask for less at once.',
  'no-model': 'Correct the name of the model in golem.yaml, or see whether the account may use it.',
  moved: 'Set baseUrl to where the provider is now: a key is not sent on to another address.',
  rejected: 'Read what the provider says and correct the options of the agent in golem.yaml.',
  refused: 'Ask in other words, or have another model answer.',
}

export function codeOf(failure: Failure): EngineError['code'] {
  return CODES[failure.kind]
}

/** One sentence: what the person who runs Golem can do. */
export function cureOf(failure: Failure): string {
  return CURES[failure.kind]
}

const OVERFLOW =
  /context.?(?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens|input token count.{0,40}exceed|exceed.{0,20}context|input is too long|reduce the length/i
/** `fetch` quotes the header whole, with the key in it. */
const BAD_HEADER = /invalid header value|to a ByteString/i
const NO_CREDIT = /insufficient_quota|credit balance|billing|payment required|quota exceeded for.*plan/i
const REFUSED = /content.?(?:filter|policy|management)|safety|prohibited|responsible ai/i

/** @param now for a time that a provider names as a date */
export function classify(error: unknown, now: number): Failure {
  if (BAD_HEADER.test(wordsOf(error)))
    return {
      kind: 'unauthorized',
      said: 'the key, or a header, holds a line break or a character that none may hold',
    }
  const fields = fieldsOf(error)
  const own = wordsOf(error)
  const inBody = wordsInBody(fields.body)
  const words = [statusText(fields), own, own.includes(inBody) ? '' : inBody]
  const said = safeLine(words.filter(Boolean).join(': '), SAID)
  const all = `${said} ${fields.body}`
  const retryAfter = retryAfterOf(fields.headers, now)
  const as = (kind: FailureKind): Failure => ({
    kind,
    said: said || 'no reason was given',
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
  const { status } = fields
  if (status === undefined) return as(withoutStatus(error, all))
  if (status === 401 || status === 403) return as('unauthorized')
  if (status === 402 || NO_CREDIT.test(all)) return as('no-credit')
  if (status === 429) return as('busy')
  if (status === 408 || status === 409 || status === 425 || status >= 500) return as('unavailable')
  if (status === 413 || OVERFLOW.test(all)) return as('overflow')
  if (status === 404) return as('no-model')
  // A redirect: nobody follows it with the key.
  if (status >= 300 && status < 400) return as('moved')
  if (status >= 400) return as(REFUSED.test(all) ? 'refused' : 'rejected')
  return as('garbage')
}

function withoutStatus(error: unknown, all: string): FailureKind {
  const name = error instanceof Error ? error.name : ''
  if (/JSONParse|TypeValidation|InvalidResponseData|EmptyResponse|NoOutput/.test(name)) return 'garbage'
  if (
    /Unsupported|InvalidPrompt|InvalidArgument|InvalidData|LoadAPIKey|LoadSetting|MessageConversion/.test(
      name,
    )
  )
    return 'rejected'
  if (OVERFLOW.test(all)) return 'overflow'
  if (/overloaded|rate.?limit|too many requests/i.test(all)) return 'busy'
  if (/terminated|socket|ECONNRESET|EPIPE|aborted|premature|other side closed/i.test(all)) return 'cut'
  return 'unavailable'
}

interface Fields {
  status: number | undefined
  headers: Readonly<Record<string, string>>
  body: string
}

function fieldsOf(error: unknown): Fields {
  const read = (key: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined
  const status = read('statusCode')
  const headers = read('responseHeaders')
  const body = read('responseBody')
  return {
    status: typeof status === 'number' ? status : undefined,
    headers: typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {},
    body: typeof body === 'string' ? body.slice(0, 4_000) : '',
  }
}

function statusText({ status }: Fields): string {
  return status === undefined ? '' : `HTTP ${status}`
}

/** What a relay says in a shape that is not the provider's, where the SDK knows the name of the status only. */
function wordsInBody(body: string): string {
  try {
    const whole: unknown = JSON.parse(body)
    const error: unknown = typeof whole === 'object' && whole !== null ? Reflect.get(whole, 'error') : whole
    const said: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error
    return typeof said === 'string' ? said : ''
  } catch {
    return ''
  }
}

/** What an error says with its causes; a provider's error in the middle of a stream is an object or a text. */
function wordsOf(error: unknown, depth = 0): string {
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null || depth > 3) return ''
  const message: unknown = Reflect.get(error, 'message')
  const inner: unknown = Reflect.get(error, error instanceof Error ? 'cause' : 'error')
  const code: unknown =
    Reflect.get(error, 'code') ?? (error instanceof Error ? '' : Reflect.get(error, 'type'))
  const words = [message, wordsOf(inner, depth + 1), code].filter(
    (word): word is string => typeof word === 'string' && word !== '',
  )
  return [...new Set(words)].join(': ')
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. @returns milliseconds */
export function retryAfterOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (Number.isFinite(ms) && ms >= 0) return ms
  const written = headers['retry-after']?.trim()
  if (written === undefined || written === '') return undefined
  if (/^\d+(?:\.\d+)?$/.test(written)) return Number(written) * 1_000
  const date = Date.parse(written)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
