import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverLine, excerpt, questionOf, rank, shareOf } from './passages.js'
import { moment, oneLine, quiet } from './quote.js'
import { extract } from './summary.js'

const passage = (title: string, text = 'text') => ({ source: 'skill x', title, text })

describe('rank', () => {
  it('puts the passage first whose title asks the same, and rare words before common ones', () => {
    const passages = [
      passage('How do agents work?', 'agents and agents'),
      passage('How do agents eat zebras?'),
      passage('Agents and the weather'),
    ]
    const [first] = rank(questionOf('what do agents do with zebras', []), passages)
    expect(first?.passage.title).toBe('How do agents eat zebras?')
    const [same] = rank(questionOf('How do agents work?', []), passages)
    expect(same?.passage.title).toBe('How do agents work?')
  })

  it('does not take one word in passing for an answer', () => {
    const [only] = rank(questionOf('What time is it?', []), [
      passage('Other things', 'one at a time, please'),
    ])
    expect(only?.score ?? 0).toBeLessThan(0.4)
  })

  it('does not depend on the order in which passages were found', () => {
    const passages = ['a b c', 'b c d', 'c d e', 'a c e', 'a b c'].map((title, index) =>
      passage(title, `t${index}`),
    )
    fc.assert(
      fc.property(fc.shuffledSubarray(passages, { minLength: 5 }), (shuffled) => {
        const question = questionOf('bb cc dd a b c zebra', [])
        expect(rank(question, shuffled)).toEqual(rank(question, passages))
      }),
    )
  })

  it('meets Chinese questions by their characters, whatever stands between', () => {
    expect(shareOf(questionOf('消息会不会丢？', []), '如何保证不丢消息')).toBeGreaterThan(0.7)
    expect(shareOf(questionOf('今天天气', []), '如何保证不丢消息')).toBe(0)
  })
})

it('a line that only repeats the question is no answer', () => {
  const question = questionOf('who is Bob?', [])
  expect(coverLine(question, 'Bob')).toBe(0)
  expect(coverLine(question, 'Bob: back end')).toBe(1)
})

describe('excerpt', () => {
  it('is the whole text or paragraphs of it, at most 900 characters and a fence', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'zebra words.',
            '```\ncode\n\nmore\n```',
            'x '.repeat(300),
            '',
            '一段话。'.repeat(80),
          ),
        ),
        (parts) => {
          const text = parts.join('\n\n')
          const { text: cut, whole } = excerpt(questionOf('zebra', []), text)
          expect(cut.length).toBeLessThanOrEqual(910)
          if (whole) expect(cut.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''))
          expect((cut.match(/^```/gm) ?? []).length % 2).toBe(0)
        },
      ),
    )
  })
})

describe('quotes', () => {
  it.each([
    ['@Bob and ＠Ann, a@b.example', 'Bob and Ann, a@b.example'],
    ['ask `@Bob` or\n```\n@all\n```\n@here', 'ask `@Bob` or\n```\n@all\n```\nhere'],
  ])('%j pings nobody', (text, expected) => {
    expect(quiet(text)).toBe(expected)
  })

  it('keeps one line short and visible', () => {
    expect(oneLine('a\nb\u2028c\u0007 d')).toBe('a b c d')
    expect([...oneLine('字'.repeat(500), 50)]).toHaveLength(50)
    expect(moment('nonsense')).toBe('')
    expect(moment(Date.UTC(2026, 2, 1, 10, 22))).toBe('2026-03-01 10:22 UTC')
  })
})

describe('extract', () => {
  it('holds only words that were said, by those who said them, in their order', () => {
    const author = fc.constantFrom('Ann', 'Bob', '张三')
    const text = fc.constantFrom(
      'We decided to ship on Friday.',
      'ok',
      'The disk is full. Who can help?',
      '明天扩容。需要重启。',
      'lol',
      '```code```',
    )
    fc.assert(
      fc.property(fc.array(fc.record({ author, text }), { maxLength: 12 }), (lines) => {
        const { picked, count } = extract(lines)
        expect(count).toBe(lines.length)
        expect(picked.length).toBeLessThanOrEqual(7)
        let from = 0
        for (const item of picked) {
          const at = lines.findIndex(
            (line, index) => index >= from && line.author === item.author && line.text.includes(item.text),
          )
          expect(at).toBeGreaterThanOrEqual(0)
          from = at
        }
      }),
    )
  })

  it('picks what was decided before small talk, and one thing once', () => {
    const { picked } = extract([
      { author: 'Ann', text: 'good morning, how was your weekend' },
      { author: 'Bob', text: 'fine thanks' },
      { author: 'Ann', text: 'We decided to move the launch to June 12.' },
      { author: 'Bob', text: 'So the launch is moved to June 12.' },
      { author: 'Cid', text: 'Bob must order the disks by Tuesday.' },
    ])
    const texts = picked.map((item) => item.text)
    expect(texts).toContain('We decided to move the launch to June 12.')
    expect(texts).toContain('Bob must order the disks by Tuesday.')
  })
})
