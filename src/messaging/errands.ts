/**
 * Commands of a chat that need what the store does not have: its memory file. Each is a row until it is answered, so that a
 * restart neither forgets one nor answers it twice.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Errand } from './facts.js'
import type { Store } from './store.js'

const AT_A_TIME = 20
const RETRY = 30_000

export interface ErrandsOptions {
  store: Pick<Store, 'errands' | 'settleErrand'>
  clock: Clock
  log: Logger
  /** Does what is asked. @returns the answer, as Markdown; never rejects for what a person may be told. Absent: all wait */
  errand?(errand: Errand): Promise<string>
  /** An answer may go out. */
  kick(): void
}

export class Errands {
  readonly #options: ErrandsOptions
  #work: Promise<void> | null = null
  #again = false
  #closed = false
  #cancel: (() => void) | null = null

  constructor(options: ErrandsOptions) {
    this.#options = options
  }

  /** There may be one. */
  look(): void {
    if (this.#closed || this.#options.errand === undefined) return
    if (this.#work !== null) {
      this.#again = true
      return
    }
    this.#work = this.#run().finally(() => {
      this.#work = null
      if (this.#again) {
        this.#again = false
        this.look()
      }
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    await this.#work
  }

  async #run(): Promise<void> {
    const { store, clock, log, errand: answer, kick } = this.#options
    if (answer === undefined) return
    try {
      for (;;) {
        const waiting = await store.errands(clock.now(), AT_A_TIME)
        for (const errand of waiting) {
          if (this.#closed) return
          await store.settleErrand(errand.id, await answer(errand), clock.now())
          kick()
        }
        if (waiting.length < AT_A_TIME) return
      }
    } catch (error) {
      log.warn({ error: String(error) }, 'a command could not be answered; trying again later')
      this.#later(clock.now() + RETRY)
    }
  }

  #later(at: Millis): void {
    this.#cancel?.()
    if (!this.#closed) this.#cancel = this.#options.clock.at(at, () => this.look())
  }
}
