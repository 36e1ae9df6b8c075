import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../tests/simulators/kit/clock.js'
import { TokenCache } from './token.js'

const HOUR = 60 * 60_000

function cache(lives = 2 * HOUR) {
  const clock = new VirtualClock({ manual: true, start: 1_700_000_000_000 })
  const asked = { count: 0, fail: null as Error | null }
  const tokens = new TokenCache(clock, async () => {
    asked.count++
    if (asked.fail !== null) throw asked.fail
    return { value: `t-${asked.count}`, lives }
  })
  return { clock, asked, tokens }
}

describe('the token', () => {
  it('is asked for once, however many want it', async () => {
    const { asked, tokens } = cache()
    const got = await Promise.all(Array.from({ length: 20 }, () => tokens.get()))
    expect(new Set(got)).toEqual(new Set(['t-1']))
    expect(asked.count).toBe(1)
  })

  it('is renewed before it ends, and nobody waits for that', async () => {
    const { clock, asked, tokens } = cache()
    await tokens.get()
    clock.advance(2 * HOUR - 19 * 60_000)
    expect(await tokens.get()).toBe('t-1')
    expect(asked.count).toBe(2)
    expect(await tokens.get()).toBe('t-2')
  })

  it('serves on while a renewal fails, and is asked for again only after a while', async () => {
    const { clock, asked, tokens } = cache()
    await tokens.get()
    clock.advance(2 * HOUR - 19 * 60_000)
    asked.fail = new Error('busy')
    for (let at = 0; at < 5; at++) expect(await tokens.get()).toBe('t-1')
    expect(asked.count).toBe(2)
    clock.advance(31_000)
    asked.fail = null
    expect(await tokens.get()).toBe('t-1')
    expect(await tokens.get()).toBe('t-3')
  })

  it('is used no more at its end', async () => {
    const { clock, asked, tokens } = cache()
    await tokens.get()
    clock.advance(2 * HOUR)
    asked.fail = new Error('wrong secret')
    await expect(tokens.get()).rejects.toThrow('wrong secret')
  })

  it('that was refused is asked for anew; one that came meanwhile stays', async () => {
    const { asked, tokens } = cache()
    const first = await tokens.get()
    tokens.drop(first)
    const second = await tokens.get()
    tokens.drop(first)
    expect(await tokens.get()).toBe(second)
    expect(asked.count).toBe(2)
  })

  it('that lives for a moment only is not asked for without end', async () => {
    const { asked, tokens } = cache(10_000)
    expect(await tokens.get()).toBe('t-1')
    expect(await tokens.get()).toBe('t-1')
    expect(asked.count).toBe(1)
  })
})
