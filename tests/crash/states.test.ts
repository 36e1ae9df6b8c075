import { expect, it } from 'vitest'
import { sample, statesOf } from './states.js'
import { missing } from './table.js'

it('one point for each state: what ends where the next begins is the same', () => {
  expect(
    statesOf([
      'golem.db commit before #1',
      'golem.db commit after #1',
      'telegram accept after #1',
      'telegram post sendMessage before #1',
      'file sync before #1',
      'telegram post sendMessage after #1',
      'file sync after #1',
    ]),
  ).toEqual([
    'golem.db commit before #1',
    'telegram post sendMessage before #1',
    'file sync before #1',
    'telegram post sendMessage after #1',
    'file sync after #1',
  ])
})

it('a sample holds the first and the last of every kind, in order', () => {
  const points = [...Array.from({ length: 50 }, (_, index) => `write before #${index + 1}`), 'call before #1']
  const picked = sample(points, 6)
  expect(picked).toHaveLength(6)
  expect(picked).toEqual(expect.arrayContaining(['write before #1', 'write before #50', 'call before #1']))
  expect(picked).toEqual(points.filter((point) => picked.includes(point)))
  expect(sample(points, 100)).toEqual(points)
})

it('a declared operation without a point is missing', () => {
  const points = new Set(['telegram post sendMessage before #1', 'local react before #1'])
  expect(missing('telegram', ['post', 'react'], points)).toEqual(['react'])
  expect(missing('local', ['post', 'react'], points)).toEqual(['post'])
})
