import { describe, expect, it } from 'vitest'
import { Holds } from './holds.js'

const what = { connection: 'x', chatKey: 'x:a', kind: 'post' } as const
const limited = (retryAt: number, scope?: 'chat' | 'kind' | 'account') =>
  ({ kind: 'rate-limited', retryAt, ...(scope === undefined ? {} : { scope }) }) as const

describe('a wait that the platform asked for', () => {
  it('is about the chat where nothing else is said, to the millisecond', () => {
    const holds = new Holds()
    holds.add(what, limited(100), 0)
    expect(holds.holds({ ...what, kind: 'edit' }, 99)).toBe(true)
    expect(holds.holds(what, 100)).toBe(false)
    expect(holds.holds({ ...what, chatKey: 'x:b' }, 50)).toBe(false)
  })

  it('lasts no longer when the clock is set back', () => {
    const holds = new Holds()
    const hour = 3_600_000
    holds.add(what, limited(hour + 2_000), hour)
    holds.add(what, limited(hour + 3_000, 'kind'), hour)
    holds.add(what, limited(hour + 4_000, 'account'), hour)
    expect(holds.expire(1_000)).toBe(3_000)
    expect([holds.chats(), holds.holds(what, 4_999), holds.holds(what, 5_000)]).toEqual([
      { 'x:a': 3_000 },
      true,
      false,
    ])
  })

  it('may be about a kind on its connection, or about the account', () => {
    const holds = new Holds()
    holds.add(what, limited(100, 'kind'), 0)
    expect(holds.holds({ ...what, chatKey: 'x:b' }, 50)).toBe(true)
    expect(holds.holds({ ...what, kind: 'edit' }, 50)).toBe(false)
    expect(holds.holds({ ...what, connection: 'y' }, 50)).toBe(false)
    expect(holds.kinds()).toEqual({ x: ['post'] })
    holds.add(what, limited(200, 'account'), 0)
    expect(holds.holds({ connection: 'x', chatKey: 'x:c', kind: 'react' }, 150)).toBe(true)
    expect(holds.account('x', 150)).toBe(true)
    expect(holds.account('y', 150)).toBe(false)
  })

  it('stands until the latest time that was named, and is forgotten then', () => {
    const holds = new Holds()
    holds.add(what, limited(300), 0)
    holds.add(what, limited(200), 0)
    holds.add(what, limited(250, 'kind'), 0)
    expect(holds.expire(0)).toBe(250)
    expect(holds.expire(250)).toBe(300)
    expect(holds.chats()).toEqual({ 'x:a': 300 })
    expect(holds.expire(300)).toBeNull()
    expect([holds.chats(), holds.kinds()]).toEqual([{}, {}])
  })
})
