/**
 * The tenant access token: asked for once, however many want it, and renewed before it ends.
 *
 * One lives for two hours; in its last half hour Feishu gives out a new one beside it.
 * https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal
 */
import type { Clock, Millis } from '../../src/messaging/contract.js'

/** With less than this left, a new one is asked for while the old one is still used, … */
const AHEAD: Millis = 20 * 60_000
/** … and with less than this it is used no more: a request takes its time. */
const LAST: Millis = 60_000
/** After a renewal that failed. */
const AGAIN: Millis = 30_000

export interface Token {
  value: string
  /** Milliseconds it lives. */
  lives: Millis
}

export class TokenCache {
  #held: { value: string; until: Millis; ahead: Millis } | null = null
  #asked: Promise<string> | null = null
  #pause: Millis = 0

  constructor(
    private readonly clock: Clock,
    private readonly ask: () => Promise<Token>,
  ) {}

  /** Rejects as `ask` does, where no token is left. */
  async get(): Promise<string> {
    const now = this.clock.now()
    const held = this.#held
    if (held === null || now >= held.until - Math.min(LAST, held.ahead)) return this.#renew()
    if (now >= held.until - held.ahead && this.#asked === null && now >= this.#pause) {
      this.#pause = now + AGAIN
      this.#renew().catch(() => undefined)
    }
    return held.value
  }

  /** Feishu took this one no more. Another one that came meanwhile stays. */
  drop(value: string): void {
    if (this.#held?.value === value) this.#held = null
  }

  #renew(): Promise<string> {
    this.#asked ??= this.ask()
      .then(({ value, lives }) => {
        this.#held = { value, until: this.clock.now() + lives, ahead: Math.min(AHEAD, lives / 2) }
        return value
      })
      .finally(() => {
        this.#asked = null
      })
    return this.#asked
  }
}
