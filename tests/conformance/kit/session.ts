/** A world with a connection in it: opened for a law, and gone without a trace behind it. */

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  ConnectFailure,
  type Connection,
  type Operation,
  type Part,
  PlatformFailure,
  parseDoc,
  type Receipt,
} from '../../../src/messaging/contract.js'
import { VirtualClock } from '../../simulators/kit/clock.js'
import type { Person } from '../../simulators/kit/stage.js'
import type { Scene, Subject, Way, World } from '../subject.js'
import { TestHost } from './host.js'

/** How long anything may take that happens by itself, in real milliseconds. */
const PATIENCE = 15_000

/** Milliseconds between two writes that no platform finds too fast. */
const BETWEEN_WRITES = 4_000

export class Session {
  connection!: Connection
  readonly people: Person[]
  /** The group that everybody is in. */
  chat = ''
  #keys = 0
  #server: Server | null = null
  #closing = false

  private constructor(
    readonly subject: Subject,
    readonly world: World,
    readonly way: Way,
    readonly host: TestHost,
    readonly clock: VirtualClock,
    private readonly own: boolean,
  ) {
    this.people = ['Ann', 'Ann Lee', '张三', 'b_o_b *x* <y> & [z](w) `v`'].map((name) =>
      world.scene.person(name),
    )
  }

  get scene(): Scene {
    return this.world.scene
  }
  get person(): Person {
    return this.people[0] as Person
  }

  /** `world`: one that is shared, and not closed here. */
  static async open(subject: Subject, way: Way, shared?: World, connect = true): Promise<Session> {
    const world = shared ?? (await subject.open())
    const clock = world.clock ?? new VirtualClock()
    const dataDir = await mkdtemp(join(tmpdir(), 'golem-conformance-'))
    const host = new TestHost(subject.platform.id, dataDir, clock)
    const session = new Session(subject, world, way, host, clock, shared === undefined)
    try {
      if (connect) {
        await session.connect()
        session.chat = await session.scene.group('Lobby', session.people)
      }
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** Connects; with other settings than the good ones where a law wants that. */
  async connect(
    change: (good: Record<string, unknown>) => Record<string, unknown> = (good) => good,
  ): Promise<void> {
    const { platform } = this.subject
    if (this.way === 'webhook') await this.#listen()
    const settings = platform.settings.parse(change(this.world.settings(this.way)))
    this.connection = await platform.connect(settings, this.host)
    this.world.attach?.(this.connection)
    // As the core asks a connection that is up.
    if (this.host.states.at(-1)?.phase === 'ready') for await (const _ of this.connection.missed?.() ?? []);
    // As a supervisor would take note of it: a rejection is a defect of its own, looked for by a law.
    this.connection.done.catch(() => {})
  }

  /** What the daemon does with HTTP for this connection. */
  async #listen(): Promise<void> {
    const mount = `/webhooks/${this.subject.platform.id}`
    const server = createServer((request, response) => {
      void this.#serve(request.url ?? '/', mount, request).then(
        async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers))
          response.end(Buffer.from(await answer.arrayBuffer()))
        },
        () => response.destroy(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#server = server
    const { port } = server.address() as AddressInfo
    this.scene.network?.webhook(`http://127.0.0.1:${port}${mount}${this.world.webhookPath ?? ''}`)
  }

  async #serve(
    target: string,
    mount: string,
    incoming: import('node:http').IncomingMessage,
  ): Promise<Response> {
    const url = new URL(target, 'http://127.0.0.1')
    const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    const body = incoming.method === 'GET' || incoming.method === 'HEAD' ? null : Readable.toWeb(incoming)
    const request = new Request(url, {
      method: incoming.method ?? 'GET',
      headers,
      ...(body !== null && { body: body as ReadableStream<Uint8Array>, duplex: 'half' }),
    })
    // Before the connection is there, and without one, a daemon answers that it does not know the path.
    const serve = this.connection?.serve?.bind(this.connection)
    if (serve === undefined || !url.pathname.startsWith(mount)) return new Response(null, { status: 404 })
    return serve(request, `/${url.pathname.slice(mount.length + 1)}`)
  }

  // ---- speaking and looking ---------------------------------------------------------------------------------------

  /** Performs with a key of its own. No law but those of limits is about how fast one may write: time has passed. */
  perform(op: Operation, signal?: AbortSignal, key = this.key()): Promise<Receipt> {
    this.clock.advance(BETWEEN_WRITES)
    return this.connection.perform(op, key, signal ?? AbortSignal.timeout(PATIENCE))
  }

  key(): string {
    this.#keys++
    return `00000000-0000-4000-8000-${String(this.#keys).padStart(12, '0')}`
  }

  /** The parts of a text, as the platform itself writes it. */
  parts(text: string): readonly Part[] {
    return this.subject.platform.codec.write(parseDoc(text), this.subject.platform.limits)
  }

  part(text: string): Part {
    const [part] = this.parts(text)
    if (part === undefined) throw new Error(`${this.subject.platform.id} writes nothing for ${text}`)
    return part
  }

  /** A post of the bot; its native id. */
  async post(text: string, more: Partial<Extract<Operation, { kind: 'post' }>> = {}): Promise<string> {
    const { id } = await this.perform({
      kind: 'post',
      place: { chat: this.chat },
      part: this.part(text),
      ...more,
    })
    if (id === undefined) throw new Error('a post has no id')
    return id
  }

  /** The failure of something that has to fail. */
  async failure(promise: Promise<unknown>): Promise<PlatformFailure> {
    try {
      await promise
    } catch (error) {
      if (error instanceof PlatformFailure) return error
      throw new Error(`not a PlatformFailure: ${String(error)}`, { cause: error })
    }
    throw new Error('it did not fail')
  }

  /** Requests to the platform during `act`. */
  async requests(act: () => Promise<unknown>): Promise<number> {
    const before = this.scene.network?.calls.length ?? 0
    await act()
    return (this.scene.network?.calls.slice(before) ?? []).filter(({ method }) => !this.#listens(method))
      .length
  }

  /** Calls by which a connection listens are not made by `perform`. */
  #listens(method: string): boolean {
    return this.subject.listening?.includes(method) ?? false
  }

  // ---- waiting ----------------------------------------------------------------------------------------------------

  /** Resolves when `holds` does. `pace`: milliseconds of the clock that pass each time it is asked. */
  async until(holds: () => boolean | Promise<boolean>, what: string, pace = 0): Promise<void> {
    const deadline = performance.now() + PATIENCE
    while (!(await holds())) {
      if (performance.now() > deadline) {
        const heard = this.host.offered.map((event) => `${event.kind} ${event.event}`).slice(-5)
        const states = JSON.stringify(this.host.states.at(-1))
        throw new Error(
          `${what}: not within ${PATIENCE} ms; last heard: ${heard.join(', ')}; state: ${states}`,
        )
      }
      if (pace > 0) this.clock.advance(pace)
      await new Promise((resolve) => setTimeout(resolve, 4))
    }
  }

  /** The message has reached the core. */
  async heard(id: string, pace = 0, chat = this.chat): Promise<void> {
    await this.until(() => this.host.find('message', id, chat) !== undefined, `message ${id} is heard`, pace)
  }

  /** Says something, and waits until it was heard. */
  async say(text: string, person = this.person, more: Parameters<Scene['say']>[3] = {}): Promise<string> {
    const id = await this.scene.say(this.chat, person, text, more)
    await this.heard(id)
    return id
  }

  /** Like {@link until}, connecting again whenever the connection has ended, as a supervisor does. */
  async stays(holds: () => boolean, what: string, pace: number): Promise<void> {
    let ended = false
    const watch = () => {
      const { connection } = this
      void connection.done.then(() => {
        ended = ended || connection === this.connection
      })
    }
    watch()
    await this.until(
      async () => {
        if (!ended) return holds()
        ended = false
        try {
          await this.connect()
        } catch (error) {
          if (error instanceof ConnectFailure) throw error
          ended = true
          return holds()
        }
        watch()
        return holds()
      },
      what,
      pace,
    )
  }

  /** What must never be seen in an error, a state or the log. */
  secrets(change: (good: Record<string, unknown>) => Record<string, unknown> = (good) => good): string[] {
    return secretsIn(change(this.world.settings(this.way)))
  }

  // ---- the end ----------------------------------------------------------------------------------------------------

  /** Ends the connection as a daemon that is being stopped does. */
  async disconnect(withinMs = 5_000): Promise<void> {
    await this.connection?.close(this.clock.now() + withinMs)
  }

  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    this.host.release()
    try {
      await this.disconnect(1_000)
    } finally {
      this.#server?.close()
      this.#server?.closeAllConnections()
      if (this.own) await this.world.scene.close()
      await rm(this.host.dataDir, { recursive: true, force: true })
    }
  }
}

function secretsIn(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) return secretsIn(value as Record<string, unknown>)
    return /token|secret|key/i.test(name) && typeof value === 'string' ? [value] : []
  })
}
