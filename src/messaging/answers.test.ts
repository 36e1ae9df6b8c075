import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answerIn, CODE_ALPHABET, choiceIn } from './answers.js'
import { commandIn } from './commands.js'

const SELF = { id: 'golem', name: 'Golem' }

it.each([
  ['approve 4F2K', { name: 'approve', argument: '4F2K' }],
  [' Deny 4f2k ', { name: 'deny', argument: '4F2K' }],
  ['answer 4F2K 2', { name: 'answer', argument: '4F2K 2' }],
  ['answer 4F2K Blue sky', { name: 'answer', argument: '4F2K Blue sky' }],
  ['同意 4F2K', { name: 'approve', argument: '4F2K' }],
  ['拒绝 4F2K', { name: 'deny', argument: '4F2K' }],
  ['`approve 4F2K`', { name: 'approve', argument: '4F2K' }],
  ['**approve 4F2K**.', { name: 'approve', argument: '4F2K' }],
  ['approve: 4F2K!', { name: 'approve', argument: '4F2K' }],
  ['批准4F2K', { name: 'approve', argument: '4F2K' }],
  ['批准：4F2K。', { name: 'approve', argument: '4F2K' }],
  ['approve 4F2K `rm`, then', null],
  ['approve this', null],
  ['approve 2024', null],
  ['approve THEM', null],
  ['approve 4F2K please', null],
  ['answer 4F2K', null],
  ['please approve 4F2K', null],
  ['approve 4F0K', null],
  ['constructor 4F2K', null],
  ['approve 4F2K\nand more', null],
])('"%s"', (text, expected) => {
  expect(answerIn(text)).toEqual(expected)
})

it('every code is read back from how people write it', () => {
  const code = fc
    .array(fc.constantFrom(...CODE_ALPHABET), { minLength: 4, maxLength: 5 })
    .map((letters) => letters.join(''))
    .filter((text) => /\d/.test(text) && /[A-Z]/.test(text))
  fc.assert(
    fc.property(code, fc.boolean(), (own, lower) => {
      const written = lower ? own.toLowerCase() : own
      expect(answerIn(`approve ${written}`)?.argument).toBe(own)
      expect(choiceIn(`${written}  the second  one`)).toEqual({ code: own, choice: 'the second one' })
    }),
  )
})

it('with a mark in front, an answer is a command; a bare word without a code is none', () => {
  expect(commandIn({}, '!approve', SELF, false)).toEqual({ name: 'approve', argument: '' })
  expect(commandIn({ command: { name: 'approve' } }, '/approve 4F2K', SELF, false)).toEqual({
    name: 'approve',
    argument: '4F2K',
  })
  expect(commandIn({}, '/approve@other 4F2K', SELF, false)).toBeNull()
  expect(commandIn({}, 'approve', SELF, true)).toBeNull()
  expect(commandIn({}, 'answer', SELF, true)).toBeNull()
})
