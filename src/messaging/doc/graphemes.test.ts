import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { characterBoundary } from './graphemes.js'

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Where a character begins, and the end. */
const boundariesOf = (text: string): number[] => [
  ...[...characters.segment(text)].map(({ index }) => index),
  text.length,
]

describe('a boundary between characters', () => {
  it.each([
    ['a pair of units', 'ab😀', 3, 2],
    ['a mark over a letter', 'xe\u0301', 2, 1],
    ['a family', 'a👩‍👩‍👧b', 5, 1],
    ['a flag', 'a🇩🇪', 3, 1],
    ['a line break of two', 'a\r\nb', 2, 1],
    ['a flag in a long row of them', '🇩🇪'.repeat(300), 1_002, 1_000],
    ['letters', 'abc', 2, 2],
    ['the end', 'abc', 9, 3],
  ])('goes not through %s', (_, text, at, expected) => {
    expect(characterBoundary(text, 0, at)).toBe(expected)
  })

  it('cuts a character that is larger than all there is room for, but not a pair of units', () => {
    expect(characterBoundary('👩‍👩‍👧', 0, 4)).toBe(3)
    expect(characterBoundary('😀', 0, 1)).toBe(0)
  })

  it('is the last one that is near enough', () => {
    const texts = fc.array(fc.constantFrom('a', ' ', '\r', '\n', 'e\u0301', '中', '😀', '👩‍👩‍👧', '🇩🇪'), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(texts, fc.nat(60), fc.nat(60), (parts, first, more) => {
        const text = parts.join('')
        const boundaries = boundariesOf(text)
        const from = boundaries[first % boundaries.length] ?? 0
        const at = Math.min(from + more, text.length)
        const best = Math.max(...boundaries.filter((boundary) => boundary <= at))
        const found = characterBoundary(text, from, at)
        if (best > from || at === from) expect(found).toBe(best)
        else expect(found).toBeLessThanOrEqual(at)
      }),
    )
  })
})
