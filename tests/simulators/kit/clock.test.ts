import { describe, expect, it } from 'vitest'
import { VirtualClock } from './clock.js'

describe('a manual clock', () => {
  it('stands still, and lets each timer see the time it was due at', () => {
    const clock = new VirtualClock({ manual: true, start: 1000 })
    const rang: string[] = []
    clock.after(50, () => rang.push(`b ${clock.now()}`))
    clock.after(20, () => {
      rang.push(`a ${clock.now()}`)
      clock.after(20, () => rang.push(`c ${clock.now()}`))
    })
    const undo = clock.after(30, () => rang.push('never'))
    undo()
    clock.advance(19)
    expect(rang).toEqual([])
    clock.advance(100)
    expect(rang).toEqual(['a 1020', 'c 1040', 'b 1050'])
    expect(clock.now()).toBe(1119)
    expect(() => clock.advance(-1)).toThrow('forward only')
  })

  it('rings timers of one moment in the order they were set', () => {
    const clock = new VirtualClock({ manual: true, start: 0 })
    const rang: number[] = []
    for (const number of [1, 2, 3]) clock.at(10, () => rang.push(number))
    clock.advance(10)
    expect(rang).toEqual([1, 2, 3])
  })
})

describe('a running clock', () => {
  it('can be advanced, with its timers', async () => {
    const clock = new VirtualClock()
    const before = clock.now()
    const hour = clock.sleep(3_600_000)
    clock.advance(3_600_000)
    await hour
    expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000)
    await clock.sleep(1)
    clock.close()
  })
})
