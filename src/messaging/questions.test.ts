import { expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { agent, message, policy } from '../../tests/support/policy.js'
import type { Ruling } from './approval.js'
import { APPROVAL_EXPIRE, APPROVAL_PARK } from './limits.js'

const rules = policy({}, [agent('Golem', { orchestrator: true, effects: 'unknown' })])
const QUESTION = {
  kind: 'question',
  agent: 'Golem',
  text: 'Deploy?',
  options: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No', deny: true },
  ],
  subject: 'deploy',
} as const

/** An agent that asks, and says what was decided. */
async function asking(given = rules) {
  const core = new Core(async ({ decide, turn }) => {
    if (turn.lines.at(-1)?.text.includes('hello')) return 'hi'
    const ruling: Ruling = await decide(QUESTION)
    return `${ruling.kind === 'chosen' ? ruling.option : ruling.why} in run ${turn.attempt}`
  }, given)
  const platform = new TestPlatform(core.clock)
  const host = core.connect(platform)
  await host.accept(message('@Golem deploy', { id: 'q' }))
  await settled()
  const post = platform.sent.map(({ op }) => op).find((op) => op.kind === 'post' && op.buttons?.length)
  const buttons = post?.kind === 'post' ? (post.buttons ?? []) : []
  let presses = 0
  const press = async (label: string, by = 'ann') => {
    await host.accept({
      kind: 'press',
      event: `press-${++presses}`,
      at: core.clock.now(),
      place: { chat: 'lobby' },
      author: { id: by, name: by, kind: 'person' },
      id: '',
      value: buttons.find((one) => one.label === label)?.value ?? '',
    })
    await settled()
  }
  return { core, platform, host, press, buttons }
}

it('a run waits for the press, and goes on with it', async () => {
  const { core, platform, press, buttons } = await asking()
  expect(buttons.map(({ label }) => label)).toEqual(['Yes', 'No'])
  await core.pass(60_000, 5_000)
  expect(core.threads.running()).toHaveLength(1)
  // The question stands there: no status post beside it.
  expect(platform.posts()).not.toContain('Working on it…')
  await press('Yes', 'mallory')
  expect(core.threads.running()).toHaveLength(1)
  await press('Yes')
  expect(platform.posts().at(-1)).toBe('yes in run 1')
  await press('No')
  expect(platform.posts().filter((text) => text.includes('in run'))).toHaveLength(1)
})

it('a run that waits for long ends: its conversation goes on, and the press begins it again', async () => {
  const { core, platform, host, press } = await asking()
  await core.pass(APPROVAL_PARK + 1_000, 5_000)
  expect(core.threads.running()).toEqual([])
  await host.accept(message('@Golem hello', { author: { id: 'bob', name: 'Bob', kind: 'person' } }))
  await settled()
  expect(platform.posts().at(-1)).toBe('hi')
  await press('No')
  expect(platform.posts().at(-1)).toBe('no in run 2')
})

it('nobody decides in time: a run that still waits is told, at that time', async () => {
  const { core, platform } = await asking({ ...rules, approvals: { expireMs: 7_000, parkMs: 60_000 } })
  await core.pass(6_500)
  expect(core.threads.running()).toHaveLength(1)
  await core.pass(1_000)
  expect(platform.posts().at(-1)).toBe('expired in run 1')
})

it('nobody decides in time: work that waits as a row is not begun again', async () => {
  const { core, platform } = await asking()
  await core.pass(APPROVAL_EXPIRE + 60_000, 600_000)
  expect(core.worked).toHaveLength(1)
  expect(platform.posts().at(-1)).toMatch(/^Nobody decided in time/)
})

it('/stop ends a run that waits', async () => {
  const { core, platform, host, press } = await asking()
  await host.accept(message('/stop', { command: { name: 'stop' } }))
  await settled()
  expect(core.threads.running()).toEqual([])
  expect(platform.posts()).toContain('Golem was stopped.')
  await press('Yes')
  expect(core.worked).toHaveLength(1)
})

it('Golem’s end waits for nobody who is asked', async () => {
  const { core } = await asking()
  await core.threads.close(core.clock.now() + 60_000)
  expect(await core.store.approvals()).toMatchObject([{ parked: true }])
})

it('a decision whose word was lost is found by looking', async () => {
  const { core, platform } = await asking()
  core.threads.start()
  const [open] = await core.store.approvals()
  // Decided behind the back of the run, as if the answer of the store had never come.
  core.memory.test.room.raw
    .prepare("UPDATE approvals SET state = 'chosen', choice = 0, by_id = 'ann', by_name = 'Ann' WHERE id = ?")
    .run(open?.id)
  await core.pass(31_000, 1_000)
  expect(platform.posts().at(-1)).toBe('yes in run 1')
})
