import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSilence, mayBecomeSilence, showable, stripTrailingToken, visibleAnswer } from './silence.js'

const rooms = JSON.parse(
  readFileSync(new URL('../../../tests/fixtures/rooms-vectors.json', import.meta.url), 'utf8'),
) as { vectors: { id: string; mechanism: string; input: { items: string[] }; expected: string }[] }

describe('vectors', () => {
  it.each(rooms.vectors.filter((row) => row.mechanism === 'reply.pass'))('$id', ({ input, expected }) => {
    expect(visibleAnswer(input.items.join('\n\n'), { addressed: true }) ?? '').toBe(expected)
  })
})

const TOKENS = [
  '',
  ' \n\t',
  '\u200b',
  '[PASS]',
  '[pass]',
  '[SKIP]',
  '  [skip]\n',
  '(pass)',
  '(PASS).',
  '[PASS].',
  '[PASS]!',
  '`[PASS]`',
  '**[PASS]**',
  '_[PASS]_',
  '"[PASS]"',
  '“[PASS]”',
  '「[PASS]」',
  '［PASS］',
  '（pass）',
  '［ＰＡＳＳ］',
  '【PASS】',
  '[PASS]。',
  '[PASS] [PASS]',
  '- [PASS]',
  '• [PASS]',
  '# [PASS]',
  '[PASS]\n[PASS]',
  '[PASS][SKIP]',
  '```\n[PASS]\n```',
  '```text\n[PASS]\n```',
  '~~~\n(pass)\n~~~',
  '> [PASS]',
  '[ PASS ]',
  '```[PASS]```',
  '[PASS]…',
]
const WORDS = [
  'I pass this on',
  '(pass) but see below',
  '好的，[SKIP] 只是一个例子',
  'The word SKIP is fine',
  'pass me the salt',
  '[PASSED]',
  '[PASS] because it is done',
  'PASS/FAIL',
  '...',
  '👍',
  '[ ]',
  'skip',
  '(skip)',
  'ok',
  '[PASS](https://x.example)',
  '```a```',
  '```\na\n```',
]

describe('silence', () => {
  it.each(TOKENS)('%j is silence, addressed or not', (answer) => {
    expect(isSilence(answer, { addressed: true })).toBe(true)
    expect(isSilence(answer, { addressed: false })).toBe(true)
    expect(visibleAnswer(answer, { addressed: true })).toBeNull()
  })
  it.each(WORDS)('%j is posted as it is', (answer) => {
    expect(isSilence(answer, { addressed: false })).toBe(false)
    expect(visibleAnswer(answer, { addressed: false })).toBe(answer)
  })
  it('a bare pass is silence only in a turn that was not addressed', () => {
    for (const answer of ['pass', 'PASS.', '"Pass"', 'ｐａｓｓ', '```\npass\n```']) {
      expect(isSilence(answer, { addressed: false })).toBe(true)
      expect(isSilence(answer, { addressed: true })).toBe(false)
    }
  })
})

describe('a token beside an answer', () => {
  it('any-silence-token-next-to-cjk: the text goes out, the token never', () => {
    expect(visibleAnswer('No need to answer.\n[SKIP]', { addressed: false })).toBe('No need to answer.')
    expect(visibleAnswer('好的，[SKIP] 只是一个例子', { addressed: false })).toBe('好的，[SKIP] 只是一个例子')
  })
  it('a token on the first line goes as well', () => {
    expect(visibleAnswer('[PASS]\n\nNothing to add.', { addressed: true })).toBe('Nothing to add.')
  })
  it('keeps the rest verbatim, and a token inside a fence', () => {
    expect(stripTrailingToken('  a\n b\n\n[PASS]\n`[SKIP]`\n')).toBe('  a\n b')
    expect(stripTrailingToken('```\n[PASS]\n```')).toBe('```\n[PASS]\n```')
    expect(stripTrailingToken('[PASS]')).toBe('[PASS]')
  })
})

describe('streaming', () => {
  it('every beginning of a silence may become silence, and nothing of it is shown', () => {
    for (const answer of TOKENS) {
      for (let end = 0; end <= answer.length; end++) {
        const prefix = answer.slice(0, end)
        expect([answer, prefix, mayBecomeSilence(prefix, { addressed: true })]).toEqual([
          answer,
          prefix,
          true,
        ])
        expect(showable(prefix, { addressed: true })).toBe('')
      }
    }
    for (const prefix of ['p', 'pas', '"pass', 'pass.']) {
      expect(mayBecomeSilence(prefix, { addressed: false })).toBe(true)
      expect(mayBecomeSilence(prefix, { addressed: true })).toBe(false)
    }
  })
  it('words are shown at once', () => {
    for (const answer of ['H', '[x', '(a', 'passport', '[PASSED', '好', '[PASS] b']) {
      expect(mayBecomeSilence(answer)).toBe(false)
    }
  })
  it('holds back a last line that may become a token', () => {
    expect(showable('No need.\n[SK', { addressed: true })).toBe('No need.')
    expect(showable('No need.\n[SKIP]', { addressed: true })).toBe('No need.')
    expect(showable('No need.\n[SKIPPING]', { addressed: true })).toBe('No need.\n[SKIPPING]')
    expect(showable('[PASS]\nNothing', { addressed: true })).toBe('Nothing')
  })
  it('law: what is shown is a beginning of what is posted', () => {
    const piece = fc.constantFrom(
      '[PASS]',
      '[SK',
      'IP]',
      '\n',
      ' ',
      'a',
      '(pass)',
      '`',
      '```',
      'word',
      '。',
      '[',
      '**',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), fc.nat(), (parts, addressed, cut) => {
        const answer = parts.join('')
        const posted = visibleAnswer(answer, { addressed }) ?? ''
        const shown = showable(answer.slice(0, cut % (answer.length + 1)), { addressed })
        expect(posted.startsWith(shown.trimEnd())).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
