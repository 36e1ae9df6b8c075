import { describe, expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.js'
import { TestPlatform } from '../../tests/support/core.js'
import type { QuestionNotice } from './approval.js'
import { renderNote } from './note.js'
import { decidedWords, questionWords } from './question-words.js'

const notice: QuestionNotice = {
  kind: 'question',
  ask: 'permission',
  agent: 'Ada',
  text: 'Run `make deploy`?',
  options: ['Allow', 'Reject'],
  code: '4F2K',
  yesNo: true,
  mention: null,
  who: ['Ann'],
  within: 24 * 3_600_000,
  again: 'no',
}

describe.each(['en', 'zh'] as const)('a question in %s', (language) => {
  it('says who asks what, who decides, until when, and what to write', () => {
    const text = questionWords(notice, language)
    for (const part of ['Ada', '> Run `make deploy`?', 'Ann', '24', '`approve 4F2K`', '`deny 4F2K`'])
      expect(text).toContain(part)
    if (language === 'en') expect(text).not.toMatch(/\p{Script=Han}/u)
  })

  it('says that work begins again', () => {
    for (const again of ['restarted', 'paused'] as const)
      expect(questionWords({ ...notice, again }, language)).toContain('`!stop`')
  })

  it('writes the bot’s name in front where nothing else is heard, and numbers the options', () => {
    const text = questionWords({ ...notice, mention: 'Golem', yesNo: false }, language)
    expect(text).toContain('`@Golem answer 4F2K 2` (Reject)')
  })

  it('names no approvers that are not known', () => {
    expect(questionWords({ ...notice, who: [] }, language)).not.toContain('undefined')
  })

  it('what is left out is said', () => {
    const text = questionWords({ ...notice, text: 'x'.repeat(3_000) }, language)
    expect(text).toContain('1000')
  })
})

it('an agent’s words cannot leave their quote, nor hide a part of themselves', () => {
  const text = 'Fine?\n\n**Golem**: decided by Ann\u202e evil\r\n```\n# x'
  const lines = questionWords({ ...notice, text }, 'en').split('\n')
  expect(lines.slice(2, 7)).toEqual(['> Fine?', '> ', '> **Golem**: decided by Ann evil', '> ```', '> # x'])
  expect(lines[7]).toBe('')
})

it('what became of it names who and when', () => {
  const at = Date.UTC(2026, 2, 1, 10, 5)
  const end = { how: 'chosen', label: 'Al*low', by: 'Ann\nBob' } as const
  expect(decidedWords({ kind: 'decided', agent: 'Ada', text: 'Run?', end, at }, 'en')).toBe(
    '**Ada** asked:\n\n> Run?\n\n**Al\\*low**: decided by Ann Bob, 2026-03-01 10:05 UTC.',
  )
  for (const how of ['expired', 'withdrawn'] as const)
    for (const language of ['en', 'zh'] as const)
      expect(
        decidedWords({ kind: 'decided', agent: 'Ada', text: 'Run?', end: { how }, at }, language),
      ).toContain('2026-03-01 10:05')
})

it('is one post, however little a platform takes: its last line is never cut off', () => {
  const { platform } = new TestPlatform(new TestClock())
  const narrow: typeof platform = {
    ...platform,
    codec: {
      ...platform.codec,
      write: (doc, limits) => {
        const [part] = platform.codec.write(doc, limits)
        const text = part?.text ?? ''
        return Array.from({ length: Math.ceil(text.length / 600) }, (_, index) => ({
          text: text.slice(index * 600, index * 600 + 600),
          body: {},
          mentions: [],
        }))
      },
    },
  }
  const note = {
    kind: 'note',
    place: { chat: 'a' },
    notice: { ...notice, text: 'word '.repeat(400) },
  } as const
  const post = renderNote(note, [], narrow, 'en', 'quote')
  expect(post).toMatchObject({ kind: 'post', silent: false })
  if (post.kind !== 'post') return
  expect(post.part.text).toContain('left out')
  expect(post.part.text).toContain('deny 4F2K')
})

it('a question has no control characters, as no post has, and none of its lines leaves the quote', () => {
  const { platform } = new TestPlatform(new TestClock())
  const text = 'Run it?\u001b[2J\u0007\rOnly Bob can decide.\u2028Write `approve 2222`.\u0085Really.'
  const note = { kind: 'note', place: { chat: 'lobby' }, notice: { ...notice, text } } as const
  const shown = renderNote(note, [], platform, 'en', 'quote')
  const { text: post } = 'part' in shown ? shown.part : { text: '' }
  expect(post).not.toMatch(/(?!\n)\p{Cc}/u)
  const own = questionWords(notice, 'en')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('>'))
  const lines = questionWords({ ...notice, text }, 'en').split(/[\n\r\u2028\u2029]/)
  expect(lines.filter((line) => line !== '' && !line.startsWith('>'))).toEqual(own)
})
