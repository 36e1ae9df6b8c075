/**
 * Long polling. `getUpdates` with an offset tells Telegram to forget everything before it, so the offset moves only when
 * the core has stored what came; grammY's own loop moves it whatever became of an update.
 */
import type { Clock, Closed, Logger } from '../../src/messaging/contract.js'
import { type Api, ApiError, isUnauthorized } from './api.js'
import type { OffsetFile } from './offset.js'
import { type Dict, dicts, int } from './raw.js'
import { ALLOWED_UPDATES } from './read.js'

/** Seconds that Telegram may hold the request when there is nothing new. */
const HOLD_SECONDS = 30
/** Longer than that, in milliseconds, and the connection is taken for half-open. */
const HOLD_MARGIN = 10_000
const BACKOFF_FIRST = 1_000
const BACKOFF_MOST = 60_000

export interface PollOptions {
  api: Api
  clock: Clock
  log: Logger
  offset: OffsetFile
  /** Rejects when the update could not be stored. */
  take(update: Dict): Promise<void>
  /** What keeps updates from coming in, or null when nothing does. */
  trouble(reason: string | null): void
  random?(): number
}

export class Poller {
  readonly #options: PollOptions
  readonly #abort = new AbortController()
  readonly #loop: Promise<Closed>
  #offset = 0
  #failures = 0
  #wake: (() => void) | null = null

  constructor(options: PollOptions) {
    this.#options = options
    this.#loop = this.#run()
  }

  /** Settles when polling has ended for good. */
  get done(): Promise<Closed> {
    return this.#loop
  }

  /** Ends the poll that is out. What is being stored is still stored. */
  stop(): Promise<Closed> {
    this.#abort.abort()
    this.#wake?.()
    return this.#loop
  }

  get #stopped(): boolean {
    return this.#abort.signal.aborted
  }

  async #run(): Promise<Closed> {
    const { clock, offset, trouble } = this.#options
    this.#offset = (await offset.read(clock.now())) ?? 0
    while (!this.#stopped) {
      try {
        const updates = await this.#fetch()
        this.#failures = 0
        trouble(null)
        await this.#store(updates)
      } catch (error) {
        if (this.#stopped) break
        const closed = await this.#failed(error)
        if (closed !== null) return closed
      }
    }
    return { reason: 'closed' }
  }

  async #fetch(): Promise<Dict[]> {
    // After a failure the first answer should come at once: it is what shows that all is well again.
    const timeout = this.#failures > 0 ? 0 : HOLD_SECONDS
    const answer = await this.#options.api.call(
      'getUpdates',
      {
        ...(this.#offset > 0 && { offset: this.#offset }),
        timeout,
        limit: 100,
        allowed_updates: ALLOWED_UPDATES,
      },
      { signal: this.#abort.signal, timeoutMs: timeout * 1_000 + HOLD_MARGIN },
    )
    if (!Array.isArray(answer)) throw new Error('getUpdates: the answer is no list of updates')
    return dicts(answer)
  }

  /** In the same tick, so that they share a commit; then, one by one, those that were refused. */
  async #store(updates: readonly Dict[]): Promise<void> {
    const { take, log, trouble, offset, clock } = this.#options
    if (updates.length === 0) return
    const results = await Promise.allSettled(updates.map((update) => take(update)))
    for (const [index, result] of results.entries()) {
      const update = updates[index] ?? {}
      for (let failed: unknown = result.status === 'rejected' ? result.reason : null; failed !== null; ) {
        if (this.#stopped) return
        this.#failures++
        trouble(`an update cannot be stored: ${String(failed)}`)
        log.warn(
          { update: int(update.update_id), error: String(failed) },
          'an update could not be stored; trying again',
        )
        await this.#sleep(this.#backoff())
        failed = await take(update).then(
          () => null,
          (error: unknown) => error ?? 'unknown',
        )
      }
    }
    this.#failures = 0
    trouble(null)
    const ids = updates.flatMap((update) => int(update.update_id) ?? [])
    // Without an id nothing can be acknowledged: asking again at once would spin.
    if (ids.length === 0) throw new Error('getUpdates: the updates have no ids')
    this.#offset = Math.max(...ids) + 1
    offset.write(this.#offset, clock.now())
  }

  /** Waits until it is worth another try. Returns how the connection ends where no try can help. */
  async #failed(error: unknown): Promise<Closed | null> {
    const { log, trouble } = this.#options
    this.#failures++
    const reason = error instanceof Error ? error.message : String(error)
    let wait = this.#backoff()
    if (error instanceof ApiError) {
      if (isUnauthorized(error)) return revoked(reason)
      if (error.status === 409 && /webhook/i.test(error.description)) return this.#dropWebhook()
      if (error.status === 409) {
        trouble(
          'another process polls with this bot token, and Telegram serves one of them; stop the other, or revoke the token with @BotFather',
        )
        log.warn({ wait }, 'Telegram: another process polls with this bot token')
        await this.#sleep(Math.max(wait, 5_000))
        return null
      }
      if (error.status === 429) wait = (error.parameters.retryAfter ?? 1) * 1_000
    }
    trouble(`Telegram cannot be reached: ${reason}`)
    log.warn({ wait, failures: this.#failures }, `Telegram: ${reason}; trying again`)
    await this.#sleep(wait)
    return null
  }

  /** Set by an earlier life with a webhook: what waits there comes by polling instead. */
  async #dropWebhook(): Promise<null> {
    const { api, log, trouble } = this.#options
    log.info({}, 'Telegram: a webhook is set for this bot; it is removed, polling takes its place')
    try {
      await api.call('deleteWebhook', { drop_pending_updates: false }, { signal: this.#abort.signal })
    } catch (error) {
      trouble(`a webhook is set for this bot and could not be removed: ${String(error)}`)
      await this.#sleep(this.#backoff())
    }
    return null
  }

  #backoff(): number {
    const wait = Math.min(BACKOFF_FIRST * 2 ** Math.min(Math.max(0, this.#failures - 1), 10), BACKOFF_MOST)
    return Math.round(wait * (0.75 + (this.#options.random ?? Math.random)() / 2))
  }

  #sleep(ms: number): Promise<void> {
    const { clock } = this.#options
    if (this.#stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

/** How a connection ends whose token is no longer good. */
export function revoked(reason: string): Closed {
  return {
    reason: `Telegram refuses the bot token (${reason})`,
    fatal: true,
    cure: 'Get the current token from @BotFather (/mybots, API Token), put it into golem.yaml or its environment variable, and restart.',
  }
}
