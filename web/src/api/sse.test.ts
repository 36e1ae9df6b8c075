import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventParser, type StreamEvent } from './sse.js'

function readAll(pieces: readonly string[]): StreamEvent[] {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.feed(piece))
}

/** Cuts a text at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...at, text.length].map((end, index) => text.slice(index === 0 ? 0 : at[index - 1], end))
}

describe('EventParser', () => {
  it('reads ids, types, several data lines and skips comments', () => {
    expect(readAll([': hello\n\nid: 7\nevent: message\ndata: {"a":\ndata: 1}\n\n'])).toEqual([
      { id: '7', type: 'message', data: '{"a":\n1}' },
    ])
  })

  it('keeps the last id for events that bring none, and gives no event without data', () => {
    expect(readAll(['id: 1\n\ndata: x\n\n'])).toEqual([{ id: '1', type: 'message', data: 'x' }])
  })

  it('takes CR, LF and CRLF as line ends', () => {
    for (const end of ['\n', '\r', '\r\n']) {
      expect(
        readAll([`event: a${end}data: 1${end}${end}data: 2${end}${end}`]).map((event) => event.data),
      ).toEqual(['1', '2'])
    }
  })

  it('gives the same events however the network cuts the text', () => {
    const line = fc.constantFrom('data: a', 'data:b', 'id: 3', 'event: typing', ': beat', 'data', '')
    const text = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
      .map((lines) => lines.map(([content, end]) => content + end).join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 12 }), (whole, places) => {
        expect(readAll(cut(whole, places))).toEqual(readAll([whole]))
      }),
    )
  })
})
