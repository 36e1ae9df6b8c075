/** What a person sees of Discord's Markdown. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { showText } from './render.js'

const names = {
  user: (id: string) => `user${id}`,
  role: (id: string) => `role${id}`,
  channel: (id: string) => `channel${id}`,
  now: () => Date.UTC(2026, 0, 1),
}
const seen = (text: string) => showText(text, names).text
const links = (text: string) => showText(text, names).links

it.each([
  ['**bold** *it* _it_ __under__ ~~gone~~ ||secret||', 'bold it it under gone secret'],
  ['***both*** **a *b* c**', 'both a b c'],
  ['snake_case_name and 2*3*4', 'snake_case_name and 234'],
  ['1 * 2 * 3 _ x _', '1 * 2 * 3  x '],
  ['`**code**` ``a`b``', '**code** a`b'],
  ['\\*not\\* \\_this\\_ \\<@1>', '*not* _this_ <@1>'],
  ['<@1> <@!2> <@&3> <#4> <:wave:5> <a:dance:6>', '@user1 @user2 @role3 #channel4 :wave: :dance:'],
  ['</golem:7> <id:customize>', '/golem customize'],
  ['<t:0:d> <t:0:t> <t:1767225600:R>', '1970-01-01 00:00 in 0 seconds'],
  ['# Big\n## Less\n### Small\n-# tiny\n#none', 'Big\nLess\nSmall\ntiny\n#none'],
  ['- a\n* b\n  - c\n1. d', '• a\n• b\n  • c\n1. d'],
  ['> quoted **text**\nnot', '> quoted text\nnot'],
  ['a\n>>> all\nof it', 'a\n> all\n> of it'],
  ['>none', '>none'],
  ['```ts\nconst a = **1**\n```', 'const a = **1**'],
  ['```one line```', 'one line'],
  ['before\n```\n> <@1>\n```\nafter', 'before\n> <@1>\nafter'],
  ['> ```\n> in a quote\n> ```\nout', '> in a quote\nout'],
  ['> # Title\n> - item', '> Title\n> • item'],
])('%j', (text, expected) => {
  expect(seen(text)).toBe(expected)
})

describe('links', () => {
  it.each([
    ['[label](https://x.example/a)', 'label', 'https://x.example/a'],
    ['[**bold** label](<https://x.example/a>)', 'bold label', 'https://x.example/a'],
    ['[l](https://x.example/a_(b) "title")', 'l', 'https://x.example/a_(b)'],
    ['see https://x.example/a_b_c, and', 'https://x.example/a_b_c', 'https://x.example/a_b_c'],
    ['(https://x.example/a)', 'https://x.example/a', 'https://x.example/a'],
    ['<https://x.example/a>', 'https://x.example/a', 'https://x.example/a'],
  ])('%s', (text, label, url) => {
    expect(links(text)).toEqual([{ text: label, url }])
  })

  it.each([
    '[a](javascript:alert)',
    '[https://a.example](https://b.example)',
    '`https://x.example`',
    '[a]()',
  ])('%s hides no address behind a label', (text) => {
    expect(links(text).filter((link) => link.text !== link.url)).toEqual([])
  })
})

it('text without marks is seen as it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ,.!?äöü漢字]{0,60}$/u), (text) => {
      fc.pre(!/^\s|^>|^\d+\./m.test(text))
      expect(seen(text)).toBe(text)
    }),
  )
})

it('any text is shown, and in time', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '*',
          '_',
          '`',
          '~',
          '|',
          '<',
          '>',
          '[',
          ']',
          '(',
          ')',
          '\\',
          'a',
          ' ',
          '\n',
          '@1',
          'https://x.e',
        ),
      ),
      (parts) => {
        seen(parts.join(''))
      },
    ),
  )
  const start = performance.now()
  for (const mark of ['*', '_', '`', '~', '|', '[', '**a', '__', '<', '> ', '[a](', '`a', '||'])
    seen(mark.repeat(2_000 / mark.length))
  expect(performance.now() - start).toBeLessThan(3_000)
})
