/**
 * A small file of JSON in the connection's own folder, written atomically and without waiting for the disk: the newest
 * version that is there is whole, and nothing depends on its being the very last.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export class KeptFile {
  readonly #file: string
  #value: (() => unknown) | null = null
  #writing: Promise<void> | null = null
  #closed = false
  /** Of what was written at once. */
  #version = 0

  constructor(
    private readonly folder: string,
    name: string,
  ) {
    this.#file = join(folder, name)
  }

  /** Undefined where there is none, or none that can be read. */
  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8'))
    } catch {
      return undefined
    }
  }

  /** One write at a time, always of the latest: `value` is asked when its turn has come. */
  write(value: () => unknown): void {
    if (this.#closed) return
    this.#value = value
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  /** There when it returns: whatever ends the process afterwards. */
  writeNow(value: () => unknown): void {
    if (this.#closed) return
    const fresh = `${this.#file}.now`
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      writeFileSync(fresh, JSON.stringify(value()), { mode: 0o600 })
      renameSync(fresh, this.#file)
    } catch {
      // See above.
    }
    // One that is being written is older: it must not take the place of this one, not even for a moment.
    this.#version++
    this.#value = null
  }

  /** Resolves when what was handed over is written; what comes later is not. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#writing !== null) await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#value !== null) {
      const value = this.#value()
      const version = this.#version
      this.#value = null
      const fresh = `${this.#file}.new`
      try {
        await mkdir(this.folder, { recursive: true, mode: 0o700 })
        await writeFile(fresh, JSON.stringify(value), { mode: 0o600 })
        // Without a pause between the look and the deed.
        if (version === this.#version) renameSync(fresh, this.#file)
      } catch {
        // See above.
      }
    }
  }
}
