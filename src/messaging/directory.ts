/** Which connections there are and which of them are up. The courier and the threads ask it; the supervisor fills it. */
import type { Connection, ConnectionId, ConnectionState, Platform } from './contract.js'

export interface Entry {
  id: ConnectionId
  platform: Platform
  state: ConnectionState
  /** Null while it is down. */
  connection: Connection | null
}

export class Directory {
  readonly #entries = new Map<ConnectionId, Entry>()
  readonly #watchers = new Set<() => void>()

  add(id: ConnectionId, platform: Platform): Entry {
    const entry: Entry = { id, platform, state: { phase: 'connecting' }, connection: null }
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

  set(id: ConnectionId, change: Partial<Pick<Entry, 'state' | 'connection'>>): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    Object.assign(entry, change)
    for (const run of this.#watchers) run()
  }
}
