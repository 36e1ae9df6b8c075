/** Lengths of time as people write them in golem.yaml. */
import { z } from 'zod'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const FORM = /^(\d+(?:\.\d+)?)\s?(ms|s|m|h)?$/

/** `90s`, `1.5s`, `2m` -> milliseconds; a bare number counts in `unit`. Undefined when it is no length of time. */
export function parseDuration(written: string | number, unit: 's' | 'm'): number | undefined {
  if (typeof written === 'number') return written * (UNITS[unit] ?? 0)
  const match = FORM.exec(written.trim())
  if (match === null) return undefined
  return Number(match[1]) * (UNITS[match[2] ?? unit] ?? 0)
}

/** Milliseconds as a person would write them. */
export function showDuration(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  if (ms >= 120_000 && ms % 60_000 === 0) return `${ms / 60_000}m`
  return `${ms / 1_000}s`
}

/** A length of time between `least` and `most` milliseconds. Bare numbers count in `unit`. Its output is in ms. */
export function duration(unit: 's' | 'm', least: number, most: number) {
  const words = unit === 's' ? 'a number of seconds' : 'a number of minutes'
  const form = `must be a length of time: ${words}, or text such as 90s, 1.5s or 2m`
  const inUnit = (ms: number) => ms / (UNITS[unit] ?? 1)
  return z
    .union([z.number().min(inUnit(least)).max(inUnit(most)), z.string().regex(FORM, form)], { error: form })
    .transform((written, context) => {
      const ms = parseDuration(written, unit) ?? Number.NaN
      if (ms >= least && ms <= most) return ms
      context.addIssue({
        code: 'custom',
        message: `must be between ${showDuration(least)} and ${showDuration(most)}`,
      })
      return z.NEVER
    })
}
