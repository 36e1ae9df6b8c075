import { kept, useStore } from './store.js'

/** Room key -> time of the newest message that was on screen. */
const seen = kept<Readonly<Record<string, number>>>('golem.seen', {}, (stored) => {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined
  return Object.fromEntries(Object.entries(stored).filter(([, at]) => typeof at === 'number'))
})

export function markSeen(room: string, at: number): void {
  seen.set((old) => ((old[room] ?? 0) >= at ? old : { ...old, [room]: at }))
}

export function useSeen(): Readonly<Record<string, number>> {
  return useStore(seen)
}
