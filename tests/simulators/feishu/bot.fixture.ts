/** What the tests of the simulator share: the vendor's SDK, a web server that hears, bare calls. */
import http, { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, DefaultCache, EventDispatcher, LoggerLevel, WSClient } from '@larksuiteoapi/node-sdk'
import { Changes } from '../kit/events.js'
import { type FeishuApp, type FeishuOptions, type FeishuSimulator, startFeishu } from './index.js'

export type Json = Record<string, unknown>

/** Whoever has settings to connect by: the simulator, or another app of it. */
type Connectable = Pick<FeishuApp, 'settings' | 'connections'>

// The SDK's requests go through Node's own agent. A connection that it keeps would be one that a test has cut.
http.globalAgent = new http.Agent({ keepAlive: false })

const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} }

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

  async feishu(options: FeishuOptions = {}): Promise<FeishuSimulator> {
    const sim = await startFeishu(options)
    return this.add(sim, () => sim.close())
  }

  /**
   * The SDK's long connection. Resolves when it is there.
   *
   * @param handle what the app does with an event; what it returns is the answer, and an error makes a 500
   */
  async socket(
    sim: Connectable,
    handle: (event: Json, type: string) => unknown = () => undefined,
    types: readonly string[] = EVENTS,
  ): Promise<{ heard: Json[]; client: WSClient; hears: (count: number) => Promise<void> }> {
    const { appId, appSecret, domain } = sim.settings('socket') as Record<string, string>
    const heard: Json[] = []
    const changes = new Changes()
    const on = (type: string) => (event: Json) => {
      heard.push(event)
      changes.changed()
      return handle(event, type)
    }
    const eventDispatcher = new EventDispatcher({ logger: quiet, loggerLevel: LoggerLevel.fatal }).register(
      Object.fromEntries(types.map((type) => [type, on(type)])),
    )
    const before = sim.connections
    const client = await new Promise<WSClient>((resolve, reject) => {
      const client = new WSClient({
        appId: appId ?? '',
        appSecret: appSecret ?? '',
        domain: domain ?? '',
        logger: quiet,
        loggerLevel: LoggerLevel.fatal,
        onReady: () => resolve(client),
        onError: reject,
      })
      this.add(client, () => client.close({ force: true }))
      void client.start({ eventDispatcher })
    })
    // The server has seen the first ping.
    while (sim.connections <= before) await new Promise((resolve) => setImmediate(resolve))
    const hears = (count: number) => changes.until(() => heard.length >= count, `${count} events at the app`)
    return { heard, client, hears }
  }

  /** A web server; `answer` gets what came and says the status, or nothing for `null`. */
  async hook(
    answer: (heard: Heard, n: number) => number | null | { status: number; body: string } = () => 200,
  ): Promise<{ url: string; heard: Heard[]; hears: (count: number) => Promise<void> }> {
    const heard: Heard[] = []
    const changes = new Changes()
    const server = createServer((asked, response) => {
      const chunks: Buffer[] = []
      asked.on('data', (chunk: Buffer) => chunks.push(chunk))
      asked.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const one = { raw, body: JSON.parse(raw) as Json, headers: asked.headers }
        heard.push(one)
        changes.changed()
        const result = answer(one, heard.length)
        if (result === null) return
        const { status, body } = typeof result === 'number' ? { status: result, body: '{}' } : result
        response.writeHead(status).end(body)
      })
    })
    const hears = (count: number) => changes.until(() => heard.length >= count, `${count} posts`)
    return { url: await this.listen(server), heard, hears }
  }

  async listen(server: ReturnType<typeof createServer>): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.add(server, () => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/event`
  }
}

export interface Heard {
  raw: string
  body: Json
  headers: IncomingHttpHeaders
}

export const EVENTS = [
  'im.message.receive_v1',
  'im.message.recalled_v1',
  'im.message.message_read_v1',
  'im.message.reaction.created_v1',
  'im.message.reaction.deleted_v1',
  'im.chat.member.bot.added_v1',
  'im.chat.member.bot.deleted_v1',
  'im.chat.member.user.added_v1',
  'im.chat.member.user.deleted_v1',
  'im.chat.member.user.withdrawn_v1',
  'im.chat.updated_v1',
  'im.chat.disbanded_v1',
  'application.bot.menu_v6',
  'card.action.trigger',
]

/** The SDK's client of the Open API. */
export function clientOf(sim: Connectable): Client {
  const { appId, appSecret, domain } = sim.settings('socket') as Record<string, string>
  return new Client({
    appId: appId ?? '',
    appSecret: appSecret ?? '',
    domain: domain ?? '',
    cache: new DefaultCache(),
    logger: quiet,
    loggerLevel: LoggerLevel.fatal,
  })
}

export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: Json & { code?: number; msg?: string; data?: Json }
}

/** One bare call on a connection of its own; with a new token unless one is given. */
export async function api(
  sim: Connectable,
  verb: string,
  path: string,
  body?: Json,
  token?: string,
): Promise<Answered> {
  const { domain } = sim.settings('socket') as { domain: string }
  const bearer = token ?? (await newToken(sim))
  return send(`${domain}/open-apis${path}`, verb, body, { authorization: `Bearer ${bearer}` })
}

export async function newToken(sim: Connectable): Promise<string> {
  const { domain, appId, appSecret } = sim.settings('socket') as Record<string, string>
  const url = `${domain}/open-apis/auth/v3/tenant_access_token/internal`
  const { body } = await send(url, 'POST', { app_id: appId, app_secret: appSecret })
  return String(body.tenant_access_token)
}

export function send(
  url: string,
  method: string,
  body?: Json,
  more: Record<string, string> = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json; charset=utf-8', ...more }
    const asked = request(url, { method, agent: false, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const status = response.statusCode ?? 0
        resolve({ status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) })
      })
    })
    asked.on('error', reject).end(body === undefined ? '' : JSON.stringify(body))
  })
}

/** A card of schema 2.0. */
export const card = (...elements: Json[]): string => JSON.stringify({ schema: '2.0', body: { elements } })

export const markdown = (content: string): Json => ({ tag: 'markdown', content })

export const button = (label: string, value: unknown): Json => ({
  tag: 'button',
  text: { tag: 'plain_text', content: label },
  behaviors: [{ type: 'callback', value }],
})
