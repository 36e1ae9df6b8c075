/** The store as the rest of Golem holds it: `Store`, answered by the worker thread that owns the database. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Policy } from '../messaging/roster.js'
import type { Store } from '../messaging/store.js'
import { StoreError } from './error.js'
import type { FromWorker, Request, ToWorker, WorkerData } from './protocol.js'

export interface OpenOptions {
  dataDir: string
  policy: Policy
  /** Id of this process's life. */
  boot: string
  now: number
  /** Most pages the database may have; a full disk in a box. */
  maxPages?: number
}

export interface OpenStore extends Store {
  /** What an earlier life had left half done. */
  readonly recovered: { requeued: number; interrupted: number; ambiguous: number }
  /** The last commit failed: what is accepted now is refused, not lost. Null when all is well. */
  readonly trouble: string | null
  /** Runs another module in the store's thread; see `Host.thread`. */
  thread(module: URL, data: unknown): MessagePort
}

type Waiting = { name: Request['name']; resolve: (value: never) => void; reject: (error: Error) => void }

/**
 * Opens the data folder; it has one owner.
 *
 * @throws {StoreError} in use, read-only, full, corrupt, or written by a newer Golem
 */
export async function openStore(options: OpenOptions): Promise<OpenStore> {
  const here = import.meta.url
  const compiled = here.endsWith('.js')
  const worker = new Worker(new URL(compiled ? './worker.js' : './worker.dev.mjs', here), {
    workerData: { ...options } satisfies WorkerData,
    // The worker holds rows for the length of a commit only: a small heap is enough, and keeps the daemon small.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  const ready = await new Promise<Extract<FromWorker, { kind: 'ready' }>>((resolve, reject) => {
    worker.once('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve(message)
      else if (message.kind === 'refused') reject(new StoreError(message.code, message.message))
    })
    worker.once('error', reject)
    worker.once('exit', () =>
      reject(new StoreError('failed', "The store's thread ended before it was ready.")),
    )
  })
  return new Client(worker, ready.recovered) as unknown as OpenStore
}

/** Every command of the table as a method; see `Store` for what each does. */
class Client {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #next = 1
  #outgoing: Request[] = []
  #closing = false
  #closed = false
  trouble: string | null = null

  constructor(
    worker: Worker,
    readonly recovered: OpenStore['recovered'],
  ) {
    this.#worker = worker
    worker.on('message', (message: FromWorker) => this.#receive(message))
    worker.on('error', (error) =>
      this.#end(new StoreError('failed', `The store's thread ended (${error.message}). Restart golem.`)),
    )
    worker.on('exit', () => this.#end(new StoreError('closed', 'The store is closed.')))
    worker.unref()
    for (const name of Object.keys(METHODS) as (keyof typeof METHODS)[])
      Object.defineProperty(this, name, { value: (...args: unknown[]) => this.#call(name, args) })
  }

  thread(module: URL, data: unknown): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#worker.postMessage({ kind: 'load', url: module.href, data, port: port2 } satisfies ToWorker, [
      port2,
    ])
    return port1
  }

  async close(): Promise<void> {
    if (this.#closed) return
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.ref()
    this.#closing = true
    this.#send({ id: 0, name: 'close', args: [] })
    await exited
  }

  #call(name: Request['name'], args: unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StoreError('closed', 'The store is closed.'))
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { name, resolve: resolve as Waiting['resolve'], reject })
      if (this.#waiting.size === 1) this.#worker.ref()
      this.#send({ id, name, args })
    })
  }

  /** Commands of one tick travel together, so that they share a commit. */
  #send(request: Request): void {
    this.#outgoing.push(request)
    if (this.#outgoing.length > 1) return
    queueMicrotask(() => {
      const batch = this.#outgoing
      this.#outgoing = []
      const patient = batch.every(({ name }) => PATIENT.has(name))
      this.#worker.postMessage({ kind: 'commands', requests: batch, patient } satisfies ToWorker)
    })
  }

  #receive(message: FromWorker): void {
    if (message.kind !== 'replies') return
    for (const reply of message.replies) {
      const waiting = this.#waiting.get(reply.id)
      if (!waiting) continue
      this.#waiting.delete(reply.id)
      if (reply.ok) {
        // A read works on a full disk too.
        if (WRITES.has(waiting.name)) this.trouble = null
        waiting.resolve(reply.value as never)
      } else {
        if (reply.code === 'full' || reply.code === 'read-only' || reply.code === 'corrupt')
          this.trouble = reply.message
        waiting.reject(new StoreError(reply.code, reply.message))
      }
    }
    // While closing, the thread's end is waited for as well.
    if (this.#waiting.size === 0 && !this.#closing) this.#worker.unref()
  }

  #end(error: StoreError): void {
    this.#closed = true
    // Nobody asked for this end: what comes now is refused, and /health says so.
    if (!this.#closing) this.trouble ??= error.message
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}

/** Commands that always write, so that their success shows that the disk takes something. */
const WRITES: ReadonlySet<Request['name']> = new Set([
  'accept',
  'markFirstEvent',
  'settleTurn',
  'recordReceipt',
  'enqueue',
  'indexKnowledge',
])

/**
 * What follows upon something that has happened already: the platform has the post, the answer is stored. Storing that
 * and looking for more work may wait for company; by themselves they would cost a commit each.
 */
const PATIENT: ReadonlySet<Request['name']> = new Set([
  'recordReceipt',
  'noteReceived',
  'claimOperations',
  'claimTurns',
  'backfill',
  'caughtUp',
  'tend',
])

/** Every command the daemon may give. A record, so that the compiler finds one that is missing. */
const METHODS: Record<Exclude<keyof Store, 'close'>, true> = {
  accept: true,
  claimTurns: true,
  backfill: true,
  newest: true,
  noteAccount: true,
  postFromTurn: true,
  placesOf: true,
  changeRoomText: true,
  noteTranscript: true,
  missed: true,
  noteMissed: true,
  caughtUp: true,
  moves: true,
  memoryMoved: true,
  markFirstEvent: true,
  noteReceived: true,
  noteWorking: true,
  settleTurn: true,
  ask: true,
  handOff: true,
  claimOperations: true,
  recordReceipt: true,
  enqueue: true,
  noteMembers: true,
  members: true,
  tend: true,
  openQuestion: true,
  takeRuling: true,
  expireQuestions: true,
  approvals: true,
  rememberFact: true,
  forgetFact: true,
  noteListed: true,
  factsOf: true,
  errands: true,
  settleErrand: true,
  indexKnowledge: true,
  searchKnowledge: true,
  searchTranscript: true,
  readTranscript: true,
  lineChanges: true,
  receipt: true,
  rooms: true,
  roomMessages: true,
  queue: true,
  status: true,
  reconcileSchedules: true,
  createSchedule: true,
  schedulesOf: true,
  cancelSchedule: true,
  dueSchedules: true,
  stepSchedule: true,
}
