/**
 * Events over HTTP: every request is checked against the signing secret, over its raw bytes and in constant time, and
 * answered when what it brings is durable. https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Logger } from '../../src/messaging/contract.js'
import type { Refusals } from '../refusals.js'
import { bodyWithin, refuse } from '../webhook.js'
import { fields, text } from './shape.js'

const MOST_BYTES = 1024 * 1024
/** Older requests may be somebody else's repetition. */
const FRESH = 5 * 60_000

export interface WebhookOptions {
  signingSecret: string
  clock: Clock
  log: Logger
  /** Of one connection: told of each request that is not from Slack. */
  refusals: Refusals
  /** Resolves when the body is durable. */
  take(body: unknown): Promise<void>
}

/** Events, interactions and slash commands, all on one address. */
export async function serveWebhook(options: WebhookOptions, request: Request): Promise<Response> {
  if (request.method !== 'POST') {
    return refuse(405, 'method-not-allowed', 'Slack’s events are posted here.', { allow: 'POST' })
  }
  const body = await bodyWithin(request, MOST_BYTES)
  if (body === null) return refuse(413, 'too-large', `The body is larger than ${MOST_BYTES} bytes.`)
  const unproven = doubtOf(options, request.headers, body)
  if (unproven !== null) {
    options.refusals.note(unproven)
    return refuse(401, 'not-from-slack', unproven)
  }
  const found = parse(request.headers.get('content-type') ?? '', body.toString('utf8'))
  if (found === null)
    return refuse(400, 'malformed', 'The body is neither JSON of an event nor a form of Slack.')
  if ('answer' in found)
    return new Response(found.answer, { status: 200, headers: { 'content-type': 'text/plain' } })
  try {
    await options.take(found.body)
  } catch (error) {
    options.log.warn({ error: String(error) }, 'an event of Slack could not be stored; it will come again')
    // Anything but 2xx makes Slack deliver it again.
    return refuse(503, 'not-stored', 'The event could not be stored. Send it again.', { 'retry-after': '5' })
  }
  return new Response(null, { status: 200 })
}

/** Why this may not be from Slack; null: it is. */
function doubtOf({ signingSecret, clock }: WebhookOptions, headers: Headers, body: Buffer): string | null {
  const signature = headers.get('x-slack-signature')
  const timestamp = headers.get('x-slack-request-timestamp')
  if (signature === null || timestamp === null) return 'The request is not signed.'
  if (!/^\d{1,12}$/.test(timestamp)) return 'The time of the signature cannot be read.'
  const expected = `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
  const given = Buffer.from(signature)
  const wanted = Buffer.from(expected)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    return 'The signature is wrong. Is signingSecret the one of "Basic Information"?'
  const age = Math.abs(clock.now() - Number(timestamp) * 1_000)
  return age > FRESH
    ? `The request is ${Math.round(age / 60_000)} minutes off. If it is new, this machine’s clock is wrong.`
    : null
}

function parse(contentType: string, body: string): { body: unknown } | { answer: string } | null {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') return parseForm(body)
  if (type !== 'application/json') return null
  const json = parseJson(body)
  const { type: kind, challenge, event } = fields(json)
  if (kind === 'url_verification') {
    return typeof challenge === 'string' && challenge.length <= 1_000 ? { answer: challenge } : null
  }
  return kind === 'event_callback' && typeof event === 'object' && event !== null
    ? { body: json }
    : unknown(json)
}

/** Something of Slack's that is none of the known: the core is told, so that it has a receipt. */
function unknown(json: unknown): { body: unknown } | null {
  return text(fields(json).type) === undefined ? null : { body: json }
}

/** Interactions carry JSON in one field; slash commands are the form itself. */
function parseForm(body: string): { body: unknown } | { answer: string } | null {
  const form = new URLSearchParams(body)
  // Slack looks now and then whether the address still has a certificate.
  if (form.get('ssl_check') === '1') return { answer: '' }
  const payload = form.get('payload')
  if (payload !== null) {
    const json = parseJson(payload)
    return text(fields(json).type) === undefined ? null : { body: json }
  }
  return form.get('command') === null ? null : { body: Object.fromEntries(form) }
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
