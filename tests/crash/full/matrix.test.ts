/** The whole matrix: every scenario on every platform, killed at its points. Writes its table to docs/reliability.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { declared, discover, PLATFORMS as EVERY, killAt, type PlatformName, playsOn } from '../matrix.js'
import { SCENARIOS } from '../scenarios/index.js'
import { evenly, kindOf, sample, statesOf } from '../states.js'
import { missing, Row, table } from '../table.js'

const PAGE = new URL('../../../docs/reliability.md', import.meta.url)
/** `GOLEM_CRASH_PLATFORMS=slack,telegram`: only these. */
const ONLY = process.env.GOLEM_CRASH_PLATFORMS?.split(',')
const PLATFORMS = EVERY.filter((platform) => ONLY?.includes(platform) ?? true)
/** Points of one scenario on one platform that are killed at. */
const MOST =
  process.env.GOLEM_CRASH_SAMPLE === '1' ? { fromStart: 5, other: 2 } : { fromStart: 999, other: 999 }
/** Share of the points that must be killed at, themselves or by another in their place. */
const PASSED = 0.75

const rows: Row[] = []
const passed = new Map<PlatformName, Set<string>>(PLATFORMS.map((platform) => [platform, new Set()]))
/** Kinds of points that there are, and that were killed at. */
const reached = new Map<PlatformName, Set<string>>(PLATFORMS.map((platform) => [platform, new Set()]))
const killed = new Map<PlatformName, Set<string>>(PLATFORMS.map((platform) => [platform, new Set()]))
const cells = PLATFORMS.flatMap((platform) =>
  SCENARIOS.filter((scenario) => playsOn(scenario, platform)).map((scenario) => ({ platform, scenario })),
)

describe.concurrent('killed', () => {
  it.each(cells)('on $platform during $scenario.name', async ({ platform, scenario }) => {
    const { points, startup } = await discover(platform, scenario)
    for (const point of points) passed.get(platform)?.add(point)
    // A start is the same start whatever is said after it: one scenario for each way to connect dies in it.
    const { fromStart = false } = scenario
    const states = statesOf(fromStart ? points : points.slice(startup))
    for (const point of states) reached.get(platform)?.add(kindOf(point))
    const most = fromStart ? MOST.fromStart : MOST.other
    const picked = sample(states, most, killed.get(platform) ?? new Set())
    const spare = evenly(
      states.filter((point) => !picked.includes(point)),
      picked.length,
    )
    const results = await killAt(platform, scenario, picked, spare)
    const row = new Row(platform, scenario.name, points, states, results)
    rows.push(row)
    console.log(row.line)
    const wrong = results.filter(({ problems }) => problems.length > 0)
    // At once: the whole takes an hour, and may be ended before.
    if (wrong.length > 0) console.log(JSON.stringify(wrong, null, 2))
    expect(wrong).toEqual([])
    // A matrix whose kills do not happen shows nothing.
    expect(results.filter(({ died }) => died).length).toBeGreaterThanOrEqual(
      Math.floor(picked.length * PASSED),
    )
  })
})

// After the others: in Vitest, what is not concurrent waits for what is.
describe('the points', () => {
  it.each(PLATFORMS)('of %s lie in every operation that it declares', (platform) => {
    expect(missing(platform, declared(platform), passed.get(platform) ?? new Set())).toEqual([])
  })

  it.each(PLATFORMS)('of %s are of no kind that nothing was killed at', (platform) => {
    const kinds = [...(reached.get(platform) ?? [])]
    expect(kinds.filter((kind) => !killed.get(platform)?.has(kind))).toEqual([])
  })
})

afterAll(() => {
  // Counts differ a little from run to run; a check must not change what it checks.
  if (process.env.CI === 'true' || rows.length < cells.length) return
  const page = readFileSync(PAGE, 'utf8')
  const marked = /(<!-- crash:begin -->)([\s\S]*)(<!-- crash:end -->)/
  writeFileSync(
    PAGE,
    page.replace(marked, (_, begin, before, end) => `${begin}\n\n${table(rows, before)}\n\n${end}`),
  )
})
