import { describe, expect, it } from 'vitest'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const DAY = 86_400_000
const count = (room: TestRoom, table: string) =>
  (room.room.raw.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n

describe('housekeeping', () => {
  it('finds nothing to do in a quiet house', () => {
    const room = new TestRoom()
    expect(room.tend()).toEqual({ expired: 0, pruned: 0, abort: [] })
    room.say('@Golem hi')
    room.answer(room.next(), 'hello')
    room.deliver()
    expect(room.tend()).toEqual({ expired: 0, pruned: 0, abort: [] })
  })

  it('drops what was never sent, a day later; what was sent stays for the receipts', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    const turn = room.next()
    room.now += 100
    // The mark of reception is due, and the answer overtakes it.
    expect(room.operations(0)).toEqual([])
    room.answer(turn, 'hello')
    room.deliver()
    const before = count(room, 'outbox')
    room.now += DAY
    expect(room.tend().pruned).toBe(0)
    room.now += 1
    expect(room.tend().pruned).toBeGreaterThan(0)
    expect(count(room, 'outbox')).toBeLessThan(before)
    expect(room.receipt('local:lobby:q').turns[0]?.operations.map(({ kind }) => kind)).toContain('post')
  })

  it('drops buttons a day after they have expired, and the press still gets an answer', () => {
    const room = new TestRoom()
    room.say('@Golem hi')
    room.next()
    room.now += 6_000
    room.deliver()
    expect(count(room, 'buttons')).toBe(1)
    room.now += 2 * DAY
    room.tend()
    expect(count(room, 'buttons')).toBe(1)
    room.now += 1
    room.tend()
    expect(count(room, 'buttons')).toBe(0)
    expect(room.press('any').whisper?.text).toMatch(/no longer valid/)
  })

  it('works in small steps, and comes to an end', () => {
    const room = new TestRoom(policy({ groupPolicy: 'always' }))
    const insert = room.room.raw.prepare('INSERT INTO events (key, message, at) VALUES (?, NULL, ?)')
    room.room.raw.transaction(() => {
      for (let n = 0; n < 5_000; n++) insert.run(`e${n}`, room.now)
    })()
    room.now += 31 * DAY
    const steps: number[] = []
    for (let { pruned } = room.tend(); pruned > 0; { pruned } = room.tend()) steps.push(pruned)
    expect(steps).toEqual([2_000, 2_000, 1_000])
    expect(COMMANDS.status(room.room).messages).toBe(0)
  })
})
