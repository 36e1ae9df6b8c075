/** Forged requests in the log: one line at once, then one a minute at most, for anybody can send a thousand a second. */
import type { Clock, Logger, Millis } from '../src/messaging/contract.js'

const EVERY: Millis = 60_000

export class Refusals {
  #saidAt = Number.NEGATIVE_INFINITY
  #unsaid = 0

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    /** Name of the platform. */
    private readonly platform: string,
  ) {}

  /** @param reason holds nothing of the request */
  note(reason: string): void {
    const now = this.clock.now()
    if (Math.abs(now - this.#saidAt) < EVERY) {
      this.#unsaid++
      return
    }
    const more = this.#unsaid === 0 ? {} : { unsaid: this.#unsaid }
    this.log.warn({ reason, ...more }, `a request in ${this.platform}’s name was refused`)
    this.#saidAt = now
    this.#unsaid = 0
  }
}
