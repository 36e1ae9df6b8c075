/** What the tests of the simulator share: an end that hears events, and bare calls of the Web API. */
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { type SlackOptions, type SlackSimulator, startSlack } from './index.js'

type Json = Record<string, unknown>

/** Something heard: an event's body, a press, a command. */
export interface Heard {
  type: string
  payload: Json & { event: Json }
  headers: IncomingHttpHeaders
  raw: string
  envelope?: Json
}

/** What must be closed when a test ends, newest first. */
export class Closing {
  readonly #closers: (() => unknown)[] = []

  add<Item>(item: Item, close: () => unknown): Item {
    this.#closers.push(close)
    return item
  }

  async end(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }

  async slack(options: SlackOptions = {}): Promise<SlackSimulator> {
    const sim = await startSlack(options)
    return this.add(sim, () => sim.close())
  }

  /** A web server that hears events and answers each as `answer` says: a status, or nothing for `null`. */
  async hook(
    answer: (
      heard: Heard,
      n: number,
    ) => number | null | { status: number; headers?: Record<string, string>; body?: string } = () => 200,
  ): Promise<{ url: string; heard: Heard[] }> {
    const heard: Heard[] = []
    const server = createServer((asked, response) => {
      const chunks: Buffer[] = []
      asked.on('data', (chunk: Buffer) => chunks.push(chunk))
      asked.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const one = { ...bodyOf(raw, asked.headers['content-type'] ?? ''), headers: asked.headers, raw }
        heard.push(one)
        const result = answer(one, heard.length)
        if (result === null) return
        const { status, headers = {}, body = '' } = typeof result === 'number' ? { status: result } : result
        response.writeHead(status, headers).end(body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.add(server, () => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`, heard }
  }

  /** A bare connection to an address; rejects with the status of a refusal. */
  async socketAt(url: string): Promise<WebSocket> {
    const socket = new WebSocket(url)
    this.add(socket, () => socket.terminate())
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve)
      socket.on('error', reject)
    })
    return socket
  }

  /** A bare Socket Mode connection that acknowledges what `acks` says. */
  async socket(
    sim: SlackSimulator,
    acks: (heard: Heard) => boolean | Json = () => true,
  ): Promise<{ heard: Heard[]; frames: Json[]; socket: WebSocket }> {
    const { url } = await api(sim, 'apps.connections.open', {}, 'app')
    const socket = new WebSocket(String(url))
    const heard: Heard[] = []
    const frames: Json[] = []
    this.add(socket, () => socket.terminate())
    socket.on('error', () => {})
    const greeted = new Promise<void>((resolve, reject) => {
      socket.on('close', () => reject(new Error('closed before the first frame')))
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as Json
        frames.push(frame)
        resolve()
        if (frame.envelope_id === undefined) return
        const one = {
          type: String(frame.type),
          payload: frame.payload as Heard['payload'],
          headers: {},
          raw: String(data),
          envelope: frame,
        }
        heard.push(one)
        const ack = acks(one)
        if (ack !== false)
          socket.send(
            JSON.stringify({ envelope_id: frame.envelope_id, ...(ack !== true && { payload: ack }) }),
          )
      })
    })
    await greeted
    return { heard, frames, socket }
  }
}

function bodyOf(raw: string, type: string): Pick<Heard, 'type' | 'payload'> {
  if (type.startsWith('application/json'))
    return { type: 'events_api', payload: JSON.parse(raw) as Heard['payload'] }
  const form = Object.fromEntries(new URLSearchParams(raw)) as Json
  if (typeof form.payload !== 'string') return { type: 'slash_commands', payload: form as Heard['payload'] }
  return { type: 'interactive', payload: JSON.parse(form.payload) as Heard['payload'] }
}

/** One bare call with JSON; the answer's body, with `status` and `retryAfter` of the answer. */
export async function api(
  sim: SlackSimulator,
  method: string,
  args: Json = {},
  token: 'bot' | 'app' | string = 'bot',
): Promise<Json> {
  const { botToken, appToken } = sim.settings('socket') as { botToken: string; appToken: string }
  const bearer = token === 'bot' ? botToken : token === 'app' ? appToken : token
  // A connection of its own: one that is kept alive may have gone mute.
  const { status, headers, text } = await fresh(`${sim.url}/api/${method}`, bearer, JSON.stringify(args))
  const retryAfter = headers['retry-after']
  return {
    ...(JSON.parse(text) as Json),
    ...(status !== 200 && { status }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

function fresh(
  url: string,
  bearer: string,
  body: string,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      ...(bearer !== '' && { authorization: `Bearer ${bearer}` }),
    }
    const asked = request(url, { method: 'POST', agent: false, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('error', reject).end(body)
  })
}
