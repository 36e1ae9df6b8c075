/** Updates on their way to the bot: numbering, filtering, long polling. https://core.telegram.org/bots/api#getting-updates */
import type { VirtualClock } from '../kit/clock.js'
import { Deliveries, type Delivery } from '../kit/deliveries.js'
import type { Changes } from '../kit/events.js'
import type { Recorder } from '../kit/recorder.js'
import { type ApiError, conflict } from './errors.js'
import type { Json } from './shapes.js'

/** Kinds that come only when asked for by name: https://core.telegram.org/bots/api#getupdates (`allowed_updates`). */
const ONLY_BY_NAME: ReadonlySet<string> = new Set([
  'chat_member',
  'message_reaction',
  'message_reaction_count',
])
/** Updates are kept no longer than this: https://core.telegram.org/bots/api#getting-updates */
const KEPT_MS = 24 * 3600 * 1000
const MOST_HELD_S = 50

export interface Update {
  update_id: number
  [kind: string]: unknown
}

interface Waiting {
  update: Update
  at: number
  /** What must stay in order: one chat's updates. */
  lane: string
}

export interface PollOptions {
  offset: number
  limit: number
  /** Seconds. */
  timeout: number
  gone: AbortSignal
}

interface Poll {
  limit: number
  end: (result: Update[] | ApiError) => void
}

export class Feed {
  readonly deliveries: Deliveries<Waiting>
  readonly #clock: VirtualClock
  readonly #changes: Changes
  readonly #recorder: Recorder
  #nextId: number
  #allowed: readonly string[] = []
  #poll: Poll | null = null
  /** Called when there is something for a webhook. */
  onReady: (() => void) | null = null

  /** @param session added to the first number */
  constructor(clock: VirtualClock, changes: Changes, recorder: Recorder, session = 0) {
    this.#nextId = 100_000_001 + session
    this.#clock = clock
    this.#changes = changes
    this.#recorder = recorder
    this.deliveries = new Deliveries({
      onReady: () => this.#ready(),
      onAcknowledged: (id) => recorder.acknowledged(id),
    })
  }

  get allowed(): readonly string[] {
    return this.#allowed
  }

  /** An empty list: all but those that come by name only. Holds for updates from now on. */
  allow(kinds: readonly string[]): void {
    this.#allowed = kinds
  }

  isAllowed(kind: string): boolean {
    return this.#allowed.length === 0 ? !ONLY_BY_NAME.has(kind) : this.#allowed.includes(kind)
  }

  /** Puts an update on its way, if the bot wants its kind. */
  push(kind: string, body: Json, lane: string): void {
    if (!this.isAllowed(kind)) return
    this.#put({ update_id: this.#nextId++, [kind]: body }, lane)
  }

  /** A recorded update, once more: under its own number while that is free, else under the next. */
  replay(update: Update, lane: string): void {
    const id = Math.max(update.update_id, this.#nextId)
    this.#nextId = id + 1
    this.#put({ ...update, update_id: id }, lane)
  }

  #put(update: Update, lane: string): void {
    const id = String(update.update_id)
    this.#recorder.delivery(id, update)
    this.deliveries.push(id, { update, at: this.#clock.now(), lane })
    this.#changes.changed()
  }

  /**
   * One `getUpdates`. Confirms all updates below `offset`; a negative one forgets all but the last. Ends an older poll.
   *
   * @throws ApiError 409 when a newer poll, or a webhook, takes its place
   */
  async poll({ offset, limit, timeout, gone }: PollOptions): Promise<Update[]> {
    this.stopPoll(
      conflict('terminated by other getUpdates request; make sure that only one bot instance is running'),
    )
    this.confirm(offset)
    const ready = this.#take(limit)
    if (ready.length > 0 || timeout <= 0 || gone.aborted) return ready
    const result = await new Promise<Update[] | ApiError>((resolve) => {
      const late = this.#clock.after(Math.min(timeout, MOST_HELD_S) * 1000, () => poll.end([]))
      const left = () => poll.end([])
      const poll: Poll = {
        limit,
        end: (value) => {
          late()
          gone.removeEventListener('abort', left)
          if (this.#poll === poll) this.#poll = null
          resolve(value)
        },
      }
      gone.addEventListener('abort', left)
      this.#poll = poll
    })
    if (Array.isArray(result)) return result
    throw result
  }

  stopPoll(error: ApiError): void {
    this.#poll?.end(error)
  }

  /** All updates below this number were handled. */
  confirm(offset: number): void {
    this.#forgetOld()
    if (offset < 0) {
      const keep = this.deliveries.waiting.slice(offset).at(0)
      if (keep) this.confirm(Number(keep.id))
      return
    }
    this.deliveries.acknowledgeAll(
      // One that is sent again counts as handled only after it was handed out again.
      ({ id, repeated, attempts, attemptsBefore }) =>
        Number(id) < offset && !(repeated && attempts === attemptsBefore),
    )
    this.#changes.changed()
  }

  #take(limit: number): Update[] {
    return this.deliveries.waiting.slice(0, limit).map((delivery) => {
      delivery.attempts++
      return delivery.body.update
    })
  }

  #ready(): void {
    const poll = this.#poll
    if (poll) poll.end(this.#take(poll.limit))
    else this.onReady?.()
  }

  #forgetOld(): void {
    const oldest = this.#clock.now() - KEPT_MS
    const isOld = ({ body }: Delivery<Waiting>) => body.at < oldest
    for (let first = this.deliveries.waiting[0]; first && isOld(first); first = this.deliveries.waiting[0]) {
      this.deliveries.drop(first.id)
    }
  }
}
