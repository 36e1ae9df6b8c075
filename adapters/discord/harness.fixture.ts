/** What the tests of this folder share: a guild in a box, a core that remembers, and a connection between them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type {
  BotIdentity,
  Connection,
  ConnectionState,
  Host,
  Inbound,
  Part,
  Post,
  Skipped,
} from '../../src/messaging/contract.js'
import { parseDoc } from '../../src/messaging/contract.js'
import {
  type DiscordOptions,
  type DiscordSimulator,
  startDiscord,
} from '../../tests/simulators/discord/index.js'
import type { VirtualClock } from '../../tests/simulators/kit/clock.js'
import type { Person } from '../../tests/simulators/kit/stage.js'
import discord from './index.js'

export class TestHost implements Host {
  readonly connection = 'discord'
  readonly name = 'Golem'
  readonly states: ConnectionState[] = []
  readonly accepted: (Inbound | Skipped)[] = []
  readonly offered: (Inbound | Skipped)[] = []
  self: BotIdentity | null = null
  /** Rejects this many events before it stores again. */
  refuse = 0
  /** Resolves when events may become durable. */
  held: Promise<void> | null = null
  readonly #known = new Set<string>()
  readonly lines: string[] = []
  readonly log = {
    debug: (_: object, message: string) => void this.lines.push(message),
    info: (_: object, message: string) => void this.lines.push(message),
    warn: (_: object, message: string) => void this.lines.push(message),
    error: (_: object, message: string) => void this.lines.push(message),
  }
  readonly #looking = new Set<() => void>()

  constructor(
    readonly clock: VirtualClock,
    readonly dataDir: string,
  ) {}

  thread(): MessagePort {
    throw new Error('this adapter wants no thread')
  }
  identify(self: BotIdentity): void {
    this.self = self
  }
  state(state: ConnectionState): void {
    this.states.push(state)
    for (const look of this.#looking) look()
  }
  /** Resolves when it holds; asked again after every event and state. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return
        this.#looking.delete(look)
        resolve()
      }
      this.#looking.add(look)
      look()
    })
  }
  async accept(event: Inbound | Skipped): Promise<'new' | 'known'> {
    this.offered.push(event)
    for (const look of this.#looking) look()
    await this.held
    if (this.refuse > 0) {
      this.refuse--
      throw new Error('the disk is full')
    }
    if (event.event !== undefined && this.#known.has(event.event)) return 'known'
    if (event.event !== undefined) this.#known.add(event.event)
    this.accepted.push(event)
    for (const look of this.#looking) look()
    return 'new'
  }

  get phase(): string | undefined {
    return this.states.at(-1)?.phase
  }
  all<K extends Inbound['kind']>(kind: K): Extract<Inbound, { kind: K }>[] {
    return this.accepted.filter((event): event is Extract<Inbound, { kind: K }> => event.kind === kind)
  }
  texts(): string[] {
    return this.all('message').map(({ doc }) => doc.source ?? '')
  }
}

export interface World {
  sim: DiscordSimulator
  host: TestHost
  ann: Person
  chat: string
  connection: Connection
  connect(settings?: Record<string, unknown>): Promise<Connection>
  /** From now on the test itself asks what was missed. */
  asksItself(): void
  /** Until it holds, while the clock goes on. */
  passing(holds: () => boolean, what: string, paceMs?: number): Promise<void>
  close(): Promise<void>
}

/** A guild with Ann in a channel, and the connection to it. */
export async function openWorld(
  options: DiscordOptions = {},
  settings: Record<string, unknown> | null = {},
): Promise<World> {
  const sim = await startDiscord({ limits: 'off', heartbeatMs: 500, ...options })
  const dataDir = await mkdtemp(join(tmpdir(), 'golem-discord-'))
  const host = new TestHost(sim.clock, dataDir)
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const opened: Connection[] = []
  let asksItself = false
  const world: World = {
    sim,
    host,
    ann,
    chat,
    connection: undefined as unknown as Connection,
    asksItself() {
      asksItself = true
    },
    async connect(more = {}) {
      const given = discord.settings.parse({ ...sim.settings('socket'), ...more })
      world.connection = await discord.connect(given, host)
      opened.push(world.connection)
      // As the core does with a connection that is up.
      if (host.phase === 'ready' && !asksItself) await collect(world.connection.missed?.())
      return world.connection
    },
    async passing(holds, what, paceMs = 500) {
      const until = performance.now() + 15_000
      while (!holds()) {
        if (performance.now() > until) throw new Error(`${what}: not within 15 s`)
        sim.clock.advance(paceMs)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async close() {
      for (const connection of opened) await connection.close(sim.clock.now() + 500)
      await sim.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  if (settings !== null) await world.connect(settings)
  return world
}

export function partsOf(text: string): readonly Part[] {
  return discord.codec.write(parseDoc(text), discord.limits)
}

export function partOf(text: string): Part {
  const [part] = partsOf(text)
  if (part === undefined) throw new Error('nothing to write')
  return part
}

export const post = (chat: string, text: string, more: Partial<Post> = {}): Post => ({
  kind: 'post',
  place: { chat },
  part: partOf(text),
  ...more,
})

export const never = (): AbortSignal => new AbortController().signal

export async function collect<T>(items: AsyncIterable<T> | undefined): Promise<T[]> {
  const all: T[] = []
  for await (const item of items ?? []) all.push(item)
  return all
}
