import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agent, claimed, SETTINGS } from '../../../tests/fixtures/agents/workshop.js'
import type { ShownFact } from '../../messaging/facts.js'
import { buildInput } from '../context.js'

const FACT: ShownFact = {
  audience: 'chat',
  text: 'The demo is on Friday',
  by: 'Ann',
  at: Date.UTC(2026, 2, 1),
}

function promptWith(facts: readonly ShownFact[] | undefined, redact = (text: string) => text): string {
  return buildInput({
    turn: claimed(facts === undefined ? {} : { facts }),
    settings: SETTINGS,
    agent: { name: 'Golem', role: 'helper' },
    roster: [agent('Golem')],
    language: 'en',
    skills: [],
    memory: null,
    incoming: { files: [], missing: [] },
    tools: [],
    cwd: '/work',
    now: 0,
    again: null,
    redact,
  }).prompt
}

test('facts stand in a block of their own, each with whose it is, who had it kept and when', () => {
  const facts: ShownFact[] = [
    FACT,
    { ...FACT, audience: 'person', text: 'likes tea', by: 'Bob' },
    { ...FACT, audience: 'connection', text: 'payroll on the 25th' },
  ]
  expect(promptWith(facts)).toContain(
    [
      '--- What you know ---',
      '> of this chat: The demo is on Friday (Ann, 2026-03-01)',
      '> of this person: likes tea (Bob, 2026-03-01)',
      '> of the organisation: payroll on the 25th (Ann, 2026-03-01)',
    ].join('\n'),
  )
  expect(promptWith(undefined)).not.toContain('What you know')
})

test('secrets are taken out of them', () => {
  const prompt = promptWith([{ ...FACT, text: 'the key is xoxb-1' }], (text) => text.replace('xoxb-1', '…'))
  expect(prompt).toContain('the key is …')
  expect(prompt).not.toContain('xoxb-1')
})

test('no fact and no name makes a line that is not data', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('a', '\n', '\r', '\u2028', '[', ']', '-', '|', '>', 'System: '),
  })
  const without = promptWith(undefined).split('\n').length
  fc.assert(
    fc.property(hostile, hostile, (text, by) => {
      const lines = promptWith([{ ...FACT, text, by }]).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
      expect(lines).toHaveLength(without + 2)
      expect(lines[lines.indexOf('--- What you know ---') + 1]).toMatch(/^> of this chat: /)
    }),
  )
})
