/**
 * A queue that one side fills and the other iterates: how an engine's callbacks become its stream of events.
 */
export class Channel<T> implements AsyncIterable<T> {
  #queue: T[] = []
  #end: { error?: unknown } | undefined
  #wake: (() => void) | undefined
  readonly #merge: (last: T, next: T) => T | null

  /** @param merge makes one of two neighbours that nobody has read yet, or null to keep both */
  constructor(merge: (last: T, next: T) => T | null = () => null) {
    this.#merge = merge
  }

  push(item: T): void {
    if (this.#end !== undefined) return
    const last = this.#queue.at(-1)
    const merged = last === undefined ? null : this.#merge(last, item)
    if (merged === null) this.#queue.push(item)
    else this.#queue[this.#queue.length - 1] = merged
    this.#wake?.()
  }

  /** What was pushed before is still delivered. */
  close(): void {
    this.#finish({})
  }

  /** As {@link close}, but the reader gets this error after what was pushed before. */
  fail(error: unknown): void {
    this.#finish({ error })
  }

  #finish(end: { error?: unknown }): void {
    this.#end ??= end
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      // Taken as a whole: taking one by one from the front of a long queue is slow.
      while (this.#queue.length > 0) {
        const batch = this.#queue
        this.#queue = []
        yield* batch
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
  }
}
