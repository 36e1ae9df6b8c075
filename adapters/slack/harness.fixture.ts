/** What the tests of this folder share: a workspace in a box, a core that remembers, and a connection between them. */
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
import type { VirtualClock } from '../../tests/simulators/kit/clock.js'
import type { Person } from '../../tests/simulators/kit/stage.js'
import { type SlackOptions, type SlackSimulator, startSlack } from '../../tests/simulators/slack/index.js'
import slack from './index.js'

export class TestHost implements Host {
  readonly connection = 'slack'
  readonly name = 'Golem'
  readonly states: ConnectionState[] = []
  readonly accepted: (Inbound | Skipped)[] = []
  readonly offered: (Inbound | Skipped)[] = []
  self: BotIdentity | null = null
  /** Rejects this many events before it stores again. */
  refuse = 0
  readonly #known = new Set<string>()
  readonly lines: string[] = []
  readonly log = {
    debug: (_: object, message: string) => void this.lines.push(message),
    info: (_: object, message: string) => void this.lines.push(message),
    warn: (_: object, message: string) => void this.lines.push(message),
    error: (_: object, message: string) => void this.lines.push(message),
  }

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
  readonly #looking = new Set<() => void>()
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
}

export interface World {
  sim: SlackSimulator
  host: TestHost
  ann: Person
  chat: string
  connection: Connection
  connect(settings?: Record<string, unknown>): Promise<Connection>
  close(): Promise<void>
}

/** A workspace with Ann in a channel, and the connection to it. */
export async function openWorld(
  options: SlackOptions = {},
  settings: Record<string, unknown> | null = {},
): Promise<World> {
  const sim = await startSlack({ limits: 'off', ...options })
  const dataDir = await mkdtemp(join(tmpdir(), 'golem-slack-'))
  const host = new TestHost(sim.clock, dataDir)
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const opened: Connection[] = []
  const world: World = {
    sim,
    host,
    ann,
    chat,
    connection: undefined as unknown as Connection,
    async connect(more = {}) {
      const given = slack.settings.parse({ ...sim.settings('socket'), ...more })
      world.connection = await slack.connect(given, host)
      opened.push(world.connection)
      return world.connection
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

export function partOf(text: string): Part {
  const [part] = slack.codec.write(parseDoc(text), slack.limits)
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
