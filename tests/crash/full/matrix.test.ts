/** The whole matrix: every scenario, killed once at every point of its way. Writes its table to docs/reliability.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { discover, killAt, type Result } from '../matrix.js'
import { SCENARIOS } from '../scenarios.js'

const PAGE = new URL('../../../docs/reliability.md', import.meta.url)
const rows: string[] = []
/** Share of the points that must be passed again, and killed at. */
const MOST = 0.85

describe.each(SCENARIOS)('killed during $name', (scenario) => {
  it('people see one answer, wherever it dies', async () => {
    const points = await discover(scenario)
    const results = await killAt(scenario, points)
    const bad = results.filter(({ problems }) => problems.length > 0)
    rows.push(row(scenario.name, results, bad.length))
    expect(bad).toEqual([])
    // A matrix whose kills do not happen shows nothing.
    const died = results.filter((result) => result.died)
    expect(died.length).toBeGreaterThanOrEqual(results.length * MOST)
  })
})

function row(name: string, results: readonly Result[], bad: number): string {
  const kinds = new Map<string, number>()
  const kills = results.filter(({ died }) => died)
  for (const { point } of kills) {
    const kind = point.startsWith('local ') ? 'platform calls' : 'durable writes'
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  const count = (kind: string) => kinds.get(kind) ?? 0
  return `| ${name} | ${count('durable writes')} | ${count('platform calls')} | ${kills.length} of ${results.length} | ${bad} |`
}

afterAll(() => {
  // Counts differ a little from run to run; a check must not change what it checks.
  if (process.env.CI === 'true' || rows.length < SCENARIOS.length) return
  const head =
    '| scenario | points at durable writes | points at platform calls | killed, of all points | wrong outcomes |'
  const table = [head, '| --- | --- | --- | --- | --- |', ...rows].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const marked = /(<!-- crash:begin -->)[\s\S]*(<!-- crash:end -->)/
  writeFileSync(
    PAGE,
    page.replace(marked, (_, begin, end) => `${begin}\n\n${table}\n\n${end}`),
  )
})
