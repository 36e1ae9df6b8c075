import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Doc, type Limits, parseDoc, plainText, withMentions } from '../../src/messaging/contract.js'
import slack from './index.js'
import { LIMITS, MOST_BLOCK_UNITS, MOST_BLOCKS, MOST_FALLBACK_BYTES } from './limits.js'
import type { Block, Leaf, RichElement, SlackBody } from './rich.js'

const MEMBERS = [
  { name: 'alice', id: 'U00000011' },
  { name: 'acme', id: 'U00000013' },
  { name: 'ann', id: 'U00000012' },
]

/** As the core does: names of members become mentions where the text may address somebody. */
function named(markdown: string): Doc {
  return withMentions(
    parseDoc(markdown),
    (_, masked) =>
      MEMBERS.flatMap(({ id, name }) =>
        [...masked.matchAll(new RegExp(`(?<![\\w@/.])@${name}(?![\\w/])`, 'g'))].map(({ index }) => ({
          start: index,
          end: index + name.length + 1,
          mention: { target: 'user' as const, id, name },
        })),
      ),
    { quotes: true },
  )
}

const write = (doc: Doc | string, limits: Limits = LIMITS) =>
  slack.codec.write(typeof doc === 'string' ? parseDoc(doc) : doc, limits)
const bodyOf = (doc: Doc | string): SlackBody => {
  const parts = write(doc)
  expect(parts).toHaveLength(1)
  return parts[0]?.body as SlackBody
}
const elements = (doc: Doc | string): RichElement[] =>
  bodyOf(doc).blocks.flatMap((block) => (block.type === 'rich_text' ? block.elements : []))
const leaves = (doc: Doc | string): Leaf[] =>
  elements(doc).flatMap((element) =>
    element.type === 'rich_text_list' ? element.elements.flatMap((item) => item.elements) : element.elements,
  )
const textOf = (all: readonly Leaf[]): string =>
  all.map((leaf) => ('text' in leaf ? leaf.text : '@')).join('')

describe('named cases', () => {
  it('sl-outbound-scan-email-code-url: only a member’s name in text is a mention', () => {
    const markdown =
      'Mail ops@acme.example, run `npm i @acme/cli`, read https://git.example/@alice/x and ping @alice'
    const [part] = write(named(markdown))
    expect(part?.mentions).toEqual(['U00000011'])
    expect(leaves(named(markdown)).filter(({ type }) => type === 'user')).toHaveLength(1)
    for (const unchanged of ['ops@acme.example', 'npm i @acme/cli', 'https://git.example/@alice/x'])
      expect(part?.text).toContain(unchanged)
  })

  it.each([
    ['quoted: <@U00000055> said hi', []],
    ['<!channel> hello', []],
    ['<!subteam^S0001> x', []],
    ['if a < b && c > d', []],
    ['@here @channel @everyone', []],
    ['&lt;!channel&gt;', []],
    ['@ann done', ['U00000012']],
  ])('sl-agent-text-cannot-page-people: %j pages %j', (output, pages) => {
    const [part] = write(named(output))
    const visible = output.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    expect(part?.mentions).toEqual(pages)
    expect(part?.text).toBe(visible)
    const { blocks, text } = bodyOf(named(output))
    expect(JSON.stringify(blocks)).not.toMatch(/"type":"(?:broadcast|usergroup|channel)"/)
    // Beside the blocks nothing is a token either.
    expect(text).not.toMatch(/[<>]/)
  })

  it('a group or everybody is never paged, whoever resolved it', () => {
    const doc: Doc = {
      type: 'root',
      children: [
        {
          type: 'paragraph',
          children: [
            { type: 'mention', target: 'everyone', name: 'channel' },
            { type: 'mention', target: 'role', id: 'S1', name: 'devs' },
            { type: 'mention', target: 'user', id: '<!here>', name: 'x' },
          ],
        },
      ],
    }
    expect(write(doc)[0]).toMatchObject({ text: '@channel@devs@x', mentions: [] })
    expect(leaves(doc)).toEqual([{ type: 'text', text: '@channel@devs@x' }])
  })

  it('sl-heading-with-bold: no stray marks', () => {
    const [part] = write('### **Step 1**: install')
    expect(part?.text).toBe('Step 1: install')
    expect(leaves('### **Step 1**: install')).toEqual([
      { type: 'text', text: 'Step 1: install', style: { bold: true } },
    ])
  })

  it('sl-nested-list-keeps-depth: one item a line, each at its depth', () => {
    const found = elements('- parent\n  - child a\n    - leaf\n  - child b\n- next').flatMap((element) =>
      element.type === 'rich_text_list'
        ? element.elements.map((item) => [textOf(item.elements), element.indent])
        : [],
    )
    expect(found).toEqual([
      ['parent', 0],
      ['child a', 1],
      ['leaf', 2],
      ['child b', 1],
      ['next', 0],
    ])
  })

  it('sl-link-with-parentheses: balanced brackets belong to the address', () => {
    const markdown = 'See [Foo](https://wiki.example/Foo_(bar)) (and [b](https://b.example)) now'
    expect(leaves(markdown).filter(({ type }) => type === 'link')).toEqual([
      { type: 'link', url: 'https://wiki.example/Foo_(bar)', text: 'Foo' },
      { type: 'link', url: 'https://b.example', text: 'b' },
    ])
    expect(write(markdown)[0]?.text).toBe('See Foo (and b) now')
  })
})

describe('forms', () => {
  it('styles within a line, and styles in each other', () => {
    expect(leaves('a **b _c_** ~~d~~ `e *f*`')).toEqual([
      { type: 'text', text: 'a ' },
      { type: 'text', text: 'b ', style: { bold: true } },
      { type: 'text', text: 'c', style: { bold: true, italic: true } },
      { type: 'text', text: ' ' },
      { type: 'text', text: 'd', style: { strike: true } },
      { type: 'text', text: ' ' },
      { type: 'text', text: 'e *f*', style: { code: true } },
    ])
  })

  it('paragraphs are one section, as clients write them', () => {
    expect(elements('one\n\ntwo')).toEqual([
      { type: 'rich_text_section', elements: [{ type: 'text', text: 'one\n\ntwo' }] },
    ])
  })

  it('numbers go on after what interrupts a list', () => {
    const lists = elements('1. one\n\n   ```\n   code\n   ```\n2. two\n3. three')
    expect(lists).toMatchObject([
      { type: 'rich_text_list', style: 'ordered', elements: [{}] },
      { type: 'rich_text_preformatted', elements: [{ text: 'code' }] },
      { type: 'rich_text_list', style: 'ordered', offset: 1, elements: [{}, {}] },
    ])
    expect(elements('7. seven\n8. eight')).toMatchObject([{ offset: 6 }])
    expect(write('0. none')[0]?.text).toBe('• 0. none')
  })

  it('quotes, with lists and code in them', () => {
    expect(elements('> said\n> this\n>\n> - item\n>\n> ```\n> code\n> ```')).toMatchObject([
      { type: 'rich_text_quote', elements: [{ text: 'said\nthis' }] },
      { type: 'rich_text_list', border: 1 },
      { type: 'rich_text_preformatted', border: 1, elements: [{ text: 'code' }] },
    ])
  })

  it('rules, tasks, images, footnotes and HTML', () => {
    expect(bodyOf('a\n\n---\n\nb').blocks.map(({ type }) => type)).toEqual([
      'rich_text',
      'divider',
      'rich_text',
    ])
    expect(write('- [x] done\n- [ ] open')[0]?.text).toBe('• ☑ done\n• ☐ open')
    expect(leaves('![cat](https://x.example/cat.png)')).toEqual([
      { type: 'link', url: 'https://x.example/cat.png', text: 'cat' },
    ])
    expect(write('a<br>b')[0]?.text).toBe('a<br>b')
  })

  it('what Slack makes no link of keeps its address in sight', () => {
    expect(write('[notes](./notes.md)')[0]?.text).toBe('notes (./notes.md)')
    expect(write('[run](javascript:alert(1))')[0]?.text).toBe('run (javascript:alert(1))')
    expect(leaves('[a](mailto:a@b.example)')).toEqual([
      { type: 'link', url: 'mailto:a@b.example', text: 'a' },
    ])
  })

  it('the only table is a table, with what stands in its cells', () => {
    const { blocks } = bodyOf('| a | b |\n|---|--:|\n| `x` | [y](https://y.example) |\n| | 2 |')
    expect(blocks).toMatchObject([
      {
        type: 'table',
        column_settings: [{ align: 'left' }, { align: 'right' }],
        rows: [
          [{ type: 'rich_text' }, { type: 'rich_text' }],
          [{ type: 'rich_text' }, { type: 'rich_text' }],
          [
            { type: 'raw_text', text: ' ' },
            { type: 'raw_text', text: '2' },
          ],
        ],
      },
    ])
  })

  it('several tables stay in one post, in columns; Slack refuses a second table block', () => {
    const table = '| name | n |\n|---|--:|\n| 汉字 | 1 |\n| x | 22 |'
    const { blocks } = bodyOf(`${table}\n\nand\n\n${table}`)
    expect(blocks.filter(({ type }) => type === 'table')).toEqual([])
    expect(textOf(leaves(`${table}\n\nand\n\n${table}`))).toContain('name |  n\n汉字 |  1\nx    | 22')
    const withLink = '| a |\n|---|\n| [y](https://y.example) |'
    expect(leaves(`${withLink}\n\n${withLink}`).filter(({ type }) => type === 'link')).toHaveLength(2)
  })

  it('a table that is too wide or too long is text', () => {
    const wide = `|${' a |'.repeat(25)}\n|${'---|'.repeat(25)}\n|${' 1 |'.repeat(25)}`
    expect(bodyOf(wide).blocks.map(({ type }) => type)).toEqual(['rich_text'])
    const long = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(300)}`
    const parts = write(long)
    expect(
      parts
        .map(({ text }) => text)
        .join('\n')
        .match(/1 +\| +2/g),
    ).toHaveLength(300)
  })

  it('nothing for nothing', () => {
    for (const nothing of ['', ' \n', '[x]: https://x.example']) expect(write(nothing)).toEqual([])
  })

  it('the notification’s text is short, whole characters, and literal', () => {
    const { text } = bodyOf(`${'汉&'.repeat(3_000)}`)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_FALLBACK_BYTES)
    expect(text).toMatch(/^(?:汉&amp;)+汉?…$/)
    expect(bodyOf('*a* <b>').text).toBe('a &lt;b&gt;')
  })
})

describe('splitting', () => {
  const size = (body: unknown): number => JSON.stringify((body as SlackBody).blocks).length
  const checked = (doc: Doc, limits = LIMITS) => {
    const parts = write(doc, limits)
    for (const part of parts) {
      const { blocks } = part.body as SlackBody
      expect(part.text.length).toBeLessThanOrEqual(limits.text.max)
      expect(size(part.body)).toBeLessThanOrEqual(MOST_BLOCK_UNITS)
      expect(blocks.length).toBeLessThanOrEqual(MOST_BLOCKS)
      expect(blocks.filter(({ type }: Block) => type === 'table').length).toBeLessThanOrEqual(1)
    }
    return parts
  }
  const sized = (max: number): Limits => ({ ...LIMITS, text: { ...LIMITS.text, max } })

  it('a fence is closed and opened again, its lines whole', () => {
    const lines = Array.from({ length: 900 }, (_, at) => `const x${at} = ${at}`)
    const parts = checked(parseDoc(`\`\`\`js\n${lines.join('\n')}\n\`\`\``))
    expect(parts.length).toBeGreaterThan(1)
    expect(
      parts
        .map(({ text }) => text)
        .join('\n')
        .split('\n'),
    ).toEqual(lines)
    for (const { body } of parts)
      expect((body as SlackBody).blocks).toMatchObject([
        { type: 'rich_text', elements: [{ type: 'rich_text_preformatted' }] },
      ])
  })

  it('text behind sentences, else words; a heading goes with what it heads', () => {
    const sentence = 'Some words that make a sentence of a usual length. '
    const parts = checked(parseDoc(`${sentence.repeat(400)}\n\n## Next\n\n${sentence.repeat(400)}`))
    expect(parts.length).toBeGreaterThan(4)
    for (const { text } of parts) expect(text).toMatch(/\.$/)
    expect(parts.some(({ text }) => text.endsWith('Next'))).toBe(false)
  })

  it('never through a link, a mention, a code token or a character', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'word ',
            '👩‍👩‍👧‍👦',
            '🇩🇪',
            'é',
            '汉字，',
            '[a long label](https://x.example/a_(b)) ',
            '@alice ',
            '`npm i @acme/cli` ',
            '**bold words** ',
            '\n\n',
            '\n- item\n',
          ),
          { minLength: 20, maxLength: 120 },
        ),
        fc.integer({ min: 40, max: 200 }),
        (pieces, max) => {
          const doc = named(pieces.join(''))
          const parts = checked(doc, sized(max))
          const bare = (text: string): string => text.replace(/[\s•]+/g, '')
          expect(bare(parts.map(({ text }) => text).join(''))).toBe(bare(plainText(doc)))
          // The blocks: the text for notifications of a part that is nothing but a link is its label once more.
          const all = JSON.stringify(parts.map(({ body }) => (body as SlackBody).blocks))
          expect(all.match(/"text":"a long label"/g)?.length ?? 0).toBe(
            pieces.filter((piece) => piece.startsWith('[a long')).length,
          )
          expect(all).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('holds Slack’s limits whatever JSON escapes', () => {
    for (const text of ['"'.repeat(9_000), '\\'.repeat(9_000), 'a\u0001'.repeat(5_000), '`x` '.repeat(3_000)])
      checked(parseDoc(text))
    for (const depth of [1, 40]) checked(parseDoc(`${'> '.repeat(depth)}${'quoted words '.repeat(1_500)}`))
    checked(parseDoc('- a\n'.repeat(2_000)))
    checked(parseDoc('a\n\n---\n\n'.repeat(100)))
  })

  it('many short paragraphs are one post: what the core sends again as plain text stays whole', () => {
    const text = Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n\n')
    expect(checked(parseDoc(text))).toHaveLength(1)
  })
})
