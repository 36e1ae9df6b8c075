/** The clock of a simulated platform: its times and its timers, in milliseconds since 1970. */

interface Timer {
  due: number
  order: number
  run: () => void
}

export interface ClockOptions {
  /** `true`: time stands still until {@link VirtualClock.advance}. Absent: real time, which can be advanced. */
  manual?: boolean
  /** Where a manual clock starts. */
  start?: number
}

/** Longest delay that Node's timers keep; a longer one is waited for in pieces. */
const LONGEST_MS = 2 ** 31 - 1

/** Real time plus an offset, or time that moves by hand alone. Its timers never keep a process alive. */
export class VirtualClock {
  readonly manual: boolean
  #base: number
  #order = 0
  readonly #timers = new Set<Timer>()
  #armed: NodeJS.Timeout | undefined

  constructor(options: ClockOptions = {}) {
    this.manual = options.manual ?? false
    this.#base = this.manual ? (options.start ?? Date.now()) : 0
  }

  now(): number {
    return this.manual ? this.#base : Date.now() + this.#base
  }

  /** Runs `run` when `ms` have passed on this clock; returns its undo. */
  after(ms: number, run: () => void): () => void {
    return this.at(this.now() + Math.max(0, ms), run)
  }

  /** Runs `run` at this time; returns its undo. With `now` it makes the clock fit where the daemon asks for one. */
  at(when: number, run: () => void): () => void {
    const timer: Timer = { due: when, order: this.#order++, run }
    this.#timers.add(timer)
    this.#arm()
    return () => {
      if (this.#timers.delete(timer)) this.#arm()
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve))
  }

  /** Moves time forward. On a manual clock each timer that falls due sees the time it was due at. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`A clock moves forward only: ${ms} ms`)
    const end = this.#base + ms
    if (this.manual) {
      for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
        this.#base = Math.max(this.#base, next.due)
        this.#fire(next)
      }
    }
    this.#base = end
    this.#fireDue()
  }

  /** Forgets every timer. */
  close(): void {
    this.#timers.clear()
    this.#arm()
  }

  #next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.due > until) continue
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer
    }
    return first
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer)
    timer.run()
  }

  #fireDue(): void {
    const now = this.now()
    for (let next = this.#next(now); next !== undefined; next = this.#next(now)) this.#fire(next)
    this.#arm()
  }

  #arm(): void {
    clearTimeout(this.#armed)
    this.#armed = undefined
    if (this.manual) return
    const next = this.#next(Number.POSITIVE_INFINITY)
    if (next === undefined) return
    const wait = Math.min(LONGEST_MS, Math.max(0, Math.ceil(next.due - this.now())))
    this.#armed = setTimeout(() => this.#fireDue(), wait)
    this.#armed.unref()
  }
}
