/** Deliveries that Telegram posts to Golem (core.telegram.org/bots/api#setwebhook). */
import { createHash, timingSafeEqual } from 'node:crypto'
import { bodyWithin, refuse } from '../webhook.js'
import { type Dict, dict } from './raw.js'

export const SECRET_HEADER = 'x-telegram-bot-api-secret-token'
/** An update is a few kilobytes; the largest are far below this. */
export const BODY_BYTES = 1_048_576

export interface WebhookOptions {
  secret: string
  /** Rejects when the update could not be stored. */
  take(update: Dict): Promise<void>
}

/** Answers 200 only when the update is stored: anything else and Telegram delivers it again. */
export async function receive(request: Request, path: string, options: WebhookOptions): Promise<Response> {
  if (path.replaceAll('/', '') !== '') return refuse(404, 'not-found', 'There is nothing at this address.')
  if (request.method !== 'POST')
    return refuse(405, 'method-not-allowed', 'This address takes POST only.', { allow: 'POST' })
  if (!isSecret(request.headers.get(SECRET_HEADER), options.secret))
    return refuse(401, 'wrong-secret', 'The secret token is missing or wrong.')
  const body = await bodyWithin(request, BODY_BYTES)
  if (body === null) return refuse(413, 'too-large', `An update has at most ${BODY_BYTES} bytes.`)
  const update = parsed(body.toString('utf8'))
  if (update === undefined) return refuse(400, 'malformed', 'The body is no JSON object.')
  try {
    await options.take(update)
  } catch {
    return refuse(503, 'not-stored', 'The update could not be stored; deliver it again.', {
      'retry-after': '5',
    })
  }
  return new Response(null, { status: 200 })
}

/** Digests have one length, so neither the secret's length nor its content shows in the time this takes. */
function isSecret(given: string | null, wanted: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(given ?? ''), digest(wanted)) && given !== null
}

function parsed(body: string): Dict | undefined {
  try {
    return dict(JSON.parse(body))
  } catch {
    return undefined
  }
}
