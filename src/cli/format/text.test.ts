import fc from 'fast-check'
import { expect, it } from 'vitest'
import { harmless, oneLine } from './text.js'
import { showBytes, showSpan, showTime } from './time.js'

it.each([
  ['\u001b[2Jgone', 'gone'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://evil\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u009b31mred', 'red'],
  ['a\rb', 'a\nb'],
  ['a\u0000\u0008b', 'ab'],
  ['good\u202etxt.exe', 'goodtxt.exe'],
  ['tab\there', 'tab  here'],
  ['👩‍👩‍👧 你好', '👩‍👩‍👧 你好'],
])('%j is shown as %j', (text, shown) => {
  expect(harmless(text)).toBe(shown)
})

it('nothing that others wrote can reach the terminal as a command', () => {
  const piece = fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '[', ']', '0;', 'm', '\u0007', '\\', '\r'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(harmless(pieces.join(''))).not.toMatch(/[^\P{Cc}\n]/u)
      expect(oneLine(pieces.join(''))).not.toMatch(/\p{Cc}/u)
    }),
  )
})

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [9_999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [11_040_000, '3 h 4 min'],
  [183_600_000, '2 d 3 h'],
  [-5, '0 ms'],
])('%i ms are %s', (ms, shown) => {
  expect(showSpan(ms)).toBe(shown)
})

it('shows times and sizes', () => {
  expect(showTime(Date.UTC(2026, 2, 1, 9, 5, 7), { timeZone: 'UTC' })).toBe('2026-03-01 09:05:07')
  expect([showBytes(12), showBytes(40_960), showBytes(5_400_000), showBytes(3e9)]).toEqual([
    '12 B',
    '40 kB',
    '5.1 MB',
    '2.8 GB',
  ])
})
