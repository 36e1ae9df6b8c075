/** Runs a scenario once to find its points, then once for each, a few at a time. */
import { House } from './house.js'
import type { Scenario } from './scenarios.js'

export interface Result {
  scenario: string
  point: string
  problems: string[]
  /** The daemon died there. Runs differ a little: some points of the first one are not passed again. */
  died: boolean
}

/** Daemons at the same time; each is a process with a thread of its own. */
const PARALLEL = 3

/** The points of a message's way, of its undisturbed run. */
export async function discover(scenario: Scenario): Promise<string[]> {
  const house = new House(scenario.yaml, null)
  try {
    const problems = await scenario.run(house)
    if (problems.length > 0) throw new Error(`${scenario.name}, undisturbed: ${problems.join('; ')}`)
    return [...new Set(house.points)]
  } finally {
    await house.close()
  }
}

export async function killAt(scenario: Scenario, points: readonly string[]): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...points]
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let point = waiting.shift(); point !== undefined; point = waiting.shift())
        results.push(await killOnce(scenario, point))
    }),
  )
  return results
}

async function killOnce(scenario: Scenario, point: string): Promise<Result> {
  const house = new House(scenario.yaml, point)
  const result = (problems: string[]): Result => ({
    scenario: scenario.name,
    point,
    problems,
    died: house.deaths > 0,
  })
  try {
    return result(await scenario.run(house))
  } catch (error) {
    return result([error instanceof Error ? error.message : String(error)])
  } finally {
    await house.close()
  }
}
