/**
 * Events over HTTP. All of the checking is done here: the SDK never looks at the Verification Token, takes a body that
 * is not encrypted although it should be, and answers a wrong signature with 200.
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
 */
import type { Clock, Logger, Millis } from '../../src/messaging/contract.js'
import type { Refusals } from '../refusals.js'
import { bodyWithin, refuse } from '../webhook.js'
import { isSigned, sameText, unseal } from './seal.js'
import { type Fields, fields, text } from './shape.js'

const MOST_BYTES = 1024 * 1024
/**
 * What was not acknowledged comes again after 15 s, 5 min, 1 h and 6 h, and nothing promises that it is signed anew. A
 * request that somebody repeats within this time is known by what it brings, which the core remembers for far longer.
 */
const OLDEST: Millis = 8 * 60 * 60_000
/** How far this machine's clock may be behind. */
const AHEAD: Millis = 5 * 60_000

export interface WebhookOptions {
  encryptKey: string
  verificationToken: string
  clock: Clock
  log: Logger
  /** Of one connection: told of each request that is not from Feishu. */
  refusals: Refusals
  /** Resolves when the body is durable, with what Feishu is answered. */
  take(body: Fields): Promise<object | undefined>
}

/** Events and card callbacks, both on one address. */
export async function serveWebhook(options: WebhookOptions, request: Request): Promise<Response> {
  if (request.method !== 'POST')
    return refuse(405, 'method-not-allowed', 'Feishu’s events are posted here.', { allow: 'POST' })
  const bytes = await bodyWithin(request, MOST_BYTES)
  if (bytes === null) return refuse(413, 'too-large', `The body is larger than ${MOST_BYTES} bytes.`)
  const outer = parse(bytes.toString('utf8'))
  if (outer === null) return refuse(400, 'malformed', 'The body is no JSON object.')
  const unsigned = doubtOf(options, request.headers, bytes)
  const opened = openOf(options, outer)
  if (typeof opened === 'string') return deny(options, opened)
  const body = parse(opened.clear)
  if (body === null) return refuse(400, 'malformed', 'What is encrypted is no JSON object.')
  if (!sameText(tokenOf(body), options.verificationToken))
    return deny(options, 'The Verification Token is wrong. Is it the one of "Encryption Strategy"?')
  // Feishu asks whether the address is ours before it signs anything: whoever knows key and token may ask.
  if (body.type === 'url_verification') return challenge(body)
  if (unsigned !== null) return deny(options, unsigned)
  return await handOver(options, body)
}

async function handOver({ take, log }: WebhookOptions, body: Fields): Promise<Response> {
  try {
    return Response.json((await take(body)) ?? {})
  } catch (error) {
    log.warn({ error: String(error) }, 'an event of Feishu could not be stored; it will come again')
    // Anything but 200 makes Feishu deliver it again.
    return refuse(503, 'not-stored', 'The event could not be stored. Send it again.', { 'retry-after': '5' })
  }
}

function deny({ refusals }: WebhookOptions, reason: string): Response {
  refusals.note(reason)
  return refuse(401, 'not-from-feishu', reason)
}

function challenge(body: Fields): Response {
  const { challenge: asked } = body
  return typeof asked === 'string' && asked.length <= 1_000
    ? Response.json({ challenge: asked })
    : refuse(400, 'malformed', 'The challenge is missing.')
}

/** Why this may not be from Feishu; null: it is. */
function doubtOf({ encryptKey, clock }: WebhookOptions, headers: Headers, body: Buffer): string | null {
  const signature = headers.get('x-lark-signature')
  const timestamp = headers.get('x-lark-request-timestamp')
  const nonce = headers.get('x-lark-request-nonce')
  if (signature === null || timestamp === null || nonce === null) return 'The request is not signed.'
  if (!/^\d{1,12}$/.test(timestamp)) return 'The time of the signature cannot be read.'
  if (!isSigned(signature, timestamp, nonce, encryptKey, body))
    return 'The signature is wrong. Is encryptKey the one of "Encryption Strategy"?'
  const age = clock.now() - Number(timestamp) * 1_000
  return age > OLDEST || age < -AHEAD
    ? `The request is ${Math.round(Math.abs(age) / 60_000)} minutes off. If it is new, this machine’s clock is wrong.`
    : null
}

/** What is inside, or why it is not opened. */
function openOf({ encryptKey }: WebhookOptions, outer: Fields): { clear: string } | string {
  const sealed = text(outer.encrypt)
  if (sealed === undefined)
    return 'The request is not encrypted. Set the Encrypt Key under "Events & Callbacks", "Encryption Strategy".'
  const clear = unseal(sealed, encryptKey)
  return clear === null
    ? 'The request is encrypted with another key. Is encryptKey the one of "Encryption Strategy"?'
    : { clear }
}

/** In the header of events of today, beside the event in the old ones and in challenges. */
function tokenOf(body: Fields): string {
  return text(fields(body.header).token) ?? text(body.token) ?? ''
}

function parse(value: string): Fields | null {
  try {
    const json: unknown = JSON.parse(value)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : null
  } catch {
    return null
  }
}
