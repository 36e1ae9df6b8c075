import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detect } from './detect.js'
import { covered, type Entity, type EntityType, settleEntities } from './entities.js'
import { format } from './format.js'

const found = (text: string) => detect(text).map((entity) => `${entity.type} ${covered(text, entity)}`)

describe('what is found in a text', () => {
  it.each([
    ['hi @ann_example!', ['mention @ann_example']],
    ['😀@relaybot 你好', ['mention @relaybot']],
    ['你好@relaybot', []],
    ['me@relaybot', []],
    ['(@relaybot)', ['mention @relaybot']],
    ['@ab', []],
    ['/help and /help@RelayBot', ['bot_command /help', 'bot_command /help@RelayBot']],
    ['and/or, https://x.com/help', ['url https://x.com/help']],
    ['#tag #1 #日本 a#b', ['hashtag #tag', 'hashtag #日本']],
    ['$USD $usd', ['cashtag $USD']],
    ['write to ann.b@example.com.', ['email ann.b@example.com']],
    ['see https://ci.example/run_7/out_a.txt, ok', ['url https://ci.example/run_7/out_a.txt']],
    ['(https://example.com/a_(b)) x', ['url https://example.com/a_(b)']],
    ['go to example.com/path?x=1#y.', ['url example.com/path?x=1#y']],
    ['file.txt and 1.5 and a.b', []],
    [
      'http://127.0.0.1:8080/x tg://resolve?domain=x',
      ['url http://127.0.0.1:8080/x', 'url tg://resolve?domain=x'],
    ],
    ['telegram.ORG telegram.Org', ['url telegram.ORG']],
    ['nothing here', []],
  ])('%j', (text, entities) => {
    expect(found(text)).toEqual(entities)
  })
})

const STYLES = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'code',
  'pre',
  'blockquote',
  'text_link',
] as const
const word = fc.constantFrom('a', 'b ', '😀', '👨‍👩‍👧', '漢字', '\n', 'é', '@ann_example ', 'x.com ', '/go ')
const formatted = fc
  .array(word, { minLength: 1, maxLength: 30 })
  .map((words) => words.join(''))
  .chain((text) => {
    const characters = [...text]
    const edges = [0]
    for (const character of characters) edges.push((edges.at(-1) ?? 0) + character.length)
    const edge = fc.constantFrom(...edges)
    const entity = fc.tuple(fc.constantFrom(...STYLES), edge, edge).map(([type, a, b]) => ({
      type: type as EntityType,
      offset: Math.min(a, b),
      length: Math.abs(a - b),
      ...(type === 'text_link' && { url: 'https://x.example/' }),
    }))
    return fc.record({ text: fc.constant(text), entities: fc.array(entity, { maxLength: 8 }) })
  })

const nests = (a: Entity, b: Entity): boolean => {
  const [aEnd, bEnd] = [a.offset + a.length, b.offset + b.length]
  return (
    aEnd <= b.offset ||
    bEnd <= a.offset ||
    (a.offset <= b.offset && bEnd <= aEnd) ||
    (b.offset <= a.offset && aEnd <= bEnd)
  )
}

describe('what the server makes of entities', () => {
  it('keeps them in the text, sorted, nested, and never through a character', () => {
    fc.assert(
      fc.property(formatted, ({ text, entities }) => {
        const settled = settleEntities({ text, entities })
        for (const [index, entity] of settled.entries()) {
          expect(entity.length).toBeGreaterThan(0)
          expect(entity.offset + entity.length).toBeLessThanOrEqual(text.length)
          expect(covered(text, entity)).not.toMatch(/^\p{Surrogate}|\p{Surrogate}$/u)
          const before = settled[index - 1]
          if (before) expect(before.offset).toBeLessThanOrEqual(entity.offset)
          for (const other of settled) expect(nests(entity, other)).toBe(true)
        }
      }),
    )
  })

  it('settles once and for all', () => {
    fc.assert(
      fc.property(formatted, (source) => {
        const settled = settleEntities(source)
        expect(settleEntities({ text: source.text, entities: settled })).toEqual(settled)
      }),
    )
  })

  it('covers with each style just what was covered, code and what it hides aside', () => {
    fc.assert(
      fc.property(formatted, ({ text, entities }) => {
        const at = (all: readonly Entity[], types: readonly string[], place: number) =>
          all.some(
            ({ type, offset, length }) => types.includes(type) && offset <= place && place < offset + length,
          )
        const settled = settleEntities({ text, entities })
        for (let place = 0; place < text.length; place++) {
          if (at(settled, ['code', 'pre'], place)) continue
          for (const style of ['bold', 'italic', 'underline']) {
            expect(at(settled, [style], place)).toBe(at(entities, [style], place))
          }
        }
      }),
    )
  })

  it('says the same of a text whichever way it is written', () => {
    const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
    const read = (source: Parameters<typeof format>[0]) => format(source, 4096, 'too long', () => true)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, fc.constantFrom('', 'b', 'i', 'u', 'code')), { maxLength: 12 }),
        (parts) => {
          const html = parts
            .map(([text, tag]) => (tag === '' ? escaped(text) : `<${tag}>${escaped(text)}</${tag}>`))
            .join('')
          const names = { b: 'bold', i: 'italic', u: 'underline', code: 'code' }
          let offset = 0
          const entities = parts.flatMap(([text, tag]) => {
            const entity = { type: names[tag as 'b'], offset, length: text.length }
            offset += text.length
            return tag === '' ? [] : [entity]
          })
          expect(read({ text: html, parseMode: 'HTML' })).toEqual(
            read({ text: parts.map(([text]) => text).join(''), entities }),
          )
        },
      ),
    )
  })
})
