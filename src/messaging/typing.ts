import type { Clock, Logger } from './ambient.js'
import { type Place, PlatformFailure } from './contract.js'
import type { Entry } from './directory.js'
import type { Holds } from './holds.js'
import { chatKeyOf } from './keys.js'

/** Answers that come sooner need no sign of work. */
const AFTER = 300
/** Platforms take the sign away again by themselves after a few seconds, if they do not say otherwise. */
const LASTS = 5_000
/** It is shown again before it goes, and not more often than each 4 s. */
const MARGIN = 0.8
/** A call that takes longer is of no use. */
const PATIENCE = 4_000

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
  const every = Math.round((entry.platform.limits.typingMs ?? LASTS) * MARGIN)
  const what = { connection: entry.id, chatKey: chatKeyOf(entry.id, place.chat), kind: 'typing' } as const
  const show = (on: boolean): void => {
    if (holds.holds(what, clock.now())) return
    shown = on
    connection
      .perform({ kind: 'typing', place, on }, '', AbortSignal.timeout(PATIENCE))
      .catch((error: unknown) => {
        if (error instanceof PlatformFailure && error.failure.kind === 'rate-limited')
          holds.add(what, error.failure, clock.now())
        log.debug({ error: String(error) }, 'typing was not shown')
      })
  }
  let cancel = clock.at(clock.now() + AFTER, function again() {
    show(true)
    cancel = clock.at(clock.now() + every, again)
  })
  return () => {
    cancel()
    if (shown) show(false)
  }
}
