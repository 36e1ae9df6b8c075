import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Thoughts } from './thoughts.js'

function read(pieces: readonly string[]): string {
  const thoughts = new Thoughts()
  return [...pieces.map((piece) => thoughts.take(piece)), thoughts.end()].join('')
}

it.each([
  ['<think>hm</think>The answer', 'The answer'],
  ['\n<think>\nhm\n</think>\n\nThe answer', 'The answer'],
  ['<THINKING>a < b </think> c</thinking>[PASS]', '[PASS]'],
  ['<think></think>', ''],
  ['<think>never closed', ''],
  ['The tag <think>x</think> is written so', 'The tag <think>x</think> is written so'],
  ['<thin', '<thin'],
  ['<b>bold</b>', '<b>bold</b>'],
  ['  indented', '  indented'],
  ['', ''],
])('%j is read as %j, however it comes', (reply, expected) => {
  expect(read([reply])).toBe(expected)
  expect(read([...reply])).toBe(expected)
})

it('law: the same however the reply is cut', () => {
  const word = fc.constantFrom(
    '<think>',
    '</think>',
    '<',
    'think',
    'a',
    ' ',
    '\n',
    '<thinking>',
    '</thinking>',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(fc.nat({ max: 9 })), (words, sizes) => {
      const whole = words.join('')
      const pieces: string[] = []
      let at = 0
      for (const size of sizes) {
        pieces.push(whole.slice(at, at + size))
        at += size
      }
      expect(read([...pieces, whole.slice(at)])).toBe(read([whole]))
    }),
  )
})
