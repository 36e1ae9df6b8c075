/** Schedules of golem.yaml: what they become, and every broken one's sentence as a person reads it. */
import { expect, it } from 'vitest'
import { ownTimezone } from '../messaging/moment.js'
import { formatProblem } from './errors.js'
import { load, problemsOf } from './harness.fixture.js'

const AGENTS = `agents:
  - { name: Golem, engine: offline }
  - { name: Old, engine: offline, archived: true }
`
const with_ = (schedule: string): string => `${AGENTS}schedules:\n  - ${schedule}\n`

it('they are read with their defaults, names as the roster has them', () => {
  const { schedules } = load(
    with_('{ name: stand-up, room: "local:lobby", agent: golem, cron: 0 9 * * 1-5, text: Who does what? }') +
      '  - { name: gifts, room: "local:lobby", at: 2026-12-24T09:00, timezone: Europe/Berlin, text: Unwrap., missed: skip }\n',
  )
  expect(schedules).toEqual([
    {
      name: 'stand-up',
      connection: 'local',
      chatKey: 'local:lobby',
      agent: 'Golem',
      cron: '0 9 * * 1-5',
      at: null,
      timezone: ownTimezone(),
      text: 'Who does what?',
      missed: 'once',
    },
    {
      name: 'gifts',
      connection: 'local',
      chatKey: 'local:lobby',
      agent: null,
      cron: null,
      at: Date.UTC(2026, 11, 24, 8),
      timezone: 'Europe/Berlin',
      text: 'Unwrap.',
      missed: 'skip',
    },
  ])
})

it.each([
  [
    '{ name: a, room: "local:lobby", cron: "61 9 * * *", text: x }',
    '5:43: schedules[0].cron must be a cron line like "0 9 * * 1-5" (Invalid value for minute: 61).',
  ],
  [
    '{ name: a, room: "local:lobby", cron: "0 9 * *", text: x }',
    '5:43: schedules[0].cron must have five parts: minute, hour, day of the month, month, day of the week.',
  ],
  [
    '{ name: a, room: "local:lobby", cron: "0 9 31 2 *", text: x }',
    '5:43: schedules[0].cron must name a day that comes.',
  ],
  [
    '{ name: a, room: "local:lobby", cron: "0 9 * * *", timezone: Mars/X, text: x }',
    '5:66: schedules[0].timezone: there is no time zone Mars/X. Write one like Europe/Berlin or UTC.',
  ],
  [
    '{ name: a, room: "local:lobby", at: 2026-12-24T09:00, text: x }',
    '5:41: schedules[0].at has no time zone. Add an offset, as in 2026-12-24T09:00:00+01:00, or a timezone beside it.',
  ],
  [
    '{ name: a, room: "local:lobby", at: tomorrow, text: x }',
    '5:41: schedules[0].at must be a time like 2026-12-24T09:00:00+01:00.',
  ],
  [
    '{ name: a, room: "local:lobby", at: 2026-02-30T09:00Z, text: x }',
    '5:41: schedules[0].at is no time that there is. Correct the date or the hour.',
  ],
  [
    '{ name: a, room: "local:lobby", text: x }',
    '5:5: schedules[0]: it is not said when. Write cron: "0 9 * * 1-5", or at: 2026-12-24T09:00:00+01:00 for once.',
  ],
  [
    '{ name: a, room: "local:lobby", cron: 0 9 * * *, at: 2026-12-24T09:00Z, text: x }',
    '5:5: schedules[0]: cron and at exclude each other. Keep one of them.',
  ],
  [
    '{ name: a, room: "locale:lobby", cron: 0 9 * * *, text: x }',
    '5:22: schedules[0].room: no connection is named locale. Did you mean local?',
  ],
  [
    '{ name: a, room: lobby, cron: 0 9 * * *, text: x }',
    '5:22: schedules[0].room: a room is named "connection:chat". Write it like "local:lobby".',
  ],
  [
    '{ name: a, room: "local:lobby", agent: Gollem, cron: 0 9 * * *, text: x }',
    '5:44: schedules[0].agent: no agent is named Gollem. Did you mean Golem?',
  ],
  [
    '{ name: a, room: "local:lobby", agent: Old, cron: 0 9 * * *, text: x }',
    '5:44: schedules[0].agent: Old is archived and works no more. Name another agent.',
  ],
  [
    '{ name: a, room: "local:lobby", cron: 0 9 * * *, text: x }\n  - { name: a, room: "local:lobby", cron: 0 9 * * *, text: y }',
    '6:13: schedules[1].name: another schedule is named a already. Give each its own name.',
  ],
])('%s', (schedule, says) =>
  expect(problemsOf(with_(schedule)).map(formatProblem)).toEqual([`golem.yaml:${says}`]),
)
