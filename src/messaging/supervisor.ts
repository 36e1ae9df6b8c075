/**
 * Keeps one connection alive: connects, waits until it ends, connects again with backoff and jitter. A cause that no
 * restart can cure is shown with its cure and not tried again. One platform down never touches another.
 */
import type { Clock, Logger } from './ambient.js'
import type { Connection, ConnectionState, Host } from './contract.js'
import type { Directory, Entry } from './directory.js'

const BACKOFF_FIRST = 1_000
const BACKOFF_MOST = 60_000
/** A connection that lived this long starts its backoff anew. */
const STEADY = 60_000

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

  async close(deadline: number): Promise<void> {
    this.#closed = true
    this.#wake?.()
    const { directory, entry, log } = this.#options
    const { connection } = entry
    directory.set(entry.id, { connection: null })
    try {
      await connection?.close(deadline)
    } catch (error) {
      log.warn({ connection: entry.id, error: String(error) }, 'the connection did not close cleanly')
    }
    await this.#loop
  }

  async #run(attempted: () => void): Promise<void> {
    const { entry, settings, directory, clock, log } = this.#options
    let wait = BACKOFF_FIRST
    while (!this.#closed) {
      const since = clock.now()
      const { reason, fatal, cure } = await this.#live(settings, attempted)
      attempted()
      if (this.#closed) return
      directory.set(entry.id, { connection: null })
      if (fatal) {
        directory.set(entry.id, { state: { phase: 'failed', reason, cure: cure ?? 'See the log.' } })
        log.error({ connection: entry.id, cure }, reason)
        return
      }
      if (clock.now() - since > STEADY) wait = BACKOFF_FIRST
      directory.set(entry.id, { state: { phase: 'degraded', reason } })
      log.warn({ connection: entry.id, wait }, `the connection ended: ${reason}; connecting again`)
      await this.#sleep(wait * (0.75 + (this.#options.random ?? Math.random)() / 2))
      wait = Math.min(wait * 2, BACKOFF_MOST)
    }
  }

  async #live(
    settings: unknown,
    attempted: () => void,
  ): Promise<{ reason: string; fatal: boolean; cure?: string }> {
    const { entry, directory, host } = this.#options
    let connection: Connection
    try {
      directory.set(entry.id, { state: { phase: 'connecting' } })
      connection = await entry.platform.connect(
        settings,
        host((state) => directory.set(entry.id, { state })),
      )
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      return { reason: this.#failure.message, fatal: false }
    }
    this.#failure = null
    if (this.#closed) {
      await connection.close(this.#options.clock.now())
      return { reason: 'closing', fatal: false }
    }
    directory.set(entry.id, { connection, self: connection.self })
    attempted()
    try {
      const closed = await connection.done
      return {
        reason: closed.reason,
        fatal: closed.fatal ?? false,
        ...(closed.cure === undefined ? {} : { cure: closed.cure }),
      }
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error), fatal: false }
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
