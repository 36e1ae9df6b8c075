/** A few points of every scenario, with every test run. All of them: `npm run test:crash`. */
import { describe, expect, it } from 'vitest'
import { discover, killAt } from './matrix.js'
import { SCENARIOS } from './scenarios.js'

/** Kills of one scenario. */
const KILLS = 5

describe.each(SCENARIOS)('killed during $name', (scenario) => {
  it('people see one answer', async () => {
    const points = await discover(scenario)
    expect(points.length).toBeGreaterThan(KILLS)
    const step = points.length / KILLS
    const picked = Array.from({ length: KILLS }, (_, index) => points[Math.floor((index + 0.5) * step)] ?? '')
    const results = await killAt(scenario, picked)
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([])
  }, 180_000)
})

it('the instrument sees every kind of point', async () => {
  const [first] = SCENARIOS
  if (first === undefined) throw new Error('there is no scenario')
  const kinds = new Set((await discover(first)).map((point) => point.replace(/ #\d+$/, '')))
  for (const kind of [
    'golem.db commit',
    'local.db commit',
    'local accept',
    'local post',
    'local react',
    'file sync',
  ])
    for (const side of ['before', 'after']) expect(kinds).toContain(`${kind} ${side}`)
}, 60_000)
