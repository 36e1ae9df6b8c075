import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { size } from '../bytes.js'
import { fileName, isSecretPath, uniqueName } from './names.js'

/** Largest file an agent may send, in bytes. */
export const FILE_BYTES = 25_000_000
/** Files of one answer. */
export const FILES_PER_TURN = 10

export interface OutgoingOptions {
  /** The turn's working folder: nothing from elsewhere leaves. */
  root: string
  /** Where accepted files are copied to; belongs to this turn alone. */
  folder: string
  /** Folders whose files never leave although they may lie in `root`: Golem's data and the memory of other chats. */
  denied: readonly string[]
  /** A file that holds one of these is not sent. */
  secrets: readonly string[]
  maxBytes?: number
}

/** Why a file is not sent. `message` is for the agent and the receipt. */
class Refusal extends Error {}

const CHUNK = 64 * 1024
const PRIVATE_KEY = Buffer.from('PRIVATE KEY-----')

/**
 * The files of one answer. Each is checked where it really lies (links resolved), then copied: what is sent later is
 * what was checked, whatever becomes of the original.
 */
export class Outgoing {
  readonly files: { path: string; name: string }[] = []
  readonly refused: { name: string; why: string }[] = []
  readonly #options: OutgoingOptions
  readonly #secrets: readonly Buffer[]
  readonly #taken = new Set<string>()
  #ready: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: OutgoingOptions) {
    this.#options = options
    this.#secrets = options.secrets
      .filter((secret) => secret.length >= 6)
      .map((secret) => Buffer.from(secret))
  }

  /** One at a time, in order. @returns the name it is sent under, or why it is not */
  accept(path: string, name?: string): Promise<{ name: string } | { why: string }> {
    const work = this.#last.then(() => this.#accept(path, name))
    this.#last = work.catch(() => {})
    return work
  }

  async #accept(path: string, wanted: string | undefined): Promise<{ name: string } | { why: string }> {
    const shown = fileName(wanted === undefined || wanted === '' ? basename(path) : wanted)
    try {
      if (this.files.length >= FILES_PER_TURN) {
        throw new Refusal(`an answer carries at most ${FILES_PER_TURN} files`)
      }
      const { handle, bytes } = await this.#open(path)
      try {
        if (bytes > this.#limit) throw tooLarge(this.#limit)
        await this.#prepare()
        const name = uniqueName(shown, this.#taken)
        const target = join(this.#options.folder, name)
        try {
          await this.#copy(handle, target)
        } catch (error) {
          await rm(target, { force: true })
          throw error
        }
        this.files.push({ path: target, name })
        return { name }
      } finally {
        await handle.close()
      }
    } catch (error) {
      const why =
        error instanceof Refusal ? error.message : `it could not be read or copied (${codeOf(error)})`
      this.refused.push({ name: shown, why })
      return { why }
    }
  }

  get #limit(): number {
    return this.#options.maxBytes ?? FILE_BYTES
  }

  async #open(path: string): Promise<{ handle: FileHandle; bytes: number }> {
    const root = await realpath(this.#options.root)
    const given = resolve(root, fromUrl(path))
    this.#check(root, given, 'named')
    const real = await realpath(given).catch(() => {
      throw new Refusal('there is no such file in the working folder')
    })
    this.#check(root, real, 'real')
    for (const folder of this.#options.denied) {
      const denied = await realpath(folder).catch(() => resolve(folder))
      // The working folder itself may lie in the data folder; then what lies in it is the agent's own.
      if (!inside(denied, root) && inside(denied, real)) throw new Refusal('it belongs to Golem itself')
    }
    // Not following a link now, not waiting for a pipe's other end.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await handle.stat()
    const now = await realpath(given).catch(() => null)
    const again = now === real ? await stat(real).catch(() => null) : null
    if (!found.isFile()) {
      await handle.close()
      throw new Refusal('it is no plain file')
    }
    if (again?.ino !== found.ino || again.dev !== found.dev) {
      await handle.close()
      throw new Refusal('it changed while it was being read')
    }
    return { handle, bytes: found.size }
  }

  #check(root: string, path: string, which: 'named' | 'real'): void {
    if (!inside(root, path) || path === root) {
      throw new Refusal(
        which === 'real'
          ? 'it is a link out of the working folder'
          : 'it lies outside the working folder; copy it there first',
      )
    }
    if (isSecretPath(relative(root, path).split(sep))) {
      throw new Refusal('hidden files, keys and password files are never sent')
    }
  }

  async #prepare(): Promise<void> {
    this.#ready ??= (async () => {
      // What an interrupted attempt of the same turn left was never announced.
      await rm(this.#options.folder, { recursive: true, force: true })
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
    })()
    await this.#ready
  }

  async #copy(from: FileHandle, target: string): Promise<void> {
    const to = await open(target, 'wx', 0o600)
    try {
      const overlap = Math.max(PRIVATE_KEY.length, ...this.#secrets.map((secret) => secret.length)) - 1
      let seen = Buffer.alloc(0)
      let total = 0
      for (;;) {
        const { bytesRead, buffer } = await from.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK)
        if (bytesRead === 0) break
        total += bytesRead
        if (total > this.#limit) throw tooLarge(this.#limit)
        const chunk = buffer.subarray(0, bytesRead)
        seen = Buffer.concat([seen, chunk])
        if (seen.includes(PRIVATE_KEY)) throw new Refusal('it holds a private key')
        if (this.#secrets.some((secret) => seen.includes(secret))) {
          throw new Refusal('it holds a secret of this gateway')
        }
        seen = seen.subarray(Math.max(0, seen.length - overlap))
        await to.writeFile(chunk)
      }
      await to.sync()
    } finally {
      await to.close()
    }
    const folder = await open(this.#options.folder, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

function tooLarge(limit: number): Refusal {
  return new Refusal(`it is larger than ${size(limit)}`)
}

function inside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`))
}

function fromUrl(path: string): string {
  if (!path.startsWith('file:')) return path
  try {
    return fileURLToPath(path)
  } catch {
    throw new Refusal('that is no path')
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error'
}
