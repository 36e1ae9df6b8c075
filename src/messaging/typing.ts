import type { Clock, Logger } from './ambient.js'
import type { Place } from './contract.js'
import type { Entry } from './directory.js'

/** Answers that come sooner need no sign of work. */
const AFTER = 300
/** Platforms take the sign away again by themselves after a few seconds. */
const EVERY = 4_000

/**
 * Shows that somebody is typing, until it is ended. Volatile: no outbox row, and a failure is nobody's affair.
 *
 * @returns what ends it
 */
export function showTyping(entry: Entry | undefined, place: Place, clock: Clock, log: Logger): () => void {
  const connection = entry?.connection
  if (!connection || !entry.platform.can.operations.includes('typing')) return () => undefined
  let shown = false
  const show = (on: boolean): void => {
    shown = on
    connection
      .perform({ kind: 'typing', place, on }, '', AbortSignal.timeout(EVERY))
      .catch((error: unknown) => log.debug({ error: String(error) }, 'typing was not shown'))
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
