import { describe, expect, it } from 'vitest'
import { ago, bytes, count, dayTitle, duration, sameDay } from './time.js'

const noon = (year: number, month: number, day: number) => new Date(year, month - 1, day, 12).getTime()

describe('times in words', () => {
  it('names days as people do', () => {
    const now = noon(2026, 3, 3)
    expect(dayTitle(now - 3_600_000, now)).toBe('Today')
    expect(dayTitle(noon(2026, 3, 2), now)).toBe('Yesterday')
    expect(dayTitle(noon(2026, 1, 5), now)).toMatch(/January/)
    expect(dayTitle(noon(2025, 1, 5), now)).toMatch(/2025/)
    expect(sameDay(now, now + 3_600_000)).toBe(true)
    expect(sameDay(now, noon(2026, 3, 4))).toBe(false)
  })

  it('shortens durations, and never says 60 s or a negative time', () => {
    expect([-5, 0, 840, 999.6, 1_400, 9_960, 59_600, 123_000, 3_900_000, 3_600_000].map(duration)).toEqual([
      '0 ms',
      '0 ms',
      '840 ms',
      '1.0 s',
      '1.4 s',
      '10 s',
      '1 min',
      '2 min 3 s',
      '1 h 5 min',
      '1 h',
    ])
  })

  it('says how long ago', () => {
    expect([0, 59_000, 240_000, 7_200_000, 200_000_000].map((past) => ago(0, past))).toEqual([
      'now',
      'now',
      '4 min',
      '2 h',
      '2 d',
    ])
  })

  it('counts', () => {
    expect([count(1, 'line'), count(1_200, 'line'), count(2, 'reply', 'replies')]).toEqual([
      '1 line',
      '1,200 lines',
      '2 replies',
    ])
    expect([bytes(312), bytes(4_000), bytes(1_230_000)]).toEqual(['312 B', '4.0 kB', '1.2 MB'])
  })
})
