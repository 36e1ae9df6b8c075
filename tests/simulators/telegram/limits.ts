/**
 * How much a bot may send: about one message a second in a chat with short bursts, 20 a minute in a group, about 30 a
 * second over all. https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
import type { VirtualClock } from '../kit/clock.js'
import { tooMany } from './errors.js'
import type { Chat } from './world.js'

/** How many may come at once in a chat before one a second holds. No page gives a number. */
const CHAT_BURST = 5
const GROUP_PER_MINUTE = 20
const ACCOUNT_PER_SECOND = 30

interface Bucket {
  tokens: number
  at: number
}

export class SendLimits {
  readonly #clock: VirtualClock
  readonly #buckets = new Map<number, Bucket>()
  readonly #inGroup = new Map<number, number[]>()
  #account: number[] = []
  enforced: boolean

  constructor(clock: VirtualClock, enforced: boolean) {
    this.#clock = clock
    this.enforced = enforced
  }

  /**
   * Counts what is about to be sent or edited.
   *
   * @param messages new messages; 0 for an edit, which counts in the chat and over all, but not in a group's minute
   * @throws ApiError 429 with `retry_after`; nothing is counted then
   */
  count(chat: Chat, messages: number): void {
    if (!this.enforced) return
    const now = this.#clock.now()
    const writes = Math.max(1, messages)
    const wait = Math.max(
      this.#bucketWait(chat.id, now),
      chat.type === 'private' || messages === 0 ? 0 : this.#groupWait(chat.id, messages, now),
      this.#accountWait(writes, now),
    )
    if (wait > 0) throw tooMany(wait)
    const bucket = this.#bucket(chat.id, now)
    // An album is one call; it leaves a debt that the chat has to wait out.
    bucket.tokens -= writes
    for (let sent = 0; sent < writes; sent++) this.#account.push(now)
    if (chat.type === 'private' || messages === 0) return
    const sent = this.#inGroup.get(chat.id) ?? []
    for (let count = 0; count < messages; count++) sent.push(now)
    this.#inGroup.set(chat.id, sent)
  }

  #bucket(chat: number, now: number): Bucket {
    const bucket = this.#buckets.get(chat) ?? { tokens: CHAT_BURST, at: now }
    bucket.tokens = Math.min(CHAT_BURST, bucket.tokens + (now - bucket.at) / 1000)
    bucket.at = now
    this.#buckets.set(chat, bucket)
    return bucket
  }

  #bucketWait(chat: number, now: number): number {
    const { tokens } = this.#bucket(chat, now)
    return tokens >= 1 ? 0 : (1 - tokens) * 1000
  }

  #groupWait(chat: number, messages: number, now: number): number {
    const sent = (this.#inGroup.get(chat) ?? []).filter((at) => at > now - 60_000)
    this.#inGroup.set(chat, sent)
    const over = sent.length + messages - GROUP_PER_MINUTE
    return over <= 0 ? 0 : (sent[Math.min(over, sent.length) - 1] ?? now) + 60_000 - now
  }

  #accountWait(writes: number, now: number): number {
    this.#account = this.#account.filter((at) => at > now - 1000)
    const over = this.#account.length + writes - ACCOUNT_PER_SECOND
    return over <= 0 ? 0 : (this.#account[Math.min(over, this.#account.length) - 1] ?? now) + 1000 - now
  }
}
