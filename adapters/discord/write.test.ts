import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Doc, type Limits, type Part, parseDoc, withMentions } from '../../src/messaging/contract.js'
import { showText } from '../../tests/simulators/discord/text/render.js'
import discord from './index.js'
import { LIMITS, TEXT_CHARACTERS } from './limits.js'
import type { DiscordBody } from './raw.js'
import { sizeOf } from './write-escape.js'

const MEMBERS = [
  { name: 'Support Bot', id: '600000000000000022' },
  { name: 'Support', id: '600000000000000021' },
  { name: 'Joe', id: '600000000000000041' },
]

/** As the core does: names of members become mentions where the text may address somebody. */
function named(markdown: string): Doc {
  return withMentions(
    parseDoc(markdown),
    (_, masked) => {
      const taken = new Set<number>()
      return MEMBERS.flatMap(({ id, name }) =>
        [...masked.matchAll(new RegExp(`(?<![\\w@/.])@${name}(?![\\w/])`, 'g'))].flatMap(({ index }) => {
          if (taken.has(index)) return []
          taken.add(index)
          return [
            { start: index, end: index + name.length + 1, mention: { target: 'user' as const, id, name } },
          ]
        }),
      )
    },
    { quotes: true },
  )
}

const write = (doc: Doc | string, limits: Limits = LIMITS): readonly Part[] =>
  discord.codec.write(typeof doc === 'string' ? parseDoc(doc) : doc, limits)
const bodyOf = (part: Part | undefined): DiscordBody => part?.body as DiscordBody
const contents = (doc: Doc | string, limits?: Limits): string[] =>
  write(doc, limits).map((part) => bodyOf(part).content)
const content = (doc: Doc | string): string => {
  const all = contents(doc)
  expect(all).toHaveLength(1)
  return all[0] ?? ''
}
const sized = (max: number): Limits => ({ ...LIMITS, text: { ...LIMITS.text, max } })
const textDoc = (value: string): Doc => ({
  type: 'root',
  children: [{ type: 'paragraph', children: [{ type: 'text', value }] }],
})
const NAMES = { user: (id: string) => id, role: () => 'role', channel: () => 'channel', now: () => 0 }
/** What Discord's app makes of it. */
const seen = (written: string) => showText(written, NAMES)
const bare = (text: string): string => text.replace(/[\s\u200b]+/g, '')

describe('named cases', () => {
  it('dc-outbound-longest-name-wins: the longer name, and nobody who is not there', () => {
    const [part] = write(named('@Support Bot please take this; cc @Support and @Nobody'))
    expect(bodyOf(part)).toEqual({
      content: '<@600000000000000022> please take this; cc <@600000000000000021> and @Nobody',
      allowed_mentions: { parse: [], users: ['600000000000000022', '600000000000000021'] },
      flags: 4,
    })
    expect(part?.mentions).toEqual(['600000000000000022', '600000000000000021'])
    expect(part?.text).toBe('@Support Bot please take this; cc @Support and @Nobody')
  })

  it('dc-name-map-follows-rename: who is called otherwise now is not called', () => {
    expect(content(named('@Joe and @Bob'))).toBe('<@600000000000000041> and @Bob')
  })

  it('dc-reply-target-deleted-multi-chunk: a long answer is parts, each whole by itself', () => {
    const parts = contents('word '.repeat(700))
    expect(parts).toHaveLength(2)
    expect(parts.join(' ')).toBe('word '.repeat(700).trim())
  })
})

describe('nobody is called by accident', () => {
  it.each([
    '@everyone',
    '@here now',
    '<@600000000000000021>',
    '<@!600000000000000021>',
    '<@&600000000000000021>',
    '<#600000000000000021>',
    '</ask:600000000000000021>',
    '<:x:600000000000000021>',
    '<a:x:600000000000000021>',
    '<t:0:R>',
    '<id:guide>',
    ':smile: at 10:30:45',
    'https://x.example/a',
    '<https://x.example>',
    '[a](https://x.example)',
    '**b** __u__ _i_ ~~s~~ ||p|| `c`',
    '¯\\_(ツ)_/¯ C:\\temp',
  ])('%j is text', (value) => {
    const [part] = write(textDoc(value))
    const { content: written, allowed_mentions } = bodyOf(part)
    expect(allowed_mentions).toEqual({ parse: [], users: [] })
    expect(seen(written)).toEqual({ text: value, links: [] })
    expect(part?.text).toBe(value)
  })

  it('roles, everybody, and ids that are none', () => {
    const mention = (target: 'everyone' | 'role' | 'user' | 'agent', id: string) => ({
      type: 'mention' as const,
      target,
      id,
      name: 'everyone',
    })
    const children = [
      mention('everyone', '1'),
      mention('role', '2'),
      mention('user', '3> @here'),
      mention('agent', '4'),
    ]
    const [part] = write({ type: 'root', children: [{ type: 'paragraph', children }] })
    expect(part?.mentions).toEqual([])
    expect(bodyOf(part).content).toBe('\\@everyone'.repeat(4))
  })

  it.each(['# a', '## a', '-# a', '- a', '* a', '+ a', '1. a', '> a', '>>> a', '  - a', '12. a'])(
    'a line %j stays a line',
    (value) => {
      for (const text of [value, `x\n${value}`]) {
        const shown = seen(contents(textDoc(text))[0] ?? '').text
        expect(shown.replace(/^ +/gm, '')).toBe(text.replace(/^ +/gm, ''))
      }
    },
  )

  it('any marks at all in a text are seen as they are', () => {
    const marks = fc.constantFrom(
      ...[
        '*',
        '_',
        '~',
        '`',
        '|',
        '<',
        '>',
        '#',
        '-',
        ':',
        '\\',
        '[',
        ']',
        '(',
        ')',
        '@here',
        '1.',
        '**',
        '~~',
      ],
      ...['a', ' ', '\n', '中', 'https://x.example', '-# ', '<@1>'],
    )
    fc.assert(
      fc.property(fc.array(marks, { minLength: 1, maxLength: 25 }), (all) => {
        const value = all.join('')
        const shown = contents(textDoc(value)).map((one) => seen(one))
        expect(bare(shown.map(({ text }) => text).join(''))).toBe(bare(value))
        expect(shown.flatMap(({ links }) => links)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

describe('forms', () => {
  it('styles within a line, and styles in each other', () => {
    expect(content('a **b _c_** ~~d~~ `e *f*`')).toBe('a **b** **_c_** ~~d~~ `e *f*`')
    expect(content('un*frigging*believable')).toBe('un*frigging*believable')
    expect(content('snake_case_name')).toBe('snake\\_case\\_name')
  })

  it('styles, code and text in any order are seen whole, without a stray mark', () => {
    const leaf = fc
      .constantFrom('a', 'b ', ' c', '中', '~', '_', '*', '.', '`', '|')
      .map((value) => ({ type: 'text' as const, value }))
    const code = fc
      .constantFrom('x', '`', 'a`b', '``', ' y')
      .map((value) => ({ type: 'inlineCode' as const, value }))
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        code,
        fc
          .tuple(
            fc.constantFrom('strong', 'emphasis', 'delete'),
            fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
          )
          .map(([type, children]) => ({ type, children })),
      ),
    }))
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 6 }), (children) => {
        const doc = { type: 'root', children: [{ type: 'paragraph', children }] } as unknown as Doc
        for (const part of write(doc)) expect(bare(seen(bodyOf(part).content).text)).toBe(bare(part.text))
      }),
      { numRuns: 1_000 },
    )
  })

  it('headings of three levels, deeper ones bold, none loses the mark it ends with', () => {
    expect(content('# a\n\n### b\n\n#### **c**\n\ntext')).toBe('# a\n### b\n**c**\n\ntext')
    expect(content('## About C#')).toBe('## About C#\u200b')
  })

  it('lists at their depth, numbers as they are, boxes', () => {
    expect(content('- a\n  - b\n    1. c\n    2. d\n- e')).toBe('- a\n  - b\n    1. c\n    2. d\n- e')
    expect(content('3. a\n4. b')).toBe('3. a\n4. b')
    expect(content('0. a\n1. b')).toBe('- 0\\. a\n- 1\\. b')
    expect(content('- [x] a\n- [ ] b')).toBe('- ☑ a\n- ☐ b')
    expect(write('- a\n- b')[0]?.text).toBe('• a\n• b')
  })

  it('lists beside each other stay apart, and what belongs to an item is in it', () => {
    expect(content('- a\n\n\n1. b')).toBe('- a\n\n1. b')
    expect(content('- a\n\n  b\n- c')).toBe('- a\n  b\n- c')
    expect(content('1. a\n\n   ```\n   x\n   ```\n2. b')).toBe('1. a\n```\nx\n```\n2. b')
  })

  it('quotes with everything in them, one deep', () => {
    expect(content('> a\n> b\n>\n> - c\n> > d\n\ne')).toBe('> a\n> b\n> \n> - c\n> \n> d\n\ne')
    expect(content('> ```ts\n> x\n> ```')).toBe('> ```ts\n> x\n> ```')
    expect(content('> a\n\nb')).toBe('> a\n\nb')
  })

  it('code with its language, and three backticks in it', () => {
    expect(content('```ts\nconst a = 1\n```')).toBe('```ts\nconst a = 1\n```')
    expect(content('```c#\nx\n```')).toBe('```cs\nx\n```')
    expect(content('```a b$\nx\n```')).toBe('```a\nx\n```')
    expect(bare(seen(content('````\n```\ninner\n```\n````')).text)).toBe('```inner```')
  })

  it('links: the address in angle brackets, so that nothing is shown of it', () => {
    expect(content('[l](https://x.example/a_(b)) https://x.example/?a=1&b=*c')).toBe(
      '[l](<https://x.example/a_(b)>) <https://x.example/?a=1&b=*c>',
    )
    expect(content('[l](https://x.example/a\\)b)')).toBe('[l](<https://x.example/a%29b>)')
    expect(content('[l](./notes.md) ![i](https://x.example/i.png)')).toBe(
      'l (./notes.md) [i](<https://x.example/i.png>)',
    )
    expect(content('[**b** `c`](https://x.example)')).toBe('[**b** `c`](<https://x.example>)')
  })

  it('what Discord would not take for a label is written beside its address', () => {
    for (const label of ['https://bank.example', '🎉 party', 'a [b', '2*3*4', ':smile:', '<@1>', '`@here`']) {
      const text = { type: 'text' as const, value: label }
      const link = { type: 'link' as const, url: 'https://x.example/', children: [text] }
      const [part] = write({ type: 'root', children: [{ type: 'paragraph', children: [link] }] })
      expect(part?.text).toBe(`${label} (https://x.example/)`)
      expect(seen(bodyOf(part).content).links).toEqual([
        { text: 'https://x.example/', url: 'https://x.example/' },
      ])
    }
    expect(content('[@everyone](https://x.example)')).toBe('[@**everyone**](<https://x.example>)')
  })

  it('narrow tables are drawn, others and those that call somebody are rows', () => {
    const table = '| Name | Count |\n| :-- | --: |\n| a | 1 |\n| 汉字 | 20 |'
    expect(content(table)).toBe('```\nName │ Count\n─────┼──────\na    │     1\n汉字 │    20\n```')
    expect(content(named('| who | what |\n|---|---|\n| @Joe | `x` |'))).toBe(
      '**who** | **what**\n<@600000000000000041> | `x`',
    )
    expect(content(`| a | b |\n|---|---|\n| ${'long '.repeat(10)} | ${'text '.repeat(10)} |`)).not.toContain(
      '```',
    )
  })

  it('rules, footnotes, HTML and pictures without a name', () => {
    expect(content('a\n\n---\n\nb')).toBe('a\n\n———\n\nb')
    expect(content('<b>x</b>')).toBe('\\<b>x\\</b>')
    expect(content('![](https://x.example/i.png)')).toBe('<https://x.example/i.png>')
  })
})

describe('parts', () => {
  it('are no longer than Discord takes, in characters as it counts them', () => {
    const all = contents(`${'👍'.repeat(1_500)} ${'👍'.repeat(1_500)}`)
    expect(all.map(sizeOf)).toEqual([1_500, 1_500])
    for (const one of contents('a*b_c'.repeat(2_000)))
      expect(sizeOf(one)).toBeLessThanOrEqual(TEXT_CHARACTERS)
  })

  it('code goes on in a fence of its own, behind a line', () => {
    const lines = Array.from({ length: 300 }, (_, line) => `const line${line} = ${line}`)
    const all = contents(`Look:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\nthat was it`)
    expect(all.length).toBeGreaterThan(2)
    for (const one of all.slice(1, -1)) expect(one).toMatch(/^```ts\nconst [\s\S]*\d\n```$/)
    expect(all.at(-1)).toMatch(/^```ts\n[\s\S]*\n```\nthat was it$/)
    expect(all.join('\n').match(/const line\d+ = \d+/g)).toEqual(lines)
  })

  it('a table goes on under its header', () => {
    const rows = Array.from({ length: 60 }, (_, row) => `| row ${row} | ${'x'.repeat(30)} |`)
    const all = contents(`| name | value |\n|---|---|\n${rows.join('\n')}`)
    expect(all.length).toBeGreaterThan(1)
    for (const one of all) expect(one).toMatch(/^```\nname {3,}│ value\n─+┼─+\nrow /)
  })

  it('a heading goes along with what it heads', () => {
    const all = contents(`${'a '.repeat(940)}\n\n# Title\n\n${'b '.repeat(100)}`)
    expect(all).toHaveLength(2)
    expect(all[1]).toMatch(/^# Title\nb /)
  })

  it('emphasis that is cut is emphasis on both sides', () => {
    const [first = '', second = ''] = contents(`**${'bold '.repeat(500)}end**`)
    expect(first).toMatch(/^\*\*bold [\s\S]*bold\*\*$/)
    expect(second).toMatch(/^\*\*bold [\s\S]*end\*\*$/)
  })

  it('links and mentions are whole wherever the cut falls', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 200 }), fc.integer({ min: 0, max: 80 }), (max, before) => {
        const text = `${'x'.repeat(before)} [some label](https://x.example/page) @Joe \`code token\` and more words`
        const parts = write(named(text), sized(max))
        const shown = parts.map((part) => seen(bodyOf(part).content))
        expect(shown.flatMap(({ links }) => links)).toEqual([
          { text: 'some label', url: 'https://x.example/page' },
        ])
        expect(parts.flatMap(({ mentions }) => mentions)).toEqual(['600000000000000041'])
        expect(parts.map((part) => bodyOf(part).content).join('\n')).toContain('`code token`')
        for (const part of parts) expect(sizeOf(bodyOf(part).content)).toBeLessThanOrEqual(max)
      }),
    )
  })

  it('nothing is written of nothing', () => {
    for (const text of ['', '   ', '\u200b', '[](x "y")', '```\n\n```']) {
      if (text.startsWith('[')) continue
      expect(write(text)).toEqual([])
    }
  })

  it('any text within any limit, without an end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 1, max: 60 }),
        (text, max) => {
          const parts = write(parseDoc(text), sized(max))
          expect(JSON.parse(JSON.stringify(parts))).toEqual(parts)
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['one paragraph', 'word '.repeat(20_000)],
    ['one word', 'w'.repeat(100_000)],
    ['marks', '*x*'.repeat(30_000)],
    ['one line of code', `\`\`\`\n${'c'.repeat(100_000)}\n\`\`\``],
    ['one quote', '> line\n'.repeat(15_000)],
  ])('100,000 characters of %s take no time to speak of', (_, text) => {
    const doc = parseDoc(text)
    const start = process.cpuUsage()
    expect(write(doc).length).toBeGreaterThan(40)
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_500)
  })
})
