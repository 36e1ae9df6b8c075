/** `schedules:` of golem.yaml: turns that a time has run. */
import { z } from 'zod'
import type { ConnectionId, Millis } from '../messaging/contract.js'
import { cronProblem } from '../messaging/cron.js'
import { isTimezone, ownTimezone, readMoment } from '../messaging/moment.js'
import { SCHEDULE_CHARACTERS, type SchedulePlan } from '../messaging/schedule.js'
import { type Finding, type Path, showPath } from './errors.js'
import { foldName } from './names.js'
import { agentName } from './room-keys.js'
import { listOf, type Mapping, mappingOf } from './shape.js'
import { nearest } from './suggest.js'

export const schedules = z
  .array(
    z.strictObject({
      name: z
        .string()
        .regex(
          /^(?!\s)[^\p{Cc}\p{Zl}\p{Zp}]{1,60}(?<!\s)$/u,
          'must be 1 to 60 characters on one line, without blanks around it',
        )
        .meta({
          description: 'What it is called in receipts. Unique in the file: a schedule is known by its name.',
          examples: ['stand-up'],
        }),
      room: z.string().meta({
        description: 'Chat key of the room it speaks in, `connection:chat`.',
        examples: ['slack:C0123'],
      }),
      agent: agentName
        .exactOptional()
        .meta({ description: 'Who works on it. Default: who answers there when nobody is named.' }),
      cron: z
        .string()
        .exactOptional()
        .meta({
          description:
            'When, again and again: minute, hour, day of the month, month, day of the week, by the clocks of `timezone`. Either this or `at`.',
          examples: ['0 9 * * 1-5'],
        }),
      at: z
        .string()
        .exactOptional()
        .meta({
          description: 'When, once. With an offset, or by the clocks of `timezone`.',
          examples: ['2026-12-24T09:00:00+01:00'],
        }),
      timezone: z
        .string()
        .exactOptional()
        .meta({
          description:
            "An IANA time zone. `cron` without one goes by the machine's own, and says so in the receipt.",
          examples: ['Europe/Berlin'],
        }),
      text: z
        .string()
        .trim()
        .min(1)
        .max(SCHEDULE_CHARACTERS)
        .meta({
          description: 'What the agent is to do or say.',
          examples: ['Ask everybody for their plan.'],
        }),
      missed: z.enum(['skip', 'once']).default('once').meta({
        description:
          'Runs that were due while Golem was away. `once`: one run stands for all of them, as soon as possible. `skip`: they are left out.',
      }),
    }),
  )
  .default([])
  .meta({
    description:
      'Turns that a time has run instead of a message. People make more of them by asking an agent; see `/schedules` in a chat.',
  })

interface Named {
  name: string
  agent: number
}

/** What the schema cannot see: times, zones, rooms, agents. */
export function checkSchedules(
  root: Mapping,
  names: readonly Named[],
  connections: readonly string[],
): Finding[] {
  const seen = new Set<string>()
  return listOf(root.schedules).flatMap((value, index) => {
    const schedule = mappingOf(value)
    const path = ['schedules', index]
    return [
      ...checkName(schedule, path, seen),
      ...checkTime(schedule, path),
      ...checkRoom(schedule.room, [...path, 'room'], connections),
      ...checkAgent(schedule.agent, [...path, 'agent'], root, names),
    ]
  })
}

function find(path: Path, rest: string, near?: string): Finding {
  const finding = { path, message: `${showPath(path)}${rest}` }
  return near === undefined ? finding : { ...finding, nearest: near }
}

function checkName({ name }: Mapping, path: Path, seen: Set<string>): Finding[] {
  if (typeof name !== 'string') return []
  if (seen.has(name))
    return [find([...path, 'name'], `: another schedule is named ${name} already. Give each its own name.`)]
  seen.add(name)
  return []
}

function checkTime({ cron, at, timezone }: Mapping, path: Path): Finding[] {
  if ((cron === undefined) === (at === undefined)) {
    const both = cron !== undefined
    return [
      find(
        path,
        both
          ? ': cron and at exclude each other. Keep one of them.'
          : ': it is not said when. Write cron: "0 9 * * 1-5", or at: 2026-12-24T09:00:00+01:00 for once.',
      ),
    ]
  }
  if (timezone !== undefined && (typeof timezone !== 'string' || !isTimezone(timezone)))
    return typeof timezone === 'string'
      ? [
          find(
            [...path, 'timezone'],
            `: there is no time zone ${timezone}. Write one like Europe/Berlin or UTC.`,
          ),
        ]
      : []
  if (typeof cron === 'string') {
    const problem = cronProblem(cron)
    return problem === null ? [] : [find([...path, 'cron'], ` ${problem}.`)]
  }
  if (typeof at !== 'string') return []
  const moment = readMoment(at, typeof timezone === 'string' ? timezone : null)
  return typeof moment === 'number' ? [] : [find([...path, 'at'], NO_MOMENT[moment])]
}

const NO_MOMENT = {
  form: ' must be a time like 2026-12-24T09:00:00+01:00.',
  date: ' is no time that there is. Correct the date or the hour.',
  zone: ' has no time zone. Add an offset, as in 2026-12-24T09:00:00+01:00, or a timezone beside it.',
} as const

function checkRoom(room: unknown, path: Path, connections: readonly string[]): Finding[] {
  if (typeof room !== 'string') return []
  const colon = room.indexOf(':')
  const connection = room.slice(0, colon)
  if (colon < 1 || colon === room.length - 1 || /\s/.test(room) || room.endsWith(':*'))
    return [find(path, ': a room is named "connection:chat". Write it like "local:lobby".')]
  if (connections.includes(connection)) return []
  const near = nearest(connection, connections)
  const cure = near === undefined ? `Connected: ${connections.join(', ')}.` : `Did you mean ${near}?`
  return [find(path, `: no connection is named ${connection}. ${cure}`, near)]
}

function checkAgent(written: unknown, path: Path, root: Mapping, names: readonly Named[]): Finding[] {
  if (typeof written !== 'string') return []
  const named = names.find(({ name }) => foldName(name) === foldName(written))
  if (named === undefined) {
    const known = names.map(({ name }) => name)
    const near = nearest(written, known)
    const cure = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`
    return [find(path, `: no agent is named ${written}. ${cure}`, near)]
  }
  return mappingOf(listOf(root.agents)[named.agent]).archived === true
    ? [find(path, `: ${written} is archived and works no more. Name another agent.`)]
    : []
}

/** @param nameOf an agent's own name for any of its names */
export function schedulesOf(
  values: z.output<typeof schedules>,
  nameOf: (written: string) => string,
): SchedulePlan[] {
  return values.map(({ name, room, agent, cron, at, timezone = ownTimezone(), text, missed }) => ({
    name,
    connection: room.slice(0, room.indexOf(':')) as ConnectionId,
    chatKey: room,
    agent: agent === undefined ? null : nameOf(agent),
    cron: cron ?? null,
    at: at === undefined ? null : (readMoment(at, timezone) as Millis),
    timezone,
    text,
    missed,
  }))
}
