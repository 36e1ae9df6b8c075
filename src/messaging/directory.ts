/** Which connections there are and which of them are up. The courier and the threads ask it; the supervisor fills it. */
import type { Millis } from './ambient.js'
import type { BotIdentity, Connection, ConnectionId, ConnectionState, Platform } from './contract.js'

export interface Entry {
  id: ConnectionId
  platform: Platform
  state: ConnectionState
  /** Who it speaks as; kept while it is down. */
  self: BotIdentity
  /** Null while it is down. */
  connection: Connection | null
  /** What it was shown when it was last ready. */
  sees: 'all' | 'addressed'
  /** When what was said in its absence was last read, how many messages that were, and whether it was all. */
  caughtUp: { at: Millis; messages: number; complete: boolean } | null
  /** What was said in its absence is being read, or is still to be read. */
  catchingUp: boolean
}

export class Directory {
  readonly #entries = new Map<ConnectionId, Entry>()
  readonly #watchers = new Set<() => void>()

  /** @param name the bot's name, until the connection says who it is */
  add(id: ConnectionId, platform: Platform, name: string): Entry {
    const entry: Entry = {
      id,
      platform,
      state: { phase: 'connecting' },
      self: { id: '', name },
      connection: null,
      sees: 'all',
      caughtUp: null,
      catchingUp: false,
    }
    this.#entries.set(id, entry)
    return entry
  }

  get(id: ConnectionId): Entry | undefined {
    return this.#entries.get(id)
  }

  all(): Entry[] {
    return [...this.#entries.values()]
  }

  /** Ids of the connections that can be posted to now. */
  up(): ConnectionId[] {
    return this.all().flatMap((entry) => (entry.connection === null ? [] : [entry.id]))
  }

  /** Calls back whenever a connection comes up or goes down. Returns its own undo. */
  watch(run: () => void): () => void {
    this.#watchers.add(run)
    return () => this.#watchers.delete(run)
  }

  set(id: ConnectionId, change: Partial<Pick<Entry, 'state' | 'connection' | 'self' | 'caughtUp'>>): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    Object.assign(entry, change)
    if (entry.state.phase === 'ready') entry.sees = entry.state.sees
    for (const run of this.#watchers) run()
  }
}
