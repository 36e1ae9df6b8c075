/**
 * Keeps one connection alive: connects, waits until it ends, connects again with backoff and jitter. A cause that no
 * restart can cure is shown with its cure and not tried again. One platform down never touches another.
 */
import type { Clock, Logger } from './ambient.js'
import { ConnectFailure, type Connection, type ConnectionState, type Host } from './contract.js'
import type { Directory, Entry } from './directory.js'
import { within } from './within.js'

const BACKOFF_FIRST = 1_000
const BACKOFF_MOST = 60_000
/** A connection that lived this long starts its backoff anew. */
const STEADY = 60_000
/** An attempt to connect that has not ended after this is left alone, and another one made. */
export const CONNECT_LIMIT = 2 * 60_000

export interface SupervisorOptions {
  entry: Entry
  settings: unknown
  directory: Directory
  clock: Clock
  log: Logger
  host(state: (state: ConnectionState) => void): Host
  random?(): number
}

export class Supervisor {
  readonly #options: SupervisorOptions
  #closed = false
  #wake: (() => void) | null = null
  #loop: Promise<void> | null = null
  #failure: Error | null = null
  /** Which attempt it is: what an earlier one still says is about nothing any more. */
  #life = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Resolves after the first attempt, however it ended: a slow platform holds up nobody. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#loop = this.#run(resolve)
    })
  }

  /** Why the last attempt to connect failed; null once it has succeeded. */
  get failure(): Error | null {
    return this.#failure
  }

  /** Resolves by the deadline, also when the platform's own library never lets go. */
  async close(deadline: number): Promise<void> {
    this.#closed = true
    this.#wake?.()
    const { directory, entry, log, clock } = this.#options
    const { connection } = entry
    directory.set(entry.id, { connection: null })
    const closing = (async () => {
      try {
        await connection?.close(deadline)
      } catch (error) {
        log.warn({ connection: entry.id, error: String(error) }, 'the connection did not close cleanly')
      }
      await this.#loop
    })()
    await within(deadline - clock.now(), clock, () => closing)
  }

  async #run(attempted: () => void): Promise<void> {
    const { entry, directory, clock, log } = this.#options
    let wait = BACKOFF_FIRST
    for (let again = false; !this.#closed; again = true) {
      if (again) log.info({ connection: entry.id }, 'connecting again')
      const since = clock.now()
      const { reason, fatal, cure } = await this.#live(attempted)
      attempted()
      this.#life++
      if (this.#closed) return
      directory.set(entry.id, { connection: null })
      if (fatal) {
        const state: ConnectionState = { phase: 'failed', reason, cure: withRestart(cure) }
        directory.set(entry.id, { state })
        log.error({ connection: entry.id, cure: state.cure }, `${reason} (not connecting again)`)
        return
      }
      if (clock.now() - since > STEADY) wait = BACKOFF_FIRST
      const sleep = Math.round(wait * (0.75 + (this.#options.random ?? Math.random)() / 2))
      directory.set(entry.id, { state: { phase: 'degraded', reason } })
      log.warn({ connection: entry.id, waitMs: sleep }, `not connected: ${reason}`)
      await this.#sleep(sleep)
      wait = Math.min(wait * 2, BACKOFF_MOST)
    }
  }

  /** One life of the connection, from the attempt to make it to its end. */
  async #live(attempted: () => void): Promise<End> {
    const { entry, directory, clock } = this.#options
    let connection: Connection
    try {
      connection = await this.#connect()
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      const { message } = this.#failure
      return error instanceof ConnectFailure
        ? { reason: message, fatal: true, cure: error.cure }
        : { reason: message, fatal: false }
    }
    this.#failure = null
    if (this.#closed) {
      await this.#discard(connection, clock.now())
      return { reason: 'closing', fatal: false }
    }
    directory.set(entry.id, { connection, self: connection.self })
    attempted()
    try {
      const closed = await connection.done
      return { ...closed, fatal: closed.fatal ?? false }
    } catch (error) {
      return { reason: messageOf(error), fatal: false }
    }
  }

  /** @throws whatever the platform says, or that it took too long; a connection that comes later is closed again */
  async #connect(): Promise<Connection> {
    const { entry, settings, directory, host, clock } = this.#options
    // Afterwards the last reason stands until it is up: "connecting" would hide it.
    if (this.#failure === null) directory.set(entry.id, { state: { phase: 'connecting' } })
    const life = ++this.#life
    const made = (async () =>
      await entry.platform.connect(
        settings,
        host((state) => {
          if (life === this.#life && !this.#closed) directory.set(entry.id, { state })
        }),
      ))()
    const connection = await within(CONNECT_LIMIT, clock, () => made)
    if (connection === null) {
      made.then(
        (late) => this.#discard(late, clock.now()),
        () => undefined,
      )
      throw new Error(`the platform did not let us connect within ${CONNECT_LIMIT / 60_000} minutes`)
    }
    // Looked at by nobody else once it is closed while it is being made.
    connection.done.catch(() => undefined)
    return connection
  }

  async #discard(connection: Connection, deadline: number): Promise<void> {
    const { entry, log } = this.#options
    connection.done.catch(() => undefined)
    try {
      await connection.close(deadline)
    } catch (error) {
      log.warn({ connection: entry.id, error: String(error) }, 'the connection did not close cleanly')
    }
  }

  #sleep(ms: number): Promise<void> {
    const { clock } = this.#options
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

interface End {
  reason: string
  fatal: boolean
  cure?: string
}

/** The configuration is read at the start only. */
function withRestart(cure: string | undefined): string {
  if (cure === undefined) return 'See the log, then restart Golem.'
  return /restart|start (it|golem) again/i.test(cure)
    ? cure
    : `${cure.replace(/[.\s]*$/, '')}. Then restart Golem.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
