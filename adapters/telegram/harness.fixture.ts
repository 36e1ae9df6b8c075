/** What the tests of this folder share: a connection to the simulator, and a server that answers as it is told. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type Connection,
  type InboundMessage,
  type Operation,
  type Part,
  PlatformFailure,
  parseDoc,
  type Receipt,
} from '../../src/messaging/contract.js'
import { TestHost } from '../../tests/conformance/kit/host.js'
import { VirtualClock } from '../../tests/simulators/kit/clock.js'
import {
  type StartTelegram,
  startTelegram,
  type TelegramSimulator,
} from '../../tests/simulators/telegram/index.js'
import telegram from './index.js'
import { telegramSettings } from './settings.js'

export { TestHost, VirtualClock }

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'golem-telegram-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

export class Bench {
  connection!: Connection
  #keys = 0

  constructor(
    readonly sim: TelegramSimulator,
    readonly host: TestHost,
  ) {}

  get clock(): VirtualClock {
    return this.sim.clock
  }

  async connect(more: Record<string, unknown> = {}): Promise<Connection> {
    const settings = telegramSettings.parse({ ...this.sim.settings('socket'), ...more })
    this.connection = await telegram.connect(settings, this.host)
    const { connection } = this
    onTestFinished(() => connection.close(this.clock.now() + 1_000))
    return connection
  }

  /** The messages that were taken, in their order. */
  get messages(): InboundMessage[] {
    return this.host.accepted.filter((event) => event.kind === 'message')
  }

  message(id: string): InboundMessage | undefined {
    return this.messages.find((message) => message.id === id)
  }

  heard(id: string): Promise<void> {
    return until(() => this.message(id) !== undefined, `message ${id} is heard`)
  }

  /** Lets time pass until it holds. */
  async passes(holds: () => boolean, what: string, pace = 2_000): Promise<void> {
    await until(() => {
      if (holds()) return true
      this.clock.advance(pace)
      return false
    }, what)
  }

  perform(
    op: Operation,
    key = `key-${++this.#keys}`,
    signal = new AbortController().signal,
  ): Promise<Receipt> {
    return this.connection.perform(op, key, signal)
  }

  post(
    chat: string,
    text: string,
    more: Partial<Extract<Operation, { kind: 'post' }>> = {},
  ): Promise<Receipt> {
    return this.perform({ kind: 'post', place: { chat }, part: partOf(text), ...more })
  }
}

export function partOf(text: string): Part {
  const [part] = telegram.codec.write(parseDoc(text), telegram.limits)
  if (part === undefined) throw new Error('nothing to post')
  return part
}

export async function failure(promise: Promise<unknown>): Promise<PlatformFailure> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof PlatformFailure) return error
  throw error
}

/** A simulator, and a core to connect to it. Both are gone when the test is. */
export async function bench(options: StartTelegram & { connect?: boolean } = {}): Promise<Bench> {
  const { connect = true, ...start } = options
  const sim = await startTelegram({ limits: 'off', ...start })
  onTestFinished(() => sim.close())
  const made = new Bench(sim, new TestHost('telegram', await folder(), sim.clock))
  if (connect) await made.connect()
  return made
}

export interface Served {
  url: string
  /** Paths and bodies of the requests so far. */
  requests: { path: string; body: string }[]
}

/** A server of the Bot API that answers by `answer`. */
export async function serve(
  answer: (path: string, response: ServerResponse, request: IncomingMessage) => void,
): Promise<Served> {
  const requests: Served['requests'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body })
      answer(request.url ?? '', response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Asked again until it holds; rejects after some seconds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what}: it did not happen`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
