/**
 * The bot's mark on a message, one at a time. Discord cannot replace a reaction, so a change of mark is two requests, the
 * one operation that has more than one: the new mark is put there, the earlier one taken away. Neither can be seen twice,
 * so an operation that is in doubt is simply repeated, and only its first request decides whether it succeeded.
 *
 * What stands is remembered. After a restart it is not, but marks have an order: whatever ends began with `received`.
 */
import type { Api } from './api.js'
import { Bounded } from './bounded.js'
import { CallFailed } from './failures.js'
import { EMOJI, type Mark } from './marks.js'

const MOST = 5_000

interface Standing {
  mark: Mark
  /** The one before it, which is still there. */
  earlier?: Mark | undefined
}

export class Reactions {
  readonly #standing = new Bounded<Standing>(MOST)

  constructor(private readonly api: Api) {}

  async set(channel: string, message: string, mark: Mark, signal: AbortSignal): Promise<void> {
    const path = (of: Mark) => ['channels', channel, 'messages', message, 'reactions', EMOJI[of], '@me']
    const key = `${channel}:${message}`
    const before = this.#standing.get(key)
    const goesOn = before?.mark === mark && before.earlier !== undefined
    // One reaction in a quarter of a second: an operation that met the limit half-way has only its second half left.
    if (!goesOn) await this.api.call('PUT', path(mark), { signal })
    const earlier = goesOn ? before.earlier : (before?.mark ?? (mark === 'received' ? undefined : 'received'))
    if (earlier === undefined || earlier === mark) {
      this.#standing.set(key, { mark })
      return
    }
    this.#standing.set(key, { mark, earlier })
    try {
      await this.api.call('DELETE', path(earlier), { signal })
    } catch (error) {
      // Two marks are untidy, not wrong: of the two the later one says how it ended.
      if (!(error instanceof CallFailed) || error.kind !== 'refused') throw error
    }
    this.#standing.set(key, { mark })
  }
}
