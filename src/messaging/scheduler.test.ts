import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settled, TestClock } from '../../tests/support/clock.js'
import { Core, MemoryStore, TestPlatform } from '../../tests/support/core.js'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { nextAfter } from './cron.js'
import { Directory } from './directory.js'
import type { SchedulePlan } from './schedule.js'
import { Scheduler, type WantedSchedule } from './scheduler.js'

const HOUR = 3_600_000
const NINE = Date.UTC(2026, 2, 2, 9)

function plan(change: Partial<SchedulePlan> = {}): SchedulePlan {
  return {
    name: 'daily',
    connection: 'local',
    chatKey: 'local:lobby',
    agent: null,
    cron: '0 9 * * *',
    at: null,
    timezone: 'UTC',
    text: 'the plan of the day',
    missed: 'once',
    ...change,
  }
}

/** One data folder, and the lives of the daemons that own it. */
class Lives {
  readonly raw = new Database(':memory:')
  clock: TestClock
  scheduler!: Scheduler
  room!: TestRoom
  lives = 0
  /** Agents are done at once. */
  finishes = false
  readonly log: string[] = []

  constructor(start: number) {
    this.clock = new TestClock(start)
  }

  async begin(plans: readonly SchedulePlan[], at = this.clock.now()): Promise<void> {
    this.clock = new TestClock(at)
    this.room = new TestRoom(policy(), `boot-${++this.lives}`, this.raw)
    const directory = new Directory()
    directory.add('local', new TestPlatform(this.clock).platform, 'Golem')
    const line = (_: object, message: string): void => void this.log.push(message)
    this.scheduler = new Scheduler({
      store: new MemoryStore(this.room).store,
      directory,
      clock: this.clock,
      log: { debug: line, info: line, warn: line, error: line },
      turns: () => undefined,
    })
    await this.scheduler.start(plans)
    await settled(8)
  }

  /** Whatever it was at, it is gone. */
  kill(): void {
    void this.scheduler.close()
  }

  async pass(ms: number, step = ms): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      // Twice: what a look finds is armed behind the step.
      for (const ms of [Math.min(step, left), 0]) {
        this.clock.advance(ms)
        await settled(8)
      }
      if (this.finishes) this.finish()
    }
  }

  /** The turns of schedules, as they are made, are run at once, so that none stands in the way of the next. */
  finish(): void {
    this.room.now = this.clock.now()
    for (const turn of this.room.claim(1_000)) this.room.answer(turn, 'done')
  }

  runs(): { due: number; missed: number; what: string }[] {
    return this.raw.prepare('SELECT due, missed, what FROM schedule_runs ORDER BY due').all() as never
  }

  turns(): { message: number | null; kind: string }[] {
    return this.raw.prepare("SELECT * FROM turns WHERE kind = 'schedule' ORDER BY id").all() as never
  }
}

describe('a schedule of golem.yaml', () => {
  it('runs when it is due, with a line that its receipt hangs on', async () => {
    const world = new Lives(NINE - 10_000)
    await world.begin([plan()])
    expect(world.turns()).toEqual([])
    await world.pass(10_000)
    const [turn] = world.turns()
    expect(turn).toMatchObject({
      kind: 'schedule',
      agent: 'Golem',
      addressed: 1,
      requester_id: null,
      reply_to: null,
      conversation: 'local:lobby',
    })
    const line = world.raw.prepare('SELECT * FROM messages').get() as { decision: string }
    expect(line).toMatchObject({ id: turn?.message, kind: 'schedule', text: 'the plan of the day', at: NINE })
    expect(line.decision).toContain(
      'The schedule daily was due at Mon 2026-03-02 09:00 UTC; it stands in golem.yaml.',
    )
    await world.pass(24 * HOUR, HOUR)
    expect(world.runs().map(({ due }) => due)).toEqual([NINE, NINE + 24 * HOUR])
  })

  it('follows what golem.yaml says, and keeps what it has done', async () => {
    const world = new Lives(NINE - HOUR)
    const once = plan({ name: 'once', cron: null, at: NINE, text: 'now' })
    await world.begin([plan(), once])
    await world.pass(HOUR)
    world.finish()
    world.kill()
    // Nothing has changed: the one-shot is not armed again, though it still stands there.
    await world.begin([plan(), once], NINE + HOUR)
    expect(world.turns()).toHaveLength(2)
    world.kill()
    await world.begin(
      [plan({ cron: '0 11 * * *', text: 'another' }), { ...once, at: NINE + 3 * HOUR }],
      NINE + HOUR,
    )
    await world.pass(2 * HOUR, HOUR)
    const rows = world.raw.prepare('SELECT name, text FROM schedules ORDER BY name').all()
    expect(rows).toMatchObject([{ name: 'daily', text: 'another' }, { name: 'once' }])
    expect(world.runs().map(({ due }) => due - NINE)).toEqual([0, 0, 2 * HOUR, 3 * HOUR])
    world.kill()
    await world.begin([], NINE + 2 * HOUR)
    expect(world.raw.prepare('SELECT * FROM schedules').all()).toEqual([])
  })

  it('whose time was past when it was first read does not run', async () => {
    const world = new Lives(NINE)
    await world.begin([plan({ cron: null, at: NINE - 1 })])
    await world.pass(HOUR)
    expect(world.turns()).toEqual([])
    expect(world.log).toContain('the time of a schedule in golem.yaml is past')
  })

  it.each([
    ['once', 'run', 2],
    ['skip', 'skipped', 0],
  ] as const)('missed while Golem was away: %s', async (missed, what, stood) => {
    const world = new Lives(NINE - HOUR)
    await world.begin([plan({ missed })])
    world.kill()
    world.finishes = true
    await world.begin([plan({ missed })], NINE + 50 * HOUR)
    expect(world.runs()).toEqual([{ due: NINE + 48 * HOUR, missed: stood, what }])
    expect(world.turns()).toHaveLength(what === 'run' ? 1 : 0)
    await world.pass(22 * HOUR, HOUR)
    expect(world.runs().at(-1)).toMatchObject({ due: NINE + 72 * HOUR, what: 'run' })
  })

  it('a little late is on time: a restart takes a moment', async () => {
    const world = new Lives(NINE - HOUR)
    await world.begin([plan({ missed: 'skip' })])
    world.kill()
    await world.begin([plan({ missed: 'skip' })], NINE + 20_000)
    expect(world.runs()).toEqual([{ due: NINE, missed: 0, what: 'run' }])
  })

  it('is left out while its run before still waits', async () => {
    const world = new Lives(NINE - HOUR)
    await world.begin([plan({ cron: '*/5 * * * *' })])
    await world.pass(HOUR, 5 * 60_000)
    expect(world.turns()).toHaveLength(1)
    expect(world.log).toContain('a schedule is left out: its run before still waits')
    world.finish()
    await world.pass(10 * 60_000, 5 * 60_000)
    expect(world.turns().length).toBe(2)
  })

  it('goes on where the clock had been wrong by years', async () => {
    const world = new Lives(NINE - HOUR)
    await world.begin([plan()])
    world.kill()
    await world.begin([plan()], NINE + 5 * 365 * 24 * HOUR)
    world.finish()
    world.kill()
    await world.begin([plan()], NINE - HOUR)
    await world.pass(HOUR)
    expect(world.runs()[0]).toMatchObject({ due: NINE, what: 'run' })
  })

  it('is not counted as a reply in a row of bots, and runs where they have to be quiet', async () => {
    const world = new Lives(NINE - 1_000)
    await world.begin([plan()])
    await world.pass(1_000)
    world.room.now = world.clock.now()
    world.raw.prepare('UPDATE chats SET bot_turns = 99').run()
    const turn = world.room.next()
    expect(turn).toMatchObject({
      kind: 'schedule',
      schedule: { name: 'daily', due: NINE, by: null, missed: 0 },
      lines: [{ kind: 'schedule', text: 'the plan of the day', new: true }],
    })
    world.room.answer(turn, 'the plan')
    expect(world.raw.prepare('SELECT bot_turns FROM chats').get()).toEqual({ bot_turns: 99 })
    expect(world.room.deliver()).toEqual(['post the plan'])
  })

  it('looks one time ahead only, however many there are', async () => {
    const world = new Lives(NINE - HOUR)
    const many = Array.from({ length: 2_000 }, (_, index) =>
      plan({ name: `s${index}`, chatKey: `local:r${index}` }),
    )
    await world.begin(many)
    expect(world.clock.waiting).toBe(1)
    await world.pass(HOUR)
    await settled(400)
    expect(world.turns()).toHaveLength(2_000)
    expect(world.clock.waiting).toBe(1)
  })
})

describe('whatever restarts there are, and however the clock is set back', () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 300 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('away' as const), minutes: fc.integer({ min: 0, max: 3_000 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('back' as const), minutes: fc.integer({ min: 1, max: 200 }) }),
    },
  )
  const crons = fc.constantFrom('0 * * * *', '*/30 * * * *', '0 9 * * *', '15 2 * * *')

  it('no time runs twice, and with `once` none is lost', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), crons, async (steps, cron) => {
        const start = Date.UTC(2026, 2, 28, 20)
        const timezone = 'Europe/Berlin'
        const plans = [plan({ cron, timezone })]
        const world = new Lives(start)
        world.finishes = true
        await world.begin(plans)
        let latest = start
        let floor = start
        for (const { do: what, minutes } of steps) {
          const now = world.clock.now()
          if (what === 'pass') {
            await world.pass(minutes * 60_000, 15 * 60_000)
          } else {
            world.kill()
            await world.begin(plans, what === 'away' ? now + minutes * 60_000 : now - minutes * 60_000)
            world.finish()
          }
          // Set back before anything had come due: what comes then, comes.
          if (world.runs().length === 0 && world.clock.now() < now) {
            floor = Math.min(floor, world.clock.now())
            latest = world.clock.now()
          }
          latest = Math.max(latest, world.clock.now())
        }
        const covered = world.runs().filter(({ what }) => what === 'run')
        // The key of the table says that no time stands twice; each has one turn.
        expect(world.turns()).toHaveLength(covered.length)
        let due = 0
        for (let at = nextAfter({ cron, timezone }, floor); at !== null && at <= latest; due++)
          at = nextAfter({ cron, timezone }, at)
        expect(covered.reduce((sum, { missed }) => sum + missed + 1, 0)).toBe(due)
      }),
      { numRuns: 60 },
    ))
})

describe('a schedule that an agent makes', () => {
  async function asked(text: string, wanted: (turn: number) => WantedSchedule) {
    const core = new Core(async (work) => {
      if (work.turn.kind === 'schedule') return `Reminder: ${work.turn.lines.at(-1)?.text}`
      const created = await scheduler.create(wanted(work.turn.id))
      return created.status === 'refused' ? `No: ${created.why}` : `Yes: ${created.schedule.id}`
    })
    const platform = new TestPlatform(core.clock)
    const host = core.connect(platform)
    const scheduler = new Scheduler({
      store: core.store,
      directory: core.directory,
      clock: core.clock,
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      turns: () => core.threads.turnsWait(),
    })
    await scheduler.start([])
    const { message } = await import('../../tests/support/policy.js')
    await host.accept(message(`@Golem ${text}`, { id: 'm1', at: core.clock.now() }))
    await core.pass(1_000)
    return { core, platform, scheduler, host }
  }

  it('runs in its conversation, quotes what it was asked in, and is gone', async () => {
    const { core, platform, scheduler } = await asked('remind me', (turn) => ({
      turn,
      in: 10,
      text: 'the tea',
    }))
    expect(platform.posts()).toEqual(['Yes: 1'])
    expect(await scheduler.list('local:lobby')).toMatchObject([
      { madeBy: { id: 'ann', name: 'Ann' }, cron: null },
    ])
    await core.pass(10 * 60_000, 60_000)
    expect(platform.posts()).toEqual(['Yes: 1', 'Reminder: the tea'])
    const post = platform.sent.findLast(({ op }) => op.kind === 'post')?.op
    expect(post).toMatchObject({ replyTo: 'm1' })
    expect(await scheduler.list('local:lobby')).toEqual([])
    const receipt = await core.store.receipt(
      `local:lobby:n${platform.sent.findLastIndex(({ op }) => op.kind === 'post') + 1}`,
    )
    expect(receipt).toMatchObject({ outcome: 'said', turns: [{ kind: 'schedule' }] })
    const line = await core.store.receipt(receipt?.answers[0] ?? '')
    expect(line?.summary).toMatch(
      /^Answered by Golem\. The schedule schedule 1 was due at .*; made by Ann\.$/,
    )
  })

  it.each([
    [{ cron: '* * * * *' }, /more often than every 5 minutes/],
    [{ cron: '61 * * * *' }, /must be a cron line/],
    [{ cron: '0 9 * * *', in: 5 }, /exactly one of/],
    [{}, /exactly one of/],
    [{ at: 'tomorrow' }, /Write the time as/],
    [{ at: '2020-01-01T09:00Z' }, /That time is past/],
    [{ cron: '0 9 * * *', timezone: 'Mars/X' }, /no time zone Mars/],
  ])('%j is refused', async (when, why) => {
    const { platform } = await asked('x', (turn) => ({ turn, text: 'x', ...when }))
    expect(platform.posts()[0]).toMatch(why)
  })
})
