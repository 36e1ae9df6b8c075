import { kept, useStore } from './store.js'

/** Room key -> time of the newest message that was on screen. */
const seen = kept<Readonly<Record<string, number>>>('golem.seen', {}, (stored) => {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined
  return Object.fromEntries(Object.entries(stored).filter(([, at]) => typeof at === 'number'))
})

/** What was said before somebody came here for the first time is not news to them. */
const BASE = '*'
if (seen.get()[BASE] === undefined) seen.set((old) => ({ ...old, [BASE]: Date.now() }))

/** Something was said there that has not been on screen. */
export function isUnread(
  known: Readonly<Record<string, number>>,
  room: string,
  lastAt: number | null,
): boolean {
  return (lastAt ?? 0) > Math.max(known[room] ?? 0, known[BASE] ?? 0)
}

export function markSeen(room: string, at: number): void {
  seen.set((old) => ((old[room] ?? 0) >= at ? old : { ...old, [room]: at }))
}

export function useSeen(): Readonly<Record<string, number>> {
  return useStore(seen)
}
