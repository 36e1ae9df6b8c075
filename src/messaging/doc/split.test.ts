import fc from 'fast-check'
import type { Nodes } from 'mdast'
import { describe, expect, it } from 'vitest'
import { parseMarkdown } from './parse.js'
import { plainText } from './plain.js'
import { splitMarkdown } from './split.js'

const bare = (text: string) => text.replace(/[\s•☐☑]+/g, '').replace(/^>|(?<=\n)>/g, '')
const visible = (markdown: string) => bare(plainText(parseMarkdown(markdown)).replace(/^[ >]+/gm, ''))
const together = (pieces: readonly string[]) => pieces.map(visible).join('')
const fences = (markdown: string) => {
  const found: string[] = []
  const walk = (node: Nodes): void => {
    if (node.type === 'code') found.push(node.lang ?? '')
    else if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(parseMarkdown(markdown))
  return found
}
const units = (text: string) => text.length
const bytes = (text: string) => Buffer.byteLength(text)
const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').length

describe('where it is cut', () => {
  it('a text that fits is left alone', () => {
    expect(splitMarkdown('  a\n\nb\n', 20)).toEqual(['  a\n\nb\n'])
    expect(splitMarkdown(' \n', 20)).toEqual([])
  })
  it('between paragraphs first', () => {
    expect(splitMarkdown('one two three.\n\nfour five six.', 22)).toEqual([
      'one two three.',
      'four five six.',
    ])
  })
  it('then lines, sentences, words', () => {
    expect(splitMarkdown('one two\nthree four\nfive', 20)).toEqual(['one two\nthree four', 'five'])
    expect(splitMarkdown('One two. Three four. Five six.', 24)).toEqual(['One two. Three four.', 'Five six.'])
    expect(splitMarkdown('one two three four', 10)).toEqual(['one two', 'three four'])
    expect(splitMarkdown('第一句话。第二句话。第三句', 11)).toEqual(['第一句话。第二句话。', '第三句'])
  })
  it('a heading stays with what it heads', () => {
    expect(splitMarkdown('aaaa bbbb cccc\n\n# Head\n\ndddd eeee ffff gggg', 20)).toEqual([
      'aaaa bbbb cccc',
      '# Head\n\ndddd eeee',
      'ffff gggg',
    ])
  })
  it('a fence is closed and opened again with its info string', () => {
    expect(splitMarkdown('```js x\nconst a = 1\nconst b = 2\n```\n\nend', 26)).toEqual([
      '```js x\nconst a = 1\n```',
      '```js x\nconst b = 2\n```',
      'end',
    ])
    expect(splitMarkdown('~~~\naaaaaaaa\nbbbbbbbb\n~~~', 18)).toEqual([
      '~~~\naaaaaaaa\n~~~',
      '~~~\nbbbbbbbb\n~~~',
    ])
  })
  it('a fence in a list and one in a quote keep their container', () => {
    const list = splitMarkdown('- a\n  ```js\n  one()\n    two()\n  ```\n- b', 26)
    expect(list.flatMap(fences)).toEqual(['js', 'js'])
    expect(list.map((piece) => plainText(parseMarkdown(piece))).join('|')).toContain('one()|  two()')
    const quote = splitMarkdown('> ```js\n> one()\n> two()\n> three()\n> ```', 28)
    expect(quote).toEqual(['> ```js\n> one()\n> ```', '> ```js\n> two()\n> ```', '> ```js\n> three()\n> ```'])
  })
  it('indentation inside code survives, and blanks lines with it', () => {
    const pieces = splitMarkdown('```\na\n\n    b\n\n    c\n```', 15)
    expect(pieces.map((piece) => plainText(parseMarkdown(piece)).split('\n'))).toContainEqual(['    c'])
  })
  it('emphasis is closed and opened again', () => {
    expect(splitMarkdown('a **one two three** b', 14)).toEqual(['a **one two**', '**three** b'])
    expect(splitMarkdown('**one _two three_ four**', 16)).toEqual(['**one _two_**', '**_three_ four**'])
    expect(splitMarkdown('> aa **bb\n> cc dd** ee', 16)).toEqual(['> aa **bb**', '> **cc dd** ee'])
  })
  it('links, tokens and mentions are never cut', () => {
    const link = '[a long label](https://x.example/a_(b))'
    expect(splitMarkdown(`see ${link} now`, 42)).toEqual(['see', link, 'now'])
    expect(splitMarkdown('aaaa bbbb <@123456789> cc', 16)).toEqual(['aaaa bbbb', '<@123456789> cc'])
    expect(splitMarkdown('交给@张三李四处理吧', 7)).toEqual(['交给', '@张三李四处理', '吧'])
    expect(splitMarkdown('aaa https://x.example/bbb ccc', 22)).toEqual([
      'aaa',
      'https://x.example/bbb',
      'ccc',
    ])
    expect(splitMarkdown('aaaa &amp;&amp; bbb', 8).join(' ')).not.toMatch(/&amp?( |$)|(^| )(amp|mp|p)?;/)
  })
  it('a code span longer than a piece goes on as code', () => {
    const pieces = splitMarkdown(`Run \`${'abcdefgh '.repeat(20)}end\` and **${'bold '.repeat(10)}end**`, 60)
    for (const piece of pieces) expect((piece.match(/`/g) ?? []).length % 2).toBe(0)
    expect(together(pieces)).toBe(`Run${'abcdefgh'.repeat(20)}endand${'bold'.repeat(10)}end`)
  })
  it('characters are never cut', () => {
    const emoji = `a${'😀'.repeat(2100)}`
    const pieces = splitMarkdown(emoji, 4096)
    expect(pieces.join('')).toBe(emoji)
    for (const piece of pieces) expect(piece).not.toMatch(/\p{Cs}/u)
    for (const unit of ['👩‍👩‍👧', '🇩🇪', 'é'.normalize('NFD'), '각'.normalize('NFD')]) {
      for (const piece of splitMarkdown(unit.repeat(50), 37)) expect(piece.length % unit.length).toBe(0)
    }
  })
  it('a word that would begin a list is not put first', () => {
    expect(splitMarkdown('aaaa bbbb - cccc dddd', 11)).toEqual(['aaaa bbbb -', 'cccc dddd'])
  })
  it('a nested list that begins a piece is moved to the margin', () => {
    expect(splitMarkdown('- aaaa\n    - bbbb\n    - cccc\n- dddd', 14)).toEqual([
      '- aaaa',
      '- bbbb\n- cccc',
      '- dddd',
    ])
  })
  it('a table that is cut may repeat its header', () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |'
    expect(splitMarkdown(table, 42)).toEqual(['| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |', '| 5 | 6 |'])
    expect(splitMarkdown(table, 42, units, { repeatTableHeader: true })).toEqual([
      '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |',
      '| a | b |\n|---|---|\n| 5 | 6 |',
    ])
  })
  it('a backslash that breaks no line is kept', () => {
    const word = 'a'.repeat(99)
    expect(splitMarkdown(`C:\\\n\n${word}`, 100)).toEqual(['C:\\', word])
    expect(splitMarkdown(`C:\\\n${word}`, 100)).toEqual(['C:', word])
  })
  it('is measured in the platform’s unit', () => {
    const pieces = splitMarkdown('汉'.repeat(12_000), 30_720, bytes)
    expect(pieces.join('')).toBe('汉'.repeat(12_000))
    for (const piece of pieces) expect(bytes(piece)).toBeLessThanOrEqual(30_720)
    const escaped = splitMarkdown('a<b&c '.repeat(700), 4096, html)
    for (const piece of escaped) expect(html(piece)).toBeLessThanOrEqual(4096)
  })
  it('never loops when nothing fits', () => {
    expect(splitMarkdown('😀😀 ab', 1).join('')).toBe('😀😀ab')
    expect(splitMarkdown('```js\nab\n```', 3).join('').length).toBeGreaterThan(0)
    expect(splitMarkdown('**ab** [x](yyyyyyyyyyyyyyyyyyyyyyyy)', 5).length).toBeGreaterThan(1)
  })
})

// ---- laws -------------------------------------------------------------------------------------------------------

const word = fc.stringMatching(/^[a-z]{1,9}$/)
const words = fc.array(word, { minLength: 1, maxLength: 8 }).map((list) => list.join(' '))
const span = fc.oneof(
  { weight: 5, arbitrary: words },
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `~~${text}~~`),
  words.map((text) => `**${text} _${text}_**`),
  words.map((text) => `\`${text}\``),
  fc.tuple(word, word).map(([label, path]) => `[${label} ${label}](https://x.example/${path})`),
  word.map((path) => `https://x.example/${path}_b`),
  fc.constantFrom(
    '<@12345>',
    '2 * 3',
    'a \\* b',
    '&amp;',
    '汉字测试，很长的一段文字。',
    '😀👩‍👩‍👧',
    'ok? Yes.',
    '"quoted"',
  ),
)
const sentence = fc.array(span, { minLength: 1, maxLength: 6 }).map((list) => `${list.join(' ')}.`)
const code = fc.array(
  fc.oneof(
    words,
    words.map((text) => `  ${text}`),
    fc.constant(''),
  ),
  { minLength: 1, maxLength: 8 },
)
const block = fc.oneof(
  { weight: 3, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 3 }).map((list) => list.join('\n')) },
  sentence.map((text) => `## ${text}`),
  fc
    .tuple(fc.constantFrom('', 'js', 'c++ title'), code)
    .map(([info, lines]) => `\`\`\`${info}\nx\n${lines.join('\n')}\ny\n\`\`\``),
  fc
    .array(sentence, { minLength: 1, maxLength: 4 })
    .map((list) => list.map((text) => `- ${text}`).join('\n')),
  fc.tuple(sentence, sentence, words).map(([a, b, c]) => `- ${a}\n  - ${b}\n    - ${c}\n- ${b}`),
  fc
    .tuple(words, code)
    .map(
      ([a, lines]) =>
        `- ${a}\n\n  \`\`\`sh\n  x\n${lines.map((l) => (l ? `  ${l}` : '')).join('\n')}\n  y\n  \`\`\`\n- end`,
    ),
  fc.array(words, { minLength: 1, maxLength: 3 }).map((list) => list.map((text) => `> ${text}`).join('\n')),
  fc
    .array(fc.tuple(word, word), { minLength: 1, maxLength: 4 })
    .map((rows) => `| h | k |\n|---|---|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join('\n')}`),
)
const text = fc.array(block, { minLength: 1, maxLength: 6 }).map((list) => list.join('\n\n'))
/** Tables that are cut show their bars; that is the one difference a cut makes. */
const seen = (value: string) => value.replace(/\|/g, '')

describe('laws', () => {
  it('the pieces show what the text shows, none too long, fences whole', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 60, max: 400 }),
        fc.constantFrom(units, bytes, html),
        (value, max, measure) => {
          const pieces = splitMarkdown(value, max, measure)
          for (const piece of pieces) expect(measure(piece)).toBeLessThanOrEqual(max)
          expect(seen(together(pieces))).toBe(seen(visible(value)))
          const infos = new Set(fences(value))
          for (const piece of pieces) for (const info of fences(piece)) expect(infos).toContain(info)
        },
      ),
      { numRuns: 200 },
    )
  })
  it('any text: pieces within the limit, every word kept in order, no character cut', () => {
    const piece = fc.constantFrom(
      '*',
      '_',
      '`',
      '```\n',
      '[',
      '](',
      ')',
      '> ',
      '- ',
      '1. ',
      '\n',
      '\n\n',
      '|',
      '-|-',
      'word',
      ' ',
      '<',
      '&amp;',
      '\\',
      '~~',
      '# ',
      'https://a.b/',
      '    ',
      '\t',
      '汉',
      '\r\n',
      '😀',
      '🇩🇪',
      '@a',
      'é'.normalize('NFD'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 40, max: 80 }), (parts, max) => {
        const value = parts.join('')
        const pieces = splitMarkdown(value, max)
        for (const part of pieces) {
          expect(part.length).toBeLessThanOrEqual(max)
          expect(part).not.toMatch(/\p{Cs}/u)
        }
        const letters = (t: string) =>
          t.replace(/[^\p{L}\p{M}\p{Emoji_Presentation}\u{1f1e6}-\u{1f1ff}]/gu, '')
        expect(letters(pieces.join(''))).toBe(letters(value))
      }),
      { numRuns: 500 },
    )
  })
})

describe('speed', () => {
  const long = Array.from(
    { length: 200 },
    (_, i) =>
      `## Part ${i}\n\nSome *text* with \`code\` and a [link](https://x.example/${i}), ${'words and more '.repeat(8)}\n\n\`\`\`ts\n${'const a = 1\n'.repeat(8)}\`\`\`\n\n| a | b |\n|---|---|\n${`| ${i} | x |\n`.repeat(6)}`,
  )
    .join('\n')
    .slice(0, 100_000)
  it('100,000 characters with fences and tables', () => {
    splitMarkdown(long, 2000)
    const start = process.cpuUsage()
    const pieces = splitMarkdown(long, 2000)
    const took = process.cpuUsage(start).user / 1000
    expect(pieces.length).toBeGreaterThan(35)
    // Some 15 ms on a quiet machine; the bound leaves room for a busy one.
    expect(took).toBeLessThan(500)
  })
  it.each([
    ['one line', 'word '.repeat(20_000)],
    ['no blanks', 'a'.repeat(100_000)],
    ['emphasis', '*a_'.repeat(33_000)],
    ['brackets', '['.repeat(100_000)],
    ['links', '[a](b'.repeat(20_000)],
    ['ticks', '`'.repeat(100_000)],
    ['marks', `a${'\u0301'.repeat(100_000)}`],
    ['lines', '\n'.repeat(100_000)],
    ['open fence', `\`\`\`\n${'a\n'.repeat(50_000)}`],
  ])('hostile %s are cut fast', (_, value) => {
    const start = process.cpuUsage()
    splitMarkdown(value, 2000)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(3000)
  })
})
