import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest, page } from './digest.js'

const long = (count: number): string =>
  `# Group: x\n\n## Members\n- Ann: lead\n\n## Decisions\n${Array.from({ length: count }, (_, n) => `- [2026-01-01] decision number ${n} about the walrus\n`).join('')}\n## Links\nours\n`

describe('a memory file in a prompt', () => {
  it('is whole while there is room for it', () => {
    expect(digest(long(10))).toEqual({ text: long(10), cut: 0 })
  })

  it('tells older lines of a list by an extract that says where they are, and keeps all the rest', () => {
    const { text, cut } = digest(long(900))
    expect(text.length).toBeLessThanOrEqual(16_000)
    expect(cut).toBe(long(900).length - text.length)
    expect(text).toMatch(/\(Extract of \d+ older lines, in full in memory_read\)/)
    expect(text).toContain('- Ann: lead')
    expect(text).toContain('decision number 899')
    expect(text).toContain('## Links\nours')
  })

  it('never more than the bound, and what is left out is said, whatever people write', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '忆', '\n', '- ', '# ', '😀', ' '), maxLength: 3_000 }),
        fc.integer({ min: 400, max: 1_500 }),
        (text, limit) => {
          const shown = digest(text, limit)
          expect(shown.text.length).toBeLessThanOrEqual(limit)
          expect(shown.text).not.toMatch(/\p{Surrogate}/u)
          if (text.length <= limit) expect(shown).toEqual({ text, cut: 0 })
          else expect(shown.text).toMatch(/memory_read/)
        },
      ),
    )
  })

  it('its pages are the file', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 60 })),
        fc.integer({ min: 1, max: 100 }),
        (lines, limit) => {
          const text = lines.join('\n')
          const parts: string[] = []
          let from: number | undefined = 1
          while (from !== undefined) {
            const { text: part, next } = page(text, from, limit)
            parts.push(part)
            from = next
          }
          expect(parts.join('\n')).toBe(text)
        },
      ),
    )
  })
})
