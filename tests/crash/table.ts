/** What the matrix has to show for itself. */
import type { PlatformName, Result } from './matrix.js'
import { SCENARIOS } from './scenarios/index.js'
import { actionOf } from './states.js'

/** One scenario on one platform. */
export class Row {
  readonly platform: PlatformName
  readonly scenario: string
  /** Points that its undisturbed run passed, and the states among them. */
  readonly points: number
  readonly states: number
  readonly results: readonly Result[]

  constructor(
    platform: PlatformName,
    scenario: string,
    points: readonly string[],
    states: readonly string[],
    results: readonly Result[],
  ) {
    this.platform = platform
    this.scenario = scenario
    this.points = points.length
    this.states = states.length
    this.results = results
  }

  get line(): string {
    const { platform, scenario, points, states, results } = this
    const kills = results.filter(({ died }) => died)
    const calls = kills.filter(({ point }) => point.startsWith(`${platform} `)).length
    const wrong = results.filter(({ problems }) => problems.length > 0).length
    return `| ${platform} | ${scenario} | ${points} | ${states} | ${kills.length - calls} | ${calls} | ${wrong} |`
  }
}

/** Declared operations in which no point lies: neither a request of theirs, nor a call where there are no requests. */
export function missing(
  platform: string,
  operations: readonly string[],
  points: ReadonlySet<string>,
): string[] {
  const actions = new Set([...points].map(actionOf))
  const has = (operation: string) =>
    [...actions].some(
      (action) => action === `${platform} ${operation}` || action.startsWith(`${platform} ${operation} `),
    )
  return operations.filter((operation) => !has(operation))
}

const HEAD = [
  '| platform | scenario | points passed | states among them | killed at writes | killed at calls | wrong outcomes |',
  '| --- | --- | --- | --- | --- | --- | --- |',
]

/**
 * The table of docs/reliability.md.
 *
 * @param before the table as it was: a run of some platforms leaves the lines of the others
 */
export function table(rows: readonly Row[], before = ''): string {
  const order = SCENARIOS.map(({ name }) => name)
  const played = new Set(rows.map(({ platform }) => platform as string))
  const kept = before
    .split('\n')
    .filter((line) => line.startsWith('| ') && !HEAD.includes(line))
    .filter((line) => !played.has(cells(line)[0] ?? '') && order.includes(cells(line)[1] ?? ''))
  const lines = [...kept, ...rows.map(({ line }) => line)].sort((a, b) => {
    const [platform = '', scenario = ''] = cells(a)
    const [other = '', play = ''] = cells(b)
    return platform.localeCompare(other) || order.indexOf(scenario) - order.indexOf(play)
  })
  const kills = lines.reduce((sum, line) => sum + Number(cells(line)[4]) + Number(cells(line)[5]), 0)
  return [...HEAD, ...lines, '', `${kills} kills in all.`].join('\n')
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
