import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDoc, parseMarkdown, plainDoc } from './parse.js'
import { plainText } from './plain.js'

const types = (text: string) => parseDoc(text).children.map((node) => node.type)
const phrasing = (text: string) => {
  const [first] = parseDoc(text).children
  return first?.type === 'paragraph' ? first.children.map((node) => node.type) : []
}

describe('the short cut', () => {
  const piece = fc.constantFrom(
    'word',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '.',
    ',',
    '!',
    '?',
    "'",
    '"',
    '@Otto',
    '-',
    '+',
    '=',
    '1.',
    '2)',
    ':',
    '#',
    '/',
    '好',
    '，',
    '😀',
    '(',
    ')',
    '{',
    '%',
    '$',
    '^',
    ';',
    'www',
    'http:',
    '//',
    'a@b.c',
    '*',
    '_',
    '>',
    '|',
    '\t',
    '\r\n',
    '\u00a0',
    '\u3000',
    '---',
    '\\',
    '&',
    'mailto:',
    '\0',
    '\ufeff',
    '\u2028',
  )
  it('law: gives the tree that the parser gives', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (parts) => {
        const text = parts.join('')
        const short = plainDoc(text)
        if (short !== undefined) expect(short).toEqual(parseMarkdown(text))
      }),
      { numRuns: 1500 },
    )
  })
  it('law: for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        const short = plainDoc(text)
        if (short !== undefined) expect(short).toEqual(parseMarkdown(text))
      }),
      { numRuns: 800 },
    )
  })
  it('takes what people write', () => {
    for (const text of [
      '@Golem how do I reset it?',
      '你好@小助手，帮我看看',
      'Two lines,\nand more: yes (50%).\n\nBye!',
    ]) {
      expect(plainDoc(text)).toBeDefined()
    }
  })
})

describe('what chats do differently', () => {
  it('a quote is only the lines that carry its mark', () => {
    expect(types('> quoted\n@Otto please\n> again\nmore')).toEqual([
      'blockquote',
      'paragraph',
      'blockquote',
      'paragraph',
    ])
    expect(types('```\n> a\nb\n```')).toEqual(['code'])
    const [, second] = parseDoc('> a\nb *c*').children
    expect(second?.position).toEqual({
      start: { line: 2, column: 1, offset: 4 },
      end: { line: 2, column: 6, offset: 9 },
    })
  })
  it('raw HTML and platform markup is text', () => {
    for (const text of [
      '<b>x</b> <!channel> <@U1> <at id=all></at>',
      '<!channel>',
      '<div>\n<b>x</b>\n</div>',
      '<!-- x -->',
    ]) {
      expect(plainText(parseDoc(text))).toBe(text)
    }
  })
  it('indentation alone makes no code', () => {
    expect(types('    @Otto hi\n\n    a *b*')).toEqual(['paragraph', 'paragraph'])
  })
  it('Chinese text after an address is no part of it', () => {
    const text = '看https://x.example/a这里，www.y.example，好'
    expect(phrasing(text)).toEqual(['text', 'link', 'text', 'link', 'text'])
    expect(plainText(parseDoc(text))).toBe(text)
    expect(phrasing('https://x.example/ä/ö')).toEqual(['link'])
  })
  it('references become links', () => {
    expect(phrasing('[a][r] ![b][r]\n\n[r]: https://x.example')).toEqual(['link', 'text', 'image'])
    expect(types('[r]: https://x.example')).toEqual([])
  })
})

describe('hostile text', () => {
  it.each([
    ['emphasis', '*a_'.repeat(13_000)],
    ['quotes', '> '.repeat(20_000)],
    ['quote marks', '>'.repeat(40_000)],
    ['brackets', '['.repeat(40_000)],
    ['strikes', '~~a'.repeat(13_000)],
    ['footnotes', '[^a'.repeat(13_000)],
    ['bullets', '- '.repeat(20_000)],
    ['line breaks', '\n'.repeat(100_000)],
    ['a million letters', 'a '.repeat(500_000)],
    ['code and quotes in a long text', `> a\n\n\`\`\`\ncode\n\`\`\`\n${'*x_ '.repeat(30_000)}`],
  ])('%s are read fast and lose nothing', (_, text) => {
    const start = process.cpuUsage()
    const doc = parseDoc(text)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(3000)
    expect(doc.source).toBe(text)
    plainText(doc)
  })
  it('code and quotes are still known in a text that the parser does not read', () => {
    const heavy = `> a\nb \`@c\`\n\`\`\`js\n@d()\n\`\`\`\nend [x](y) ${'*_'.repeat(3000)}`
    expect(types(heavy)).toEqual(['blockquote', 'paragraph', 'code', 'paragraph'])
    expect(plainText(parseDoc(heavy)).startsWith('> a\n\nb @c\n\n@d()\n\nend [x](y) *_')).toBe(true)
  })
  it('law: never throws, keeps the source', () => {
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
      'a',
      ' ',
      '<',
      '&amp;',
      '\\',
      '~~',
      '[^1]',
      ': ',
      '# ',
      'https://a.b/',
      '    ',
      '\t',
      '汉',
      '\r\n',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const doc = parseDoc(text)
        expect(doc.source).toBe(text)
        plainText(doc)
      }),
      { numRuns: 1000 },
    )
  })
})
