/**
 * Hands events to the core: each room's in order, one at a time, until the core has each one durably.
 *
 * What the core refuses (a full disk) is offered again with backoff, and nothing newer of the same room passes it. A
 * row is deleted after it was accepted; a crash in between delivers it once more, under the same identity.
 */
import type { Clock, Logger } from '../../src/messaging/contract.js'
import type { Db } from './db.js'
import type { Delivery } from './protocol.js'
import type { LocalRaw } from './raw.js'

/** Events of one room that wait in memory; more wait in the database alone. */
const MOST_IN_MEMORY = 1_000
const PAGE = 200
const FIRST_RETRY = 250
const LAST_RETRY = 30_000
/** How long a request waits for the core before it is answered "stored, delivered later". */
const PATIENCE = 10_000
/** Accepted rows are deleted along with the next write, or after this long. */
const MARK_AFTER = 200
const MOST_MARKS = 256

/** `later`: it is stored and will be delivered, but the core has not got it yet. */
export type Outcome = 'accepted' | 'later'

interface Lane {
  room: string
  queue: Delivery[]
  /** The database holds more than `queue`. */
  behind: boolean
  /** Highest number that was put into `queue`. */
  last: number
  /** Highest number that is known to be stored. */
  newest: number
  /** Highest number that was accepted; everything below it was too. */
  done: number
  running: boolean
  failures: number
  cancelRetry: (() => void) | null
  waiters: Map<number, Set<(outcome: Outcome) => void>>
}

export interface DelivererOptions {
  db: Db
  clock: Clock
  log: Logger
  accept(raw: LocalRaw): Promise<unknown>
  /** Called when delivery begins to fail (with the reason) and when it works again (null). */
  trouble(reason: string | null): void
}

export class Deliverer {
  #lanes = new Map<string, Lane>()
  /** Accepted, but the row may still be there. */
  #marks = new Set<number>()
  #cancelMark: (() => void) | null = null
  #closed = false
  #failing = new Set<string>()
  #idle: (() => void)[] = []

  constructor(private readonly options: DelivererOptions) {}

  /** What an earlier life did not get delivered. Call before anything new can be stored. */
  recover(rooms: readonly string[]): void {
    for (const room of rooms) {
      const lane = this.#lane(room)
      lane.behind = true
      this.#kick(lane)
    }
  }

  /** Newly stored events, in the order they were committed. */
  push(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const lane = this.#lane(delivery.room)
      lane.newest = delivery.seq
      if (!lane.behind && lane.queue.length < MOST_IN_MEMORY) {
        lane.queue.push(delivery)
        lane.last = delivery.seq
      } else {
        lane.behind = true
      }
      this.#kick(lane)
    }
  }

  /** What became of an event that was stored. */
  outcome({ room, seq }: Pick<Delivery, 'room' | 'seq'>): Promise<Outcome> {
    const lane = this.#lanes.get(room)
    if (lane === undefined || seq <= lane.done) return Promise.resolve('accepted')
    if (this.#closed) return Promise.resolve('later')
    return new Promise((resolve) => {
      const settle = (outcome: Outcome) => {
        cancel()
        resolve(outcome)
      }
      const waiters = lane.waiters.get(seq) ?? new Set()
      lane.waiters.set(seq, waiters.add(settle))
      const { clock } = this.options
      const cancel = clock.at(clock.now() + PATIENCE, () => {
        waiters.delete(settle)
        resolve('later')
      })
      this.#kick(lane)
    })
  }

  /** Deletes accepted rows; called before a write, so that both share its commit. */
  flush(): void {
    this.#cancelMark?.()
    this.#cancelMark = null
    if (this.#marks.size === 0) return
    const seqs = [...this.#marks]
    this.#marks.clear()
    this.options.db.call('delivered', { seqs }).catch(() => {
      // They are tried again with the next write. If there is none, the core hears of them again and knows them.
      for (const seq of seqs) this.#marks.add(seq)
    })
  }

  /** Lets what is on its way arrive, until `deadline`; what is left is delivered by the next connection. */
  async close(deadline: number): Promise<void> {
    const { clock } = this.options
    if (this.#busy()) {
      await new Promise<void>((resolve) => {
        const cancel = clock.at(deadline, resolve)
        this.#idle.push(() => {
          cancel()
          resolve()
        })
      })
    }
    this.stop()
    this.flush()
  }

  /** Nothing is tried any more; who waits is told that it will be later. */
  stop(): void {
    this.#closed = true
    this.#cancelMark?.()
    this.#cancelMark = null
    for (const lane of this.#lanes.values()) {
      lane.cancelRetry?.()
      lane.cancelRetry = null
      this.#settleAll(lane, 'later')
    }
  }

  #busy(): boolean {
    return [...this.#lanes.values()].some((lane) => lane.running)
  }

  #lane(room: string): Lane {
    let lane = this.#lanes.get(room)
    if (lane === undefined) {
      lane = {
        room,
        queue: [],
        behind: false,
        last: 0,
        newest: 0,
        done: 0,
        running: false,
        failures: 0,
        cancelRetry: null,
        waiters: new Map(),
      }
      this.#lanes.set(room, lane)
    }
    return lane
  }

  /** Starts a lane. One that waits for its next attempt is tried at once: somebody is there who wants to know. */
  #kick(lane: Lane): void {
    if (lane.running || this.#closed) return
    lane.cancelRetry?.()
    lane.cancelRetry = null
    lane.running = true
    this.#run(lane).then(
      () => {
        lane.running = false
        if (lane.queue.length === 0 && !lane.behind) this.#retire(lane)
        else if (lane.cancelRetry === null) this.#kick(lane)
        if (!this.#busy()) for (const idle of this.#idle.splice(0)) idle()
      },
      (error: unknown) => {
        lane.running = false
        this.#failed(lane, error)
        if (!this.#busy()) for (const idle of this.#idle.splice(0)) idle()
      },
    )
  }

  async #run(lane: Lane): Promise<void> {
    while (!this.#closed) {
      const next = lane.queue[0]
      if (next !== undefined) {
        await this.options.accept(next.raw)
        lane.queue.shift()
        this.#accepted(lane, next.seq)
      } else if (lane.behind) {
        const page = await this.options.db.call('undelivered', {
          room: lane.room,
          after: lane.last,
          limit: PAGE,
        })
        lane.queue.push(...page)
        lane.last = page.at(-1)?.seq ?? lane.last
        // What was committed after the page was read has been told already, and was not queued.
        lane.behind = page.length === PAGE || lane.newest > lane.last
      } else {
        return
      }
    }
  }

  #accepted(lane: Lane, seq: number): void {
    if (lane.failures > 0) {
      lane.failures = 0
      this.#failing.delete(lane.room)
      if (this.#failing.size === 0) this.options.trouble(null)
    }
    lane.done = seq
    this.#marks.add(seq)
    this.#settle(lane, seq, 'accepted')
    if (this.#marks.size >= MOST_MARKS) this.flush()
    else if (this.#cancelMark === null && !this.#closed) {
      const { clock } = this.options
      this.#cancelMark = clock.at(clock.now() + MARK_AFTER, () => this.flush())
    }
  }

  #failed(lane: Lane, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const { clock, log } = this.options
    this.#settleAll(lane, 'later')
    if (this.#closed) return
    const delay = Math.min(LAST_RETRY, FIRST_RETRY * 2 ** Math.min(lane.failures, 10))
    lane.failures++
    lane.cancelRetry = clock.at(clock.now() + delay, () => this.#kick(lane))
    this.#failing.add(lane.room)
    if (lane.failures === 1) {
      log.warn({ room: lane.room, reason }, 'a stored message could not be handed on; it is tried again')
      this.options.trouble(reason)
    }
  }

  #retire(lane: Lane): void {
    this.#settleAll(lane, 'accepted')
    this.#lanes.delete(lane.room)
  }

  #settle(lane: Lane, seq: number, outcome: Outcome): void {
    const waiters = lane.waiters.get(seq)
    lane.waiters.delete(seq)
    for (const settle of waiters ?? []) settle(outcome)
  }

  #settleAll(lane: Lane, outcome: Outcome): void {
    for (const seq of [...lane.waiters.keys()]) this.#settle(lane, seq, outcome)
  }
}
