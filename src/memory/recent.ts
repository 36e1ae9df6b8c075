/**
 * Memory files as they were read last, so that a chat in which one turn follows another asks the disk for one stamp
 * instead of the whole file. Never trusted without that stamp: a person may have saved meanwhile.
 */
import type { Disk } from './disk.js'

/** Files kept at most: the chats that are talking now. */
const KEPT = 64

export class Recent<Value> {
  readonly #kept = new Map<string, { stamp: string; value: Value }>()

  constructor(private readonly disk: Pick<Disk, 'stamp'>) {}

  /** What `read` gave last time, where the file is surely the same; else what it gives now. */
  async get(path: string, read: () => Promise<Value>): Promise<Value> {
    // Taken before the file is read: what is saved in between has another stamp, and is read by the next call.
    const stamp = await this.disk.stamp(path)
    const known = this.#kept.get(path)
    this.#kept.delete(path)
    if (known !== undefined && known.stamp === stamp) {
      this.#kept.set(path, known)
      return known.value
    }
    const value = await read()
    if (stamp !== null) this.#kept.set(path, { stamp, value })
    if (this.#kept.size > KEPT)
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest)
        break
      }
    return value
  }
}
