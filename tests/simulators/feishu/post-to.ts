/** One POST to the bot's webhook. */
import { Agent, type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { VirtualClock } from '../kit/clock.js'
import { encrypt, signed } from './envelope.js'
import { type Fields, parsed } from './fields.js'

export type PostResult = { ok: true; response: unknown } | { ok: false }

export interface PostOptions {
  clock: VirtualClock
  timeoutMs: number
  /** Null: the body goes as it is, without a signature. */
  encryptKey: string | null
  nonce: string
  /** By which the clock behind signatures is off. */
  skewSeconds: number
  agent?: Agent
}

/** Connections to a webhook, kept for the next event. `fetch` costs ten times the processor time. */
export const webhookAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 64 })

/** Never rejects. Taken is what is answered by 200 in time. */
export function postTo(url: string, content: Fields, options: PostOptions): Promise<PostResult> {
  const { clock, timeoutMs, encryptKey, nonce, skewSeconds, agent } = options
  const clear = JSON.stringify(content)
  const body = encryptKey === null ? clear : JSON.stringify({ encrypt: encrypt(clear, encryptKey) })
  const seconds = Math.floor(clock.now() / 1000) + skewSeconds
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Go-http-client/1.1',
    ...(encryptKey !== null && signed(encryptKey, seconds, nonce, body)),
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
      end({ ok: false })
      asked.destroy()
    })
    asked.on('response', (response) => readAnswer(response, end))
    asked.on('error', () => end({ ok: false }))
    asked.end(body)
  })
}

function readAnswer(response: IncomingMessage, end: (result: PostResult) => void): void {
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  response.on('error', () => end({ ok: false }))
  response.on('end', () =>
    end(response.statusCode === 200 ? { ok: true, response: parsed(text) } : { ok: false }),
  )
}
