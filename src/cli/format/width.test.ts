import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth, shorten, wrap } from './width.js'

it.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['你好', 4],
  ['こんにちは', 10],
  ['한국', 4],
  ['ｱｲｳ', 3],
  ['，。', 4],
  ['👍🏽', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['✓ ✗ ·', 5],
  ['\u200b', 0],
])('%j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

describe('a text that is fitted', () => {
  it('is never wider than it may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        expect(displayWidth(shorten(text, columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })
  it('does not cut a wide character in half', () => {
    expect([shorten('你好吗', 6), shorten('你好吗', 5), shorten('你好吗', 4)]).toEqual([
      '你好吗',
      '你好…',
      '你…',
    ])
  })
})

describe('a text that is wrapped', () => {
  it('keeps every visible character, in order, and stays within the width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 4, max: 40 }),
        (text, columns) => {
          const lines = wrap(text, columns)
          expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns + 2)
        },
      ),
    )
  })
  it('breaks between words, and between any two Chinese characters but before a closing mark', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrap('今天下午有雨，带伞', 12)).toEqual(['今天下午有', '雨，带伞'])
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
  })
})
