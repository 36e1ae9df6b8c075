import { expect, it } from 'vitest'
import { Changes } from './events.js'

it('asks again after each change', async () => {
  const changes = new Changes()
  let value = 0
  const waiting = changes.until(() => value === 2, 'two')
  value = 1
  changes.changed()
  value = 2
  changes.changed()
  await waiting
  await changes.until(() => value === 2, 'what holds already')
})

it('says what it waited for in vain, and hands on what the question throws', async () => {
  const changes = new Changes()
  await expect(changes.until(() => false, 'the moon', 5)).rejects.toThrow('Waited 5 ms in vain for: the moon')
  await expect(
    changes.until(() => {
      throw new Error('bad question')
    }, 'x'),
  ).rejects.toThrow('bad question')
})

it('tells listeners once for all that changes in one go', async () => {
  const changes = new Changes()
  let told = 0
  const off = changes.on(() => told++)
  changes.changed()
  changes.changed()
  await Promise.resolve()
  expect(told).toBe(1)
  off()
  changes.changed()
  await Promise.resolve()
  expect(told).toBe(1)
})
