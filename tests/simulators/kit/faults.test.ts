import { expect, it } from 'vitest'
import { Faults } from './faults.js'

it('a fault is told each time it meets a call, and not when it lets one pass', () => {
  const faults = new Faults()
  let met = 0
  faults.add({ method: 'say', after: 1, times: 2, do: { kind: 'reset' }, onMeet: () => void met++ })
  const becomes = ['say', 'other', 'say', 'say', 'say'].map((method) => faults.meet(method, 'room')?.kind)
  expect(becomes).toEqual([undefined, undefined, 'reset', 'reset', undefined])
  expect(met).toBe(2)
})

it('a fault for no call at all meets none', () => {
  const faults = new Faults()
  faults.add({ times: 0, do: { kind: 'reset' } })
  expect(faults.meet('say', undefined)).toBeNull()
})
