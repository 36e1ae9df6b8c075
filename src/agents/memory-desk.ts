import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClaimedTurn, ToolCall } from '../messaging/store.js'
import { loggable } from './loggable.js'
import type { MemoryCopy } from './memory.js'
import type { Shop } from './shop.js'

const COPIES = 'memory'
const COPY = /^turn-(\d+)$/

/**
 * The chat's memory in one turn. A program gets a copy of the file in its working folder, which is merged back when the
 * turn went well and always removed: a folder that several chats share must not keep what belongs to one.
 */
export class MemoryDesk {
  readonly #turn: ClaimedTurn
  readonly #shop: Shop
  #copy: MemoryCopy | undefined
  #folder: string | undefined

  constructor(turn: ClaimedTurn, shop: Shop) {
    this.#turn = turn
    this.#shop = shop
  }

  /**
   * @param runs whether another turn is at work; what it has in this folder is its own
   * @returns null when memory cannot be read: the turn goes on without it, the log says why
   */
  async open(
    cwd: string,
    program: boolean,
    runs: (turn: number) => boolean,
  ): Promise<{ path: string; text: string; hash: string } | null> {
    const { memory, log } = this.#shop
    const { chatKey, id } = this.#turn
    try {
      const { text, hash } = await memory.read(chatKey)
      if (!program) return { path: memory.pathOf(chatKey), text, hash }
      await this.#removeStale(join(cwd, COPIES), runs)
      this.#folder = join(cwd, COPIES, `turn-${id}`)
      this.#copy = await memory.copyTo(chatKey, this.#folder)
      return { path: this.#copy.path, text: this.#copy.base, hash }
    } catch (error) {
      log.warn({ ...loggable(error), chatKey, turn: id }, 'group memory is not shown in this turn')
      return null
    }
  }

  /** Takes over what the program changed. @returns its line of the receipt, when there is something to tell */
  async merge(): Promise<ToolCall | null> {
    if (this.#copy === undefined) return null
    const { memory, clock, log } = this.#shop
    const entry = { name: 'memory_file', at: clock.now() }
    try {
      const { changed, note } = await memory.collect(this.#turn.chatKey, this.#copy)
      return changed ? { ...entry, ok: true, note: note ?? 'changes merged' } : null
    } catch (error) {
      log.error({ ...loggable(error), turn: this.#turn.id }, 'changes of group memory were not taken over')
      return { ...entry, ok: false, note: 'the changes were not taken over; the log says why' }
    }
  }

  async close(): Promise<void> {
    if (this.#folder === undefined) return
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {})
    // Only when nothing else lies there.
    await rmdir(join(this.#folder, '..')).catch(() => {})
  }

  /** What a daemon that was killed in the middle of a turn left. */
  async #removeStale(folder: string, runs: (turn: number) => boolean): Promise<void> {
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const turn = COPY.exec(name)?.[1]
      if (turn !== undefined && !runs(Number(turn)))
        await rm(join(folder, name), { recursive: true, force: true })
    }
  }
}
