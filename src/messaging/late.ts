/**
 * Edits past the outbox: previews of an answer in its status post. Which of them are on their way, and which may still
 * arrive, so that what the outbox says of the same post comes last whatever the network does. In memory.
 */
import type { Clock, Millis } from './ambient.js'
import type { ConnectionId, Operation } from './contract.js'
import type { OperationResult } from './store.js'
import type { Trial } from './trial.js'

/** How long an edit or a deletion waits for a preview of the same post that is on its way. */
export const PREVIEW_PATIENCE: Millis = 1_000
/** How long an edit that stands then waits for it, to be said again as soon as that has landed. */
export const LANDING_PATIENCE: Millis = 5_000

interface Flight {
  /** No effect of it is to be expected after this. */
  until: Millis
  landed: Promise<void>
}

/** A post on a connection. */
export interface PostKey {
  connection: ConnectionId
  chat: string
  id: string
}

export class LateEdits {
  readonly #clock: Clock
  /** What an earlier life of the daemon had on its way is not known: it may arrive as late as its limit from here. */
  readonly #startedAt: Millis
  readonly #flights = new Map<string, Flight>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /**
   * An edit is on its way.
   *
   * @param until when it can no longer have an effect, if nobody says what became of it
   * @returns to be told its end: `known` where the platform has said what it did with it
   */
  begin(post: PostKey, until: Millis): (end: 'known' | 'unknown') => void {
    this.#prune()
    const key = nameOf(post)
    let land: () => void = () => undefined
    const flight: Flight = {
      until,
      landed: new Promise((resolve) => {
        land = resolve
      }),
    }
    this.#flights.set(key, flight)
    return (end) => {
      if (end === 'known' && this.#flights.get(key) === flight) this.#flights.delete(key)
      land()
    }
  }

  /** Waits for what is on its way to the post that the operation changes; not longer than {@link PREVIEW_PATIENCE}. */
  async quiet(connection: ConnectionId, op: Operation): Promise<void> {
    if (op.kind === 'edit' || op.kind === 'delete') await this.#landing(connection, op, PREVIEW_PATIENCE)
  }

  /** An edit stands. Whether something that was on its way to the same post has landed since, perhaps over it. */
  async landed(connection: ConnectionId, op: Operation): Promise<boolean> {
    return op.kind === 'edit' && (await this.#landing(connection, op, LANDING_PATIENCE))
  }

  /** Whether there was something on its way that has landed now. */
  async #landing(
    connection: ConnectionId,
    op: Extract<Operation, { id: string }>,
    patience: Millis,
  ): Promise<boolean> {
    const key = nameOf({ connection, chat: op.place.chat, id: op.id })
    const flight = this.#flights.get(key)
    const now = this.#clock.now()
    if (flight === undefined || flight.until <= now) return false
    let cancel: () => void = () => undefined
    const tooLong = new Promise<void>((resolve) => {
      cancel = this.#clock.at(Math.min(now + patience, flight.until), resolve)
    })
    await Promise.race([flight.landed, tooLong])
    cancel()
    return this.#flights.get(key) !== flight
  }

  /**
   * The platform has taken an edit. Where a preview of the same post may still arrive, it is said once more after that;
   * null where none can.
   */
  assertAgain({ claimed, op, entry }: Trial): OperationResult | null {
    if (op.kind !== 'edit') return null
    const now = this.#clock.now()
    const flight = this.#flights.get(
      nameOf({ connection: claimed.connection, chat: op.place.chat, id: op.id }),
    )
    const before =
      claimed.role === 'answer' && claimed.createdAt < this.#startedAt
        ? this.#startedAt + entry.platform.limits.timeoutMs
        : 0
    const retryAt = Math.max(flight?.until ?? 0, before)
    if (retryAt <= now) return null
    const message = 'it stands; a preview may still arrive over it, so it is said once more then'
    return { state: 'retry', at: now, retryAt, failure: { kind: 'ambiguous' }, ambiguous: true, message }
  }

  #prune(): void {
    const now = this.#clock.now()
    for (const [key, { until }] of this.#flights) if (until <= now) this.#flights.delete(key)
  }
}

function nameOf({ connection, chat, id }: PostKey): string {
  return `${connection}\n${chat}\n${id}`
}
