import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MASK, maskedRanges, maskText } from './mask.js'

const kinds = (text: string) =>
  maskedRanges(text).map((range) => `${range.kind} ${text.slice(range.start, range.end)}`)

describe('what is masked', () => {
  it.each([
    ['code', 'a `@b` c', ['code `@b`']],
    ['code with a tick inside', 'a ``x`@b`` c', ['code ``x`@b``']],
    ['an unclosed tick is text', 'a ` @b', []],
    ['an escaped tick is text', 'a \\`@b\\` c', []],
    ['code ends with its paragraph', 'a `b\n\n@c` d', []],
    ['a fence', 'x\n```js\n@Injectable()\n```\n@b', ['fence ```js\n@Injectable()\n```']],
    ['a tilde fence', '~~~\n@b\n~~~', ['fence ~~~\n@b\n~~~']],
    ['a fence in a list', '- ```\n  @b\n  ```', ['fence - ```\n  @b\n  ```']],
    ['a fence ends with its list item', '- ```\n@b', ['fence - ```']],
    ['also one on a line below the mark', '- a\n  ```\n  @b\n@c', ['fence   ```\n  @b']],
    ['also one under a mark alone', '*\n  ```\n@b', ['fence   ```']],
    ['a rule is no list', '* **\n  ```\n@b', ['fence   ```\n@b']],
    ['an item that has gone on', '- a\nb\n  ```\n@b', ['fence   ```']],
    ['an unclosed fence, to the end', '```\n@b\n\n@c', ['fence ```\n@b\n\n@c']],
    ['three ticks on one line are code', '```@b``` @c', ['code ```@b```']],
    ['a quote is its lines only', '> @a\n@b', ['quote > @a']],
    ['a URL', 'see https://x.example/@b, ok', ['url https://x.example/@b']],
    ['a URL in brackets', '(https://x.example/a_(b))', ['url https://x.example/a_(b)']],
    ['a URL before Chinese text', '看https://x.example/a这里@b', ['url https://x.example/a']],
    ['a www address', 'www.x.example/@b', ['url www.x.example/@b']],
    ['an address', 'mail bob@x.example.', ['email bob@x.example']],
    ['no address without a dot', 'bob@x', []],
    ['a link whole', '[@b](https://x.example/b) @c', ['link [@b](https://x.example/b)']],
    ['an image', '![@b](x.png)', ['link ![@b](x.png)']],
    ['an address with a blank is no link', '[](word @b)', []],
    [
      'a title belongs to the link',
      '[a](b "@c") [a](<b c> (@d))',
      ['link [a](b "@c")', 'link [a](<b c> (@d))'],
    ],
    ['code ends with a heading', '`a\n---\n@b`', []],
    ['brackets alone are text', '[@b] (@c)', []],
    ['quotation marks are text', '"@b" “@c”', []],
  ])('%s', (_, text, expected) => {
    expect(kinds(text)).toEqual(expected)
  })
})

const markup = fc
  .array(
    fc.constantFrom(
      '`',
      '```',
      '\n',
      '\n\n',
      '> ',
      '[',
      '](',
      ')',
      '@a',
      'a@b.c',
      'https://x/',
      'www.a',
      '\\',
      ' ',
      '汉',
      '\r\n',
      '~~~',
      '- ',
      '😀',
      '!',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

describe('laws', () => {
  it('masking keeps the length, the lines and everything outside the ranges', () => {
    fc.assert(
      fc.property(fc.oneof(markup, fc.string({ unit: 'grapheme' })), (text) => {
        const masked = maskText(text)
        expect(masked.length).toBe(text.length)
        let last = 0
        for (const { start, end } of maskedRanges(text)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          last = end
        }
        for (let at = 0; at < text.length; at++) {
          if (text[at] === '\n' || masked[at] !== MASK) expect(masked[at]).toBe(text[at])
        }
      }),
    )
  })
  it('masking twice masks nothing new of what addresses', () => {
    fc.assert(
      fc.property(markup, (text) => {
        const once = maskText(text)
        expect([...maskText(once)].filter((c) => c === '@').length).toBeLessThanOrEqual(
          [...once].filter((c) => c === '@').length,
        )
      }),
    )
  })
})

describe('speed', () => {
  it.each([
    ['ats', 'a@'.repeat(50_000)],
    ['ticks', Array.from({ length: 440 }, (_, i) => '`'.repeat(i)).join(' ')],
    ['links', '[a](b'.repeat(20_000)],
    ['brackets', '['.repeat(100_000)],
    ['schemes', 'a://'.repeat(25_000)],
    ['closed links', '[a]('.repeat(12_000) + ')'.repeat(50_000)],
    ['www', 'www.'.repeat(25_000)],
    ['dots', `${'a.'.repeat(50_000)}@b`],
  ])('hostile %s are fast', (_, text) => {
    const start = process.cpuUsage()
    maskText(text)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1500)
  })
})
