import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localId, ROOMS, readRoute, writeRoute } from './route.js'

describe('the address', () => {
  it('is read back as it was written', () => {
    const part = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(part, fc.option(part), fc.option(part), (room, thread, message) => {
        const route = { room: `slack:${room}`, thread, message }
        expect(readRoute(writeRoute(route))).toEqual(route)
      }),
    )
  })

  it('keeps links short and readable', () => {
    expect(writeRoute({ room: 'local:lobby', thread: null, message: '12' })).toBe('#/r/local:lobby/m/12')
  })

  it('takes a local room by its id alone', () => {
    expect(readRoute('#/r/lobby/m/12')).toEqual({ room: 'local:lobby', thread: null, message: '12' })
  })

  it('shows the rooms for what it does not know', () => {
    for (const hash of ['', '#', '#/', '#/rooms', '#/r/', '#/nowhere/1', '#/%E0%A4%A']) {
      expect(readRoute(hash)).toEqual(ROOMS)
    }
  })

  it('knows whose room it is', () => {
    expect(localId('local:lobby')).toBe('lobby')
    expect(localId('slack:C1')).toBeNull()
  })
})
