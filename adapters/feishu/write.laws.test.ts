import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Doc, type Limits, plainText } from '../../src/messaging/contract.js'
import { cutCharacter, follow } from '../../tests/conformance/kit/follow.js'
import { normalise, type Shows } from '../../tests/conformance/kit/normalise.js'
import { at, markdown, naming } from '../../tests/conformance/kit/texts.js'
import { LIMITS } from './limits.js'
import { cardIn, readBack, requestSize, write } from './write.fixture.js'

const SHOWS: Shows = {
  drawn: /^[•>|—]$/u,
  boxes: { done: ['☑', '[x]'], open: ['☐', '[ ]'] },
  rules: ['———'],
  image: (alt, url) => ({ text: alt === '' ? url : alt, link: true }),
  linkable: (url) => /^https?:\/\/[^\s/]\S*$/i.test(url),
  unlinked: (label, url) => {
    const address = url.replace(/^(?:mailto|tel):/i, '')
    return address === label || url === label || address === '' ? label : `${label || url} (${address})`
  },
  repeatsHeader: true,
}

describe('laws', () => {
  const NAMES = ['Ann', 'Ann Lee', '张三', 'b_o_b *x* <y> & [z](w) `v`']
  const people = NAMES.map((name, index) => ({ name, id: `ou_${index + 1}` }))
  const sized = (max: number): Limits => ({ ...LIMITS, text: { ...LIMITS.text, max } })
  const bare = (text: string): string => text.replace(/[\s•>|—\u200b]+/gu, '')

  function check(doc: Doc, limits: Limits): void {
    const parts = write(doc, limits)
    const expected = normalise(doc, SHOWS)
    const { problem, ends } = follow(
      expected.atoms,
      parts.map((part) => part.text),
      SHOWS,
    )
    expect(problem).toBeNull()
    expect(cutCharacter(expected.atoms, ends)).toBeNull()
    expect(new Set(parts.flatMap((part) => part.mentions))).toEqual(new Set(expected.mentions))
    for (const part of parts) {
      expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(limits.text.max)
      expect(requestSize(part.body)).toBeLessThanOrEqual(28_000)
      expect(JSON.parse(JSON.stringify(part))).toEqual(part)
    }
  }

  /** What the card itself says: its text, its links and whom it names, by a reader of Markdown. */
  function checkCards(doc: Doc): void {
    const links: string[] = []
    const mentions: string[] = []
    const note = (node: { type: string; url?: string; id?: string; children?: unknown[] }): void => {
      if (node.type === 'link') links.push(node.url ?? '')
      if (node.type === 'mention') mentions.push(node.id ?? '')
      for (const child of node.children ?? []) note(child as typeof node)
    }
    for (const part of write(doc)) {
      const again = readBack(part.body)
      const name = (id: string | undefined, otherwise: string): string =>
        people.find((person) => person.id === id)?.name ?? otherwise
      const text = plainText(again.doc, {
        mentionText: (mention) => `@${name(mention.id, mention.name).replace(/\s+/g, ' ')}`,
      })
      expect(bare(text)).toBe(bare(part.text))
      note(again.doc as never)
    }
    const expected = normalise(doc, SHOWS)
    const encoded = (url: string): string => url.replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'))
    expect(links.filter((url) => SHOWS.linkable(url))).toEqual(expected.links.map(({ url }) => encoded(url)))
    expect(mentions).toEqual(expected.mentions)
  }

  it('the visible text and the mentions of any document, in parts of any size', () => {
    fc.assert(
      fc.property(markdown(people.map(at)), fc.integer({ min: 300, max: 900 }), (text, max) => {
        check(naming(text, people), sized(max))
      }),
      { numRuns: 100 },
    )
  })

  it('the card’s Markdown says the same as the part’s text: text, links, mentions', () => {
    fc.assert(
      fc.property(markdown(people.map(at)), (text) => {
        const doc = naming(text, people)
        check(doc, LIMITS)
        checkCards(doc)
      }),
      { numRuns: 100 },
    )
  })

  it('whatever marks stand in a text, it is read as that text', () => {
    const marks = fc
      .array(
        fc.constantFrom(
          ...'*_~`<>[]()#+-=|$&;:!\\"\'1.) aé汉\n'.split(''),
          'at',
          '</at>',
          'OK',
          'https://x.example',
        ),
        {
          minLength: 1,
          maxLength: 30,
        },
      )
      .map((all) => all.join(''))
      .filter((text) => text.trim() !== '')
    fc.assert(
      fc.property(marks, fc.constantFrom('paragraph', 'strong', 'item', 'cell', 'quote'), (value, where) => {
        const text = { type: 'text' as const, value }
        const paragraph = { type: 'paragraph' as const, children: [text] }
        const block = {
          paragraph,
          strong: { type: 'paragraph' as const, children: [{ type: 'strong' as const, children: [text] }] },
          item: {
            type: 'list' as const,
            children: [{ type: 'listItem' as const, children: [paragraph] }],
          },
          cell: {
            type: 'table' as const,
            children: [
              {
                type: 'tableRow' as const,
                children: [{ type: 'tableCell' as const, children: [text] }],
              },
            ],
          },
          quote: { type: 'blockquote' as const, children: [paragraph] },
        }[where] as Doc['children'][number]
        const [part] = write({ type: 'root', children: [block] })
        const squeezed = (shown: string): string => shown.replace(/[\s•]+|^> /gm, '')
        expect(squeezed(plainText(readBack(part?.body).doc))).toBe(squeezed(part?.text ?? ''))
      }),
      { numRuns: 500 },
    )
  })

  it('never throws, whatever the text and the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 1, max: 300 }),
        (text, max) => {
          for (const part of write(text, sized(max))) expect(JSON.parse(JSON.stringify(part))).toEqual(part)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('holds the limits of elements and bytes for long documents of any kind', () => {
    for (const text of [
      '# h\n\nx\n\n'.repeat(300),
      'a\n\n---\n\n'.repeat(200),
      '- a\n'.repeat(3_000),
      `${'> '.repeat(20)}${'quoted words '.repeat(4_000)}`,
      `| a | b |\n|---|---|\n${'| 1 | 汉字 |\n'.repeat(1_500)}`,
      `\`\`\`js\n${'const x = "y"\n'.repeat(4_000)}\`\`\``,
    ])
      for (const { body } of write(text)) {
        expect(requestSize(body)).toBeLessThanOrEqual(28_000)
        expect(cardIn(body).body.elements.length).toBeLessThanOrEqual(80)
      }
  })

  it('a fence is closed and opened again, its lines whole', () => {
    const lines = Array.from({ length: 2_500 }, (_, line) => `const x${line} = ${line}`)
    const parts = write(`\`\`\`js\n${lines.join('\n')}\n\`\`\``)
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.flatMap((part) => part.text.split('\n'))).toEqual(lines)
    for (const { body } of parts)
      for (const element of cardIn(body).body.elements)
        expect(element).toMatchObject({ content: expect.stringMatching(/^```js\n[\s\S]*\n```$/) })
  })
})
