/** What the tests of this folder share: a clock of their own, a core that can refuse, and a store in the same thread. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type {
  BotIdentity,
  Connection,
  ConnectionState,
  Host,
  Inbound,
  Skipped,
} from '../../src/messaging/contract.js'
import { TestClock as SharedClock } from '../../tests/support/clock.js'
// Loaded now, so that the first request of a test takes no longer than the others.
import './routes.js'
import { connectLocal } from './connection.js'
import { Client, type Db } from './db.js'
import { StoreFailed } from './protocol.js'
import { type LocalSettings, localSettings } from './settings.js'
import { openDatabase } from './store/schema.js'
import { failure, Store } from './store/store.js'

/** Time that passes when the test says so. */
export class TestClock extends SharedClock {
  constructor() {
    super(1_700_000_000_000)
  }
  /** Timers that are still set. */
  get pending(): number {
    return this.waiting
  }
}

/** A core that keeps what it is given. `refuse` makes it reject, `hang` makes it never answer. */
export class TestHost implements Host {
  readonly connection = 'local'
  readonly name = 'Golem'
  /** The module runs in this thread: what it does is the same. */
  thread(module: URL, data: unknown): MessagePort {
    const { port1, port2 } = new MessageChannel()
    void import(module.href).then((guest: { default(port: MessagePort, data: unknown): void }) =>
      guest.default(port2, data),
    )
    return port1
  }
  readonly clock = new TestClock()
  readonly states: ConnectionState[] = []
  readonly identified: BotIdentity[] = []
  readonly warnings: string[] = []
  /** Every call, also of what is known already. */
  readonly offered: (Inbound | Skipped)[] = []
  readonly accepted: (Inbound | Skipped)[] = []
  refuse: string | null = null
  hang = false
  readonly log = {
    debug: () => {},
    info: () => {},
    warn: (_: object, message: string) => void this.warnings.push(message),
    error: (_: object, message: string) => void this.warnings.push(message),
  }
  #known = new Set<string>()

  constructor(readonly dataDir: string) {}

  /** Titles of rooms that the platform told of by itself: a test of what people do need not mention them. */
  readonly announced: string[] = []

  async accept(event: Inbound | Skipped): Promise<'new' | 'known'> {
    if (event.kind === 'change' && event.author.kind === 'self') {
      this.announced.push(event.title ?? '')
      return 'new'
    }
    this.offered.push(event)
    if (this.refuse !== null) throw new Error(this.refuse)
    if (this.hang) return new Promise(() => {})
    const id = event.event ?? ''
    if (this.#known.has(id)) return 'known'
    this.#known.add(id)
    this.accepted.push(event)
    return 'new'
  }
  identify(self: BotIdentity): void {
    this.identified.push(self)
  }
  state(state: ConnectionState): void {
    this.states.push(state)
  }
  /** Kinds of what was accepted, with the id where there is one. */
  get heard(): string[] {
    return this.accepted.map((event) => `${event.kind}${'id' in event ? ` ${event.id}` : ''}`)
  }
}

/** The store without its thread: the same client, the same batches. */
export async function openInline(file: string, options: { logKept?: number } = {}): Promise<Db> {
  let store: Store
  try {
    store = new Store(
      openDatabase(file, () => 'birth'),
      options.logKept,
    )
  } catch (error) {
    const { code, message } = failure(error)
    throw new StoreFailed(code, message)
  }
  const client: Client = new Client({
    send: (requests) => queueMicrotask(() => client.arrived(structuredClone(store.run(requests)))),
    close: () =>
      queueMicrotask(() => {
        store.close()
        client.ended(null)
      }),
  })
  return client
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any
  headers: Headers
}

/** One folder, any number of lives. */
export class Rooms {
  connection!: Connection
  host!: TestHost
  readonly #lives: { connection: Connection; host: TestHost }[] = []

  private constructor(readonly dir: string) {}

  static async open(settings: Partial<LocalSettings> = {}, logKept?: number): Promise<Rooms> {
    const rooms = new Rooms(await mkdtemp(join(tmpdir(), 'golem-local-')))
    await rooms.connect(settings, logKept)
    return rooms
  }

  /** Another life on the same folder; the one before is left as it is, as after a crash. */
  async connect(settings: Partial<LocalSettings> = {}, logKept?: number, host?: TestHost): Promise<TestHost> {
    this.host = host ?? new TestHost(this.dir)
    const parsed = localSettings.parse(settings)
    const open = (file: string) => openInline(file, logKept === undefined ? {} : { logKept })
    this.connection = await connectLocal(parsed, this.host, open)
    this.#lives.push({ connection: this.connection, host: this.host })
    return this.host
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.raw(method, path, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
  }

  raw(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const request = new Request(`http://127.0.0.1:3000/api/local/${path}`, { method, ...init })
    return (
      this.connection.serve?.(request, path.split('?')[0] ?? '') ??
      Promise.reject(new Error('nothing is served'))
    )
  }

  /** Says something and returns its id. */
  async say(text: string, more: Record<string, unknown> = {}, room = 'lobby'): Promise<string> {
    const { status, body } = await this.call('POST', `rooms/${room}/messages`, {
      author: 'Alice',
      text,
      ...more,
    })
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.id
  }

  async dispose(): Promise<void> {
    for (const { connection, host } of this.#lives) {
      const closed = connection.close(0)
      host.clock.advance(60_000)
      await closed
    }
    await rm(this.dir, { recursive: true, force: true })
  }
}

/** Lets everything that does not wait for time come to rest. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}
