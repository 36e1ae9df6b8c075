/** One POST to the bot's webhook. Events are JSON; presses are a form with a `payload`; commands are a form. */
import type { VirtualClock } from '../kit/clock.js'
import type { Outgoing } from './publisher.js'
import { signed } from './signature.js'

/** `x-slack-retry-reason`, and `retry_reason` of an envelope. */
export type RetryReason = 'timeout' | 'http_timeout' | 'connection_failed' | 'http_error' | 'unknown_error'

export type PostResult =
  | { ok: true; status: number; response: unknown }
  | { ok: false; status?: number; reason: RetryReason; noRetry: boolean }

export interface PostOptions {
  clock: VirtualClock
  timeoutMs: number
  headers: Record<string, string>
  secret: string
  skewSeconds: number
}

/** Never rejects. */
export async function postTo(
  url: string,
  { type, payload }: Outgoing,
  options: PostOptions,
): Promise<PostResult> {
  const isJson = type === 'events_api'
  const body = isJson ? JSON.stringify(payload) : form(type, payload)
  const { clock, timeoutMs, headers, secret, skewSeconds } = options
  const at = Math.floor(clock.now() / 1000) + skewSeconds
  const abort = new AbortController()
  const undo = clock.after(timeoutMs, () => abort.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        ...headers,
        ...signed(secret, at, body),
      },
      body,
      redirect: 'manual',
      signal: abort.signal,
    })
    const text = await response.text()
    if (response.ok) return { ok: true, status: response.status, response: parsed(text) }
    const noRetry = response.headers.get('x-slack-no-retry') === '1'
    return { ok: false, status: response.status, reason: 'http_error', noRetry }
  } catch {
    return { ok: false, reason: abort.signal.aborted ? 'http_timeout' : 'connection_failed', noRetry: false }
  } finally {
    undo()
  }
}

function form(type: Outgoing['type'], payload: Outgoing['payload']): string {
  if (type === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  return new URLSearchParams(
    Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
}

/** The answer's body: JSON, or a text that is shown as it is. */
function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
