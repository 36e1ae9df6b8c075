/**
 * How much an app may ask. https://docs.discord.com/developers/topics/rate-limits
 *
 * The global limit is documented: 50 requests a second, interactions not among them. Those of routes are not; Discord
 * asks to read them from the headers. The numbers here are those that people have measured.
 */
import { createHash } from 'node:crypto'
import type { VirtualClock } from '../../kit/clock.js'

const GLOBAL = { most: 50, ms: 1_000 }
const ROUTES: Readonly<Record<string, { most: number; ms: number }>> = {
  createMessage: { most: 5, ms: 5_000 },
  editMessage: { most: 5, ms: 5_000 },
  deleteMessage: { most: 5, ms: 1_000 },
  createReaction: { most: 1, ms: 250 },
  deleteOwnReaction: { most: 1, ms: 250 },
  triggerTyping: { most: 5, ms: 5_000 },
  createDm: { most: 10, ms: 10_000 },
  getMembers: { most: 10, ms: 10_000 },
  searchMembers: { most: 10, ms: 10_000 },
  getGatewayBot: { most: 2, ms: 5_000 },
}
const OTHERS = { most: 50, ms: 1_000 }

interface Window {
  count: number
  until: number
}

export interface Taken {
  /** 0, or the milliseconds until one more is allowed. */
  waitMs: number
  isGlobal: boolean
  headers: Record<string, string>
}

export class RateLimits {
  readonly #clock: VirtualClock
  readonly #windows = new Map<string, Window>()

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  /** Counts one call. @param major the channel, guild or webhook that has a bucket of its own */
  take(method: string, major: string, countsGlobally: boolean): Taken {
    if (countsGlobally) {
      const all = this.#take('global', GLOBAL.most, GLOBAL.ms)
      if (all.waitMs > 0) return { waitMs: all.waitMs, isGlobal: true, headers: {} }
    }
    const { most, ms } = ROUTES[method] ?? OTHERS
    const taken = this.#take(`${method}:${major}`, most, ms)
    const { waitMs, window } = taken
    const after = Math.max(0, window.until - this.#clock.now())
    return {
      waitMs,
      isGlobal: false,
      headers: {
        'x-ratelimit-limit': String(most),
        'x-ratelimit-remaining': String(Math.max(0, most - window.count)),
        'x-ratelimit-reset': (window.until / 1000).toFixed(3),
        'x-ratelimit-reset-after': (after / 1000).toFixed(3),
        'x-ratelimit-bucket': bucketOf(method),
      },
    }
  }

  #take(key: string, most: number, ms: number): { waitMs: number; window: Window } {
    const now = this.#clock.now()
    let window = this.#windows.get(key)
    if (window === undefined || window.until <= now) {
      window = { count: 0, until: now + ms }
      this.#windows.set(key, window)
    }
    if (window.count >= most) return { waitMs: window.until - now, window }
    window.count++
    return { waitMs: 0, window }
  }
}

const bucketOf = (method: string): string => createHash('md5').update(method).digest('hex')
