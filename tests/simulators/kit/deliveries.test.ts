import { expect, it } from 'vitest'
import { Deliveries } from './deliveries.js'

const make = () => {
  const done: string[] = []
  let ready = 0
  const deliveries = new Deliveries<string>({
    onReady: () => ready++,
    onAcknowledged: (id) => done.push(id),
    remember: 2,
  })
  for (const id of ['1', '2', '3']) deliveries.push(id, `body ${id}`)
  return { deliveries, done, ready: () => ready }
}

it('keeps order, and what was acknowledged', () => {
  const { deliveries, done, ready } = make()
  expect(ready()).toBe(3)
  deliveries.acknowledge('2')
  deliveries.acknowledge('nobody')
  expect(deliveries.waiting.map(({ id }) => id)).toEqual(['1', '3'])
  deliveries.acknowledgeAll(({ id }) => Number(id) < 4)
  expect(deliveries.pending).toBe(0)
  expect(deliveries.acknowledged).toEqual(['2', '1', '3'])
  expect(done).toEqual(['2', '1', '3'])
})

it('sends again the last that were acknowledged', () => {
  const { deliveries } = make()
  deliveries.acknowledgeAll(() => true)
  expect(deliveries.redeliver(2)).toBe(2)
  expect(deliveries.waiting.map(({ id, repeated }) => [id, repeated])).toEqual([
    ['2', true],
    ['3', true],
  ])
  expect(deliveries.redeliver(5)).toBe(1)
})

it('holds back, and lets go in any order; gives up and forgets', () => {
  const { deliveries } = make()
  const release = deliveries.hold()
  for (const id of ['4', '5']) deliveries.push(id, '')
  expect([deliveries.waiting.length, deliveries.pending]).toEqual([3, 5])
  release((held) => [...held].reverse())
  expect(deliveries.waiting.map(({ id }) => id)).toEqual(['1', '2', '3', '5', '4'])
  deliveries.drop('1')
  expect(deliveries.pending).toBe(4)
  deliveries.clear()
  expect([deliveries.pending, deliveries.acknowledged.length]).toEqual([0, 0])
})
