/** A few points of the scenarios, with every test run, spread over the platforms. All of them: `npm run test:crash`. */
import { describe, expect, it } from 'vitest'
import { declared, discover, killAt, PLATFORMS, playsOn } from './matrix.js'
import { SCENARIOS } from './scenarios/index.js'
import { evenly, statesOf } from './states.js'
import { missing } from './table.js'

/** Kills of one scenario on one platform. */
const KILLS = 2

/** Each scenario on one platform, the first on all. The long ones are left to the whole matrix, two to `mutations.test.ts`. */
const LEFT_OUT = /never comes|slow|streamed|redelivery|without effects/
const cells = SCENARIOS.filter(({ name }) => !LEFT_OUT.test(name)).flatMap((scenario, index) => {
  const stages = PLATFORMS.filter((platform) => playsOn(scenario, platform))
  const chosen = index === 0 ? stages : stages.slice(index % stages.length, (index % stages.length) + 1)
  return chosen.map((platform) => ({ platform, scenario }))
})

describe.concurrent('killed', () => {
  it.each(cells)(
    'on $platform during $scenario.name',
    async ({ platform, scenario }) => {
      const { points, startup } = await discover(platform, scenario)
      // Even the first look: a platform whose calls are not seen would make a matrix of writes alone.
      expect(
        missing(
          platform,
          declared(platform).filter((one) => one === 'post'),
          new Set(points),
        ),
      ).toEqual([])
      const results = await killAt(platform, scenario, evenly(statesOf(points.slice(startup)), KILLS))
      expect(results.filter(({ problems }) => problems.length > 0)).toEqual([])
    },
    240_000,
  )
})
