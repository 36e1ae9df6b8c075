/** One POST to the bot's webhook. Events are JSON; presses are a form with a `payload`; commands are a form. */
import { Agent, type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { VirtualClock } from '../kit/clock.js'
import type { Outgoing } from './publisher.js'
import { signed } from './signature.js'

/** `x-slack-retry-reason`, and `retry_reason` of an envelope. */
export type RetryReason = 'timeout' | 'http_timeout' | 'connection_failed' | 'http_error' | 'unknown_error'

export type PostResult =
  | { ok: true; response: unknown }
  | { ok: false; reason: RetryReason; noRetry: boolean }

export interface PostOptions {
  clock: VirtualClock
  timeoutMs: number
  headers: Record<string, string>
  secret: string
  skewSeconds: number
  /** Holds the connections; without it each post opens one. */
  agent?: Agent
}

/** Connections to a webhook, kept for the next event. `fetch` costs ten times the processor time. */
export const webhookAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 64 })

/** Never rejects. */
export function postTo(url: string, { type, payload }: Outgoing, options: PostOptions): Promise<PostResult> {
  const isJson = type === 'events_api'
  const body = isJson ? JSON.stringify(payload) : form(type, payload)
  const { clock, timeoutMs, secret, skewSeconds, agent } = options
  const at = Math.floor(clock.now() / 1000) + skewSeconds
  const headers = {
    'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    ...options.headers,
    ...signed(secret, at, body),
  }
  return new Promise((resolve) => {
    const isSecure = url.startsWith('https:')
    const asked = (isSecure ? secure : plain)(url, {
      method: 'POST',
      headers,
      ...(agent !== undefined && !isSecure && { agent }),
    })
    const end = (result: PostResult): void => {
      undo()
      resolve(result)
    }
    const undo = clock.after(timeoutMs, () => {
      end({ ok: false, reason: 'http_timeout', noRetry: false })
      asked.destroy()
    })
    asked.on('response', (response) => readAnswer(response, end))
    asked.on('error', () => end({ ok: false, reason: 'connection_failed', noRetry: false }))
    asked.end(body)
  })
}

function readAnswer(response: IncomingMessage, end: (result: PostResult) => void): void {
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  response.on('error', () => end({ ok: false, reason: 'connection_failed', noRetry: false }))
  response.on('end', () => {
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) end({ ok: true, response: parsed(text) })
    else end({ ok: false, reason: 'http_error', noRetry: response.headers['x-slack-no-retry'] === '1' })
  })
}

function form(type: Outgoing['type'], payload: Outgoing['payload']): string {
  if (type === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)])
  return new URLSearchParams(fields).toString()
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
