import fc from 'fast-check'
import type { Nodes, Text } from 'mdast'
import { describe, expect, it } from 'vitest'
import { maskText } from '../text/mask.js'
import { findMentions } from '../text/mention.js'
import { alignText } from './align.js'
import { markedDoc } from './marked.js'
import { addressable, type MentionSpan, mentionsOf, withMentions } from './mentions.js'
import { parseDoc, parseMarkdown } from './parse.js'
import { plainText } from './plain.js'
import { sourceText, toMarkdown } from './source.js'
import type { Doc } from './types.js'

const finder =
  (...names: string[]) =>
  (text: string, masked: string): MentionSpan[] =>
    findMentions(
      text,
      names.map((name) => ({ name })),
      { masked },
    ).mentions.map(({ start, end, candidate }) => ({
      start,
      end,
      mention: { target: 'agent', id: candidate.name, name: candidate.name },
    }))
/** Discord's own tokens, as an adapter finds them. */
const tokens = (_: string, masked: string): MentionSpan[] =>
  [...masked.matchAll(/<@!?(\d+)>/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    mention: { target: 'user', id: match[1] ?? '', name: `user${match[1]}` },
  }))
const read = (text: string, ...names: string[]): Doc => withMentions(parseDoc(text), finder(...names))
const named = (text: string, ...names: string[]) =>
  mentionsOf(read(text, ...names)).map((mention) => mention.name)

describe('who is named', () => {
  it.each([
    ['in plain text', 'ask @Otto and @Maren', ['Otto', 'Maren']],
    ['in emphasis', '**@Otto** _@Maren_ ~~@Otto~~', ['Otto', 'Maren', 'Otto']],
    [
      'in lists, headings and tables',
      '# @Otto\n\n- @Maren\n\n| a |\n|---|\n| @Otto |',
      ['Otto', 'Maren', 'Otto'],
    ],
    ['below a quote', '> @Otto said\n@Maren look', ['Maren']],
    ['not in code', '`@Otto` ``@Maren``', []],
    ['not in a fence', '```\n@Otto\n```', []],
    ['not in a quote', '> @Otto', []],
    ['not in a link', '[@Otto](https://git.example/@Maren)', []],
    ['not in an address', 'https://git.example/@Otto slack://x/ @a x@Otto.example', []],
    ['not glued to code', '`x`@Otto', []],
    ['after Chinese text behind an address', '看https://x.example/a这里@Otto 处理', ['Otto']],
    ['not when emphasis goes on a word', 'snake_@Otto_x', []],
    ['with an escape in the name', '@bob\\_smith', ['bob_smith']],
    ['in a text the parser does not read', `\`@Otto\` @Maren ${'*_'.repeat(2000)}`, ['Maren']],
  ])('%s', (_, text, expected) => {
    expect(named(text, 'Otto', 'Maren', 'bob_smith')).toEqual(expected)
  })
  it('quotes may hold mentions that read right and address nobody', () => {
    const doc = withMentions(parseDoc('> <@1> said\n<@2> look'), tokens, { quotes: true })
    expect(sourceText(doc, (mention) => `@${mention.name}`)).toBe('> @user1 said\n@user2 look')
    expect(mentionsOf(doc).map((mention) => mention.id)).toEqual(['2'])
  })
  it('tells the text rule what stands in code, for its hint', () => {
    const { text, masked } = addressable(parseDoc('use `@Otto` and [@Otto](x)'))
    expect(text.length).toBe(masked.length)
    expect(findMentions(text, [{ name: 'Otto' }], { masked }).nearMisses.map((miss) => miss.kind)).toEqual([
      'masked',
      'masked',
    ])
  })
  it('a second pass keeps what the first found', () => {
    const doc = withMentions(withMentions(parseDoc('<@1> @Otto hi'), tokens), finder('Otto'))
    expect(mentionsOf(doc).map((mention) => mention.target)).toEqual(['user', 'agent'])
    expect(sourceText(doc, () => null)).toBe('hi')
  })
})

const strip = (text: string, self = 'bot', ...others: string[]) =>
  sourceText(read(text, self, ...others), (mention) => (mention.name === self ? null : `@${mention.name}`))

describe('removing the bot’s own mention', () => {
  it.each([
    ['text glued to a mention survives', '@bot，帮我看看', '，帮我看看'],
    ['a colon survives', '@bot:help me', ':help me'],
    ['an address survives', '@bot mail bob@example.com about it', 'mail bob@example.com about it'],
    ['a scoped package survives', '@bot npm i @scope/pkg', 'npm i @scope/pkg'],
    ['a decorator survives', '@bot why does @Injectable() fail', 'why does @Injectable() fail'],
    ['other people survive', '@bot ask @alice to review', 'ask @alice to review'],
    ['names with blanks survive', '@bot ask @John Smith to review', 'ask @John Smith to review'],
    ['a repository survives', '@bot clone git@github.com:a/b.git', 'clone git@github.com:a/b.git'],
    ['one blank remains between words', 'hello @bot how', 'hello how'],
    ['one blank remains between Chinese words', '请看这张图 @bot 是什么', '请看这张图 是什么'],
    ['one blank remains where none was', '交给@bot处理', '交给 处理'],
    ['none before closing marks', 'hello @bot, how', 'hello, how'],
    ['line breaks survive', 'a\n@bot\n  b @bot\nc', 'a\n\n  b\nc'],
    ['two in a row leave one blank', 'a @bot @bot b', 'a b'],
    ['a bare mention leaves nothing', ' @bot ', ''],
    ['code keeps it', '@bot write `@bot` in the config', 'write `@bot` in the config'],
    ['everything else is verbatim', '@bot  2 * 3  **x** &amp; \\_ <b>', '2 * 3  **x** &amp; \\_ <b>'],
    ['a command follows it', '@bot /new', '/new'],
  ])('%s', (_, text, expected) => {
    expect(strip(text, 'bot', 'alice', 'John Smith')).toBe(expected)
  })
  it('a Chinese mention glued to its question never swallows it', () => {
    expect(strip('@小助手帮我查一下天气', '小助手')).toBe('@小助手帮我查一下天气')
    const glued = markedDoc('@小助手帮我查一下天气', [
      { kind: 'mention', start: 0, end: 4, mention: { target: 'user', id: 'b', name: '小助手' } },
    ])
    expect(sourceText(glued, () => null)).toBe('帮我查一下天气')
  })
  it('placeholders of other people become names', () => {
    const text = '@_user_1 请通知 @_user_10 和 @_user_2'
    const people: Record<string, string> = { '1': 'bot', '2': '李二', '10': '王十' }
    const doc = withMentions(parseDoc(text), (_, masked) =>
      [...masked.matchAll(/@_user_(\d+)/g)].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
        mention: { target: 'user', id: match[1] ?? '', name: people[match[1] ?? ''] ?? '' },
      })),
    )
    expect(sourceText(doc, (mention) => (mention.id === '1' ? null : `@${mention.name}`))).toBe(
      '请通知 @王十 和 @李二',
    )
  })
})

describe('outbound Markdown', () => {
  it('shows a text that was never Markdown as it is', () => {
    const marks = fc.constantFrom(...'\\`*_~[]()<>|&#-+=:.!1a @\n', '&amp;', '```\n', '- ', '1. ', '> ', '# ')
    fc.assert(
      fc.property(fc.array(marks, { minLength: 1, maxLength: 20 }), (parts) => {
        const value = parts
          .join('')
          .replace(/\s*\n\s*/g, '\n')
          .trim()
        const doc: Doc = {
          type: 'root',
          children: [{ type: 'paragraph', children: [{ type: 'text', value }] }],
        }
        const written = toMarkdown(doc, (mention) => mention.name)
        expect(plainText(parseDoc(written))).toBe(value)
      }),
    )
  })
  const out = (text: string, ...names: string[]) =>
    toMarkdown(
      read(text, ...names),
      (mention) => `<@${mention.id}>`,
      (plain) => plain.replace(/<(?=[@!#])|@(?=everyone|here)/g, (mark) => `${mark}\u200b`),
    )
  it.each([
    ['overlapping names', '@al and @alice', '<@al> and <@alice>'],
    [
      'the longest name',
      '@Support Bot please; cc @Support and @Nobody',
      '<@Support Bot> please; cc <@Support> and @Nobody',
    ],
    [
      'code and addresses stay',
      'ops@acme.example `npm i @acme/cli` https://git.example/@alice/x @alice',
      'ops@acme.example `npm i @acme/cli` https://git.example/@alice/x <@alice>',
    ],
    [
      'raw markup is text',
      '<@1> <!channel> @everyone `<@1>`',
      '<\u200b@1> <\u200b!channel> @\u200beveryone `<@1>`',
    ],
    ['dollar signs are data', '@alice **$$5** `$& $1`', '<@alice> **$$5** `$& $1`'],
    [
      'lists and fences are verbatim',
      '* a\n* @alice\n\n```c++\n@alice\n```\n',
      '* a\n* <@alice>\n\n```c++\n@alice\n```\n',
    ],
  ])('%s', (_, text, expected) => {
    expect(out(text, 'al', 'alice', 'acme', 'Support', 'Support Bot')).toBe(expected)
  })
})

const piece = fc.constantFrom(
  '@Otto',
  '@a',
  ' ',
  '*',
  '**',
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
  '|-|\n',
  'word',
  '<',
  '&amp;',
  '&#64;',
  '&nbsp;',
  '&ngE;',
  '\\_',
  '\\',
  '~~',
  '# ',
  'https://a.b/',
  '    ',
  '\t',
  '汉',
  '\r\n',
  '  \n',
  '@汉 ',
  '😀',
  '&',
  ';',
  '\0',
)
const markdown = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''))
/** Text that may hold mentions: none inside links. */
const texts = (node: Nodes): Text[] =>
  node.type === 'link'
    ? []
    : node.type === 'text'
      ? [node]
      : 'children' in node
        ? node.children.flatMap((child) => texts(child))
        : []

describe('laws', () => {
  it('every text node is found again in its source', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        for (const node of texts(parseMarkdown(text))) {
          const map = alignText(node, text)
          expect([text, node.value, map === undefined]).toEqual([text, node.value, false])
          expect(map).toHaveLength(node.value.length + 1)
        }
      }),
      { numRuns: 800 },
    )
  })
  it('making mentions changes no word, and putting them back gives the source', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const before = parseDoc(text)
        const doc = withMentions(before, finder('Otto', 'a'))
        expect(plainText(doc)).toBe(plainText(before).replaceAll('@Otto', '@Otto'))
        const written = toMarkdown(doc, (mention) => {
          const { start, end } = mention.position ?? { start: {}, end: {} }
          return text.slice(start.offset, end.offset)
        })
        expect(written).toBe(text)
      }),
      { numRuns: 600 },
    )
  })
  it('the scanner of plain text and the tree agree on who is named', () => {
    const mark = fc.constantFrom(
      '@Otto',
      '@Otto ',
      'word ',
      ' ',
      '**',
      '*',
      '_',
      '`',
      '``',
      '\n',
      '\n\n',
      '\n```\n',
      '\n- ```\n',
      '\n  ```\n',
      '\n  ',
      '\n> ',
      '\n- ',
      '[',
      '](',
      ') ',
      'a@b.example ',
      '汉',
      '，',
      '~~',
      '\n# ',
      '(',
      '    ',
    )
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 10 }), (parts) => {
        const text = parts.join('')
        const plain = finder('Otto')(text, maskText(text)).map((found) => found.start)
        const tree = mentionsOf(read(text, 'Otto')).map((mention) => mention.position?.start.offset)
        expect([text, tree]).toEqual([text, plain])
      }),
      { numRuns: 300 },
    )
  })
  it('removing everything that was found leaves nothing to find', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('@Otto', ' ', 'word', '\n', '，', '汉', '**'), { maxLength: 16 }),
        (parts) => {
          const doc = read(parts.join(' '), 'Otto')
          expect(
            named(
              sourceText(doc, () => null),
              'Otto',
            ),
          ).toEqual([])
        },
      ),
    )
  })
})
