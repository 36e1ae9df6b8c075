import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Doc,
  type Limits,
  type Mention,
  mentionsOf,
  parseDoc,
  plainText,
  withMentions,
} from '../../src/messaging/contract.js'
import local from './index.js'
import { LIMITS } from './limits.js'
import type { LocalRaw } from './raw.js'
import type { LocalBody } from './write.js'

const self = { id: '@golem', name: 'Golem' }
const { read, write } = local.codec
const message = (text: string, more: object = {}): LocalRaw => ({
  v: 1,
  type: 'message',
  event: 'b:message:1',
  at: 5,
  room: { id: 'lobby', kind: 'group', title: 'Lobby' },
  author: { id: 'alice', name: 'Alice', kind: 'person' },
  id: '1',
  text,
  ...more,
})
const doc = (raw: LocalRaw): Doc => {
  const event = read(raw, self)
  if (event.kind !== 'message' && event.kind !== 'edit') throw new Error(`it was ${event.kind}`)
  return event.doc
}

describe('read', () => {
  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (raw) => {
        const event = read(raw as LocalRaw, self)
        expect(event.kind).toBe('skipped')
        expect(Number.isFinite(event.at)).toBe(true)
      }),
    )
  })

  it('never throws on a known event with one field replaced or removed', () => {
    const full = message('@Bob see', {
      thread: '1',
      mentions: [{ id: 'bob', name: 'Bob' }],
      files: [{ id: 'f', name: 'a', mime: 'text/plain', bytes: 1 }],
      replyTo: { id: '1', author: { id: 'bob', name: 'Bob', kind: 'person' }, text: 'x' },
    })
    const kinds = ['message', 'edit', 'delete', 'reaction', 'press', 'room', 'poll', '', 7]
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(full)),
        fc.option(fc.anything(), { nil: undefined }),
        fc.constantFrom(...kinds),
        (field, value, type) => {
          const raw = { ...full, type, emoji: 'x', added: true, value: 'v', [field]: value }
          const event = read(raw as unknown as LocalRaw, self)
          expect(['message', 'edit', 'delete', 'reaction', 'press', 'change', 'skipped']).toContain(
            event.kind,
          )
        },
      ),
    )
  })

  it('says why it skips', () => {
    const hostile = new Proxy({}, { ownKeys: () => [][0] as never, get: () => [][0] })
    expect(read(hostile as LocalRaw, self)).toMatchObject({ kind: 'skipped', reason: 'malformed' })
    expect(read({ ...message('x'), type: 'poll' } as unknown as LocalRaw, self)).toEqual({
      kind: 'skipped',
      reason: 'unsupported-kind',
      detail: 'type poll',
      event: 'b:message:1',
      at: 5,
    })
    expect(read({ ...message('x'), id: '../1' } as LocalRaw, self)).toMatchObject({ reason: 'malformed' })
    expect(read(message(' \n'), self)).toMatchObject({ reason: 'no-content', place: { chat: 'lobby' } })
  })

  it('keeps the text as it was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(text.trim() !== '')
        expect(doc(message(text)).source).toBe(text)
      }),
    )
    expect(plainText(doc(message('1 < 2, <b>bold</b> & *so*')))).toBe('1 < 2, <b>bold</b> & so')
  })

  const mentions = [
    { id: 'ann', name: 'Ann' },
    { id: 'lee', name: 'Ann Lee' },
    { id: 'zhang', name: '张三' },
  ]
  it.each([
    ['hi @Ann', ['ann']],
    ['@Ann Lee, @Ann', ['lee', 'ann']],
    ['问@张三问题', ['zhang']],
    ['@Annika is another', []],
    ['`@Ann` and\n\n> @Ann\n\n[@Ann](https://x.example)', []],
    ['```\n@Ann\n```', []],
    ['me@Ann.example', []],
    ['**@Ann**', ['ann']],
    ['nobody', []],
  ])('finds in %j the mentions %j', (text, ids) => {
    const read = doc(message(text, { mentions }))
    expect(mentionsOf(read).map((mention) => mention.id)).toEqual(ids)
    expect(plainText(read)).toBe(plainText(parseDoc(text)))
  })

  it.each([
    ['/stop', { name: 'stop' }],
    ['/why last one', { name: 'why' }],
    ['  /Why@Golem last', { name: 'why', target: 'Golem' }],
    ['/new@other_bot', { name: 'new', target: 'other_bot' }],
    ['/停止', { name: '停止' }],
    ['/etc/hosts is a file', undefined],
    ['/', undefined],
    ['// comment', undefined],
    ['see /stop', undefined],
    ['/stop.', undefined],
  ])('reads the command of %j', (text, command) => {
    const event = read(message(text), self)
    expect(event.kind === 'message' ? event.command : null).toEqual(command)
  })
})

describe('write', () => {
  const small: Limits = { ...LIMITS, text: { max: 120, unit: 'utf16' } }
  const bodies = (doc: Doc, limits: Limits) => write(doc, limits).map(({ body }) => body as LocalBody)
  /** Makes every `@word` a mention of a user of that name. */
  const named = (text: string) =>
    withMentions(parseDoc(text), (_, masked) =>
      [...masked.matchAll(/@(\p{L}+)/gu)].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
        mention: { target: 'user' as const, id: `id-${match[1]}`, name: match[1] ?? '' },
      })),
    )

  it('gives a short text as it is', () => {
    expect(write(parseDoc('Hello **you**, see `x`.'), LIMITS)).toEqual([
      { text: 'Hello you, see x.', body: { text: 'Hello **you**, see `x`.', mentions: [] }, mentions: [] },
    ])
    expect(write(parseDoc('  \n'), LIMITS)).toEqual([])
  })

  it('pings exactly those who are mentioned in this part', () => {
    const text = `${'word '.repeat(30)}@Ann ${'word '.repeat(30)}@Bob \`@Carl\` @Ann`
    const parts = write(named(text), small)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) {
      const shown = ['Ann', 'Bob']
        .filter((name) => part.text.includes(`@${name}`))
        .map((name) => `id-${name}`)
      expect([...part.mentions].sort()).toEqual(shown)
      expect((part.body as LocalBody).mentions.map(({ id }) => id)).toEqual(part.mentions)
    }
    expect(parts.flatMap(({ mentions }) => mentions)).not.toContain('id-Carl')
  })

  it('writes a name so that it stays a name', () => {
    const tree = withMentions(parseDoc('@X!'), () => [
      { start: 0, end: 2, mention: { target: 'user', id: 'u', name: '_a_ `b` [c](d)' } },
    ])
    const [part] = write(tree, LIMITS)
    expect(part?.text).toBe('@_a_ `b` [c](d)!')
    expect(part?.mentions).toEqual(['u'])
  })

  it('pings nobody by a role, everyone, or a name without a person', () => {
    const of = (mention: Omit<Mention, 'type'>) =>
      write(
        withMentions(parseDoc('@X'), () => [{ start: 0, end: 2, mention }]),
        LIMITS,
      )
    expect(of({ target: 'everyone', name: 'everyone' })).toMatchObject([{ text: '@everyone', mentions: [] }])
    expect(of({ target: 'role', id: 'r', name: 'ops' })).toMatchObject([{ mentions: [] }])
    expect(of({ target: 'user', name: 'Ghost' })).toMatchObject([{ mentions: [] }])
  })

  it('keeps every part within the limit, and all of the text, its links and its mentions', () => {
    const block = fc.oneof(
      fc.lorem({ maxCount: 40 }),
      fc.constant('```ts\nconst a = 1\nconst b = 2\n```'),
      fc.constant('see [the page](https://x.example/a_b_c) and @Ann, **@Bob**'),
      fc.constant('- one @Ann\n- two\n- 三号，交给@Bob处理'),
      fc.constant('| a | b |\n| - | - |\n| 1 | 2 |'),
      fc.constant('> quoted 👩‍👩‍👧 words'),
    )
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), (blocks) => {
        const tree = named(blocks.join('\n\n'))
        const parts = bodies(tree, small)
        for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(120)
        const words = (text: string) => text.match(/[\p{L}\p{N}@]+/gu) ?? []
        const all = parts.map(({ text }) => plainText(parseDoc(text))).join('\n')
        expect(words(all)).toEqual(words(plainText(tree)))
        const meant = new Set(mentionsOf(tree).map(({ id }) => id))
        expect(new Set(parts.flatMap(({ mentions }) => mentions.map(({ id }) => id)))).toEqual(meant)
        const links = parts.flatMap(({ text }) => text.match(/\]\(([^)]*)\)/g) ?? [])
        expect(links.length).toBe(blocks.filter((one) => one.includes('](')).length)
      }),
    )
  })

  it('is not confused by private characters in the text', () => {
    const text = `\u{f0000}\u{f0001} @Ann \u{f0002}`
    const [part] = write(named(text), LIMITS)
    expect(part?.body).toMatchObject({ text })
    expect(part?.mentions).toEqual(['id-Ann'])
  })

  it('shows raw HTML as text', () => {
    const [part] = write(parseDoc('<img src=x onerror=alert(1)> & <b>x</b>'), LIMITS)
    expect(part?.text).toBe('<img src=x onerror=alert(1)> & <b>x</b>')
  })
})
