import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { archived, condense } from './condense.js'
import { parseDocument } from './document.js'

const entry = fc
  .tuple(fc.nat(), fc.constantFrom('deployment', 'database', '数据库迁移', 'x'.repeat(120)))
  .map(([n, word]) => `- ${word} ${n}`)
const section = (title: string, lines: readonly string[]): string =>
  `\n## ${title}\n${lines.map((line) => `${line}\n`).join('')}`

describe('condense', () => {
  it('moves whole lines of context and decisions only; what is left and what moved is all there was', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 60 }),
        fc.array(entry, { maxLength: 60 }),
        fc.array(entry, { maxLength: 5 }),
        fc.integer({ min: 300, max: 3_000 }),
        (context, decisions, members, limit) => {
          const text = `# Group: k\n<!-- ours -->\n${section('Members', members)}${section('项目上下文', context)}${section('Links', members)}${section('Decisions', decisions)}`
          const result = condense(text, 'k.archive.md', limit)
          if (result === null) return
          expect(result.text.length).toBeLessThanOrEqual(limit)
          const left = result.text.split('\n').filter((line) => !/k\.archive\.md/.test(line))
          const moved = result.moved.flatMap((item) => item.lines)
          expect([...left, ...moved].sort()).toEqual(text.split('\n').sort())
          expect(parseDocument(result.text).sections.map((item) => item.title)).toEqual(
            parseDocument(text).sections.map((item) => item.title),
          )
          for (const { lines } of result.moved) expect(lines.length).toBeGreaterThan(1)
        },
      ),
    )
  })

  it('says how many lines moved, where, and what the most telling ones were', () => {
    const lines = Array.from({ length: 40 }, (_, n) => `- [2026-01-01] deployment of service ${n}`)
    const result = condense(`# Group: k\n${section('Decisions', lines)}`, 'k.archive.md', 1_200)
    expect(result?.text).toMatch(
      /\n- \(Extract of \d+ older lines, in full in k\.archive\.md\) \[2026-01-01\] deployment of service/,
    )
    const chinese = condense(`# Group: k\n${section('决策记录', lines)}`, 'k.archive.md', 1_200)
    expect(chinese?.text).toMatch(/\n- （较早的 \d+ 行的摘录，全文见 k\.archive\.md）/)
  })
})

it('the archive says a line once, however often it is told', () => {
  const moved = [{ section: 'decisions' as const, lines: ['- a', '- b'] }]
  const once = archived('', 'k', '2026-03-01', moved)
  expect(once).toBe('# Archive of k\n\n## Decisions, moved 2026-03-01\n- a\n- b\n')
  expect(archived(once, 'k', '2026-03-02', moved)).toBe(once)
})
