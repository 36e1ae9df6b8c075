/**
 * Streams that live until somebody ends them (server-sent events). On shutdown they are ended by us, properly, so that
 * pages reconnect at once and the shutdown does not wait for them.
 */
export class OpenStreams {
  readonly #ends = new Set<() => void>()

  get size(): number {
    return this.#ends.size
  }

  /** Takes over a response's stream when it is one of events; any other response passes untouched. */
  track(response: Response): Response {
    const type = response.headers.get('content-type') ?? ''
    if (response.body === null || !type.startsWith('text/event-stream')) return response
    const reader = response.body.getReader()
    const ends = this.#ends
    let end: () => void = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        end = () => {
          if (!ends.delete(end)) return
          controller.close()
          void reader.cancel().catch(() => {}) // the source's own clean-up failed: nobody is left to tell
        }
        ends.add(end)
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!ends.has(end)) return
          if (done) end()
          else controller.enqueue(value)
        } catch (error) {
          if (ends.delete(end)) controller.error(error)
        }
      },
      async cancel(reason) {
        ends.delete(end)
        await reader.cancel(reason)
      },
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }

  endAll(): void {
    for (const end of [...this.#ends]) end()
  }
}
