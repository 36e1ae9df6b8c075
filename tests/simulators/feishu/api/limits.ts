/**
 * How much an app may ask. https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control
 *
 * Every method of an app: 50 a second and 1,000 a minute. Posting to a chat or to a person: 5 a second, in a group shared
 * by all its bots (https://open.feishu.cn/document/server-docs/im-v1/message/create). Changing one message: 5 a second
 * (…/im-v1/message/patch). Cards for one person: 40 a second in a chat.
 */
import type { VirtualClock } from '../../kit/clock.js'

interface Bucket {
  tokens: number
  at: number
}

export class RateLimits {
  readonly #clock: VirtualClock
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  /** Counts a call of a method. Returns 0, or the milliseconds until one more is allowed. */
  takeMethod(app: string, method: string): number {
    const wait = this.#take(`${app}:${method}:second`, 50, 1_000)
    return wait > 0 ? wait : this.#take(`${app}:${method}:minute`, 1_000, 60_000)
  }

  /** Counts a post in a chat, or a change of a message. False: it is too much. */
  takeTarget(target: string, perSecond = 5): boolean {
    return this.#take(target, perSecond, 1_000) === 0
  }

  #take(key: string, most: number, perMs: number): number {
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? { tokens: most, at: now }
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.at) * most) / perMs)
    bucket.at = now
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) return ((1 - bucket.tokens) * perMs) / most
    bucket.tokens--
    return 0
  }
}
