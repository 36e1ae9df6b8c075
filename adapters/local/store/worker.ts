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

/** Marks and what is known to be delivered: nobody waits for them, so they ride along with the next commit. */
const PATIENT: ReadonlySet<string> = new Set(['botMark', 'delivered'])
/** For this long at most, in milliseconds. */
const PATIENCE = 5

function serve(store: Store, port: MessagePort): void {
  let waiting: Request[] = []
  let scheduled = false
  let patience: NodeJS.Timeout | null = null
  const commit = () => {
    scheduled = false
    const requests = waiting
    waiting = []
    if (requests.length > 0) port.postMessage(store.run(requests) satisfies FromWorker)
  }
  port.on('message', (message: ToWorker) => {
    if (message === 'close') {
      commit()
      if (patience !== null) clearTimeout(patience)
      store.close()
      port.postMessage('closed' satisfies FromWorker)
      port.close()
      return
    }
    waiting.push(...message)
    if (message.every(({ name }) => PATIENT.has(name))) {
      patience ??= setTimeout(() => {
        patience = null
        commit()
      }, PATIENCE)
    } else if (!scheduled) {
      scheduled = true
      setImmediate(commit)
    }
  })
}
