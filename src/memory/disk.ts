/**
 * The few calls that memory makes on a file system, each one a step at which a machine may stop. Tests pass their own
 * to stop at every one of them.
 */
import { constants, lstatSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failedWith, MemoryError } from './error.js'

/** Files beyond this are neither read nor changed: a memory file is at most a small part of it. */
export const READ_BYTES = 256 * 1024

/** Mode of a file that is made, before the umask. */
export const NEW_MODE = 0o644

export interface NewFile {
  write(bytes: Uint8Array): Promise<void>
  /** Resolves when the bytes are on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface Disk {
  /** A plain file's bytes and mode; null when there is none. Never follows a link. */
  read(path: string): Promise<{ bytes: Uint8Array; mode: number } | null>
  /**
   * Another stamp, another file or content. Null where there is none, or where it was changed so lately that a change
   * after this call could bear the same one.
   *
   * @param now milliseconds since the epoch, by the file system's clock
   */
  stamp(path: string, now?: number): Promise<string | null>
  /** Names in a folder; empty when there is none. */
  list(folder: string): Promise<string[]>
  makeFolder(folder: string): Promise<void>
  /** A file that must not exist yet. */
  create(path: string, mode: number): Promise<NewFile>
  rename(from: string, to: string): Promise<void>
  /** A second name; rejects with EEXIST where `to` exists. */
  link(from: string, to: string): Promise<void>
  /** Removes a file if it is there. */
  remove(path: string): Promise<void>
  /** Makes names in a folder durable, where the system knows how. */
  syncFolder(folder: string): Promise<void>
}

/** A change younger than this has no stamp: file systems tell time in steps, ext4 in 4 ms, some in a second or two. */
const COARSE = 3_000

export const nodeDisk: Disk = {
  async read(path) {
    let file: Awaited<ReturnType<typeof open>>
    try {
      // Non-blocking: opening a pipe somebody put there must not hang the daemon.
      file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return null
      throw error
    }
    try {
      const info = await file.stat()
      if (!info.isFile()) {
        throw new MemoryError(
          'not-a-file',
          `Group memory ${path} is not a plain file: put the file itself there instead of a folder, pipe or device.`,
        )
      }
      if (info.size > READ_BYTES) {
        throw new MemoryError(
          'too-large',
          `Group memory ${path} has ${info.size} bytes, more than the ${READ_BYTES} that Golem reads; it was left as it is: move parts of it to another file.`,
        )
      }
      return { bytes: await file.readFile(), mode: info.mode & 0o777 }
    } finally {
      await file.close()
    }
  },
  async stamp(path, now = Date.now()) {
    try {
      // Here and now: asking in the thread pool takes forty times as long as the answer, once in every turn.
      const { dev, ino, size, ctimeNs } = lstatSync(path, { bigint: true })
      if (now - Number(ctimeNs / 1_000_000n) < COARSE) return null
      return `${dev}:${ino}:${size}:${ctimeNs}`
    } catch {
      // Whatever is wrong with it, reading it says so.
      return null
    }
  },
  async list(folder) {
    try {
      return await readdir(folder)
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return []
      throw error
    }
  },
  async makeFolder(folder) {
    const first = await mkdir(folder, { recursive: true })
    // A new folder is a name in its parent, and as lost as an unsynced file when the power goes.
    if (first !== undefined) await nodeDisk.syncFolder(dirname(first))
  },
  async create(path, mode) {
    const file = await open(path, 'wx', mode)
    // What a person allowed (a group that may write, say) stays allowed, whatever this process's umask is.
    if (mode !== NEW_MODE) await file.chmod(mode)
    return {
      write: (bytes) => file.writeFile(bytes),
      sync: () => file.sync(),
      close: () => file.close(),
    }
  },
  rename,
  link,
  remove: (path) => rm(path, { force: true }),
  async syncFolder(folder) {
    try {
      const handle = await open(folder, constants.O_RDONLY)
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    } catch (error) {
      // Windows and some network file systems cannot sync a folder; the rename itself has happened.
      if (!failedWith(error, 'EISDIR', 'EINVAL', 'EPERM', 'ENOTSUP', 'EBADF')) throw error
    }
  },
}
