import fc from 'fast-check'
import { expect, test } from 'vitest'
import { data, linesOf, said, set } from './frame.js'

test('every line of a text from outside begins as data, whatever ends its lines', () => {
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      '[',
      ']',
      '>',
      '-',
      ' ',
      '\n',
      '\r',
      '\v',
      '\f',
      '\u0085',
      '\u2028',
      '\u2029',
      '\u0000',
    ),
  })
  fc.assert(
    fc.property(text, (given) => {
      const block = [...data(given), ...said('Ann', given)].join('\n')
      for (const line of block.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/))
        expect(line.startsWith('> ')).toBe(true)
      expect(set(given).every((line) => line.startsWith('| '))).toBe(true)
    }),
  )
})

test('what was said can be read back: who, and which lines', () => {
  const speaker = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '(', ':') }).filter((name) => name !== '')
  const message = fc.tuple(speaker, fc.string({ unit: fc.constantFrom('a', '[', ']', ' ', '>', '\n') }))
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      const lines = messages.flatMap(([name, text]) => said(name, text))
      const read: [string, string][] = []
      for (const line of lines) {
        const first = /^> \[([^\]]*)\] (.*)$/.exec(line)
        const last = read.at(-1)
        if (first !== null) read.push([first[1] ?? '', first[2] ?? ''])
        else if (last !== undefined) last[1] += `\n${line.slice(4)}`
      }
      expect(read).toEqual(messages)
    }),
  )
})

test('controls are left out, tabs stay', () => {
  expect(linesOf('a\u0007b\tc\u001b[0m')).toEqual(['ab\tc[0m'])
})
