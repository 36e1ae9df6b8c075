/**
 * Faults that the matrix is there to find, put into the daemon on purpose: each must turn it red, at a point where the
 * sound daemon is green. `synchronous=OFF` is the fifth: only the operating system sees it (`traced.test.ts`).
 */
import { describe, expect, it } from 'vitest'
import { type PlatformName, run } from './matrix.js'
import { SCENARIOS } from './scenarios/index.js'

interface Mutant {
  mutation: string
  /** In how many places it changes the daemon: one that no longer finds them is none. */
  changes: number
  platform: PlatformName
  scenario: string
  point: string
  /** What people see then. */
  sees: RegExp
}

const ECHO = 'a command agent without effects'

const MUTANTS: readonly Mutant[] = [
  {
    mutation: 'acknowledge before commit',
    changes: 1,
    platform: 'telegram',
    scenario: 'a plain mention, by webhook',
    point: 'telegram webhook 200 after #1',
    sees: /^nowhere: .*I am Golem/,
  },
  {
    mutation: 'no sending mark',
    changes: 1,
    platform: 'telegram',
    scenario: ECHO,
    point: 'telegram post sendMessage after #1',
    sees: /^2 times without a label/,
  },
  {
    mutation: 'no sending mark',
    changes: 1,
    platform: 'slack',
    scenario: ECHO,
    point: 'slack post chat.postMessage after #1',
    sees: /^2 times without a label/,
  },
  {
    mutation: 'no dedupe key',
    changes: 4,
    platform: 'telegram',
    scenario: 'redelivery after the restart',
    point: 'telegram post sendMessage after #1',
    sees: /times without a label/,
  },
]

describe('a fault in the daemon turns the matrix red', () => {
  it.each(MUTANTS)(
    '$mutation, on $platform',
    async ({ mutation, changes, platform, scenario: name, point, sees }) => {
      const scenario = SCENARIOS.find((one) => one.name === name)
      if (scenario === undefined) throw new Error(`there is no scenario ${name}`)
      const [sound, mutant] = await Promise.all([
        run({ platform, scenario, point }),
        run({ platform, scenario, point, mutation }),
      ])
      expect(sound).toMatchObject({ problems: [], died: true })
      expect(mutant).toMatchObject({ died: true, mutated: changes })
      expect(mutant.problems.filter((problem) => sees.test(problem))).not.toEqual([])
    },
    240_000,
  )
})
