import { describe, expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const HOUR = 3_600_000

/** An answer that the platform wants to have in three seconds. */
function limited(): TestRoom {
  const room = new TestRoom()
  room.say('@Golem hi', { id: 'q' })
  room.answer(room.next(), 'hello')
  const [post] = room.operations()
  COMMANDS.recordReceipt(room.room, post?.id ?? 0, {
    state: 'retry',
    at: room.now,
    retryAt: room.now + 3_000,
    failure: { kind: 'rate-limited', retryAt: room.now + 3_000 },
    ambiguous: false,
    message: 'too many; again in 3 s',
  })
  return room
}

describe('a clock that is set back', () => {
  it('makes what waits to be sent wait no longer than it was to', () => {
    const room = limited()
    room.now -= HOUR
    room.tend()
    expect(room.deliver()).not.toContain('post hello')
    room.now += 3_000
    expect(room.deliver()).toContain('post hello')
  })

  it('is noticed by the next look: nothing that is said later comes first', () => {
    const room = limited()
    room.now -= HOUR
    room.say('@Golem again')
    room.now += 1_500
    room.answer(room.next(), 'second')
    expect(room.deliver().filter((seen) => seen.startsWith('post'))).toEqual([])
    room.now += 3_000
    expect(room.deliver().filter((seen) => seen.startsWith('post'))).toEqual(['post hello', 'post second'])
  })

  it('while nobody lives is found at the start', () => {
    const room = limited().reboot('boot-2')
    room.now -= HOUR
    room.recover()
    room.now += 3_000
    expect(room.deliver()).toContain('post hello')
  })

  it('holds up no turn, nor what is said afterwards in its conversation', () => {
    const room = new TestRoom()
    room.say('@Golem one')
    room.now -= HOUR
    room.tend()
    room.now += 10_000
    room.answer(room.next(), 'first')
    expect(room.deliver()).toContain('post first')
  })

  it('is nothing where it goes on', () => {
    const room = limited()
    room.now += 2_999
    room.tend()
    expect(room.deliver()).not.toContain('post hello')
    room.now += 1
    expect(room.deliver()).toContain('post hello')
  })
})
