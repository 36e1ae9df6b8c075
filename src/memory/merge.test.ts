import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bare, merge, splitLines, union } from './merge.js'

const line = fc.constantFrom('', '- a', '- b', '- c', '## Members', '## Decisions', '- a: x', '<!-- c -->')
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, last]) => lines.join(end) + (last && lines.length > 0 ? end : ''))
const plain = (value: string): string[] => splitLines(value).map(bare)

function isInside(inner: readonly string[], outer: readonly string[]): boolean {
  let at = 0
  for (const item of outer) if (at < inner.length && inner[at] === item) at++
  return at === inner.length
}

describe('merge', () => {
  it.each([
    [
      'both add at the end',
      '# G\n- a\n',
      '# G\n- a\n- person\n',
      '# G\n- a\n- agent\n',
      '# G\n- a\n- person\n- agent\n',
    ],
    [
      'one edits, the other adds',
      '- a\n- b\n',
      '- a: lead\n- b\n',
      '- a\n- b\n- c\n',
      '- a: lead\n- b\n- c\n',
    ],
    ['one removes, the other adds', '- a\n- b\n', '- b\n', '- a\n- b\n- c\n', '- b\n- c\n'],
    ['both edit one line', '- a\n', '- a: lead\n', '- a: boss\n', '- a: lead\n- a: boss\n'],
    ['both add the same line', '- a\n', '- a\n- b\n', '- a\n- b\n', '- a\n- b\n'],
    [
      'the copy lost its line ends',
      '- a\r\n- b\r\n',
      '- a\r\n- b\r\n- c\r\n',
      '- a\n- b\n- d\n',
      '- a\n- b\n- c\r\n- d\n',
    ],
    ['no line end at the end', '- a', '- a\n- b', '- a\n- c', '- a\n- b\n- c'],
  ])('%s', (_, base, ours, theirs, expected) => {
    expect(merge(base, ours, theirs)).toBe(expected)
  })

  it('gives back the only changed side, byte for byte', () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(merge(base, side, base)).toBe(side)
        expect(merge(base, base, side)).toBe(side)
        expect(merge(base, side, side)).toBe(side)
      }),
    )
  })

  it('holds every line that either side added, and invents none', () => {
    const count = (lines: readonly string[], wanted: string): number =>
      lines.filter((item) => item === wanted).length
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const [b, o, t] = [plain(base), plain(ours), plain(theirs)]
        const merged = plain(merge(base, ours, theirs))
        for (const item of new Set([...o, ...t])) {
          if (count(b, item) === 0)
            expect(count(merged, item)).toBeGreaterThanOrEqual(Math.max(count(o, item), count(t, item)))
        }
        for (const item of merged) expect(o.includes(item) || t.includes(item)).toBe(true)
      }),
    )
  })

  it('takes away what one side took away and the other left alone', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), { minLength: 1 }),
        fc.nat(),
        (lines, n) => {
          const gone = lines[n % lines.length] ?? ''
          const ours = lines.filter((item) => item !== gone)
          const theirs = [...lines, 'added by the other']
          const end = (list: string[]): string => list.map((item) => `${item}\n`).join('')
          expect(plain(merge(end(lines), end(ours), end(theirs)))).toEqual([...ours, 'added by the other'])
        },
      ),
    )
  })

  it('merges texts far larger than its table', () => {
    const lines = Array.from({ length: 6_000 }, (_, index) => `- ${index}\n`)
    const ours = ['- top\n', ...lines.slice(0, 3_000), '- ours\n', ...lines.slice(3_000), '- end a\n']
    const theirs = [...lines.slice(1, 5_000), '- theirs\n', ...lines.slice(5_000), '- end b\n']
    const merged = merge(lines.join(''), ours.join(''), theirs.join(''))
    expect(splitLines(merged)).toEqual([
      '- top\n',
      ...lines.slice(1, 3_000),
      '- ours\n',
      ...lines.slice(3_000, 5_000),
      '- theirs\n',
      ...lines.slice(5_000),
      '- end a\n',
      '- end b\n',
    ])
  })
})

describe('union', () => {
  it('holds both texts in their own order and is the text itself for one text', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const merged = plain(union(a, b))
        expect(isInside(plain(a), merged)).toBe(true)
        expect(isInside(plain(b), merged)).toBe(true)
        expect(union(a, a)).toBe(a)
      }),
    )
  })
})
