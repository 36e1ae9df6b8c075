import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDoc, plainText, SKIP_REASONS, sourceText } from '../../src/messaging/contract.js'
import { mutated } from '../../tests/conformance/kit/mutate.js'
import { markdown } from '../../tests/conformance/kit/texts.js'
import { LIMITS } from './limits.js'
import { type DiscordBody, type DiscordRaw, eventsOf } from './raw.js'
import { read } from './read.js'
import { write } from './write.js'

const folder = new URL('./samples/', import.meta.url)
const SAMPLES = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as unknown,
)
const SELF = { id: '1187204481620426842', name: 'Golem' }
const KINDS = ['message', 'edit', 'delete', 'reaction', 'press', 'change']

function check(payload: unknown): void {
  const raws = typeof payload === 'object' && payload !== null ? eventsOf(payload as DiscordRaw) : [payload]
  for (const raw of raws) {
    const event = read(raw as DiscordRaw, SELF)
    expect(Number.isFinite(event.at)).toBe(true)
    expect(JSON.parse(JSON.stringify(event))).toEqual(event)
    if (event.kind === 'skipped') {
      expect(SKIP_REASONS).toContain(event.reason)
      continue
    }
    expect(KINDS).toContain(event.kind)
    expect(event.event).toMatch(/^\S+$/u)
    expect(event.place.chat).toMatch(/^\d+$/)
    expect(typeof event.author.name).toBe('string')
    if (event.kind !== 'message' && event.kind !== 'edit') continue
    expect(typeof plainText(event.doc)).toBe('string')
    expect(typeof sourceText(event.doc, ({ name }) => name)).toBe('string')
  }
}

const message = (content: string): DiscordRaw => ({
  t: 'MESSAGE_CREATE',
  d: { id: '1', channel_id: '2', guild_id: '3', author: { id: '4', username: 'ann' }, content },
})

describe('a dispatch that lies about its shape', () => {
  it('is read or skipped with a reason, never thrown', () => {
    fc.assert(fc.property(mutated(SAMPLES), check), { numRuns: 1_000 })
  })

  it('may be anything at all', () => {
    fc.assert(fc.property(fc.anything(), check), { numRuns: 500 })
  })
})

describe('text', () => {
  const marks = [
    '`',
    '``',
    '```',
    '\n',
    '> ',
    '>>> ',
    '<@1>',
    '<',
    '>',
    '[',
    ']',
    '(',
    ')',
    '\\',
    '@everyone',
    '*',
  ]
  const words = fc
    .array(fc.constantFrom(...marks, 'b c', '汉', '😀'), {
      maxLength: 40,
    })
    .map((all) => all.join(''))

  it('of any marks loses no word', () => {
    const letters = (value: string) => value.replace(/[^bc汉😀]/gu, '')
    fc.assert(
      fc.property(words, (content) => {
        check(message(content))
        const event = read(message(content), SELF)
        if (event.kind === 'message') expect(letters(plainText(event.doc))).toBe(letters(content))
      }),
      { numRuns: 1_000 },
    )
  })

  it('that was written reads as what it was', () => {
    const bare = (text: string) => text.replace(/[\s\u200b>•☑☐─│┼|—#*_~-]+|\[[x ]\]|\d+\./g, '')
    fc.assert(
      fc.property(markdown(), (text) => {
        const doc = parseDoc(text)
        const again = write(doc, LIMITS).map((part) => {
          const event = read({ ...message((part.body as DiscordBody).content), from: 'history' }, SELF)
          return event.kind === 'message' ? plainText(event.doc) : ''
        })
        const parts = write(doc, LIMITS).map((part) => part.text)
        expect(bare(again.join(''))).toBe(bare(parts.join('')))
      }),
      { numRuns: 300 },
    )
  })
})
