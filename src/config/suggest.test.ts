import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distance, nearest } from './suggest.js'

describe('distance', () => {
  it('counts a swap of neighbours as one edit', () => {
    expect(distance('recieve', 'receive')).toBe(1)
    expect(distance('kitten', 'sitting')).toBe(3)
    expect(distance('', 'abc')).toBe(3)
  })

  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '界', '😀'), maxLength: 8 })

  it('is nought for the same word only, and the same in both directions', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a))
        expect(distance(a, b) === 0).toBe(a === b)
      }),
    )
  })

  it('lies between the difference of the lengths and the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const [m, n] = [[...a].length, [...b].length]
        expect(distance(a, b)).toBeGreaterThanOrEqual(Math.abs(m - n))
        expect(distance(a, b)).toBeLessThanOrEqual(Math.max(m, n))
      }),
    )
  })
})

describe('nearest', () => {
  const keys = ['groupPolicy', 'historyLimit', 'maxTurns', 'reply']

  it('finds slips, other cases, other marks and parts', () => {
    expect(nearest('groupPolicyy', keys)).toBe('groupPolicy')
    expect(nearest('GROUPPOLICY', keys)).toBe('groupPolicy')
    expect(nearest('history_limit', keys)).toBe('historyLimit')
    expect(nearest('policy', keys)).toBe('groupPolicy')
  })

  it('offers nothing when nothing is near', () => {
    expect(nearest('xyzzy', keys)).toBeUndefined()
    expect(nearest('', keys)).toBeUndefined()
    expect(nearest('reply'.repeat(100), keys)).toBeUndefined()
  })

  it('prefers a slip to a part', () => {
    expect(nearest('name', ['nickname', 'namer'])).toBe('namer')
  })
})
