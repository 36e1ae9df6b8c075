/** Time that passes when the test says so. */
import type { Clock, Millis } from '../../src/messaging/ambient.js'
import { T0 } from './policy.js'

export class TestClock implements Clock {
  #now: Millis
  #due: { when: Millis; run: () => void }[] = []

  constructor(now: Millis = T0) {
    this.#now = now
  }

  now(): Millis {
    return this.#now
  }

  at(when: Millis, run: () => void): () => void {
    const entry = { when, run }
    this.#due.push(entry)
    return () => {
      this.#due = this.#due.filter((other) => other !== entry)
    }
  }

  /** Timers that have not rung. */
  get waiting(): number {
    return this.#due.length
  }

  /** Moves on; what is due rings in its order, each at its own time. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = this.#due.filter(({ when }) => when <= end).sort((a, b) => a.when - b.when)[0]
      if (next === undefined) break
      this.#due = this.#due.filter((other) => other !== next)
      this.#now = Math.max(this.#now, next.when)
      next.run()
    }
    this.#now = end
  }
}

/** Lets everything that is ready run: promises, and the steps they lead to. */
export async function settled(rounds = 30): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise<void>((resolve) => setImmediate(resolve))
}
