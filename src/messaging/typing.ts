import type { Clock, Logger } from './ambient.js'
import { type Place, PlatformFailure } from './contract.js'
import type { Entry } from './directory.js'
import type { Holds } from './holds.js'
import { chatKeyOf } from './keys.js'

/** Answers that come sooner need no sign of work. */
const AFTER = 300
/** Platforms take the sign away again by themselves after a few seconds. */
const EVERY = 4_000

/**
 * Shows that somebody is typing, until it is ended. Volatile: no outbox row, and a failure is nobody's affair; but a
 * platform that asks to wait is not asked again, by this or by anything else.
 *
 * @returns what ends it
 */
export function showTyping(
  entry: Entry | undefined,
  place: Place,
  holds: Holds,
  clock: Clock,
  log: Logger,
): () => void {
  const connection = entry?.connection
  if (!connection || !entry.platform.can.operations.includes('typing')) return () => undefined
  let shown = false
  const what = { connection: entry.id, chatKey: chatKeyOf(entry.id, place.chat), kind: 'typing' } as const
  const show = (on: boolean): void => {
    if (holds.holds(what, clock.now())) return
    shown = on
    connection
      .perform({ kind: 'typing', place, on }, '', AbortSignal.timeout(EVERY))
      .catch((error: unknown) => {
        if (error instanceof PlatformFailure && error.failure.kind === 'rate-limited')
          holds.add(what, error.failure, clock.now())
        log.debug({ error: String(error) }, 'typing was not shown')
      })
  }
  let cancel = clock.at(clock.now() + AFTER, function again() {
    show(true)
    cancel = clock.at(clock.now() + EVERY, again)
  })
  return () => {
    cancel()
    if (shown) show(false)
  }
}
