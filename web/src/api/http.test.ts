import { describe, expect, it } from 'vitest'
import { errorFrom, sentence } from './http.js'

describe('errors of the daemon', () => {
  it("keep the daemon's own sentence and code", () => {
    const error = errorFrom(404, { error: { code: 'unknown-room', message: 'There is no room "x".' } })
    expect([error.status, error.code, error.message, error.stored]).toEqual([
      404,
      'unknown-room',
      'There is no room "x".',
      null,
    ])
  })

  it('know of a message that was stored all the same', () => {
    expect(errorFrom(503, { error: { code: 'late', message: 'Later.' }, id: '7' }).stored).toBe('7')
  })

  it('become a sentence when a proxy answers something else', () => {
    for (const body of [null, 'x', {}, { error: 1 }, { error: { message: 1 } }, []]) {
      expect(errorFrom(502, body).message).toBe('Golem answered with status 502 and no reason.')
    }
  })

  it('always have something to show', () => {
    expect(sentence(new Error('Full.'))).toBe('Full.')
    expect(sentence(undefined)).toBe('Something went wrong.')
  })
})
