/** The core with everything around it in the test's hands: platform, runner, clock, a store in memory. */
import { MessageChannel } from 'node:worker_threads'
import type {
  Connection,
  ConnectionId,
  Host,
  IdempotencyKey,
  Operation,
  Part,
  Platform,
  Receipt,
} from '../../src/messaging/contract.js'
import { Directory, type Entry } from '../../src/messaging/directory.js'
import { plainText, sourceText } from '../../src/messaging/doc/index.js'
import type { Policy } from '../../src/messaging/roster.js'
import type { TurnEnd, TurnRunner, TurnWork } from '../../src/messaging/runner.js'
import type { Store } from '../../src/messaging/store.js'
import { MessagingThreads } from '../../src/messaging/threads.js'
import { COMMANDS } from '../../src/store/commands-table.js'
import { settled, TestClock } from './clock.js'
import { policy, SELF } from './policy.js'
import { CAN, TestRoom } from './room.js'

type Command = Exclude<keyof Store, 'close'>

/** The store's commands, one after another, in memory. `fail` makes a command reject as a full disk would. */
export class MemoryStore {
  readonly failing = new Map<Command, Error>()

  constructor(readonly test: TestRoom) {}

  get store(): Store {
    return new Proxy({} as Store, {
      get: (_, name: Command | 'close') =>
        name === 'close'
          ? async () => undefined
          : async (...args: unknown[]) => {
              const error = this.failing.get(name)
              if (error) throw error
              const command = COMMANDS[name] as (room: unknown, ...args: unknown[]) => unknown
              // As over a thread: nobody shares an object with the store.
              return structuredClone(command(this.test.room, ...structuredClone(args)))
            },
    })
  }
}

export interface Sent {
  op: Operation
  key: IdempotencyKey
}

/** A platform that notes what it is asked, and fails as the test says. */
export class TestPlatform {
  readonly sent: Sent[] = []
  /** Asked before each operation is performed: throw, hang, or let it pass. */
  before: (op: Operation, key: IdempotencyKey, attempt: number) => Promise<void> | void = () => undefined
  settles: ((op: Operation, key: IdempotencyKey) => Promise<'not-sent' | 'unknown' | Receipt>) | undefined
  /** What can be read back, if anything; `can.history` goes with it. */
  history: Connection['history'] | undefined
  /** Where the platform says that something was missed. */
  missed: Connection['missed'] | undefined
  /** Who is in a chat, where it can be listed. */
  members: Connection['members'] | undefined
  readonly attempts = new Map<IdempotencyKey, number>()
  /** What it can and allows, where that differs. Read when it is connected. */
  can: Partial<Platform['can']> = {}
  limits: Partial<Platform['limits']> = {}
  host: Host | null = null
  #next = 0

  constructor(
    readonly clock: TestClock,
    readonly idempotent = true,
  ) {}

  get platform(): Platform {
    const write = (doc: Parameters<Platform['codec']['write']>[0]): Part[] => [
      {
        text: plainText(doc),
        body: { text: sourceText(doc, (mention) => `<@${mention.id}>`) },
        mentions: [],
      },
    ]
    return {
      id: 'local',
      settings: undefined as never,
      limits: {
        text: { max: 4_000, unit: 'utf16' },
        files: { maxBytes: 1e6, perPost: 1 },
        timeoutMs: 20_000,
        ...this.limits,
      },
      can: {
        ...CAN,
        operations: [...CAN.operations],
        events: ['message'],
        idempotentFor: this.idempotent ? Number.POSITIVE_INFINITY : 0,
        quoteOpensThread: false,
        history: this.history !== undefined,
        direct: false,
        ...this.can,
      },
      codec: { read: () => ({ kind: 'skipped', reason: 'malformed', at: 0 }), write },
      connect: async () => this.connection,
    }
  }

  get connection(): Connection {
    return {
      self: SELF,
      done: new Promise(() => undefined),
      perform: async (op, key) => {
        const attempt = (this.attempts.get(key) ?? 0) + 1
        this.attempts.set(key, attempt)
        await this.before(op, key, attempt)
        this.sent.push({ op, key })
        return { id: `n${++this.#next}`, at: this.clock.now() }
      },
      ...(this.settles ? { settle: this.settles } : {}),
      ...(this.history ? { history: this.history } : {}),
      ...(this.missed ? { missed: this.missed } : {}),
      ...(this.members ? { members: this.members } : {}),
      download: async () => new ReadableStream(),
      close: async () => undefined,
    }
  }

  /** What people see being posted, in order. */
  posts(chat?: string): string[] {
    return this.sent
      .filter(({ op }) => op.kind === 'post' && (chat === undefined || op.place.chat === chat))
      .map(({ op }) => (op.kind === 'post' ? op.part.text : ''))
  }
}

export const SHOWN: TurnEnd['shown'] = {
  lines: 1,
  characters: 1,
  cut: 0,
  memoryHash: null,
  template: 'test',
  engine: 'test',
}

export function ended(result: TurnEnd['result'], change: Partial<TurnEnd> = {}): TurnEnd {
  return { result, shown: SHOWN, tools: [], files: [], refused: [], asked: [], ...change }
}

/** Agents as a function from work to text. Throwing makes the turn fail. */
export type Agents = (work: TurnWork, store: Store) => Promise<string> | string

export class Core {
  readonly clock = new TestClock()
  readonly directory = new Directory()
  readonly worked: TurnWork[] = []
  readonly memory: MemoryStore
  readonly store: Store
  readonly threads: MessagingThreads
  /** Where a text goes that is too long for a chat. */
  keepAsFile = async (operation: number, _text: string): Promise<string> => `/kept/${operation}/answer.md`
  readonly seen: string[] = []
  readonly logged: string[] = []
  readonly #platforms = new Map<ConnectionId, { entry: Entry; host: Host }>()

  constructor(
    readonly agents: Agents,
    given: Policy = policy(),
    room = new TestRoom(given),
    boot?: string,
  ) {
    room.now = this.clock.now()
    this.memory = new MemoryStore(boot === undefined ? room : room.reboot(boot))
    this.store = this.memory.store
    const runner: TurnRunner = {
      run: (work) => this.#run(work),
      close: async () => undefined,
    }
    const line = (level: string) => (fields: object, message: string) =>
      void this.logged.push(`${level} ${message} ${JSON.stringify(fields)}`)
    this.threads = new MessagingThreads({
      policy: given,
      store: this.store,
      runner,
      directory: this.directory,
      clock: this.clock,
      log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      thread: () => new MessageChannel().port1,
      keepAsFile: (operation, text) => this.keepAsFile(operation, text),
      seen: (chat, names) => void this.seen.push(...names.map((name) => `${chat} ${name}`)),
    })
  }

  connect(platform: TestPlatform, id: ConnectionId = 'local', up = true): Host {
    const entry = this.directory.add(id, platform.platform, 'Golem')
    const host = this.threads.host(entry, '/nowhere', 'Golem', () => undefined)
    host.identify(SELF)
    platform.host = host
    this.#platforms.set(id, { entry, host })
    if (up) this.directory.set(id, { connection: platform.connection })
    return host
  }

  async #run(work: TurnWork): Promise<TurnEnd> {
    this.worked.push(work)
    const aborted = new Promise<TurnEnd>((resolve) => {
      const end = () =>
        resolve(ended({ kind: 'aborted', reason: work.signal.reason, partial: 'so far', started: true }))
      if (work.signal.aborted) end()
      else work.signal.addEventListener('abort', end, { once: true })
    })
    const answered = (async (): Promise<TurnEnd> => {
      try {
        const text = await this.agents(work, this.store)
        return text === '[PASS]'
          ? ended({ kind: 'silence', reason: 'it passed' })
          : ended({ kind: 'answer', text })
      } catch (error) {
        return ended({ kind: 'failed', code: 'test', message: String(error) })
      }
    })()
    return Promise.race([answered, aborted])
  }

  /** Time passes in steps, so that what one timer starts meets the next. */
  async pass(ms: number, step = 500): Promise<void> {
    await settled()
    for (let left = ms; left > 0; left -= step) {
      this.clock.advance(Math.min(step, left))
      await settled(6)
    }
  }
}
