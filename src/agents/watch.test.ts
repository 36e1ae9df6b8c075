import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../tests/fixtures/agents/kit.js'
import { ABANDON_AFTER, Watch } from './watch.js'

const never = (): AbortSignal => new AbortController().signal

describe('watch', () => {
  test('a sign of life puts the stall off, not the limit of work', () => {
    const clock = new FakeClock()
    const watch = new Watch(never(), clock, { turn: 100_000, stall: 10_000 })
    for (let i = 0; i < 9; i += 1) {
      clock.advance(9_000)
      watch.touch()
    }
    expect(watch.cause).toBeUndefined()
    clock.advance(9_999)
    expect(watch.cause).toBeUndefined()
    clock.advance(1)
    expect(watch.cause?.kind).toBe('stalled')
  })

  test('while a person is asked, no time of the turn goes by', () => {
    const clock = new FakeClock()
    const watch = new Watch(never(), clock, { turn: 10_000, stall: 5_000 })
    clock.advance(4_000)
    const [first, second] = [watch.pause(), watch.pause()]
    clock.advance(3_600_000)
    first()
    first()
    clock.advance(3_600_000)
    second()
    expect(watch.cause).toBeUndefined()
    clock.advance(4_999)
    watch.touch()
    expect(watch.cause).toBeUndefined()
    // Four and six seconds of work: that is its limit.
    clock.advance(1_001)
    expect(watch.cause).toMatchObject({ kind: 'timeout', message: expect.stringContaining('10 s') })
    watch.close()
    expect(clock.waiting).toBe(0)
  })

  test('the first cause counts, and then the engine has its time', async () => {
    const clock = new FakeClock()
    const stop = new AbortController()
    const watch = new Watch(stop.signal, clock, { turn: 1_000 })
    clock.advance(1_000)
    stop.abort('stopped')
    expect(watch.cause).toMatchObject({ kind: 'timeout', message: expect.stringContaining('1 s') })
    expect(watch.signal.reason).toBe('timeout')
    clock.advance(ABANDON_AFTER)
    expect(await watch.inTime(new Promise(() => {}))).toBeNull()
  })

  test('a reason nobody knows is a stop; closing leaves no timer', () => {
    const clock = new FakeClock()
    const watch = new Watch(AbortSignal.abort(new Error('x')), clock)
    expect(watch.cause).toEqual({ kind: 'aborted', reason: 'stopped' })
    watch.close()
    new Watch(never(), clock).close()
    expect(clock.waiting).toBe(0)
  })
})
