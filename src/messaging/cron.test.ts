import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cronProblem, dueUpTo, nextAfter, shortestGap } from './cron.js'
import { isTimezone, ownTimezone, readMoment, showMoment } from './moment.js'

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const BERLIN = 'Europe/Berlin'

describe('a cron line', () => {
  it.each(['0 9 * * 1-5', '*/5 * * * *', '0 9 * * MON', '0 9 L * *', '0 9 * * 7', '@daily'])(
    '%s is one',
    (cron) => expect(cronProblem(cron)).toBeNull(),
  )

  it.each([
    ['0 9 * *', /five parts/],
    ['* * * * * *', /five parts/],
    ['60 * * * *', /Invalid value for minute/],
    ['０ 9 * * *', /illegal characters/],
    ['0 9 31 2 *', /a day that comes/],
    ['', /five parts/],
  ])('%s is none', (cron, why) => expect(cronProblem(cron)).toMatch(why))

  it('is due by the clocks of its zone, across summer time', () => {
    const timing = { cron: '0 9 * * *', timezone: BERLIN }
    expect(iso(nextAfter(timing, Date.UTC(2026, 2, 28, 9)))).toBe('2026-03-29T07:00:00.000Z')
    expect(iso(nextAfter(timing, Date.UTC(2026, 9, 24, 9)))).toBe('2026-10-25T08:00:00.000Z')
  })

  it('in the gap is due once, and in the hour that comes twice, once', () => {
    const timing = { cron: '30 2 * * *', timezone: BERLIN }
    const runs: (string | null)[] = []
    for (let at: number | null = Date.UTC(2026, 2, 28, 12); at !== null && runs.length < 2; ) {
      at = nextAfter(timing, at)
      runs.push(iso(at))
    }
    expect(runs).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'])
    const first = nextAfter(timing, Date.UTC(2026, 9, 24, 12)) ?? 0
    expect(iso(first)).toBe('2026-10-25T00:30:00.000Z')
    expect(iso(nextAfter(timing, first))).toBe('2026-10-26T01:30:00.000Z')
  })

  it('counts what was missed, and finds the last of very many', () => {
    const timing = { cron: '0 * * * *', timezone: 'UTC' }
    const due = Date.UTC(2026, 2, 1, 9)
    expect(dueUpTo(timing, due, due)).toEqual({ last: due, count: 1 })
    expect(dueUpTo(timing, due, due + 3 * 3_600_000 + 5)).toEqual({ last: due + 3 * 3_600_000, count: 4 })
    const far = Date.UTC(2028, 2, 1, 9, 30)
    expect(dueUpTo(timing, due, far)).toEqual({ last: Date.UTC(2028, 2, 1, 9), count: 1_000 })
    expect(dueUpTo(timing, due, Date.UTC(2028, 2, 1, 9)).last).toBe(Date.UTC(2028, 2, 1, 9))
  })

  it('says how close two of its runs come', () => {
    const from = Date.UTC(2026, 2, 1)
    expect(shortestGap('0 9 * * *', 'UTC', from)).toBe(86_400_000)
    expect(shortestGap('0,58 * * * *', 'UTC', from)).toBe(2 * 60_000)
    expect(shortestGap('58 23 1 * *', 'UTC', from)).toBeGreaterThan(86_400_000)
  })
})

describe('a moment', () => {
  it.each([
    ['2026-12-24T09:00:00+01:00', null, '2026-12-24T08:00:00.000Z'],
    ['2026-12-24 09:00Z', null, '2026-12-24T09:00:00.000Z'],
    ['2026-12-24T09:00', BERLIN, '2026-12-24T08:00:00.000Z'],
    ['2026-12-24T09:00-0530', BERLIN, '2026-12-24T14:30:00.000Z'],
    // Left out by summer time: as the clock before it counts on. There twice: the first.
    ['2026-03-29T02:30', BERLIN, '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', BERLIN, '2026-10-25T00:30:00.000Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ])('%s in %s', (written, zone, expected) => expect(iso(Number(readMoment(written, zone)))).toBe(expected))

  it.each([
    ['tomorrow', null, 'form'],
    ['2026-12-24', BERLIN, 'form'],
    ['2026-02-30T09:00Z', null, 'date'],
    ['2026-12-24T24:00Z', null, 'date'],
    ['2026-12-24T09:00', null, 'zone'],
  ])('%s is refused', (written, zone, why) => expect(readMoment(written, zone)).toBe(why))

  it('is shown and read back alike, to the minute, in every zone', () => {
    const zones = ['UTC', BERLIN, 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia']
    const minute = fc.integer({ min: 20_000_000, max: 40_000_000 }).map((minutes) => minutes * 60_000)
    fc.assert(
      fc.property(minute, fc.constantFrom(...zones), (at, zone) => {
        const read = Number(readMoment(showMoment(at, zone).slice(4), zone))
        expect(showMoment(read, zone)).toBe(showMoment(at, zone))
        expect(read).toBeLessThanOrEqual(at)
      }),
    )
  })

  it('knows zones', () => {
    expect(isTimezone('Mars/X')).toBe(false)
    expect(isTimezone(ownTimezone())).toBe(true)
    expect(showMoment(0, 'Mars/X')).toBe('Thu 1970-01-01 00:00')
  })
})
