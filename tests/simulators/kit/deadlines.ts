/** Many waits of one length, by one timer: those that began first end first. */
import type { VirtualClock } from './clock.js'

interface Wait {
  due: number
  run: (() => void) | null
}

export class Deadlines {
  readonly #clock: VirtualClock
  readonly #ms: number
  #waits: Wait[] = []
  #head = 0
  #undo: (() => void) | undefined

  constructor(clock: VirtualClock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Runs `run` when the time has passed; returns its undo. */
  add(run: () => void): () => void {
    const wait: Wait = { due: this.#clock.now() + this.#ms, run }
    this.#waits.push(wait)
    if (this.#undo === undefined) this.#arm()
    return () => {
      wait.run = null
    }
  }

  close(): void {
    this.#undo?.()
    this.#waits = []
    this.#head = 0
  }

  #arm(): void {
    this.#undo = undefined
    while (this.#head < this.#waits.length && this.#waits[this.#head]?.run === null) this.#head++
    const first = this.#waits[this.#head]
    if (this.#head > 1_000 || first === undefined) {
      this.#waits = this.#waits.slice(this.#head)
      this.#head = 0
    }
    if (first !== undefined) this.#undo = this.#clock.at(first.due, () => this.#ring())
  }

  #ring(): void {
    const now = this.#clock.now()
    const due: Wait[] = []
    while (this.#head < this.#waits.length && (this.#waits[this.#head]?.due ?? 0) <= now) {
      const wait = this.#waits[this.#head++]
      if (wait !== undefined) due.push(wait)
    }
    this.#arm()
    for (const { run } of due) run?.()
  }
}
