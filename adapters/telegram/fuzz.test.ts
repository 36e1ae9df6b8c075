import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText, SKIP_REASONS, sourceText } from '../../src/messaging/contract.js'
import { mutated } from '../../tests/conformance/kit/mutate.js'
import { eventsOf, type TelegramRaw } from './raw.js'
import { read } from './read.js'
import { SAMPLES, SELF, sample } from './samples.fixture.js'

const KINDS = ['message', 'edit', 'delete', 'reaction', 'press', 'change']

function check(payload: unknown): void {
  const raws = typeof payload === 'object' && payload !== null ? eventsOf(payload as TelegramRaw) : [payload]
  for (const raw of raws) {
    const event = read(raw as TelegramRaw, SELF)
    expect(Number.isFinite(event.at)).toBe(true)
    if (event.kind === 'skipped') {
      expect(SKIP_REASONS).toContain(event.reason)
      continue
    }
    expect(KINDS).toContain(event.kind)
    expect(event.event).toMatch(/^\S[^\n]*$/)
    expect(event.place.chat).toMatch(/^-?\d+$/)
    expect(typeof event.author.name).toBe('string')
    if (event.kind === 'message' || event.kind === 'edit') {
      expect(typeof plainText(event.doc)).toBe('string')
      expect(typeof sourceText(event.doc, ({ name }) => name)).toBe('string')
    }
    expect(JSON.parse(JSON.stringify(event))).toEqual(event)
  }
}

describe('an update that lies about its shape', () => {
  it('is read or skipped with a reason, never thrown', () => {
    fc.assert(fc.property(mutated(SAMPLES.map(sample)), check), { numRuns: 1_000 })
  })

  it('may be anything at all', () => {
    fc.assert(fc.property(fc.anything(), check), { numRuns: 500 })
  })

  it('may have any entities over any text', () => {
    const types = [
      'bold',
      'italic',
      'code',
      'pre',
      'blockquote',
      'expandable_blockquote',
      'text_link',
      'url',
      'mention',
      'spoiler',
      'bot_command',
    ]
    const entity = fc.record({
      type: fc.constantFrom(...types),
      offset: fc.integer({ min: -2, max: 60 }),
      length: fc.integer({ min: -2, max: 60 }),
      url: fc.option(fc.webUrl(), { nil: undefined }),
    })
    const words = fc
      .array(fc.constantFrom('a', ' ', '\n', '\n\n', '@relaybot', '😀', '`', '*', '> ', '汉'))
      .map((all) => all.join(''))
    fc.assert(
      fc.property(words, fc.array(entity, { maxLength: 8 }), (text, entities) => {
        const chat = { id: -1, type: 'group', title: 'G' }
        const from = { id: 5, is_bot: false, first_name: 'Ann' }
        const update = { update_id: 1, message: { message_id: 1, date: 1, chat, from, text, entities } }
        check(update)
        const event = read(update, SELF)
        if (event.kind !== 'message') return
        // Nothing that was said is lost, whatever stands over it.
        const letters = (value: string) => value.replace(/[^a@😀汉]/gu, '')
        expect(letters(plainText(event.doc, { mentionText: ({ name }) => `@${name}` }))).toBe(letters(text))
      }),
      { numRuns: 500 },
    )
  })

  it.each(['reaction-changed', 'button-pressed'])('a line break where %s has a name of the event', (name) => {
    const broken = JSON.stringify(sample(name)).replace(
      /"(emoji|custom_emoji_id|id)":"[^"]*"/g,
      '"$1":"\\n👍"',
    )
    check(JSON.parse(broken.replace(/"old_reaction":\[[^\]]*\]/, '"old_reaction":[]')))
  })
})
