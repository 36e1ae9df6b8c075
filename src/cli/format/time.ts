/** Points in time and spans, as people read them. */
import type { Look } from './text.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `2026-03-01 10:00:00`. */
export function showTime(at: number, { timeZone }: Pick<Look, 'timeZone'>): string {
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(at)
}

/** `145 ms`, `5.1 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`. */
export function showSpan(ms: number): string {
  const span = Math.max(0, Math.round(ms))
  if (span < SECOND) return `${span} ms`
  if (span < 10 * SECOND) return `${(Math.floor(span / 100) / 10).toFixed(1)} s`
  const two = (big: number, unit: string, small: number, smaller: string) => {
    const rest = Math.floor((span % big) / small)
    return `${Math.floor(span / big)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`
  }
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`
  if (span < HOUR) return two(MINUTE, 'min', SECOND, 's')
  if (span < DAY) return two(HOUR, 'h', MINUTE, 'min')
  return two(DAY, 'd', HOUR, 'h')
}

/** `40 kB`. */
export function showBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  if (bytes < 1_024 ** 2) return `${Math.round(bytes / 1_024)} kB`
  if (bytes < 1_024 ** 3) return `${(bytes / 1_024 ** 2).toFixed(1)} MB`
  return `${(bytes / 1_024 ** 3).toFixed(1)} GB`
}
