/**
 * Compare-and-swap of a whole file on a plain file system, where people and other programs may save at any instant.
 *
 * A rename over the file would be atomic but blind: what somebody saved an instant before would be gone. So the present
 * file is first *taken* (renamed to a hidden name of ours), looked at, and only then is the new one linked to the name,
 * which fails where something new stands there. Whatever was at the name is in our hands before it is replaced:
 * no order of events loses a saved edit. If the process stops in between, {@link Swap.recover} puts things right.
 */
import { createHash, randomBytes } from 'node:crypto'
import { basename, join } from 'node:path'
import { type Disk, NEW_MODE } from './disk.js'
import { failedWith } from './error.js'

export interface Snapshot {
  bytes: Uint8Array
  hash: string
  mode: number
}

export type Swapped =
  | { state: 'done' }
  /** Somebody else changed the file; nothing of ours was written. Read it again. */
  | { state: 'conflict' }
  /** Somebody saved while we swapped: these bytes must be merged in, then the file `taken` {@link Swap.release}d. */
  | {
      state: 'late'
      bytes: Uint8Array
      taken: string /** Not made from what `expected` saw. */
      foreign?: true
    }

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']
const OURS = /^\.(.+)\.([0-9a-f]{12})\.(\d+)-([0-9a-f]{12})-\d+\.(new|taken)$/

export class Swap {
  /** Tells this process's own files from those of an earlier one that had the same process id. */
  private readonly nonce = randomBytes(6).toString('hex')
  private counter = 0

  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly isAlive: (pid: number) => boolean = alive,
  ) {}

  private path(name: string): string {
    return join(this.folder, name)
  }

  private hidden(name: string, hash: string, kind: 'new' | 'taken'): string {
    return this.path(`.${name}.${hash.slice(0, 12)}.${process.pid}-${this.nonce}-${this.counter++}.${kind}`)
  }

  async read(name: string): Promise<Snapshot | null> {
    const file = await this.disk.read(this.path(name))
    return file && { ...file, hash: hashOf(file.bytes) }
  }

  /** Replaces what `expected` saw (null: no file) by `bytes`, durably. */
  async replace(name: string, expected: Snapshot | null, bytes: Uint8Array): Promise<Swapped> {
    const fresh = await this.writeNew(name, expected?.mode ?? NEW_MODE, bytes)
    try {
      if ((await this.read(name))?.hash !== expected?.hash) return { state: 'conflict' }
      return await (expected ? this.exchange(name, expected, fresh) : this.place(fresh, name))
    } finally {
      // Best effort: a left-over is removed by the next start.
      await this.disk.remove(fresh).catch(() => undefined)
    }
  }

  /** Forgets a taken file whose content is merged in. */
  async release(taken: string): Promise<void> {
    await this.disk.remove(this.path(taken))
  }

  /** Moves a file out of the way under the first free name, and says which. Never overwrites one. */
  async setAside(name: string, names: Iterable<string>): Promise<string> {
    for (const aside of names) {
      try {
        await this.disk.link(this.path(name), this.path(aside))
        await this.disk.remove(this.path(name))
      } catch (error) {
        if (failedWith(error, 'EEXIST')) continue
        if (!failedWith(error, ...NO_LINKS)) throw error
        if (await this.disk.read(this.path(aside))) continue
        await this.disk.rename(this.path(name), this.path(aside))
      }
      await this.disk.syncFolder(this.folder)
      return aside
    }
    throw new Error(`no free name to set ${name} aside`)
  }

  /**
   * Puts right what a stopped process left behind. `merge` is called with a saved edit that was taken from a file but
   * not merged (`taken` names where it is kept); when it resolves, the edit is in the file or set aside.
   */
  async recover(merge: (name: string, edit: Uint8Array, taken: string) => Promise<void>): Promise<void> {
    for (const file of await this.disk.list(this.folder)) {
      const [, name, hash, pid, nonce, kind] = OURS.exec(file) ?? []
      if (name === undefined || hash === undefined || nonce === this.nonce) continue
      if (kind === 'new') {
        if (Number(pid) === process.pid || !this.isAlive(Number(pid))) await this.disk.remove(this.path(file))
        continue
      }
      // The name is free only if the process stopped before it had placed the new file.
      if ((await this.place(this.path(file), name)).state === 'conflict') {
        const taken = await this.disk.read(this.path(file))
        if (taken && hashOf(taken.bytes).slice(0, 12) !== hash) await merge(name, taken.bytes, file)
      }
      await this.disk.remove(this.path(file))
    }
  }

  private async writeNew(name: string, mode: number, bytes: Uint8Array): Promise<string> {
    const path = this.hidden(name, hashOf(bytes), 'new')
    const file = await this.disk.create(path, mode)
    try {
      try {
        await file.write(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
    } catch (error) {
      await this.disk.remove(path).catch(() => undefined)
      throw error
    }
    return path
  }

  /** Gives a file a name that must be free. */
  private async place(from: string, name: string): Promise<Swapped> {
    const path = this.path(name)
    try {
      await this.disk.link(from, path)
    } catch (error) {
      if (failedWith(error, 'EEXIST', 'ENOENT')) return { state: 'conflict' }
      if (!failedWith(error, ...NO_LINKS)) throw error
      // No hard links here (FAT, some shared folders): the check and the rename are two steps, the best there is.
      if (await this.disk.read(path)) return { state: 'conflict' }
      await this.disk.rename(from, path)
    }
    await this.disk.syncFolder(this.folder)
    return { state: 'done' }
  }

  private async exchange(name: string, expected: Snapshot, fresh: string): Promise<Swapped> {
    const taken = this.hidden(name, expected.hash, 'taken')
    try {
      await this.disk.rename(this.path(name), taken)
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return { state: 'conflict' }
      throw error
    }
    const present = await this.disk.read(taken)
    if (present && hashOf(present.bytes) !== expected.hash) return this.putBack(name, taken)
    let placed: Swapped
    try {
      placed = await this.place(fresh, name)
    } catch (error) {
      await this.putBack(name, taken)
      throw error
    }
    // What stands there now may be a save made from the taken file, or one by somebody who saw no file at all.
    if (placed.state === 'conflict') return this.putBack(name, taken)
    // An editor that had the old file open may have written into it after we looked.
    const later = await this.disk.read(taken)
    if (later && hashOf(later.bytes) !== expected.hash)
      return { state: 'late', bytes: later.bytes, taken: basename(taken) }
    await this.disk.remove(taken)
    return { state: 'done' }
  }

  /** Gives a taken file its name back; where something new stands there, the taken content waits to be merged. */
  private async putBack(name: string, taken: string): Promise<Swapped> {
    if ((await this.place(taken, name)).state === 'conflict') {
      const file = await this.disk.read(taken)
      if (file) return { state: 'late', bytes: file.bytes, taken: basename(taken), foreign: true }
    }
    await this.disk.remove(taken)
    return { state: 'conflict' }
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return failedWith(error, 'EPERM')
  }
}
