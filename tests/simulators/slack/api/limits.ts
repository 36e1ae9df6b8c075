/**
 * How much an app may ask. https://docs.slack.dev/apis/web-api/rate-limits
 *
 * Slack says so many calls a minute "and more" and tolerates bursts: here a bucket for each method that holds a minute's
 * worth. Posting: one a second in each channel, short bursts allowed, some hundreds a minute over the workspace.
 */
import type { VirtualClock } from '../../kit/clock.js'
import type { Tier } from './method.js'

const PER_MINUTE = { 1: 1, 2: 20, 3: 50, 4: 100 }
/** Posts in one channel that may come at once. */
const BURST = 4
const WORKSPACE_PER_MINUTE = 600

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

  /** Counts one call. Returns 0, or the milliseconds until one more is allowed. */
  take(method: string, tier: Tier, channel: string | undefined): number {
    if (tier === 'none') return 0
    if (tier !== 'post') return this.#take(method, PER_MINUTE[tier], PER_MINUTE[tier] / 60_000)
    const wait = this.#take(`${method}:${channel ?? ''}`, BURST, 1 / 1_000)
    return wait > 0 ? wait : this.#take(method, WORKSPACE_PER_MINUTE, WORKSPACE_PER_MINUTE / 60_000)
  }

  #take(key: string, most: number, perMs: number): number {
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? { tokens: most, at: now }
    bucket.tokens = Math.min(most, bucket.tokens + (now - bucket.at) * perMs)
    bucket.at = now
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perMs
    bucket.tokens--
    return 0
  }
}
