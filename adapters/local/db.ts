/**
 * The store as the rest of the chat server sees it: commands that resolve when they are durable. The work is done in a
 * worker thread, because an fsync on a slow disk must not stop the event loop.
 */
import type { Host } from '../../src/messaging/contract.js'
import {
  type Batch,
  type CommandName,
  type Delivery,
  type In,
  type LogEvent,
  type Out,
  Refused,
  type Reply,
  type Request,
  StoreFailed,
} from './protocol.js'
import type { FromWorker, ToWorker } from './store/worker.js'

export interface Db {
  /** Resolves when the step is committed. Rejects with {@link Refused} or {@link StoreFailed}; then nothing was written. */
  call<N extends CommandName>(name: N, input: In<N>): Promise<Out<N>>
  /** Told of every committed change, in order, before the command that made it resolves. */
  onEvents: (events: readonly LogEvent[]) => void
  /** Told in the same way of what is now on its way to the core. */
  onDeliveries: (deliveries: readonly Delivery[]) => void
  /** Told of every step that failed for other reasons than a rule. */
  onFailed: (error: StoreFailed) => void
  /** Settles when the store is gone: after {@link Db.close}, or by itself with what went wrong. */
  readonly gone: Promise<StoreFailed | null>
  /** What was called before is committed first. */
  close(): Promise<void>
}

/** Something that runs batches: a worker, or in tests a store in the same thread. */
export interface Backend {
  send(requests: Request[]): void
  close(): void
}

/** Pairs requests with replies; collects what is asked within one turn of the loop into one message. */
export class Client implements Db {
  onEvents: Db['onEvents'] = () => {}
  onDeliveries: Db['onDeliveries'] = () => {}
  onFailed: Db['onFailed'] = () => {}
  readonly gone: Promise<StoreFailed | null>
  #settleGone: (reason: StoreFailed | null) => void = () => {}
  #waiting = new Map<number, { resolve(output: never): void; reject(error: Error): void }>()
  #next = 1
  #outgoing: Request[] = []
  #ended: StoreFailed | null = null
  #closing = false

  constructor(private readonly backend: Backend) {
    this.gone = new Promise((resolve) => {
      this.#settleGone = resolve
    })
  }

  call<N extends CommandName>(name: N, input: In<N>): Promise<Out<N>> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    if (this.#closing) return Promise.reject(new StoreFailed('CLOSED', 'the local rooms are being closed'))
    return new Promise<Out<N>>((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      this.#outgoing.push({ id, name, input })
      if (this.#outgoing.length === 1) queueMicrotask(() => this.#flush())
    })
  }

  close(): Promise<void> {
    if (!this.#closing && this.#ended === null) {
      this.#flush()
      this.#closing = true
      this.backend.close()
    }
    return this.gone.then(() => {})
  }

  /** A batch was committed, or failed. */
  arrived({ replies, events, deliveries }: Batch): void {
    if (events.length > 0) this.onEvents(events)
    if (deliveries.length > 0) this.onDeliveries(deliveries)
    for (const reply of replies) this.#settle(reply)
  }

  ended(failed: StoreFailed | null): void {
    if (this.#ended !== null) return
    this.#ended = failed ?? new StoreFailed('CLOSED', 'the local rooms are closed')
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
    this.#settleGone(failed)
  }

  #flush(): void {
    if (this.#outgoing.length === 0) return
    const requests = this.#outgoing
    this.#outgoing = []
    this.backend.send(requests)
  }

  #settle(reply: Reply): void {
    const waiter = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.ok) waiter?.resolve(reply.output as never)
    else if ('refused' in reply) waiter?.reject(new Refused(reply.refused, reply.message))
    else {
      const error = new StoreFailed(reply.failed, reply.message)
      this.onFailed(error)
      waiter?.reject(error)
    }
  }
}

/**
 * Opens `file` in the daemon's storage thread. Rejects with {@link StoreFailed} when it cannot be opened.
 *
 * @param thread see `Host.thread`
 */
export function openDb(file: string, thread: Host['thread']): Promise<Db> {
  const own = import.meta.url.endsWith('.ts') ? './store/worker.ts' : './store/worker.js'
  const port = thread(new URL(own, import.meta.url), { file })
  const client = new Client({
    send: (requests) => port.postMessage(requests satisfies ToWorker),
    close: () => port.postMessage('close' satisfies ToWorker),
  })
  return new Promise((resolve, reject) => {
    let failed: StoreFailed | null = null
    let closed = false
    port.on('message', (message: FromWorker) => {
      if (message === 'closed') closed = true
      else if ('replies' in message) client.arrived(message)
      else if (message.opened) resolve(client)
      else failed = new StoreFailed(message.code, message.message)
    })
    port.on('close', () => {
      if (!closed) failed ??= new StoreFailed('WORKER', 'the thread of the local rooms ended')
      client.ended(failed)
      if (failed !== null) reject(failed)
    })
  })
}
