/**
 * Events on their way to the core, in the order of arrival within their channel. They are handed over without waiting for
 * each other, so that one commit of the core takes many; when one is refused, those behind it in its channel wait until it
 * is in. Discord does not deliver again what it has delivered: what the core cannot take is kept here, and where the
 * process ends first, a RESUME brings it.
 */
import type { Clock } from '../../src/messaging/contract.js'

const PAUSE_FIRST = 250
const PAUSE_MOST = 10_000
/** After so many refusals of one event alone, a line about it is offered instead. */
export const TRIES = 5

export interface Delivery {
  /** Rejects when the core could not take it. */
  store(): Promise<void>
  /** It was refused {@link TRIES} times: what to store in its place. */
  giveUp(): Promise<void>
}

interface Lane {
  /** Not in the core yet, in order. */
  entries: Set<Delivery>
  /** Offered, and not answered yet. */
  offered: number
  failing: boolean
  /** Resolves when those in front have their names. */
  before: Promise<unknown> | null
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #wakes = new Set<() => void>()
  #closed = false
  #idle: (() => void)[] = []

  constructor(private readonly clock: Clock) {}

  /** `ready`: resolves with the delivery when all that it needs is known. Never rejects. */
  put(name: string, ready: Delivery | Promise<Delivery>): void {
    const lane = this.#lane(name)
    if (lane.before === null && !(ready instanceof Promise)) {
      this.#offer(name, lane, ready)
      return
    }
    const turn = Promise.all([ready, lane.before]).then(([delivery]) => {
      if (lane.before === turn) lane.before = null
      this.#offer(name, lane, delivery)
    })
    lane.before = turn
  }

  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void> {
    if (this.#lanes.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** What is refused from now on stays where it is, and is not tried again. */
  close(): void {
    this.#closed = true
    for (const wake of this.#wakes) wake()
  }

  #lane(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane = { entries: new Set(), offered: 0, failing: false, before: null }
    this.#lanes.set(name, lane)
    return lane
  }

  #offer(name: string, lane: Lane, delivery: Delivery): void {
    lane.entries.add(delivery)
    if (lane.failing) return
    lane.offered++
    delivery.store().then(
      () => this.#answered(name, lane, delivery, true),
      () => this.#answered(name, lane, delivery, false),
    )
  }

  #answered(name: string, lane: Lane, delivery: Delivery, stored: boolean): void {
    lane.offered--
    if (stored) lane.entries.delete(delivery)
    else lane.failing = true
    if (lane.failing && lane.offered === 0) void this.#again(name, lane)
    this.#tidy(name, lane)
  }

  /** One after the other, until all are in. */
  async #again(name: string, lane: Lane): Promise<void> {
    let pause = PAUSE_FIRST
    for (let [delivery] = lane.entries; delivery !== undefined; [delivery] = lane.entries) {
      for (let tries = 1; lane.entries.has(delivery); tries++) {
        await this.#sleep(pause)
        if (this.#closed) {
          this.#drop(name)
          return
        }
        try {
          await (tries < TRIES ? delivery.store() : delivery.giveUp())
          lane.entries.delete(delivery)
          pause = 0
        } catch {
          pause = Math.min(Math.max(pause, PAUSE_FIRST) * 2, PAUSE_MOST)
        }
      }
    }
    lane.failing = false
    this.#tidy(name, lane)
  }

  #tidy(name: string, lane: Lane): void {
    if (lane.entries.size === 0 && lane.before === null && this.#lanes.get(name) === lane) this.#drop(name)
  }

  #drop(name: string): void {
    this.#lanes.delete(name)
    if (this.#lanes.size > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        this.#wakes.delete(wake)
        resolve()
      }
      const cancel = this.clock.at(this.clock.now() + ms, wake)
      this.#wakes.add(wake)
    })
  }
}
