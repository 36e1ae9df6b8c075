import { expect, it } from 'vitest'
import { TestClock } from '../tests/support/clock.js'
import { Refusals } from './refusals.js'

it('a flood of forged requests is a line a minute, which says how many there were', () => {
  const clock = new TestClock(1_700_000_000_000)
  const lines: unknown[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (...line: unknown[]) => void lines.push(line) }
  const refusals = new Refusals(clock, log, 'Slack')
  for (let request = 0; request < 1_000; request++) {
    refusals.note('forged')
    clock.advance(100)
  }
  expect(lines).toEqual([
    [{ reason: 'forged' }, 'a request in Slack’s name was refused'],
    [{ reason: 'forged', unsaid: 599 }, 'a request in Slack’s name was refused'],
  ])
})
