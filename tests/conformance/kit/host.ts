/** A core as far as a connection sees one: it remembers what it is told, and can be slow, forgetful or out of order. */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type {
  BotIdentity,
  Clock,
  ConnectionState,
  Host,
  Inbound,
  Millis,
  Skipped,
} from '../../../src/messaging/contract.js'

/** A clock that knows how many of its timers are set. */
export class CountingClock implements Clock {
  readonly #set = new Set<() => void>()
  constructor(private readonly clock: Clock) {}

  now(): Millis {
    return this.clock.now()
  }

  at(when: Millis, run: () => void): () => void {
    const undo = this.clock.at(when, () => {
      this.#set.delete(cancel)
      run()
    })
    const cancel = () => {
      this.#set.delete(cancel)
      undo()
    }
    this.#set.add(cancel)
    return cancel
  }

  get waiting(): number {
    return this.#set.size
  }
}

export class TestHost implements Host {
  readonly name = 'Golem'
  readonly clock: CountingClock
  readonly states: ConnectionState[] = []
  readonly identities: BotIdentity[] = []
  /** Every event that was offered, also those known already or refused. */
  readonly offered: (Inbound | Skipped)[] = []
  /** Those that are durable, each once. */
  readonly accepted: (Inbound | Skipped)[] = []
  /** Lines of the log, with their fields: for secrets, not for wording. */
  readonly logged: { message: string; fields: object }[] = []
  /** Refuses as many events as this. */
  refuse = 0
  readonly #known = new Set<string>()
  #held: Promise<void> | null = null
  #release: () => void = () => {}

  constructor(
    readonly connection: string,
    readonly dataDir: string,
    clock: Clock,
  ) {
    this.clock = new CountingClock(clock)
  }

  /** From now on nothing becomes durable, until {@link release}. */
  hold(): void {
    this.#held ??= new Promise((resolve) => {
      this.#release = resolve
    })
  }

  release(): void {
    this.#release()
    this.#held = null
  }

  async accept(event: Inbound | Skipped): Promise<'new' | 'known'> {
    this.offered.push(event)
    if (this.#held !== null) await this.#held
    if (this.refuse > 0) {
      this.refuse--
      throw new Error('the disk is full')
    }
    const identity = event.event
    if (identity !== undefined && this.#known.has(identity)) return 'known'
    if (identity !== undefined) this.#known.add(identity)
    this.accepted.push(event)
    return 'new'
  }

  /** Runs in this thread: what it does is the same. */
  thread(module: URL, data: unknown): MessagePort {
    const { port1, port2 } = new MessageChannel()
    void import(module.href).then((guest: { default(port: MessagePort, data: unknown): void }) =>
      guest.default(port2, data),
    )
    return port1
  }

  identify(self: BotIdentity): void {
    this.identities.push(self)
  }

  state(state: ConnectionState): void {
    this.states.push(state)
  }

  readonly log = {
    debug: (fields: object, message: string) => void this.logged.push({ message, fields }),
    info: (fields: object, message: string) => void this.logged.push({ message, fields }),
    warn: (fields: object, message: string) => void this.logged.push({ message, fields }),
    error: (fields: object, message: string) => void this.logged.push({ message, fields }),
  }

  /** The one that was accepted of this kind and message; ids are unique within a chat only. */
  find<K extends Inbound['kind']>(
    kind: K,
    id: string,
    chat: string,
  ): Extract<Inbound, { kind: K }> | undefined {
    return this.all(kind).find((event) => 'id' in event && event.id === id && event.place.chat === chat)
  }

  all<K extends Inbound['kind']>(kind: K): Extract<Inbound, { kind: K }>[] {
    return this.accepted.filter((event): event is Extract<Inbound, { kind: K }> => event.kind === kind)
  }
}
