import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText, SKIP_REASONS, sourceText } from '../../src/messaging/contract.js'
import { mutated } from '../../tests/conformance/kit/mutate.js'
import type { FeishuRaw } from './raw.js'
import { read } from './read.js'
import { SAMPLES, SELF, sample } from './samples.fixture.js'

const KINDS = ['message', 'edit', 'delete', 'reaction', 'press', 'change']

function check(raw: unknown): void {
  const event = read(raw as FeishuRaw, SELF)
  expect(Number.isFinite(event.at)).toBe(true)
  if (event.kind === 'skipped') {
    expect(SKIP_REASONS).toContain(event.reason)
    return
  }
  expect(KINDS).toContain(event.kind)
  expect(event.event).toMatch(/^\S[^\n]*$/)
  expect(event.place.chat).toMatch(/^[\w-]+$/)
  expect(typeof event.author.name).toBe('string')
  if (event.kind === 'message') {
    expect(typeof plainText(event.doc)).toBe('string')
    expect(typeof sourceText(event.doc, ({ name }) => name)).toBe('string')
    for (const { id } of event.files ?? []) expect(id).toMatch(/^[\w-]+\/(?:image|file)\/[\w-]+$/)
  }
  expect(JSON.parse(JSON.stringify(event))).toEqual(event)
}

/** The same payload with its content laid open, so that what stands in it is changed as well. */
const OPEN = SAMPLES.map(sample).map((raw) => {
  const copy = structuredClone(raw) as { body?: unknown; event?: unknown }
  const event = (copy.body as { event?: unknown } | undefined)?.event ?? copy.event
  const message = (event as { message?: { content?: unknown } } | undefined)?.message
  if (typeof message?.content === 'string' && message.content.startsWith('{'))
    message.content = JSON.parse(message.content) as unknown
  return copy
})

describe('an event that lies about its shape', () => {
  it('is read or skipped with a reason, never thrown', () => {
    fc.assert(fc.property(mutated(SAMPLES.map(sample)), check), { numRuns: 800 })
  })

  it('whatever stands in its content', () => {
    fc.assert(fc.property(mutated(OPEN), check), { numRuns: 800 })
  })

  it('may be anything at all', () => {
    fc.assert(fc.property(fc.anything(), check), { numRuns: 500 })
  })

  it('a text keeps every letter, whatever placeholders, tags and links stand in it', () => {
    const pieces = [
      'a',
      ' ',
      '\n',
      '\n\n',
      '@_user_1',
      '@_user_10',
      '@_user_2',
      '@_all',
      '😀',
      '`',
      '```',
      '[x](https://x.example)',
      '<at user_id="ou_ann">Ann</at>',
      'https://x.example/y',
      '汉',
      '<',
      '&lt;',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces)), (all) => {
        const mentions = [
          { key: '@_user_1', id: { open_id: 'ou_bot' }, name: 'Golem' },
          { key: '@_user_10', id: { open_id: 'ou_10' }, name: 'Ten' },
        ]
        const message = {
          message_id: 'om_1',
          chat_id: 'oc_1',
          chat_type: 'group',
          create_time: '1700000000000',
          message_type: 'text',
          content: JSON.stringify({ text: all.join('') }),
          mentions,
        }
        const sender = { sender_id: { open_id: 'ou_ann' }, sender_type: 'user' }
        const raw = {
          schema: '2.0',
          header: { event_type: 'im.message.receive_v1' },
          event: { sender, message },
        }
        check(raw)
        const event = read(raw as never, SELF)
        if (event.kind !== 'message') return
        const letters = (text: string): string => text.replace(/[^😀汉]/gu, '')
        expect(letters(plainText(event.doc))).toBe(letters(all.join('')))
        expect(letters(event.doc.source ?? '')).toBe(letters(all.join('')))
        const known = (text: string): number => text.match(/@_user_1(?!\d)/g)?.length ?? 0
        expect(known(plainText(event.doc))).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  it.each(['press', 'reaction-added', 'members-added'])(
    'a line break in an id of %s names no event',
    (name) => {
      const broken = JSON.stringify(sample(name)).replace(
        /"(open_id|event_id|emoji_type)":"[^"]*"/g,
        '"$1":"\\n👍"',
      )
      check(JSON.parse(broken))
    },
  )

  it('a text made to be slow is read all the same', () => {
    for (const piece of ['<at id=', '[', '`', '@_user_', '<at id=a>', '**', '> ', '- ']) {
      const text = piece.repeat(20_000)
      for (const content of [{ text }, { content: [[{ tag: 'md', text: text.slice(0, 30_000) }]] }]) {
        const message = {
          message_id: 'om_1',
          chat_id: 'oc_1',
          message_type: 'text' in content ? 'text' : 'post',
          content: JSON.stringify(content),
        }
        const sender = { sender_id: { open_id: 'ou_ann' }, sender_type: 'user' }
        const started = process.cpuUsage()
        check({ header: { event_type: 'im.message.receive_v1' }, event: { sender, message } })
        expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_500)
      }
    }
  })
})
