import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seed, seedFrom } from './properties.js'

it('tries new cases, unless a seed is named or this is CI', () => {
  expect(seedFrom({})).toBeUndefined()
  expect(seedFrom({ CI: '' })).toBeUndefined()
  expect(seedFrom({ CI: 'true' })).toBe(1)
  expect(seedFrom({ CI: 'true', GOLEM_SEED: '7' })).toBe(7)
})

it('is what tests get as fast-check', () => {
  expect(fc.readConfigureGlobal().seed).toBe(seed)
})
