/** Times and durations in words. */

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const CLOCK_SHORT = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const CLOCK_SECONDS = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const DAY_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' })

export const clock = (at: number): string => CLOCK.format(at)
/** Without AM and PM, where there is room for five characters. */
export const clockShort = (at: number): string => CLOCK_SHORT.format(at)
export const clockExact = (at: number): string => CLOCK_SECONDS.format(at)
export const fullTime = (at: number): string => FULL.format(at)

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

export function sameDay(a: number, b: number): boolean {
  return midnight(a) === midnight(b)
}

/** Title of a day: Today, Yesterday, Monday, 3 March; with the year when it is another one. */
export function dayTitle(at: number, now: number): string {
  // Rounded, because a day of a clock change has 23 or 25 hours.
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? DAY.format(at) : DAY_YEAR.format(at)
}

/** `now`, `4 min`, `3 h`, `2 d`: for lists, where room is short. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  return `${Math.floor(minutes / (24 * 60))} d`
}

/** `0 ms`, `840 ms`, `1.4 s`, `2 min 3 s`, `1 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  return minutes % 60 === 0
    ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1 line`, `2 lines`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`
}

/** `312 B`, `4.0 kB`, `1.2 MB`. */
export function bytes(n: number): string {
  if (n < 1_000) return `${n} B`
  return n < 1_000_000 ? `${(n / 1_000).toFixed(1)} kB` : `${(n / 1_000_000).toFixed(1)} MB`
}
