import type { Clock } from './ambient.js'

/** The result, or null when it took too long; what comes later is nobody's affair, an error neither. */
export async function within<T>(
  ms: number,
  clock: Clock,
  work: (isLate: () => boolean) => Promise<T>,
): Promise<T | null> {
  let late = false
  let cancel = (): void => undefined
  const waited = new Promise<null>((resolve) => {
    cancel = clock.at(clock.now() + ms, () => {
      late = true
      resolve(null)
    })
  })
  const done = work(() => late)
  done.catch(() => undefined)
  try {
    return await Promise.race([done, waited])
  } finally {
    cancel()
  }
}
