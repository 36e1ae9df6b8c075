/** Marks of reception to come: a message that is answered at once needs none, because nobody would see it. */
import type { Clock, Logger } from './ambient.js'
import { RECEIVED_AFTER } from './limits.js'
import type { Store } from './store.js'

export interface ReceptionOptions {
  store: Pick<Store, 'noteReceived'>
  clock: Clock
  log: Logger
  /** A mark is to be sent. */
  kick(): void
}

export class Reception {
  readonly #options: ReceptionOptions
  /** How to call each of them off. */
  readonly #waiting = new Map<number, () => void>()
  #closed = false

  constructor(options: ReceptionOptions) {
    this.#options = options
  }

  /** An addressed message was accepted: it is marked, unless it is answered before. @param message internal id */
  later(message: number): void {
    const { store, clock, log, kick } = this.#options
    const cancel = clock.at(clock.now() + RECEIVED_AFTER, () => {
      this.#waiting.delete(message)
      if (this.#closed) return
      store
        .noteReceived(message, clock.now())
        .then((marked) => {
          if (marked) kick()
        })
        .catch((error: unknown) => log.warn({ message, error: String(error) }, 'a message was not marked'))
    })
    this.#waiting.set(message, cancel)
  }

  /** It bears its last mark already. */
  off(message: number): void {
    this.#waiting.get(message)?.()
    this.#waiting.delete(message)
  }

  /** Nothing is marked any more. */
  close(): void {
    this.#closed = true
  }
}
