/**
 * How far the updates were taken, over restarts. A convenience: without it Telegram sends again what it was not told is
 * stored, and the core knows it by its dedupe key. So it is written without waiting for the disk.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Millis } from '../../src/messaging/contract.js'

/** "If there are no new updates for at least a week, the next identifier is chosen randomly" (Update.update_id). */
const GOOD_FOR = 6 * 24 * 3_600_000

const stored = z.object({ bot: z.string(), offset: z.int().positive(), at: z.int() })

export class OffsetFile {
  readonly #file: string
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(
    private readonly folder: string,
    private readonly bot: string,
  ) {
    this.#file = join(folder, 'telegram-offset.json')
  }

  async read(now: Millis): Promise<number | null> {
    try {
      const { bot, offset, at } = stored.parse(JSON.parse(await readFile(this.#file, 'utf8')))
      return bot === this.bot && now - at < GOOD_FOR && at <= now ? offset : null
    } catch {
      return null
    }
  }

  write(offset: number, at: Millis): void {
    if (this.#closed) return
    this.#writing = this.#writing.then(async () => {
      const fresh = `${this.#file}.new`
      try {
        await mkdir(this.folder, { recursive: true })
        await writeFile(fresh, JSON.stringify({ bot: this.bot, offset, at }), { mode: 0o600 })
        await rename(fresh, this.#file)
      } catch {
        // See above: nothing depends on it.
      }
    })
  }

  /** Resolves when the last {@link write} has come to its end; later ones are ignored. */
  close(): Promise<void> {
    this.#closed = true
    return this.#writing
  }
}
