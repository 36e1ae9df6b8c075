/**
 * The daemon's clock for schedules: it looks when the next one is due, has it run, and works out when it is due again. It
 * looks one time ahead only, and holds nothing in memory: what it does is rows, so a restart goes on where it was.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import { cronProblem, dueUpTo, nextAfter, shortestGap, type Timing } from './cron.js'
import type { Directory } from './directory.js'
import { isTimezone, ownTimezone, readMoment } from './moment.js'
import {
  type Cancelled,
  type Created,
  type DueSchedule,
  type Missed,
  SCHEDULE_CHARACTERS,
  SCHEDULE_GAP,
  SCHEDULE_GRACE,
  type SchedulePlan,
  type ScheduleStep,
  type ScheduleStore,
  type ScheduleView,
} from './schedule.js'

/** It looks again after so long at the latest: a machine's clock may have been set, or stood still. */
export const LOOK_EVERY = 60_000
const LOOK_AGAIN = 5_000
/** Schedules dealt with in one go. */
const PORTION = 50
/** Set back by less than this, a clock is believed, and what was dealt with is not due again. By more, it had been wrong. */
const SET_BACK = 2 * 86_400_000

/** What an agent asks for in a turn. */
export interface WantedSchedule {
  turn: number
  name?: string | undefined
  /** One of the three. `in`: minutes from now. */
  cron?: string | undefined
  at?: string | undefined
  in?: number | undefined
  timezone?: string | undefined
  text: string
  missed?: Missed | undefined
}

/** What tools may do with schedules. */
export interface ScheduleDesk {
  create(wanted: WantedSchedule): Promise<Created>
  list(chatKey: string): Promise<ScheduleView[]>
  cancel(id: number, chatKey: string, by: string): Promise<Cancelled>
}

export interface SchedulerOptions {
  store: ScheduleStore
  directory: Directory
  clock: Clock
  log: Logger
  /** Called in the tick in which turns are made: they may start. */
  turns(): void
}

export class Scheduler implements ScheduleDesk {
  readonly #options: SchedulerOptions
  #cancelTimer: (() => void) | null = null
  #looking: Promise<void> | null = null
  #again = false
  #closed = false

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  /** Takes over what golem.yaml says, and whatever came due in the meantime. */
  async start(configured: readonly SchedulePlan[]): Promise<void> {
    const { store, clock, log } = this.#options
    const now = clock.now()
    const armed = configured.map((plan) => ({ ...plan, next: nextAfter(timingOf(plan), now) }))
    for (const { name, next } of armed)
      if (next === null) log.info({ schedule: name }, 'the time of a schedule in golem.yaml is past')
    await store.reconcileSchedules(armed, now)
    this.#look()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    await this.#looking
  }

  // ---- the desk -------------------------------------------------------------------------------------------------

  async create(wanted: WantedSchedule): Promise<Created> {
    const { store, clock } = this.#options
    const now = clock.now()
    const plan = planOf(wanted, now)
    if (typeof plan === 'string') return { status: 'refused', why: plan }
    const created = await store.createSchedule({ ...plan, turn: wanted.turn, now })
    this.#look()
    return created
  }

  list(chatKey: string): Promise<ScheduleView[]> {
    return this.#options.store.schedulesOf(chatKey)
  }

  cancel(id: number, chatKey: string, by: string): Promise<Cancelled> {
    const { store, clock } = this.#options
    return store.cancelSchedule({ id, chatKey, by, now: clock.now() })
  }

  // ---- what is due ----------------------------------------------------------------------------------------------

  #look(): void {
    if (this.#closed) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = this.#lookOnce().finally(() => {
      this.#looking = null
      if (!this.#again) return
      this.#again = false
      this.#look()
    })
  }

  async #lookOnce(): Promise<void> {
    const { store, clock, directory, log } = this.#options
    this.#cancelTimer?.()
    try {
      for (;;) {
        const now = clock.now()
        const connections = directory.all().map(({ id }) => id)
        const { due, nextAt } = await store.dueSchedules({ now, max: PORTION, connections })
        await this.#step(due, now)
        if (this.#closed) return
        // One of these may be due again before the next of the others.
        if (due.length > 0) continue
        if (nextAt !== null) this.#wakeAt(Math.min(nextAt, now + LOOK_EVERY))
        return
      }
    } catch (error) {
      if (this.#closed) return
      log.warn({ error: String(error) }, 'the schedules could not be read; trying again')
      this.#wakeAt(clock.now() + LOOK_AGAIN)
    }
  }

  #wakeAt(when: Millis): void {
    this.#cancelTimer = this.#options.clock.at(when, () => this.#look())
  }

  async #step(due: readonly DueSchedule[], now: Millis): Promise<void> {
    const { store, directory, log, turns } = this.#options
    const steps = due.flatMap((schedule) => {
      const can = directory.get(schedule.connection)?.platform.can
      return can === undefined ? [] : [{ schedule, step: stepOf(schedule, can, now) }]
    })
    const stepped = steps.map(({ step }) => store.stepSchedule(step))
    // In the same tick: the turns start with the commit that makes them.
    if (stepped.length > 0) turns()
    for (const [index, outcome] of (await Promise.all(stepped)).entries()) {
      const { schedule, step } = steps[index] ?? {}
      const said = { schedule: schedule?.name, chatKey: schedule?.chatKey, due: step?.run?.due }
      if (outcome === 'skipped') log.info(said, 'a schedule was missed, and is not made up for')
      if (outcome === 'overlap') log.warn(said, 'a schedule is left out: its run before still waits')
    }
  }
}

function timingOf({ cron, at, timezone }: Pick<SchedulePlan, 'cron' | 'at' | 'timezone'>): Timing {
  if (cron !== null) return { cron, timezone }
  return { at: at ?? 0, timezone }
}

/** What becomes of a schedule now. Pure. */
export function stepOf(
  schedule: DueSchedule,
  can: NonNullable<ScheduleStep['run']>['can'],
  now: Millis,
): ScheduleStep {
  const timing = timingOf(schedule)
  const { nextAt, lastDue } = schedule
  const step = { schedule: schedule.id, expected: nextAt, now }
  if (nextAt > now) {
    // The clock was set back since this time was worked out.
    const from = lastDue !== null && lastDue > now && lastDue - now < SET_BACK ? lastDue : now
    return { ...step, next: 'at' in timing ? nextAt : nextAfter(timing, from), run: null }
  }
  const { last, count } = dueUpTo(timing, nextAt, now)
  const late = now - last > SCHEDULE_GRACE
  const skip = schedule.missed === 'skip'
  return {
    ...step,
    next: nextAfter(timing, Math.max(now, last)),
    run: {
      due: last,
      what: late && skip ? 'skipped' : 'run',
      missed: skip ? 0 : count - 1,
      can: { operations: can.operations, buttons: can.buttons, threads: can.threads },
    },
  }
}

type Plan = Pick<SchedulePlan, 'cron' | 'at' | 'timezone' | 'text' | 'missed'> & {
  name: string | null
  next: Millis
}

/** @returns a sentence where it cannot be done */
function planOf(wanted: WantedSchedule, now: Millis): Plan | string {
  const { cron, at, in: minutes, text } = wanted
  const timezone = wanted.timezone ?? ownTimezone()
  if (!isTimezone(timezone)) return `There is no time zone ${timezone}. Write one like Europe/Berlin.`
  if ([cron, at, minutes].filter((one) => one !== undefined).length !== 1)
    return 'Say when: exactly one of cron, at and in_minutes.'
  if (text.trim() === '' || text.length > SCHEDULE_CHARACTERS)
    return `The text must have 1 to ${SCHEDULE_CHARACTERS} characters.`
  const rest = { name: wanted.name ?? null, timezone, text, missed: wanted.missed ?? 'once' }
  if (cron !== undefined) {
    const problem = cronProblem(cron) ?? tooOften(cron, timezone, now)
    if (problem !== null) return `The cron line ${problem}.`
    const next = nextAfter({ cron, timezone }, now)
    return next === null ? 'The cron line must name a day that comes.' : { ...rest, cron, at: null, next }
  }
  const moment = minutes === undefined ? readMoment(at ?? '', timezone) : now + minutes * 60_000
  if (typeof moment !== 'number')
    return moment === 'date'
      ? `${at} is no date that there is.`
      : 'Write the time as 2026-12-24T09:00, with the time zone beside it or with an offset such as +01:00.'
  if (moment <= now) return `That time is past: it is ${new Date(now).toISOString()} now.`
  return { ...rest, cron: null, at: moment, next: moment }
}

function tooOften(cron: string, timezone: string, now: Millis): string | null {
  const gap = shortestGap(cron, timezone, now)
  return gap !== null && gap < SCHEDULE_GAP
    ? `runs more often than every ${SCHEDULE_GAP / 60_000} minutes, which is not allowed`
    : null
}
