import type { Clock } from '../../../messaging/ambient.js'
import type { Child } from './child.js'

/** A program that stays is ended after this long without a turn. */
export const IDLE_LIMIT = 10 * 60_000
/** At most this many programs of one agent wait for a turn. */
export const IDLE_PROGRAMS = 8

/**
 * Programs of one agent that stay between turns (`persistent`). One serves one conversation only and one turn at a
 * time, so what it keeps in memory cannot cross to another chat, and when it dies one turn fails.
 */
export class Pool {
  readonly #clock: Clock
  /** Longest idle first. */
  readonly #idle = new Map<Child, { key: string; undo: () => void }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A living idle program of this key, which then is the caller's until it is given back. */
  take(key: string): Child | undefined {
    for (const [child, entry] of this.#idle) {
      if (entry.key !== key || child.ended) continue
      this.#remove(child)
      return child
    }
    return undefined
  }

  give(key: string, child: Child): void {
    if (child.ended) return
    const undo = this.#clock.at(this.#clock.now() + IDLE_LIMIT, () => void this.#end(child))
    this.#idle.set(child, { key, undo })
    void child.closed.then(() => this.#remove(child))
    const [oldest] = this.#idle.keys()
    if (this.#idle.size > IDLE_PROGRAMS && oldest !== undefined) void this.#end(oldest)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((child) => this.#end(child)))
  }

  #end(child: Child): Promise<unknown> {
    this.#remove(child)
    return child.stop()
  }

  #remove(child: Child): void {
    this.#idle.get(child)?.undo()
    this.#idle.delete(child)
  }
}
