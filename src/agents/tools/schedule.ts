import { z } from 'zod'
import { ToolError } from '../../messaging/engine.js'
import { showMoment } from '../../messaging/moment.js'
import { SCHEDULE_CHARACTERS, type ScheduleView } from '../../messaging/schedule.js'
import { safeLine } from '../../messaging/text/index.js'
import { defineTool, type ToolScope } from './tool.js'

/** Only for a person, in a message of their own: what a bot, a teammate or a schedule says makes no schedules. */
function isPersons({ schedules, turn }: ToolScope): boolean {
  return (
    schedules !== undefined &&
    turn.requester !== null &&
    (turn.kind === 'message' || turn.kind === 'follow-up') &&
    turn.schedule === undefined &&
    turn.ask === null &&
    turn.hop === 0 &&
    turn.addressed
  )
}

export const schedule = defineTool({
  name: 'schedule',
  description:
    'Have yourself run later in this conversation, once or again and again, when the person asks for that: a reminder, a daily report. Give exactly one of cron, at and in_minutes. When it is due you are given the text and answer here; you will not see what was said now, so the text must be complete in itself.',
  args: z.strictObject({
    text: z.string().trim().min(1).max(SCHEDULE_CHARACTERS).describe('what to do or say then'),
    cron: z
      .string()
      .trim()
      .max(100)
      .optional()
      .describe('minute hour day month weekday, e.g. 0 9 * * 1-5; not more often than every 5 minutes'),
    at: z.string().trim().max(40).optional().describe('once, e.g. 2026-12-24T09:00'),
    in_minutes: z.number().int().min(1).max(527_040).optional().describe('once, so many minutes from now'),
    timezone: z
      .string()
      .trim()
      .max(60)
      .optional()
      .describe('e.g. Europe/Berlin; for cron and for an at without an offset. Default: that of the machine'),
    name: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
      .optional()
      .describe('a short name'),
    if_missed: z
      .enum(['once', 'skip'])
      .optional()
      .describe('when Golem was away at the time: run once as soon as possible (default), or not at all'),
  }),
  writes: true,
  offered: isPersons,
  async run(args, scope) {
    const created = await desk(scope).create({
      turn: scope.turn.id,
      text: args.text,
      cron: args.cron,
      at: args.at,
      in: args.in_minutes,
      timezone: args.timezone,
      name: args.name === undefined ? undefined : safeLine(args.name, 60),
      missed: args.if_missed,
    })
    if (created.status === 'refused') throw new ToolError(`Nothing was scheduled: ${created.why}`)
    return {
      result: { status: 'scheduled', ...shown(created.schedule) },
      note: `schedule ${created.schedule.id}: ${whenOf(created.schedule)}`,
    }
  },
})

export const scheduleList = defineTool({
  name: 'schedule_list',
  description: 'The schedules of this chat, each with the id by which it can be cancelled.',
  args: z.strictObject({}),
  writes: false,
  offered: isPersons,
  async run(_args, scope) {
    const schedules = await desk(scope).list(scope.turn.chatKey)
    return { result: { schedules: schedules.map(shown) }, note: `${schedules.length} found` }
  },
})

export const scheduleCancel = defineTool({
  name: 'schedule_cancel',
  description:
    'Cancel a schedule of this chat. Only who made it and the owners of the room may; the person you work for is asked after.',
  args: z.strictObject({ id: z.number().int().min(1).describe('as schedule_list has it') }),
  writes: true,
  offered: isPersons,
  async run(args, scope) {
    const { turn } = scope
    const cancelled = await desk(scope).cancel(args.id, turn.chatKey, turn.requester?.id ?? '')
    if (cancelled.status === 'refused') throw new ToolError(`Nothing was cancelled: ${cancelled.why}`)
    return {
      result: { status: 'cancelled', ...shown(cancelled.schedule) },
      note: `schedule ${cancelled.schedule.id} cancelled`,
    }
  },
})

function desk({ schedules }: ToolScope): NonNullable<ToolScope['schedules']> {
  if (schedules === undefined) throw new ToolError('There are no schedules here.')
  return schedules
}

function whenOf({ cron, timezone, nextAt }: ScheduleView): string {
  const next = nextAt === null ? 'never again' : `${showMoment(nextAt, timezone)} ${timezone}`
  return cron === null ? next : `${cron}, next ${next}`
}

function shown(view: ScheduleView): object {
  return {
    id: view.id,
    name: view.name,
    when: whenOf(view),
    text: view.text,
    made_by: view.madeBy === null ? 'golem.yaml' : safeLine(view.madeBy.name, 60),
  }
}
