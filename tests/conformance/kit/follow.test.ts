import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDoc, plainText } from '../../../src/messaging/contract.js'
import { cutCharacter, follow } from './follow.js'
import { normalise, type Shows } from './normalise.js'
import { markdown, naming } from './texts.js'

const shows: Shows = {
  drawn: /^[•>|—]$/u,
  boxes: { done: ['☑'], open: ['☐'] },
  rules: ['———'],
  image: (alt) => ({ text: alt, link: true }),
  linkable: (url) => url.startsWith('http'),
  unlinked: (label, url) => `${label} (${url})`,
  repeatsHeader: true,
}
const problem = (text: string, ...seen: string[]) =>
  follow(normalise(parseDoc(text), shows).atoms, seen, shows).problem

describe('what is seen', () => {
  it('may be drawn in the ways that are allowed', () => {
    expect(problem('# Title\n\n- one\n- [x] two\n\n> said', 'Title\n• one\n• ☑ two\n| said')).toBeNull()
    expect(problem('- [ ] open', '• open')).toBeNull()
    expect(problem('a\n\n---\n\nb', 'a\n———\nb')).toBeNull()
    expect(problem('| a | b |\n|-|-|\n| 1 | 2 |\n| 3 | 4 |', 'a | b\n1 | 2', 'a | b\n3 | 4')).toBeNull()
    expect(
      problem('![pic](https://x.example) [x](mailto:a@b.example)', 'pic x (mailto:a@b.example)'),
    ).toBeNull()
    expect(problem('@everyone', '@\u2060everyone')).toBeNull()
  })

  it.each([
    ['hello world', 'hello'],
    ['hello world', 'world'],
    ['hello world', 'hello world!'],
    ['hello world', 'helloworld'],
    ['hello world', 'hel lo world'],
    ['hello world', 'world hello'],
    ['hello\n\nworld', 'helloworld'],
    ['**bold**', '**bold**'],
    ['`code`', '`code`'],
    ['- a\n- b', '• a• '],
    ['1. a\n2. b', 'a\nb'],
    ['1. a\n2. b', '2. a\n3. b'],
    ['| a | b |\n|-|-|\n| 1 | 2 |', 'a | b\n2 | 1'],
    ['a &amp; b', 'a &amp; b'],
    ['[label](https://x.example)', 'label (https://x.example)'],
  ])('of %j is not %j', (text, seen) => {
    expect(problem(text, seen)).not.toBeNull()
  })

  it('may be cut between words, and in a word that no part holds, but not in a character', () => {
    const { atoms } = normalise(parseDoc('one 👩‍👩‍👧‍👦 two e\u0301'), shows)
    const cut = (...parts: string[]) => {
      const { problem, ends } = follow(atoms, parts, shows)
      expect(problem).toBeNull()
      return cutCharacter(atoms, ends)
    }
    expect(cut('one 👩‍👩‍👧‍👦', 'two e\u0301')).toBeNull()
    expect(cut('one 👩‍👩‍👧‍👦 t', 'wo e\u0301')).toBeNull()
    expect(cut('one 👩‍👩', '\u200d👧‍👦 two e\u0301')).not.toBeNull()
    expect(cut('one 👩‍👩‍👧‍👦 two e', '\u0301')).not.toBeNull()
  })

  it('is what plain text shows, of any document', () => {
    const people = [{ id: 'u1', name: 'Ann' }]
    fc.assert(
      fc.property(markdown(['@Ann']), (text) => {
        const doc = naming(text, people)
        const { atoms, mentions } = normalise(doc, { ...shows, linkable: () => true })
        expect(follow(atoms, [plainText(doc)], shows).problem).toBeNull()
        expect(mentions.every((id) => id === 'u1')).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('is wrong when one of its characters is', () => {
    fc.assert(
      fc.property(markdown(), fc.nat(), fc.constantFrom('', 'Ω', 'ΩΩ'), (text, at, instead) => {
        const doc = parseDoc(text)
        const { atoms } = normalise(doc, { ...shows, linkable: () => true })
        const seen = [...plainText(doc)]
        const letters = seen.flatMap((char, index) => (/[\p{L}\p{N}]/u.test(char) ? [index] : []))
        const index = letters[at % Math.max(1, letters.length)]
        fc.pre(index !== undefined)
        // One of a run of equal characters looks the same wherever it is left out.
        seen[index ?? 0] = instead
        expect(follow(atoms, [seen.join('')], shows).problem).not.toBeNull()
      }),
      { numRuns: 150 },
    )
  })
})
