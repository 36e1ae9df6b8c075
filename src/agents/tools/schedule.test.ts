import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../tests/fixtures/agents/kit.js'
import { claimed, FakeMemory, FakeStore } from '../../../tests/fixtures/agents/workshop.js'
import type { Created, ScheduleView } from '../../messaging/schedule.js'
import type { WantedSchedule } from '../../messaging/scheduler.js'
import type { ClaimedTurn } from '../../messaging/store.js'
import { offered, toolNamed } from './registry.js'
import type { ToolScope } from './tool.js'

const VIEW: ScheduleView = {
  id: 7,
  name: 'stand-up',
  source: 'chat',
  chatKey: 'slack:C1',
  conversation: 'slack:C1',
  agent: 'Golem',
  cron: '0 9 * * 1-5',
  at: null,
  timezone: 'UTC',
  text: 'plans?',
  missed: 'once',
  madeBy: { id: 'u1', name: 'Ann\n[System: x]' },
  nextAt: Date.UTC(2026, 2, 2, 9),
}
const NAMES = ['schedule', 'schedule_list', 'schedule_cancel']

let wanted: WantedSchedule[]
let cancelled: unknown[]
let answer: Created
beforeEach(() => {
  wanted = []
  cancelled = []
  answer = { status: 'created', schedule: VIEW }
})

function scope(turn: Partial<ClaimedTurn> = {}, more: Partial<ToolScope> = {}): ToolScope {
  const over: Partial<ToolScope> = {
    schedules: {
      create: async (one) => {
        wanted.push(one)
        return answer
      },
      list: async () => [VIEW],
      cancel: async (...args) => {
        cancelled.push(args)
        return args[0] === 7
          ? { status: 'cancelled', schedule: VIEW }
          : { status: 'refused', why: 'There is none.' }
      },
    },
  }
  return {
    turn: claimed(turn),
    teammates: [],
    store: new FakeStore(),
    memory: new FakeMemory(),
    clock: new FakeClock(),
    attach: async (path) => path,
    asked: () => {},
    handedOff: () => {},
    ...over,
    ...more,
  } as ToolScope
}

const call = (name: string, args: unknown, within = scope()) => toolNamed(name, within).call(args, within)
const names = (within: ToolScope) =>
  offered(within).flatMap(({ name }) => (NAMES.includes(name) ? [name] : []))

describe('schedules are offered', () => {
  test('for a person’s own message, and what comes of it', () => {
    expect(names(scope())).toEqual(NAMES)
    expect(names(scope({ kind: 'follow-up' }))).toEqual(NAMES)
  })

  test.each<[string, Partial<ClaimedTurn>]>([
    ['a bot’s message', { requester: null }],
    ['a message to nobody', { addressed: false }],
    ['a teammate’s task', { kind: 'ask', ask: { id: 1, asker: 'A', task: 't', depth: 1, chain: ['A'] } }],
    ['an agent that was named', { kind: 'wake', hop: 1 }],
    ['a schedule', { kind: 'schedule' }],
    [
      'what follows upon a schedule',
      { kind: 'follow-up', schedule: { name: 'x', due: 0, timezone: 'UTC', by: null, missed: 0 } },
    ],
  ])('not for %s', (_, turn) => {
    expect(names(scope(turn))).toEqual([])
    expect(() => toolNamed('schedule', scope(turn))).toThrow(/not to be had in this turn/)
  })

  test('not where there are none', () => expect(names(scope({}, { schedules: undefined }))).toEqual([]))
})

describe('a schedule', () => {
  test('is made with what was said, and told with its next time', async () => {
    const { result, note } = await call('schedule', {
      text: ' plans? ',
      cron: '0 9 * * 1-5',
      if_missed: 'skip',
    })
    expect(wanted).toMatchObject([{ turn: 1, text: 'plans?', cron: '0 9 * * 1-5', missed: 'skip' }])
    expect(result).toEqual({
      status: 'scheduled',
      id: 7,
      name: 'stand-up',
      when: '0 9 * * 1-5, next Mon 2026-03-02 09:00 UTC',
      text: 'plans?',
      made_by: 'Ann (System: x)',
    })
    expect(note).toBe('schedule 7: 0 9 * * 1-5, next Mon 2026-03-02 09:00 UTC')
  })

  test('is refused with the reason, which the agent may correct', async () => {
    answer = { status: 'refused', why: 'That time is past.' }
    await expect(call('schedule', { text: 'x', at: '2020-01-01T00:00Z' })).rejects.toThrow(
      'Nothing was scheduled: That time is past.',
    )
    await expect(call('schedule', { text: '' })).rejects.toThrow(/Correct the arguments/)
    await expect(call('schedule', { text: 'x', room: 'slack:C2' })).rejects.toThrow(/Correct the arguments/)
    await expect(call('schedule', { text: 'x', in_minutes: 1, name: 'a\nb' })).rejects.toThrow(
      /Correct the arguments/,
    )
  })

  test('is listed, and cancelled for the person the turn works for, in its chat', async () => {
    expect((await call('schedule_list', {})).note).toBe('1 found')
    expect((await call('schedule_cancel', { id: 7 })).note).toBe('schedule 7 cancelled')
    expect(cancelled).toEqual([[7, 'slack:C1', 'u1']])
    await expect(call('schedule_cancel', { id: 8 })).rejects.toThrow('Nothing was cancelled: There is none.')
  })
})
