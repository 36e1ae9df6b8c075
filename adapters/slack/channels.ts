/** Joining public channels: all of them, and new ones as they are made. Opt-in. */
import type { Clock, Logger } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import { type Fields, fields, list, nativeId, text } from './shape.js'
import type { Web } from './web.js'

/** conversations.join is tier 3: 50 a minute. https://docs.slack.dev/apis/web-api/rate-limits */
const PACE = 1_300
const MOST_PAGES = 50
const AGAIN = 30_000

export class Channels {
  readonly #waiting: string[] = []
  #working = false
  #closed = false
  #cancel: () => void = () => undefined

  constructor(
    private readonly web: Web,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** A scope is missing: nothing can be joined. */
    private readonly trouble: (sentence: string) => void,
  ) {}

  /** Looks through the workspace and joins what the bot is not in. */
  async joinAll(): Promise<void> {
    let cursor: string | undefined
    for (let page = 0; page < MOST_PAGES && !this.#closed; page++) {
      let answer: Fields
      try {
        answer = await this.web.call('conversations.list', {
          types: 'public_channel',
          exclude_archived: true,
          limit: 200,
          ...(cursor !== undefined && { cursor }),
        })
      } catch (error) {
        if (this.#gaveUp(error)) return
        await this.#pause(error)
        page--
        continue
      }
      for (const value of list(answer.channels)) {
        const channel = fields(value)
        if (channel.is_member !== true && channel.is_archived !== true) this.join(nativeId(channel.id))
      }
      cursor = text(fields(answer.response_metadata).next_cursor)
      if (cursor === undefined) return
    }
  }

  join(id: string | undefined): void {
    if (id === undefined || this.#closed || this.#waiting.includes(id)) return
    this.#waiting.push(id)
    if (!this.#working) void this.#work()
  }

  close(): void {
    this.#closed = true
    this.#cancel()
  }

  async #work(): Promise<void> {
    this.#working = true
    for (let id = this.#waiting.shift(); id !== undefined && !this.#closed; id = this.#waiting.shift()) {
      try {
        await this.web.call('conversations.join', { channel: id })
        if (this.#waiting.length > 0) await this.#sleep(PACE)
      } catch (error) {
        if (this.#gaveUp(error)) break
        const retry = error instanceof CallFailed && AGAIN_CODES.has(error.code)
        this.log.debug({ channel: id, error: String(error) }, 'a channel could not be joined')
        if (retry) {
          this.#waiting.push(id)
          await this.#pause(error)
        }
      }
    }
    this.#working = false
  }

  #gaveUp(error: unknown): boolean {
    if (!(error instanceof CallFailed) || error.code !== 'missing_scope') return this.#closed
    this.#waiting.length = 0
    const scope = error.details.needed ?? 'channels:join'
    this.trouble(
      `joinPublicChannels needs the scope ${scope}: add it under "OAuth & Permissions" and install the app again`,
    )
    return true
  }

  #pause(error: unknown): Promise<void> {
    const asked = error instanceof CallFailed ? error.details.retryAfterMs : undefined
    return this.#sleep(asked ?? AGAIN)
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.at(this.clock.now() + ms, resolve)
      this.#cancel = () => {
        cancel()
        resolve()
      }
    })
  }
}

const AGAIN_CODES: ReadonlySet<string> = new Set(['rate_limited', 'unreachable', 'unanswered'])
