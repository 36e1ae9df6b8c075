/** One connection: the chat server's store, streams and files, and the two ways between it and the core. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type BotIdentity,
  type Closed,
  type Connection,
  type FileRef,
  type Host,
  type IdempotencyKey,
  type Inbound,
  type Member,
  type Millis,
  type Operation,
  type Place,
  PlatformFailure,
  type Receipt,
} from '../../src/messaging/contract.js'
import { type Db, openDb } from './db.js'
import { Deliverer } from './deliver.js'
import { Files } from './files.js'
import { LIMITS } from './limits.js'
import { asFailure, perform } from './perform.js'
import { Presenter } from './present.js'
import { BOT_ID, Refused, StoreFailed } from './protocol.js'
import { read } from './read.js'
import { type ChatServer, removeFiles } from './server.js'
import type { LocalSettings } from './settings.js'
import { Hub } from './sse.js'
import { StorageWatch, troubleOf } from './storage.js'

/** Opens the rooms. Rejects with one sentence and its cure when the data folder does not allow it. */
export async function connectLocal(
  settings: LocalSettings,
  host: Host,
  open: (file: string, thread: Host['thread']) => Promise<Db> = openDb,
): Promise<Connection> {
  host.state({ phase: 'connecting' })
  const file = join(host.dataDir, 'local.db')
  try {
    await mkdir(host.dataDir, { recursive: true })
    const db = await open(file, (module, data) => host.thread(module, data))
    const self: BotIdentity = { id: BOT_ID, name: settings.name ?? host.name }
    host.identify(self)
    const rooms = settings.rooms.map(({ id, title }) => ({ id, title: title ?? id }))
    try {
      const found = await db.call('prepare', { rooms, bot: self.name, at: host.clock.now() })
      return new LocalConnection(db, host, self, found, file)
    } catch (error) {
      await db.close()
      throw error
    }
  } catch (error) {
    const { code, reason, cure } = troubleOf(error, file)
    host.state({ phase: 'failed', reason, cure })
    throw new StoreFailed(code, `${host.connection}: ${reason}; ${cure}`, { cause: error })
  }
}

/** What keeps the rooms from working: their own storage, or a core that takes no event. */
interface LocalTrouble {
  storage: string | null
  delivery: string | null
}

class LocalConnection implements Connection {
  readonly done: Promise<Closed>
  readonly #server: ChatServer
  #routes: Promise<typeof import('./routes.js')> | null = null
  #closing = false
  readonly #trouble: LocalTrouble = { storage: null, delivery: null }
  /** Bytes of an earlier life that are being removed. */
  readonly #tidied: Promise<void>

  constructor(
    db: Db,
    private readonly host: Host,
    readonly self: BotIdentity,
    found: { head: number; waiting: readonly string[]; staleFiles: readonly string[] },
    file: string,
  ) {
    const { clock, log } = host
    const present = new Presenter(host.connection)
    const deliverer = new Deliverer({
      db,
      clock,
      log,
      accept: (raw) => host.accept(read(raw, self)),
      trouble: (reason) => this.#report({ delivery: reason }),
    })
    const storage = new StorageWatch({
      db,
      clock,
      log,
      file,
      changed: (trouble) => this.#report({ storage: trouble && `${trouble.reason}; ${trouble.cure}` }),
    })
    const hub = new Hub(db, clock, found.head, (event) => present.event(event))
    const files = new Files(join(host.dataDir, 'local-files'))
    this.#server = { db, hub, files, deliverer, present, self, clock, log }
    db.onEvents = (events) => hub.publish(events)
    db.onDeliveries = (deliveries) => deliverer.push(deliveries)
    db.onFailed = (error) => storage.failed(error)
    this.done = db.gone.then((failed) => {
      hub.close()
      deliverer.stop()
      storage.stop()
      return { reason: failed === null ? 'closed' : failed.message }
    })
    this.#report({})
    deliverer.recover(found.waiting)
    this.#tidied = removeFiles(this.#server, found.staleFiles)
  }

  async perform(op: Operation, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
    if (signal.aborted) {
      throw new PlatformFailure(
        { kind: 'unreachable' },
        `${op.kind} in the local room ${op.place.chat}: not begun`,
      )
    }
    const performed = perform(this.#server, op, key, LIMITS)
    return new Promise<Receipt>((resolve, reject) => {
      const abort = () => {
        const what = `${op.kind} in the local room ${op.place.chat}`
        reject(
          new PlatformFailure({ kind: 'ambiguous' }, `${what}: given up while the disk was still at work`),
        )
      }
      signal.addEventListener('abort', abort, { once: true })
      performed.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    })
  }

  /** Commands are carried out in order, so an earlier attempt has happened by now or never will. */
  async settle(op: Operation, key: IdempotencyKey): Promise<'not-sent' | 'unknown' | Receipt> {
    // Repeating anything but a post changes nothing.
    if (op.kind !== 'post' && op.kind !== 'upload') return 'not-sent'
    try {
      return (await this.#server.db.call('posted', { key })) ?? 'not-sent'
    } catch {
      return 'unknown'
    }
  }

  async *history(
    place: Place,
    range: { after?: string; before?: string; limit: number },
  ): AsyncIterable<Inbound> {
    const input = { room: place.chat, ...(place.thread !== undefined && { thread: place.thread }), ...range }
    for (const raw of await this.#server.db.call('history', input).catch(refusedAsGone(place))) {
      const event = read(raw, this.self)
      if (event.kind !== 'skipped') yield event
    }
  }

  async *members(place: Place): AsyncIterable<Member> {
    const people = await this.#server.db.call('people', { room: place.chat }).catch(refusedAsGone(place))
    // Whoever may come in here is of the house.
    for (const person of people) yield { ...person, outside: false }
  }

  async download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    try {
      const { bytes } = await this.#server.db.call('file', { id: file.id })
      if (bytes > maxBytes) {
        const message = `the file has ${bytes} bytes, more than the ${maxBytes} that are wanted`
        throw new PlatformFailure({ kind: 'invalid', field: 'file' }, message)
      }
      return await this.#server.files.read(file.id)
    } catch (error) {
      if (error instanceof PlatformFailure) throw error
      if (error instanceof StoreFailed) {
        throw new PlatformFailure({ kind: 'unreachable' }, `the file ${file.id}: ${error.message}`, {
          cause: error,
        })
      }
      throw new PlatformFailure(
        { kind: 'gone', what: 'target' },
        `the file ${file.id} is not there any more`,
        {
          cause: error,
        },
      )
    }
  }

  async serve(request: Request, path: string): Promise<Response> {
    if (this.#closing) {
      const message = 'Golem is being stopped: nothing was stored, try again when it is back'
      return Response.json(
        { error: { code: 'closing', message } },
        { status: 503, headers: { 'retry-after': '5' } },
      )
    }
    // Loaded with the first request, and asked for by name no more.
    this.#routes ??= import('./routes.js')
    const { serve } = await this.#routes
    return serve(this.#server, request, path)
  }

  async close(deadline: Millis): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      this.#server.hub.close()
      await Promise.all([this.#server.deliverer.close(deadline), this.#tidied])
    }
    await this.#server.db.close()
  }

  #report(news: Partial<LocalTrouble>): void {
    Object.assign(this.#trouble, news)
    const { storage, delivery } = this.#trouble
    if (storage !== null) this.host.state({ phase: 'degraded', reason: storage })
    else if (delivery === null) this.host.state({ phase: 'ready', sees: 'all' })
    else this.host.state({ phase: 'degraded', reason: `stored messages wait for delivery: ${delivery}` })
  }
}

function refusedAsGone(place: Place): (error: unknown) => never {
  return (error) => {
    if (error instanceof Refused) {
      throw new PlatformFailure({ kind: 'gone', what: 'chat' }, error.message, { cause: error })
    }
    throw asFailure(error, { kind: 'typing', place, on: false })
  }
}
