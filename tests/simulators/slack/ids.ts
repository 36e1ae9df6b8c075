/** Ids in Slack's form, the same in every run. */

/** Slack's ids are a letter and ten of these. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export class Ids {
  readonly #counts = new Map<string, number>()
  #last = 0

  /** @param prefix the letters that say what it is: U person, C channel, D direct chat, T team, F file, Ev event … */
  next(prefix: string): string {
    const count = (this.#counts.get(prefix) ?? 0) + 1
    this.#counts.set(prefix, count)
    let rest = ''
    for (let left = count * 7919; rest.length < 8; left = Math.floor(left / DIGITS.length)) {
      rest = (DIGITS[left % DIGITS.length] ?? '0') + rest
    }
    return `${prefix}0${rest}`
  }

  /**
   * A message's timestamp: seconds, six digits behind the point, unique in the workspace and later than the one before.
   * https://docs.slack.dev/messaging/retrieving-messages#individual_messages
   *
   * @param now milliseconds since 1970
   */
  ts(now: number): string {
    this.#last = Math.max(this.#last + 1, Math.floor(now * 1000))
    return `${Math.floor(this.#last / 1e6)}.${String(this.#last % 1e6).padStart(6, '0')}`
  }

  /** A version 4 UUID by form: envelopes, `client_msg_id`. */
  uuid(): string {
    const count = (this.#counts.get('uuid') ?? 0) + 1
    this.#counts.set('uuid', count)
    const hex = count.toString(16).padStart(12, '0')
    return `5ac6e1d0-0000-4000-8000-${hex}`
  }
}
