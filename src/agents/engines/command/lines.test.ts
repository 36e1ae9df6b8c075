import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../../../messaging/engine.js'
import { LineReader } from './lines.js'

const roomy = { total: 1e6, line: 1e6 }

function read(chunks: readonly Buffer[], limits = roomy): string[] {
  const reader = new LineReader(limits)
  const lines = chunks.flatMap((chunk) => reader.push(chunk))
  const last = reader.end()
  return last === null ? lines : [...lines, last]
}

test('any text cut at any byte gives the same lines', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\uFEFF]/g, ''))
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1 }),
      fc.array(fc.nat(200)),
      fc.boolean(),
      (lines, cuts, crlf) => {
        const bytes = Buffer.from(lines.join(crlf ? '\r\n' : '\n'))
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
        const expected = lines.at(-1) === '' ? lines.slice(0, -1) : lines
        expect(read(chunks)).toEqual(expected)
      },
    ),
  )
})

describe('limits', () => {
  test('the total', () => {
    const reader = new LineReader({ total: 10, line: 10 })
    reader.push(Buffer.from('12345\n'))
    expect(() => reader.push(Buffer.from('12345\n'))).toThrow(/more than 10 bytes/)
  })

  test('the total starts afresh with a turn', () => {
    const reader = new LineReader({ total: 10, line: 10 })
    reader.push(Buffer.from('12345\n'))
    reader.restart()
    expect(reader.push(Buffer.from('67890\n'))).toEqual(['67890'])
  })

  test('one line, whole or unfinished', () => {
    expect(() => read([Buffer.from('123456\n')], { total: 100, line: 5 })).toThrow(/longer than 5 bytes/)
    expect(() => read([Buffer.from('123'), Buffer.from('456')], { total: 100, line: 5 })).toThrow(EngineError)
    expect(read([Buffer.from('12345\n1')], { total: 100, line: 5 })).toEqual(['12345', '1'])
  })
})

test('bytes that are no UTF-8 are refused, not repaired', () => {
  expect(() => read([Buffer.from([0xff, 0xfe, 0x00, 0x0a])])).toThrow(/not UTF-8/)
})
