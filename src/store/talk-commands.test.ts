/** What people ask of Golem itself in a chat about schedules, models and tokens. */
import { beforeEach, describe, expect, it } from 'vitest'
import { agent, type message, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { RoomSettings } from '../messaging/roster.js'
import { COMMANDS } from './commands-table.js'

const AGENTS = [
  agent('Golem', { orchestrator: true, model: 'x/large', models: ['x/large', 'x/small', 'y/tiny'] }),
  agent('Reviewer', { models: ['x/small'] }),
  agent('Plain'),
]

let test: TestRoom
const begin = (settings: Partial<RoomSettings> = {}, agents = AGENTS) => {
  test = new TestRoom(policy(settings, agents))
}
beforeEach(() => begin())

/** What is answered to a command. */
function told(text: string, by = 'ann', change: Parameters<typeof message>[1] = {}): string {
  test.now += 1_000
  // A slash without more is a command where the platform says so; an exclamation mark is one everywhere.
  test.say(text.replace(/^\//, '!'), {
    author: { id: by, name: by === 'ann' ? 'Ann' : by, kind: 'person' },
    ...change,
  })
  const texts: string[] = []
  for (let ops = test.operations(); ops.length > 0; ops = test.operations())
    for (const { id, op } of ops) {
      const receipt = { at: test.now, id: `p${id}` }
      COMMANDS.recordReceipt(test.room, id, { state: 'sent', at: test.now, receipt })
      if (op.kind === 'note' && op.notice.kind === 'command') texts.push(op.notice.text)
    }
  return texts.join('\n')
}

const dm = { chat: { kind: 'dm' as const }, place: { chat: 'dm-ann' } }

describe('/model', () => {
  it('says who has which, and what can be chosen', () => {
    expect(told('/model')).toBe(
      [
        '- **Golem**: x/large. To choose from: `x/large` · `x/small` · `y/tiny`',
        '- **Reviewer**: its own. To choose from: `x/small`',
        '`/model <name>` switches here, `/model room <name>` in the whole chat, `/model default` goes back to golem.yaml.',
      ].join('\n'),
    )
  })

  it('an empty list of owners is nobody, and says how that changes', () => {
    expect(told('/model x/small')).toBe(
      'Only the owners of this room may do that. Whoever runs Golem can add your id, ann, to rooms."local:lobby".owners in golem.yaml.',
    )
    test.say('@Golem hello')
    expect(test.next().model).toBeUndefined()
  })

  it('an owner switches, for this conversation; default goes back', () => {
    begin({ owners: ['ann'] })
    expect(told('/model tiny')).toBe('Golem: y/tiny, here, from the next message on.')
    expect(told('/model')).toContain('- **Golem**: y/tiny, chosen by Ann.')
    test.say('@Golem hello')
    const turn = test.next()
    expect(turn.model).toBe('y/tiny')
    test.answer(turn, 'hi')
    test.say('@Golem hello', { place: { chat: 'lobby', thread: 't1' } })
    const other = test.next()
    expect(other.model).toBeUndefined()
    test.answer(other, 'hi')
    expect(told('/model default')).toBe('Golem and Reviewer: the model of golem.yaml again.')
    test.say('@Golem hello')
    expect(test.next().model).toBeUndefined()
  })

  it('for the whole chat, and for one agent by its name', () => {
    begin({ owners: ['ann'] })
    expect(told('/model room Golem x/small')).toBe(
      'Golem: x/small, in the whole chat, from the next message on.',
    )
    test.say('@Golem hello', { place: { chat: 'lobby', thread: 't1' } })
    const turn = test.next()
    expect(turn.model).toBe('x/small')
    test.answer(turn, 'hi')
    test.say('@Reviewer hello')
    expect(test.next().model).toBeUndefined()
  })

  it('in a direct message whoever it is with may; what is not in the list is refused with the list', () => {
    expect(told('/model y/tiny', 'ann', dm)).toBe('Golem: y/tiny, here, from the next message on.')
    expect(told('/model gpt-9', 'ann', dm)).toMatch(
      /^No agent here may use "gpt-9"\.\n- \*\*Golem\*\*: y\/tiny/,
    )
  })

  it('what golem.yaml offers no more is not used', () => {
    begin({ owners: ['ann'] })
    told('/model tiny')
    const { room } = test
    test = Object.assign(
      new TestRoom(policy({}, [agent('Golem', { models: ['x/large'] })]), 'boot-1', room.raw),
      {
        now: test.now,
      },
    )
    test.say('@Golem hello')
    expect(test.next().model).toBeUndefined()
  })

  it('nobody with a list', () => {
    begin({}, [agent('Plain', { orchestrator: true })])
    expect(told('/model x')).toMatch(/^No agent here has a list of models/)
  })
})

describe('/usage', () => {
  it('sums by agent, whatever became of the turns; today apart', () => {
    expect(told('/usage')).toBe('No agent has reported tokens here in the last 30 days.')
    test.say('@Golem hello')
    test.answer(test.next(), 'hi', {
      usage: { inputTokens: 1_500, outputTokens: 20, cachedTokens: 1_000, costUsd: 0.01 },
    })
    test.now += 86_400_000
    test.say('@Golem again')
    test.settle(
      test.next().id,
      { state: 'failed', code: 'x', message: 'y' },
      { usage: { inputTokens: 500, outputTokens: 0 } },
    )
    expect(told('/usage')).toBe(
      [
        'Here, in the last 30 days:',
        '- **Golem**: 2 turns, 2,000 tokens in (1,000 cached), 20 out, $0.0100',
        'Today: 1 turn, 500 tokens in, 0 out',
      ].join('\n'),
    )
    expect(told('/usage', 'ann', dm)).toMatch(/^No agent has reported/)
  })

  it('a program that reports nonsense spoils no sum', () => {
    test.say('@Golem hello')
    test.answer(test.next(), 'hi', {
      usage: {
        inputTokens: Number.NaN,
        outputTokens: -5,
        cachedTokens: 1e300,
        costUsd: Number.POSITIVE_INFINITY,
      },
    })
    expect(told('/usage')).toContain('1 turn, 0 tokens in (1,000,000,000,000 cached), 0 out')
  })
})

describe('/schedules', () => {
  const make = (by: string, cron: string | null, change: Parameters<typeof message>[1] = {}) => {
    test.now += 1_000
    test.say('@Golem remind us', { author: { id: by, name: by, kind: 'person' }, ...change })
    const turn = test.next()
    const created = COMMANDS.createSchedule(test.room, {
      name: null,
      turn: turn.id,
      cron,
      at: cron === null ? test.now + 60_000 : null,
      timezone: 'UTC',
      text: 'the\nstand-up',
      missed: 'once',
      next: Date.UTC(2026, 2, 2, 9),
      now: test.now,
    })
    test.answer(turn, 'done')
    test.deliver()
    return created
  }

  it('lists those of the chat, and whoever made one cancels it', () => {
    expect(told('/schedules')).toMatch(/^Nothing is scheduled here\./)
    expect(make('ann', '0 9 * * *')).toMatchObject({ status: 'created', schedule: { id: 1 } })
    expect(told('/schedules')).toBe(
      '- **1** schedule 1 `0 9 * * *`: next Mon 2026-03-02 09:00 UTC, by ann — the stand-up\n\n`/schedules cancel <number>` cancels one.',
    )
    expect(told('/schedules cancel 1', 'bob')).toMatch(/^Only the owners of this room/)
    expect(told('/schedules cancel 1', 'ann', { place: { chat: 'elsewhere' } })).toBe(
      'There is no schedule 1 here.',
    )
    expect(told('/schedules cancel 1')).toBe('Schedule 1 is cancelled: schedule 1.')
    expect(told('/schedules cancel 1')).toBe('There is no schedule 1 here.')
  })

  it('an owner cancels what others made; what stands in golem.yaml is removed there', () => {
    begin({ owners: ['eve'] })
    make('ann', null)
    COMMANDS.reconcileSchedules(
      test.room,
      [
        {
          name: 'daily',
          connection: 'local',
          chatKey: 'local:lobby',
          agent: null,
          cron: '0 9 * * *',
          at: null,
          timezone: 'UTC',
          text: 'x',
          missed: 'once',
          next: test.now + 1e6,
        },
      ],
      test.now,
    )
    expect(told('/schedules cancel 2', 'eve')).toBe(
      'The schedule daily stands in golem.yaml: it is removed there.',
    )
    expect(told('/schedules cancel #1', 'eve')).toBe('Schedule 1 is cancelled: schedule 1.')
  })

  it('bots, wakes, teammates, schedules and people of another organisation make none; 20 are enough', () => {
    test.say('@Golem remind us', { author: { id: 'b', name: 'B', kind: 'bot' } })
    const bots = test.claim()[0]
    if (bots) {
      const why = COMMANDS.createSchedule(test.room, {
        name: null,
        turn: bots.id,
        cron: '0 9 * * *',
        at: null,
        timezone: 'UTC',
        text: 'x',
        missed: 'once',
        next: 1,
        now: test.now,
      })
      expect(why).toMatchObject({ status: 'refused', why: expect.stringMatching(/^Only a person/) })
      test.answer(bots, 'no')
    }
    const outside = make('zoe', '0 9 * * *', {
      author: { id: 'zoe', name: 'Zoe', kind: 'person', outside: true },
    })
    expect(outside).toMatchObject({ status: 'refused', why: expect.stringMatching(/another organisation/) })
    for (let n = 0; n < 20; n++) expect(make('ann', `0 9 ${n + 1} * *`).status).toBe('created')
    expect(make('ann', '0 10 * * *')).toMatchObject({
      status: 'refused',
      why: expect.stringMatching(/20 schedules/),
    })
  })

  it('a chat that goes on under another id takes its schedules, models and tokens along', () => {
    begin({ owners: ['ann'] })
    make('ann', '0 9 * * *')
    told('/model tiny')
    test.say('@Golem hello')
    test.answer(test.next(), 'hi', { usage: { inputTokens: 5, outputTokens: 5 } })
    test.accept({
      kind: 'change',
      event: 'moved',
      at: test.now,
      place: { chat: 'lobby' },
      author: { id: 'ann', name: 'Ann', kind: 'person' },
      movedTo: 'super',
    })
    const there = { place: { chat: 'super' } }
    expect(told('/schedules', 'ann', there)).toMatch(/^- \*\*1\*\* schedule 1/)
    expect(told('/usage', 'ann', there)).toContain('5 tokens in')
    test.say('@Golem hello', there)
    expect(test.next().model).toBe('y/tiny')
  })
})

it('/new changes the name of the context, so that nothing an engine kept is gone on with', () => {
  test.say('@Golem hello')
  const before = test.next()
  test.answer(before, 'hi')
  expect(before.context).toBe('local:lobby')
  test.say('!new')
  test.say('@Golem hello')
  const after = test.next()
  expect(after.context).toMatch(/^local:lobby@\d+$/)
  expect(after.first).toBe(true)
})
