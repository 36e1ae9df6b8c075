import { expect, it } from 'vitest'
import { SCENARIOS } from './scenarios/index.js'
import { evenly, sample, statesOf } from './states.js'
import { missing, Row, table } from './table.js'

it('one point for each state, named after a call where there is one', () => {
  expect(
    statesOf([
      'golem.db commit before #1',
      'golem.db commit after #1',
      'telegram accept after #1',
      'telegram post sendMessage before #1',
      'telegram post sendMessage after #1',
      'golem.db commit before #2',
      'file sync before #1',
      'golem.db commit after #2',
      'file sync after #1',
    ]),
  ).toEqual([
    'golem.db commit before #1',
    'telegram post sendMessage before #1',
    'telegram post sendMessage after #1',
    'file sync before #1',
    'golem.db commit after #2',
    'file sync after #1',
  ])
})

it('a sample begins with the kinds that nobody was killed at, and is spread over the rest', () => {
  const writes = Array.from({ length: 50 }, (_, index) => `golem.db commit before #${index + 1}`)
  const points = [...writes, 'telegram post sendMessage before #1', 'telegram post sendMessage before #2']
  const killed = new Set(['golem.db commit'])
  const picked = sample(points, 6, killed)
  expect(picked).toHaveLength(6)
  expect(picked).toEqual(expect.arrayContaining(points.slice(50)))
  expect(points.filter((point) => picked.includes(point))).toEqual(picked)
  expect(killed).toContain('telegram post sendMessage before')
  expect(sample(points, 100, killed)).toEqual(points)
})

it('evenly takes none, some, or all', () => {
  expect(evenly(['a', 'b', 'c', 'd'], 2)).toEqual(['b', 'd'])
  expect(evenly(['a'], 2)).toEqual(['a'])
  expect(evenly(['a', 'b'], 0)).toEqual([])
})

it('a declared operation without a point is missing', () => {
  const points = new Set(['telegram post sendMessage before #1', 'local react before #1'])
  expect(missing('telegram', ['post', 'react'], points)).toEqual(['react'])
  expect(missing('local', ['post', 'react'], points)).toEqual(['post'])
})

it('the table of a run of some platforms keeps the lines of the others', () => {
  const scenario = SCENARIOS[0]?.name ?? ''
  const run = (platform: 'local' | 'slack', died: boolean) =>
    new Row(platform, scenario, ['a', 'b'], ['a'], [{ platform, scenario, point: 'a', problems: [], died }])
  const whole = table([run('slack', true), run('local', true)])
  expect(whole).toContain('2 kills in all.')
  const again = table([run('local', false)], whole)
  expect(again.split('\n').filter((line) => line.startsWith('| slack'))).toEqual(
    whole.split('\n').filter((line) => line.startsWith('| slack')),
  )
  expect(again).toContain(`| local | ${scenario} | 2 | 1 | 0 | 0 | 0 |`)
  expect(again).toContain('1 kills in all.')
})
