/** A queue that one side fills and the other iterates: how an engine's callbacks become its stream of events. */
export class Channel<T> implements AsyncIterable<T> {
  readonly #queue: T[] = []
  #end: { error?: unknown } | undefined
  #wake: (() => void) | undefined

  push(item: T): void {
    if (this.#end !== undefined) return
    this.#queue.push(item)
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
      while (this.#queue.length > 0) yield this.#queue.shift() as T
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
