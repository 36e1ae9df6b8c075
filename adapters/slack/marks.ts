/**
 * The bot's mark on a message. Slack has many reactions a person and no way to replace one, so a mark is two calls:
 * the new one is added, an earlier one is taken away. The operation is the first of them, one request as every
 * operation; the second follows behind it, outside of the operation, and is only tidiness: it is tried some times,
 * and if it fails two marks stand there, of which the later one says how it ended.
 *
 * What stands is remembered. After a restart it is not, but marks have an order: whatever ends began with `received`.
 */
import type { Clock, Logger, React } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import type { Web } from './web.js'

type Mark = React['mark']

const EMOJI: Readonly<Record<Mark, string>> = {
  received: 'eyes',
  done: 'white_check_mark',
  failed: 'x',
  stopped: 'black_square_for_stop',
}
const MOST = 5_000
const TRIES = 4
const FIRST_WAIT = 1_000

export class Marks {
  readonly #standing = new Map<string, Mark>()
  readonly #open = new Set<Promise<void>>()
  #closed = false

  constructor(
    private readonly web: Web,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** One request. */
  async set(channel: string, ts: string, mark: Mark, signal: AbortSignal): Promise<void> {
    try {
      await this.web.call('reactions.add', { channel, timestamp: ts, name: EMOJI[mark] }, { signal })
    } catch (error) {
      if (!(error instanceof CallFailed) || error.code !== 'already_reacted') throw error
    }
    const key = `${channel}:${ts}`
    const earlier = this.#standing.get(key) ?? (mark === 'received' ? undefined : 'received')
    this.#standing.delete(key)
    this.#standing.set(key, mark)
    if (this.#standing.size > MOST) {
      const oldest = this.#standing.keys().next().value
      if (oldest !== undefined) this.#standing.delete(oldest)
    }
    if (earlier !== undefined && earlier !== mark) this.#follow(channel, ts, earlier)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#open)
  }

  #follow(channel: string, ts: string, mark: Mark): void {
    const going = this.#remove(channel, ts, mark, 1)
    this.#open.add(going)
    void going.finally(() => this.#open.delete(going))
  }

  async #remove(channel: string, ts: string, mark: Mark, attempt: number): Promise<void> {
    if (this.#standing.get(`${channel}:${ts}`) === mark) return
    try {
      await this.web.call('reactions.remove', { channel, timestamp: ts, name: EMOJI[mark] })
    } catch (error) {
      const code = error instanceof CallFailed ? error.code : 'unknown'
      const again = code === 'rate_limited' || code === 'unreachable' || code === 'unanswered'
      if (!again || attempt >= TRIES || this.#closed) {
        this.log.debug({ code }, 'an earlier mark still stands')
        return
      }
      const asked = error instanceof CallFailed ? (error.details.retryAfterMs ?? 0) : 0
      const { clock } = this
      const wait = Math.max(asked, FIRST_WAIT * 2 ** attempt)
      clock.at(clock.now() + wait, () => {
        if (this.#closed) return
        const going = this.#remove(channel, ts, mark, attempt + 1)
        this.#open.add(going)
        void going.finally(() => this.#open.delete(going))
      })
    }
  }
}
