/** Moments as people write and read them: a wall clock in a time zone. */
import type { Millis } from './ambient.js'

const WRITTEN =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?$/i

/** The zone this machine lives in. */
export function ownTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Whether a name is one of the IANA time zones, e.g. `Europe/Berlin`. */
export function isTimezone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** What is wrong with a written moment, as the end of a sentence that begins with its name. */
export type MomentProblem = 'form' | 'date' | 'zone'

/**
 * `2026-12-24T09:00:00+01:00`, or without the offset where a zone is known. A wall clock that the zone leaves out (summer
 * time begins) means the moment after the gap; one that it has twice, the first.
 *
 * @param timezone an IANA zone for what is written without an offset; null where there is none
 */
export function readMoment(written: string, timezone: string | null): Millis | MomentProblem {
  const match = WRITTEN.exec(written.trim())
  if (match === null) return 'form'
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const wall = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second)
  const back = new Date(wall)
  if (back.getUTCMonth() + 1 !== month || back.getUTCDate() !== day || (hour ?? 0) > 23) return 'date'
  if ((minute ?? 0) > 59 || (second ?? 0) > 59) return 'date'
  const offset = match[7]
  if (offset !== undefined) return wall - offsetOf(offset)
  return timezone === null ? 'zone' : inZone(wall, timezone)
}

function offsetOf(written: string): Millis {
  if (/^z$/i.test(written)) return 0
  const [hours, minutes] = [written.slice(1, 3), written.slice(-2)].map(Number)
  return (written.startsWith('-') ? -1 : 1) * ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000
}

/** The moment at which a zone's clocks show `wall`, written as if it were UTC. */
function inZone(wall: Millis, timezone: string): Millis {
  const day = 86_400_000
  const [before, after] = [ahead(wall - day, timezone), ahead(wall + day, timezone)]
  const [early, late] = [wall - Math.max(before, after), wall - Math.min(before, after)]
  // Both hold where the clock shows it twice: the first. None holds in a gap: as the clock before it counts on.
  for (const at of [early, late]) if (at + ahead(at, timezone) === wall) return at
  return wall - before
}

/** By how much a zone's clocks are ahead of UTC. */
function ahead(at: Millis, timezone: string): Millis {
  const { year, month, day, hour, minute, second } = clockOf(at, timezone)
  return Date.UTC(+year, +month - 1, +day, +hour, +minute, +second) - Math.floor(at / 1_000) * 1_000
}

const formats = new Map<string, Intl.DateTimeFormat>()

type Field = 'weekday' | 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

function clockOf(at: Millis, timezone: string): Record<Field, string> {
  let format = formats.get(timezone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', {
      timeZone: timezone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timezone, format)
  }
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) as Record<
    Field,
    string
  >
}

/** `Mon 2026-03-02 09:00`. @param timezone one that this machine no longer knows counts as UTC */
export function showMoment(at: Millis, timezone: string): string {
  const { weekday, year, month, day, hour, minute } = clockOf(at, isTimezone(timezone) ? timezone : 'UTC')
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute}`
}
