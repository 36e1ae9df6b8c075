import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadFrame, decodeFrame, encodeFrame, headerOf } from './frames.js'

const frames = fc.record({
  seqId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  logId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  service: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  method: fc.constantFrom(0, 1),
  headers: fc.array(fc.record({ key: fc.string(), value: fc.string({ unit: 'grapheme' }) })),
  payload: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
})

describe('frames', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame)
      }),
    )
  })

  it('are refused when they are none, never by another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeFrame(Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(BadFrame)
        }
      }),
    )
  })

  it('need the four fields that the SDK needs', () => {
    const frame = { seqId: 1n, logId: 2n, service: 3, method: 1, headers: [], payload: Buffer.from('x') }
    expect(() => decodeFrame(encodeFrame(frame).subarray(2))).toThrow('lacks SeqID')
    expect(() => decodeFrame(encodeFrame(frame).subarray(0, -1))).toThrow(BadFrame)
  })

  it('give a header by its name', () => {
    const headers = [
      { key: 'type', value: 'event' },
      { key: 'type', value: 'other' },
    ]
    const frame = { seqId: 1n, logId: 2n, service: 3, method: 1, headers, payload: Buffer.alloc(0) }
    expect(headerOf(frame, 'type')).toBe('event')
    expect(headerOf(frame, 'sum')).toBeUndefined()
  })
})
