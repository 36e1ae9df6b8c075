/** What a codec writes: everything the document shows, nothing else, in parts of the platform's own size. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Doc, type Limits, type Part, parseDoc } from '../../src/messaging/contract.js'
import { cutCharacter, follow } from './kit/follow.js'
import { normalise } from './kit/normalise.js'
import { runs } from './kit/runs.js'
import { at, markdown, naming, type People } from './kit/texts.js'
import { SUBJECTS } from './platforms/index.js'
import type { Subject } from './subject.js'

const NAMES = ['Ann', 'Ann Lee', '张三', 'b_o_b *x* <y> & [z](w) `v`']
const AT = NAMES.map((name) => at({ name }))

function sizeOf(subject: Subject, part: Part): number {
  const { unit } = subject.platform.limits.text
  if (subject.size !== undefined) return subject.size(part)
  if (unit === 'byte') return Buffer.byteLength(part.text)
  return unit === 'codepoint' ? [...part.text].length : part.text.length
}

/** A body is stored as JSON with its operation, and has to be the same afterwards. */
function isPlain(part: Part): void {
  expect(JSON.parse(JSON.stringify(part))).toEqual(part)
}

function check(subject: Subject, doc: Doc, limits: Limits): readonly Part[] {
  const { shows, platform } = subject
  const parts = platform.codec.write(doc, limits)
  const expected = normalise(doc, shows)
  for (const part of parts) {
    isPlain(part)
    expect(sizeOf(subject, part)).toBeLessThanOrEqual(limits.text.max)
    expect(part.text.trim()).not.toBe('')
    expect(part.text).not.toMatch(/\p{Cs}/u)
  }
  const { problem, ends } = follow(
    expected.atoms,
    parts.map(({ text }) => text),
    shows,
  )
  expect(problem).toBeNull()
  expect(cutCharacter(expected.atoms, ends)).toBeNull()
  expect(new Set(parts.flatMap(({ mentions }) => mentions))).toEqual(new Set(expected.mentions))
  for (const { mentions } of parts) expect(new Set(mentions).size).toBe(mentions.length)
  return parts
}

describe.each(SUBJECTS)('$platform.id writes', (subject) => {
  const { platform } = subject
  const people: People = NAMES.map((name, index) => ({
    name,
    id: subject.userIds?.[index] ?? `u${index + 1}`,
  }))
  const sized = (max: number): Limits => ({ ...platform.limits, text: { ...platform.limits.text, max } })

  it('nothing for nothing', () => {
    for (const text of ['', '  \n\n', '\u200b'.slice(1)]) {
      expect(platform.codec.write(parseDoc(text), platform.limits)).toEqual([])
    }
  })

  it('the visible text, and exactly the mentions, of any document', () => {
    fc.assert(
      fc.property(markdown(AT), (text) => {
        check(subject, naming(text, people), platform.limits)
      }),
      runs(300),
    )
  })

  it('parts within any limit, with no character cut', () => {
    fc.assert(
      fc.property(markdown(AT), fc.integer({ min: 300, max: 700 }), (text, max) => {
        check(subject, naming(text, people), sized(max))
      }),
      runs(300),
    )
  })

  it('code to the letter', () => {
    const code = fc
      .array(
        fc.constantFrom(
          'a',
          '  ',
          '\n',
          '<',
          '>',
          '&',
          '*',
          '_',
          '\\',
          '|',
          '@Ann',
          '#',
          '汉',
          '👩‍👩‍👧‍👦',
          '"',
        ),
        {
          minLength: 1,
          maxLength: 40,
        },
      )
      .map((all) => all.join(''))
      .filter((text) => text.trim() !== '' && !/^\s*\n|\n\s*$/.test(text))
    fc.assert(
      fc.property(code, (text) => {
        const [part, second] = check(subject, parseDoc(`\`\`\`\n${text}\n\`\`\``), platform.limits)
        expect(second).toBeUndefined()
        expect(part?.text.trimEnd()).toContain(text.trimEnd())
      }),
    )
  })

  it('a tree without its source, as the core makes one of plain text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (value) => {
        fc.pre(/\S/u.test(value.replace(/[\p{Cf}\p{Cc}]/gu, '')))
        const doc: Doc = {
          type: 'root',
          children: [{ type: 'paragraph', children: [{ type: 'text', value: clean(value) }] }],
        }
        check(subject, doc, platform.limits)
      }),
      runs(300),
    )
  })

  it('marks of Markdown in such a tree as what they are', () => {
    for (const value of [
      '*a*',
      '_b_',
      '`c`',
      '# d',
      '- e',
      '> f',
      '[g](https://x.example)',
      '1. h',
      '<i>',
      '&amp;',
    ]) {
      const doc: Doc = {
        type: 'root',
        children: [{ type: 'paragraph', children: [{ type: 'text', value }] }],
      }
      const parts = platform.codec.write(doc, platform.limits)
      expect(parts.map(({ text }) => text)).toEqual([value])
    }
  })

  it('the same for the same, and leaves the document alone', () => {
    fc.assert(
      fc.property(markdown(AT), (text) => {
        const doc = naming(text, people)
        const before = structuredClone(doc)
        const parts = platform.codec.write(doc, platform.limits)
        expect(platform.codec.write(doc, platform.limits)).toEqual(parts)
        expect(doc).toEqual(before)
      }),
      runs(50),
    )
  })

  it('any text at all, without throwing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 1, max: 300 }),
        (text, max) => {
          for (const part of platform.codec.write(parseDoc(text), sized(max))) isPlain(part)
        },
      ),
      runs(300),
    )
  })

  it('100,000 characters in the time they may take', () => {
    const long = Array.from(
      { length: 400 },
      (_, at) =>
        `## Part ${at}\n\nSome *text* with \`code\` and [a link](https://x.example/${at}), ${'more words '.repeat(12)}\n\n\`\`\`ts\nconst a = ${at}\n\`\`\`\n\n| a | b |\n|---|---|\n| ${at} | x |`,
    )
      .join('\n\n')
      .slice(0, 100_000)
    const doc = parseDoc(long)
    platform.codec.write(doc, platform.limits)
    const start = process.cpuUsage()
    const parts = platform.codec.write(doc, platform.limits)
    // Some 50 ms on a quiet machine; the bound leaves room for a busy one.
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1_000)
    expect(parts.length).toBeGreaterThan(1)
  })
})

/** Control characters are no text of a person. */
function clean(value: string): string {
  return value.replace(/\p{Cc}/gu, '-')
}
