/** The signal that something changed: what `Stage.until` waits on. */

interface Waiter {
  ask: () => void
}

/** How long `until` waits when nobody says otherwise, in real milliseconds. */
export const UNTIL_MS = 15_000

export class Changes {
  readonly #waiters = new Set<Waiter>()
  readonly #listeners = new Set<() => void>()
  #asked = false

  /** Says that something changed. Those who wait are asked once for all that changes in one go. */
  changed(): void {
    if (this.#asked || (this.#waiters.size === 0 && this.#listeners.size === 0)) return
    this.#asked = true
    queueMicrotask(() => {
      this.#asked = false
      for (const waiter of [...this.#waiters]) waiter.ask()
      for (const listener of [...this.#listeners]) listener()
    })
  }

  /** Called after each change; returns its undo. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * @param what named in the error: what one waited for
   * @param ms real time, not the simulator's
   * @throws Error when it does not hold in time, or when `holds` throws
   */
  until(holds: () => boolean, what: string, ms = UNTIL_MS): Promise<void> {
    // Made here, so that its stack shows who waited.
    const late = new Error(`Waited ${ms} ms in vain for: ${what}`)
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        settle()
      }
      const waiter: Waiter = {
        ask: () => {
          try {
            if (holds()) end(resolve)
          } catch (error) {
            end(() => reject(error instanceof Error ? error : new Error(String(error))))
          }
        },
      }
      const timer = setTimeout(() => end(() => reject(late)), ms)
      this.#waiters.add(waiter)
      waiter.ask()
    })
  }
}
