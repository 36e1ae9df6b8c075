/** The real clock. */
import type { Clock } from './messaging/ambient.js'

/** Longest delay a timer of Node takes; a longer one would fire at once. */
const LONGEST = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  at(when, run) {
    let timer: NodeJS.Timeout
    const wait = (): void => {
      const left = when - Date.now()
      timer = left > LONGEST ? setTimeout(wait, LONGEST) : setTimeout(run, Math.max(0, left))
      // A timer alone does not keep a daemon alive.
      timer.unref()
    }
    wait()
    return () => clearTimeout(timer)
  },
}
