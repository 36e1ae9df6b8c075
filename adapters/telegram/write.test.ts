import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Doc, type Limits, type Part, parseDoc } from '../../src/messaging/contract.js'
import { cutCharacter, follow } from '../../tests/conformance/kit/follow.js'
import { normalise, type Shows, squeezed } from '../../tests/conformance/kit/normalise.js'
import { at, markdown, naming } from '../../tests/conformance/kit/texts.js'
import { LIMITS } from './limits.js'
import { type TelegramBody, write } from './write.js'

/** How Telegram shows what a document holds. */
const SHOWS: Shows = {
  drawn: /^[•>|—]$/u,
  boxes: { done: ['☑'], open: ['☐'] },
  rules: ['———'],
  image: (alt, url) =>
    LINKABLE.test(url)
      ? { text: alt || url, link: true }
      : { text: alt === '' || url === '' ? alt || url : `${alt} (${url})`, link: false },
  linkable: (url) => LINKABLE.test(url),
  unlinked: (label, url) =>
    label === '' ? url : url === label || url === `mailto:${label}` ? label : `${label} (${url})`,
  repeatsHeader: false,
}
const LINKABLE = /^https?:\/\/[^\s/]/i

const bodyOf = (part: Part | undefined): TelegramBody => part?.body as TelegramBody
const textOf = (markdown: string) => write(parseDoc(markdown), LIMITS).map(bodyOf)
const covered = ({ text, entities }: TelegramBody, type: string) =>
  entities
    .filter((entity) => entity.type === type)
    .map(({ offset, length }) => text.slice(offset, offset + length))

/** What Telegram would make of a text by itself (tdlib/td, MessageEntity.cpp), outside what is marked already. */
const MENTION = /(?<![\p{L}\p{N}_])@\w{2,32}(?![\p{L}\p{N}_])/gu
const COMMAND = /(?<![\p{L}\p{N}_/<>])\/\w{1,64}(?:@\w{3,32})?(?![\p{L}\p{N}_/<>])/gu
function found({ text, entities }: TelegramBody): string[] {
  const closed = entities.filter(({ type }) => ['code', 'pre', 'text_link', 'text_mention'].includes(type))
  return [...text.matchAll(MENTION), ...text.matchAll(COMMAND)]
    .filter(({ 0: match, index }) =>
      closed.every(({ offset, length }) => index + match.length <= offset || index >= offset + length),
    )
    .map(([match]) => match)
}

/** The laws of every part. */
function check(doc: Doc, limits: Limits = LIMITS): readonly Part[] {
  const parts = write(doc, limits)
  const expected = normalise(doc, SHOWS)
  const { problem, ends } = follow(
    expected.atoms,
    parts.map(({ text }) => text),
    SHOWS,
  )
  expect(problem).toBeNull()
  expect(cutCharacter(expected.atoms, ends)).toBeNull()
  const links: string[] = []
  for (const part of parts) {
    const body = bodyOf(part)
    expect(body.text.length).toBeLessThanOrEqual(limits.text.max)
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(32_768)
    expect(body.entities.length).toBeLessThanOrEqual(100)
    expect(body.text).toBe(body.text.trim())
    expect(body.text).not.toMatch(/\p{Surrogate}/u)
    expect(found(body)).toEqual([])
    wellFormed(body)
    const ids = body.entities.flatMap(({ user }) => (user === undefined ? [] : [String(user.id)]))
    expect(part.mentions).toEqual([...new Set(ids)])
    for (const { type, url, offset, length } of body.entities)
      if (type === 'text_link') links.push(`${squeezed(body.text.slice(offset, offset + length))} ${url}`)
  }
  expect(new Set(parts.flatMap(({ mentions }) => mentions))).toEqual(new Set(expected.mentions))
  if (limits === LIMITS) expect(links).toEqual(expected.links.map(({ text, url }) => `${text} ${url}`))
  return parts
}

/** In bounds, not empty, and neither code nor links nor mentions over one another. */
function wellFormed({ text, entities }: TelegramBody): void {
  let free = 0
  for (const { type, offset, length } of entities) {
    expect(offset).toBeGreaterThanOrEqual(0)
    expect(length).toBeGreaterThan(0)
    expect(offset + length).toBeLessThanOrEqual(text.length)
    if (!['code', 'pre', 'text_link', 'text_mention'].includes(type)) continue
    expect(offset).toBeGreaterThanOrEqual(free)
    free = offset + length
  }
}

describe('formatting', () => {
  it('tg-underscores-in-urls: no mark inside an address or a name', () => {
    const text =
      'Logs: https://ci.example/run_7/out_a.txt and https://ci.example/run_8/out_b.txt, var my_var_name'
    const [body] = textOf(text)
    expect(body?.text).toBe(text)
    expect(body?.entities.map(({ type }) => type)).toEqual(['text_link', 'text_link'])
  })

  it('tg-asterisk-as-multiplication', () => {
    const [body] = textOf('Total: 2 * 3 * 4 = 24, area 5 * 6, **bold**')
    expect(body?.text).toBe('Total: 2 * 3 * 4 = 24, area 5 * 6, bold')
    expect(body?.entities).toEqual([{ type: 'bold', offset: 35, length: 4 }])
  })

  it('tg-html-in-code: nothing is escaped, because nothing is markup', () => {
    const [body] = textOf('Use `<T>`:\n\n```cpp\n#include <iostream>\nif (a && b < c) {}\n```')
    expect(covered(body as TelegramBody, 'code')).toEqual(['<T>'])
    expect(covered(body as TelegramBody, 'pre')).toEqual(['#include <iostream>\nif (a && b < c) {}'])
    expect(body?.entities.find(({ type }) => type === 'pre')?.language).toBe('cpp')
  })

  it('of everything GFM has', () => {
    const [body] = textOf(
      '# Title\n\n**bold `code` on** *it* ~~gone~~\n\n- a\n  - b\n    1. c\n- [x] done\n- [ ] open\n\n> said\n> > before\n\n[p](https://x.example/a_(b))\n\n![pic](https://x.example/i.png)\n\n***\n\n| n | v |\n|:--|--:|\n| a | 1 |\n| 汉 | 22 |',
    )
    expect(body?.text).toBe(
      'Title\n\nbold code on it gone\n\n• a\n  • b\n    1. c\n• ☑ done\n• ☐ open\n\nsaid\n\n> before\n\np\n\npic\n\n———\n\nn  |  v\na  |  1\n汉 | 22',
    )
    const { entities = [] } = body ?? {}
    expect(entities.map(({ type }) => type)).toEqual([
      ...['bold', 'bold', 'code', 'bold', 'italic', 'strikethrough'],
      ...['blockquote', 'text_link', 'text_link', 'pre'],
    ])
    expect(entities.find(({ type }) => type === 'text_link')?.url).toBe('https://x.example/a_(b)')
  })

  it('keeps the links of a table, at the price of its columns', () => {
    const [body] = textOf('| a | b |\n|--|--|\n| [x](https://x.example) | y |')
    expect(body?.text).toBe('a | b\nx | y')
    expect(body?.entities.map(({ type }) => type)).toEqual(['bold', 'text_link'])
  })

  it('keeps the indent of code at the front of a message', () => {
    const [body] = textOf('```\n    four\n  two\n```')
    expect(body).toEqual({
      text: '\u2060    four\n  two',
      entities: [{ type: 'pre', offset: 0, length: 15 }],
    })
    expect(write(parseDoc('```\n    four\n```'), LIMITS)[0]?.text).toBe('    four')
  })
})

describe('nothing in a text pings anybody', () => {
  const hostile = [
    '@bobby',
    'hi @bobby, /stop now',
    '/stop@otherbot',
    '[you](tg://user?id=5)',
    '<a href="tg://user?id=5">x</a>',
    '@*bobby*',
    '**/**stop',
    '(@all) @everyone @here',
    '`x`@bobby',
    '😀@bobby',
    'a\n@bobby',
    '| @bobby | [@bobby](https://x.example) |\n|--|--|\n| /stop | b |',
  ]
  it.each(hostile)('%j', (text) => {
    for (const part of check(parseDoc(text))) {
      expect(part.mentions).toEqual([])
      expect(
        bodyOf(part).entities.every(({ type, url }) => type !== 'text_mention' && !url?.startsWith('tg:')),
      ).toBe(true)
    }
  })

  it('and what is none stays as it is', () => {
    for (const text of [
      'mail a@b.example',
      'see /etc/hosts',
      'either/or',
      '3/4',
      'https://t.me/@bobby',
      '`@bobby`',
    ]) {
      expect(textOf(text)[0]?.text).not.toContain('\u2060')
    }
  })

  it('but a resolved mention is one', () => {
    const doc: Doc = {
      type: 'root',
      children: [
        {
          type: 'paragraph',
          children: [
            { type: 'mention', target: 'user', id: '5000000011', name: 'Ann  Lee' },
            { type: 'text', value: ' and ' },
            { type: 'mention', target: 'user', id: '-1001000000001', name: 'News' },
            { type: 'mention', target: 'agent', id: 'Otto', name: 'Otto' },
          ],
        },
      ],
    }
    const [part] = write(doc, LIMITS)
    expect(part?.mentions).toEqual(['5000000011'])
    expect(bodyOf(part)).toEqual({
      text: '@Ann Lee and @\u2060News@Otto',
      entities: [{ type: 'text_mention', offset: 0, length: 8, user: { id: 5000000011 } }],
    })
  })
})

describe('long texts', () => {
  it('tg-escaping-grows-past-limit: what is measured is what is sent', () => {
    for (const text of ['!'.repeat(4096), '> q\n'.repeat(1250), 'a<b&c '.repeat(700)]) {
      const parts = check(parseDoc(text))
      if (text.startsWith('!')) expect(parts).toHaveLength(1)
    }
  })

  it('tg-chunk-does-not-cut-markup: every part is well formed by itself', () => {
    const parts = check(parseDoc(`Run \`${'abcdefgh '.repeat(600)}end\` and **${'bold '.repeat(300)}end**`))
    expect(parts.length).toBeGreaterThan(1)
    expect(covered(bodyOf(parts[0]), 'code')).toHaveLength(1)
    expect(covered(bodyOf(parts[1]), 'code')).toHaveLength(1)
  })

  it('tg-emoji-not-cut-in-half', () => {
    const text = `a${'😀'.repeat(2100)}`
    expect(
      check(parseDoc(text))
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
    check(parseDoc(`a${'👨‍👩‍👧‍👦'.repeat(900)}${'🇩🇪'.repeat(900)}`))
  })

  it('a fence goes on with its language and its indent', () => {
    const parts = check(parseDoc(`\`\`\`ts\n${'    const a = 1\n'.repeat(400)}\`\`\``))
    expect(parts.length).toBeGreaterThan(1)
    for (const part of parts) {
      const { text, entities } = bodyOf(part)
      expect(entities).toEqual([{ type: 'pre', offset: 0, length: text.length, language: 'ts' }])
      expect(part.text.startsWith('    const')).toBe(true)
    }
  })

  it('the last message has room for the joiner that its front needs', () => {
    const doc = parseDoc(`- item\n\n  \`\`\`\n  long ${'a'.repeat(300)}\n  \`\`\``)
    for (let max = 298; max < 308; max++) {
      for (const part of write(doc, { ...LIMITS, text: { max, unit: 'utf16' } })) {
        expect(bodyOf(part).text.length).toBeLessThanOrEqual(max)
      }
    }
  })
  it('a heading stays with what it heads, a cut falls between blocks', () => {
    const block = `${'word '.repeat(160)}end.`
    const parts = check(
      parseDoc(Array.from({ length: 12 }, (_, n) => `## Part ${n}\n\n${block}`).join('\n\n')),
    )
    for (const { text } of parts) {
      expect(text.startsWith('Part ')).toBe(true)
      expect(text.endsWith('end.')).toBe(true)
    }
  })

  it('hundreds of links go over as many messages as their entities need', () => {
    const parts = check(
      parseDoc(Array.from({ length: 300 }, (_, n) => `[l${n}](https://x.example/${n})`).join(' ')),
    )
    expect(parts.length).toBeGreaterThan(3)
  })
})

describe('any document', () => {
  const NAMES = ['Ann', 'Ann Lee', '张三', 'b_o_b *x* <y> & [z](w) `v`']
  const people = NAMES.map((name, index) => ({ name, id: `500000001${index}` }))
  const texts = markdown(NAMES.map((name) => at({ name })))

  it('is seen whole: text, links and mentions, within the limits, with no character cut', () => {
    fc.assert(
      fc.property(texts, (text) => void check(naming(text, people))),
      { numRuns: 150 },
    )
    fc.assert(
      fc.property(texts, fc.integer({ min: 300, max: 700 }), (text, max) => {
        check(naming(text, people), { ...LIMITS, text: { max, unit: 'utf16' } })
      }),
      { numRuns: 150 },
    )
  })

  it('with names, commands and marks in any order pings nobody', () => {
    const bits = fc.constantFrom(
      '@bobby',
      '/stop',
      '/',
      '@',
      'a',
      ' ',
      '\n',
      '*',
      '`',
      '**',
      '_',
      '[',
      '](https://x.example)',
      '😀',
      '/x@botty',
      '<',
      '>',
    )
    const words = fc.array(bits, { maxLength: 60 }).map((all) => all.join(''))
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 40 }), (text, max) => {
        for (const part of write(parseDoc(text), { ...LIMITS, text: { max, unit: 'utf16' } })) {
          expect(found(bodyOf(part))).toEqual([])
          expect(part.mentions).toEqual([])
        }
      }),
      { numRuns: 500 },
    )
  })
})
