/** What the tests of this folder share: a tenant in a box, a core that remembers, and a connection between them. */
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
  InboundMessage,
  Part,
  Post,
  Skipped,
} from '../../src/messaging/contract.js'
import { parseDoc, plainText } from '../../src/messaging/contract.js'
import { type FeishuOptions, type FeishuSimulator, startFeishu } from '../../tests/simulators/feishu/index.js'
import type { VirtualClock } from '../../tests/simulators/kit/clock.js'
import type { Person } from '../../tests/simulators/kit/stage.js'
import feishu from './index.js'

export class TestHost implements Host {
  readonly connection = 'feishu'
  readonly name = 'Golem'
  readonly states: ConnectionState[] = []
  readonly accepted: (Inbound | Skipped)[] = []
  readonly offered: (Inbound | Skipped)[] = []
  self: BotIdentity | null = null
  /** Rejects this many events before it stores again. */
  refuse = 0
  /** What stores wait for. */
  gate: Promise<void> = Promise.resolve()
  readonly #known = new Set<string>()
  readonly #looking = new Set<() => void>()
  readonly lines: string[] = []
  readonly log = {
    debug: (fields: object, message: string) => this.#write(fields, message),
    info: (fields: object, message: string) => this.#write(fields, message),
    warn: (fields: object, message: string) => this.#write(fields, message),
    error: (fields: object, message: string) => this.#write(fields, message),
  }

  constructor(
    readonly clock: VirtualClock,
    readonly dataDir: string,
  ) {}

  #write(fields: object, message: string): void {
    this.lines.push(`${message} ${JSON.stringify(fields)}`)
  }
  thread(): MessagePort {
    throw new Error('this adapter wants no thread')
  }
  identify(self: BotIdentity): void {
    this.self = self
  }
  state(state: ConnectionState): void {
    this.states.push(state)
    this.#look()
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
    this.#look()
    await this.gate
    if (this.refuse > 0) {
      this.refuse--
      throw new Error('the disk is full')
    }
    if (event.event !== undefined && this.#known.has(event.event)) return 'known'
    if (event.event !== undefined) this.#known.add(event.event)
    this.accepted.push(event)
    this.#look()
    return 'new'
  }

  get phase(): string | undefined {
    return this.states.at(-1)?.phase
  }
  all<K extends Inbound['kind']>(kind: K): Extract<Inbound, { kind: K }>[] {
    return this.accepted.filter((event): event is Extract<Inbound, { kind: K }> => event.kind === kind)
  }
  /** The message, when it is heard. */
  async heard(id: string): Promise<InboundMessage> {
    const find = (): InboundMessage | undefined => this.all('message').find((one) => one.id === id)
    await this.until(() => find() !== undefined)
    return find() as InboundMessage
  }

  #look(): void {
    for (const look of this.#looking) look()
  }
}

export interface World {
  sim: FeishuSimulator
  host: TestHost
  ann: Person
  chat: string
  connection: Connection
  /** Another life of the connection: nothing is remembered. */
  connect(settings?: Record<string, unknown>): Promise<Connection>
  close(): Promise<void>
}

/** A tenant with Ann in a group, and the connection to it. */
export async function openWorld(
  options: FeishuOptions = {},
  settings: Record<string, unknown> | null = {},
): Promise<World> {
  const sim = await startFeishu({ limits: 'off', ...options })
  const dataDir = await mkdtemp(join(tmpdir(), 'golem-feishu-'))
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
      const given = feishu.settings.parse({ ...sim.settings('socket'), ...more })
      world.connection = await feishu.connect(given, host)
      opened.push(world.connection)
      // A press that finds nobody there is lost.
      if (given.webhook === undefined) await sim.until(() => sim.connections > 0, 'it is connected')
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
  const [part] = feishu.codec.write(parseDoc(text), feishu.limits)
  if (part === undefined) throw new Error('nothing to write')
  return part
}

/** The form for when a card was refused. */
export function plainPart(text: string): Part {
  const { plain } = feishu.codec
  if (plain === undefined) throw new Error('there is no plain form')
  return plain(text)
}

export const post = (chat: string, text: string, more: Partial<Post> = {}): Post => ({
  kind: 'post',
  place: { chat },
  part: partOf(text),
  ...more,
})

export const textOf = (event: Inbound): string => ('doc' in event ? plainText(event.doc) : '')

export const never = (): AbortSignal => new AbortController().signal

let keys = 0
export const key = (): string => `00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}`
