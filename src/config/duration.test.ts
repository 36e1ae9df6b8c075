import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration, parseDuration, showDuration } from './duration.js'

describe('parseDuration', () => {
  it.each([
    ['90s', 90_000],
    ['1.5s', 1_500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['250ms', 250],
    ['2 m', 120_000],
    ['7', 7_000],
    [7, 7_000],
    [0.5, 500],
  ])('%s', (written, ms) => {
    expect(parseDuration(written, 's')).toBe(ms)
  })

  it('counts bare numbers in the unit of the key', () => {
    expect(parseDuration(5, 'm')).toBe(300_000)
    expect(parseDuration('5', 'm')).toBe(300_000)
  })

  it.each(['', 'soon', '-1s', '1d', '1 2s', '1e3', '.5s', '0x10'])('refuses %j', (written) => {
    expect(parseDuration(written, 's')).toBeUndefined()
  })

  it('reads what showDuration writes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 200_000_000 }), (ms) => {
        expect(parseDuration(showDuration(ms), 's')).toBeCloseTo(ms, 3)
      }),
    )
  })
})

describe('duration', () => {
  it('holds its bounds in every form', () => {
    const schema = duration('s', 1_000, 60_000)
    for (const good of [1, 60, '1s', '1m', '1000ms'])
      expect(schema.safeParse(good).success, String(good)).toBe(true)
    for (const bad of [0, 61, '999ms', '61s', '2m', '1h', -1, Number.NaN, true, null]) {
      expect(schema.safeParse(bad).success, String(bad)).toBe(false)
    }
  })
})
