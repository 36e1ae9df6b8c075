/** Things known for a while, asked for once however many want them. */
import type { Clock, Millis } from '../../src/messaging/contract.js'

export class Cache<T> {
  readonly #entries = new Map<string, { value: T | null; until: Millis }>()
  readonly #asked = new Map<string, Promise<T | null>>()

  /**
   * @param keep how long what is known is
   * @param keepUnknown how long it is known that there is none
   * @param most entries
   */
  constructor(
    private readonly clock: Clock,
    private readonly keep: Millis,
    private readonly keepUnknown: Millis,
    private readonly most: number,
  ) {}

  /** Null: there is none. Undefined: it is not known, or not any more. */
  get(id: string): T | null | undefined {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.until <= this.clock.now() ? undefined : entry.value
  }

  /** What was known, however old. */
  last(id: string): T | undefined {
    return this.#entries.get(id)?.value ?? undefined
  }

  set(id: string, value: T | null): void {
    this.#entries.delete(id)
    this.#entries.set(id, {
      value,
      until: this.clock.now() + (value === null ? this.keepUnknown : this.keep),
    })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.most) break
      this.#entries.delete(oldest)
    }
  }

  /** What is known, else what `how` tells; undefined: it could not be asked for now. */
  async ask(id: string, how: () => Promise<T | null | undefined>): Promise<T | null> {
    const known = this.get(id)
    if (known !== undefined) return known
    const going = this.#asked.get(id)
    if (going !== undefined) return going
    const asked = how()
      .then((found) => {
        if (found === undefined) return this.last(id) ?? null
        // What was learned meanwhile is newer than an answer that there is none.
        if (found !== null || this.get(id) === undefined) this.set(id, found)
        return found
      })
      .finally(() => this.#asked.delete(id))
    this.#asked.set(id, asked)
    return asked
  }
}
