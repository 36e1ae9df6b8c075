/** What is shown of an answer while it is written, by every platform's own codec. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import discord from '../../adapters/discord/index.js'
import feishu from '../../adapters/feishu/index.js'
import local from '../../adapters/local/index.js'
import slack from '../../adapters/slack/index.js'
import telegram from '../../adapters/telegram/index.js'
import { parseDoc, plainText } from '../../src/messaging/doc/index.js'
import { PREVIEW_UNITS, previewPart, statusLine } from '../../src/messaging/preview.js'

const PLATFORMS = [local, telegram, slack, discord, feishu] as const
const shown = (text: string, doing = {}, platform: (typeof PLATFORMS)[number] = local) =>
  previewPart(text, doing, platform, 'en')?.text

describe('a preview', () => {
  it('shows the text, and below it what is done', () => {
    expect(shown('So far.', { tool: 'history_search' })).toBe('So far.\n\nWorking on it… uses history_search')
    expect(shown('', { note: 'Reading a.ts' })).toBe('Working on it… Reading a.ts')
    expect(shown('', { asking: 'Ann' })).toBe('Waiting for Ann…')
    expect(previewPart('好的', { tool: 'fact_remember' }, local, 'zh')?.text).toBe(
      '好的\n\n正在处理… 使用 fact_remember'.replace('… ', '…'),
    )
    expect(previewPart('A draft', {}, local, 'en', false)?.text).toBe('A draft')
    expect(previewPart('', {}, local, 'en', false)).toBeNull()
  })

  it('shows the end of what is long, from where a line begins', () => {
    const lines = Array.from({ length: 400 }, (_, i) => `Line ${i} of a long answer.`).join('\n\n')
    for (const platform of PLATFORMS) {
      const text = shown(lines, {}, platform) ?? ''
      expect(text.startsWith('…\n\nLine '), platform.id).toBe(true)
      expect(text).toContain('Line 399 of a long answer.\n\nWorking on it…')
      expect(text.length).toBeGreaterThan(300)
      expect(text.length).toBeLessThan(PREVIEW_UNITS + 100)
    }
  })

  it('closes a fence that is being written, so that the line below stands outside of it', () => {
    for (const open of ['```js\nlet a = 1', '~~~\nx', '````\n```\nx', 'Look:\n\n```\nx\n'])
      for (const platform of PLATFORMS) {
        const part = previewPart(open, {}, platform, 'en')
        if (platform.id !== 'local') continue
        const body = part?.body as { text: string }
        expect(parseDoc(body.text).children.at(-1)?.type).toBe('paragraph')
      }
    expect(shown('```\nx\n```')).toBe('x\n\nWorking on it…')
  })

  it('shows no link before it is whole', () => {
    expect(shown('See [the page](https://exam')).toBe('See\n\nWorking on it…')
    expect(shown('See https://exam')).toBe('See\n\nWorking on it…')
    expect(shown('See https://example.org/a now')).toBe('See https://example.org/a now\n\nWorking on it…')
  })

  it("takes an agent's remark as words: on one line, short, without markup", () => {
    const line = statusLine({ note: `**[x](http://a)**\n# ${'y'.repeat(300)}` }, 'en')
    expect(plainText(parseDoc(line))).toMatch(/^Working on it… \*\*\[x\]\(http:\/\/a\)\*\* # y{70,}…$/)
  })

  it('is one part on every platform, and pings nobody, whatever the text', () => {
    const piece = fc.constantFrom(
      ...[
        '@everyone ',
        '<!channel> ',
        '<@U1> ',
        '@Ann ',
        '```',
        '~~~\n',
        '\n\n',
        '> ',
        '* ',
        '| a | b |\n|---|---|\n',
      ],
      ...[
        'word ',
        '漢字',
        '👩‍👩‍👧',
        '[x](http://y) ',
        '<b>',
        '<!-- ',
        '`',
        '**',
        '$$',
        '![i](j) ',
        '\u0000',
        '​',
      ],
    )
    const text = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 40 })), { maxLength: 200 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(text, fc.constantFrom(...PLATFORMS), (markdown, platform) => {
        const part = previewPart(markdown, { note: markdown.slice(0, 50) }, platform, 'en')
        if (part === null) throw new Error('nothing is shown')
        expect(part.mentions).toEqual([])
        expect(part.text).toContain('Working on it…')
        expect(part.text.length).toBeLessThan(3 * PREVIEW_UNITS)
      }),
      { numRuns: 150 },
    )
  })
})
