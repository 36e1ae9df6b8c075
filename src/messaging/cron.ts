/**
 * When a schedule is due. Cron lines are read by croner, which knows what becomes of a time that summer time leaves out
 * (it runs once, after the gap) or has twice (it runs once); it is loaded with the first schedule.
 */
import { createRequire } from 'node:module'
import type { Millis } from './ambient.js'

/** When: again and again by a cron line on the clocks of a zone, or once. */
export type Timing = { cron: string; timezone: string } | { at: Millis; timezone: string }

/** Due times that are counted one by one; more than that are "many". */
export const COUNTED = 1_000
/** Runs looked at to find how close two of them come. */
const LOOKED_AT = 400

let croner: typeof import('croner') | undefined

function line(cron: string, timezone: string): import('croner').Cron {
  croner ??= createRequire(import.meta.url)('croner') as typeof import('croner')
  return new croner.Cron(cron, { timezone, paused: true, mode: '5-part' })
}

/** What is wrong with a cron line, as the end of a sentence that begins with its name; null for a good one. */
export function cronProblem(cron: string): string | null {
  const words = cron.trim().split(/\s+/)
  if (words.length !== 5 && !/^@\w+$/.test(cron.trim()))
    return 'must have five parts: minute, hour, day of the month, month, day of the week'
  try {
    return line(cron, 'UTC').nextRun(new Date()) === null ? 'must name a day that comes' : null
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    return `must be a cron line like "0 9 * * 1-5" (${said.replace(/\.$/, '')})`
  }
}

/** The first due time after a moment; null when none is to come. */
export function nextAfter(timing: Timing, after: Millis): Millis | null {
  if ('at' in timing) return timing.at > after ? timing.at : null
  return line(timing.cron, timing.timezone).nextRun(new Date(after))?.getTime() ?? null
}

/** Due times from `due`, which is one, up to `now`: how many, and the last of them. Beyond {@link COUNTED} it stops counting. */
export function dueUpTo(timing: Timing, due: Millis, now: Millis): { last: Millis; count: number } {
  let last = due
  let count = 1
  if ('at' in timing) return { last, count }
  const job = line(timing.cron, timing.timezone)
  for (; count < COUNTED; count++) {
    const next = job.nextRun(new Date(last))?.getTime()
    if (next === undefined || next > now) return { last, count }
    last = next
  }
  return { last: job.previousRuns(1, new Date(now + 1_000))[0]?.getTime() ?? last, count }
}

/** The shortest time between two runs in a row; null when there are not two. */
export function shortestGap(cron: string, timezone: string, from: Millis): Millis | null {
  const runs = line(cron, timezone).nextRuns(LOOKED_AT, new Date(from))
  let shortest: number | null = null
  for (let index = 1; index < runs.length; index++) {
    const gap = (runs[index]?.getTime() ?? 0) - (runs[index - 1]?.getTime() ?? 0)
    if (shortest === null || gap < shortest) shortest = gap
  }
  return shortest
}
