import type { Clock } from '../../../messaging/ambient.js'

/** Requests for one reply of one model, the first among them. */
export const TRIES = 4
/** Pause before the second request, in milliseconds; it doubles with each further one. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 20_000
/** However soon a provider wants to be asked again. */
const LEAST_PAUSE = 500
/** A provider that wants a longer pause than this is left for the next model, or the turn fails. */
export const PATIENCE = 60_000

/**
 * How long to wait before the next request, in milliseconds: what the provider asks for, else twice as long each time.
 * A part of it is chance, so that turns that failed together do not come back together.
 *
 * @param tries requests made so far @param chance 0 to 1
 */
export function pause(tries: number, retryAfter: number | undefined, chance: number): number {
  // "At once", or a time that has passed, is no word to go by: all tries would be spent in a moment.
  if (retryAfter !== undefined && retryAfter > 0)
    return Math.max(LEAST_PAUSE, Math.min(PATIENCE, retryAfter)) + Math.round(chance * 250)
  const full = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))
  return Math.round(full / 2 + (chance * full) / 2)
}

/** Resolves when the time has passed, or at once when the signal is aborted. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const done = (): void => {
      undo()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const undo = clock.at(clock.now() + ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
