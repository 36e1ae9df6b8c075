import type { Clock } from '../../../messaging/ambient.js'

/** A program that stays is ended after this long without a turn. */
export const IDLE_LIMIT = 10 * 60_000
/** At most this many programs of one agent wait for a turn. */
export const IDLE_PROGRAMS = 8

/** A program, as far as keeping it goes. */
export interface Kept {
  /** It takes no further turn. */
  readonly ended: boolean
  /** Settles once nothing of it is left. */
  readonly closed: Promise<unknown>
  stop(): Promise<unknown>
}

/**
 * Programs of one agent that stay between turns. One serves one conversation only and one turn at a
 * time, so what it keeps in memory cannot cross to another chat, and when it dies one turn fails.
 */
export class Pool<Program extends Kept> {
  readonly #clock: Clock
  readonly #limits: { idle: number; programs: number }
  /** Longest idle first. */
  readonly #idle = new Map<Program, { key: string; undo: () => void }>()

  constructor(clock: Clock, limits = { idle: IDLE_LIMIT, programs: IDLE_PROGRAMS }) {
    this.#clock = clock
    this.#limits = limits
  }

  /** A living idle program of this key, which then is the caller's until it is given back. */
  take(key: string): Program | undefined {
    for (const [child, entry] of this.#idle) {
      if (entry.key !== key || child.ended) continue
      this.#remove(child)
      return child
    }
    return undefined
  }

  give(key: string, child: Program): void {
    if (child.ended) return
    const undo = this.#clock.at(this.#clock.now() + this.#limits.idle, () => void this.#end(child))
    this.#idle.set(child, { key, undo })
    void child.closed.then(() => this.#remove(child))
    this.trim(this.#limits.programs)
  }

  /** Ends those that have been idle longest, until no more than `most` are left. */
  trim(most: number): void {
    for (const child of [...this.#idle.keys()].slice(0, Math.max(0, this.#idle.size - most)))
      void this.#end(child)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((child) => this.#end(child)))
  }

  #end(child: Program): Promise<unknown> {
    this.#remove(child)
    return child.stop()
  }

  #remove(child: Program): void {
    this.#idle.get(child)?.undo()
    this.#idle.delete(child)
  }
}
