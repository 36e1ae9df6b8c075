/**
 * Owns the database file. Everything that has arrived when it gets to work is committed together, so
 * that a hundred waiting messages cost one fsync.
 */
import { randomBytes } from 'node:crypto'
import type { MessagePort } from 'node:worker_threads'
import type { Batch, Request } from '../protocol.js'
import { openDatabase } from './schema.js'
import { failure, Store } from './store.js'

/** The first word of it. */
export type Opened = { opened: true } | { opened: false; code: string; message: string }
export type ToWorker = Request[] | 'close'
export type FromWorker = Opened | Batch | 'closed'

/** Opens the file and answers on `port`. Runs in the daemon's storage thread. */
export default function run(port: MessagePort, { file }: { file: string }): void {
  try {
    const store = new Store(openDatabase(file, () => randomBytes(4).toString('hex')))
    serve(store, port)
    port.postMessage({ opened: true } satisfies FromWorker)
  } catch (error) {
    port.postMessage({ opened: false, ...failure(error) } satisfies FromWorker)
    port.close()
  }
}

function serve(store: Store, port: MessagePort): void {
  let waiting: Request[] = []
  let scheduled = false
  const commit = () => {
    scheduled = false
    const requests = waiting
    waiting = []
    if (requests.length > 0) port.postMessage(store.run(requests) satisfies FromWorker)
  }
  port.on('message', (message: ToWorker) => {
    if (message === 'close') {
      commit()
      store.close()
      port.postMessage('closed' satisfies FromWorker)
      port.close()
      return
    }
    waiting.push(...message)
    if (!scheduled) {
      scheduled = true
      setImmediate(commit)
    }
  })
}
