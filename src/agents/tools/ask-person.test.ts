import { expect, test } from 'vitest'
import { FakeClock } from '../../../tests/fixtures/agents/kit.js'
import { claimed, FakeMemory, FakeStore, SETTINGS } from '../../../tests/fixtures/agents/workshop.js'
import type { Question, Ruling } from '../../messaging/approval.js'
import { ToolError } from '../../messaging/engine.js'
import { askPerson } from './ask-person.js'
import { offered } from './registry.js'
import type { ToolScope } from './tool.js'

function scope(decide?: ToolScope['decide']): ToolScope {
  return {
    turn: claimed(),
    teammates: [],
    store: new FakeStore(),
    memory: new FakeMemory(),
    clock: new FakeClock(),
    decide,
    attach: async (path) => path,
    asked: () => {},
    handedOff: () => {},
    posted: () => {},
    settings: SETTINGS,
  }
}

const says = (ruling: Ruling) => scope(async () => ruling)

test('puts the question, and tells who decided what', async () => {
  const asked: Omit<Question, 'agent'>[] = []
  const within = scope(async (question) => {
    asked.push(question)
    return { kind: 'chosen', option: '1', by: { id: 'u1', name: 'Ann\nBob' } }
  })
  const outcome = await askPerson.call({ question: 'Deploy?', options: ['Deploy', 'Cancel it'] }, within)
  expect(outcome).toEqual({
    result: { decision: 'Cancel it', by: 'Ann Bob' },
    note: 'decided by Ann Bob',
  })
  expect(asked).toEqual([
    {
      kind: 'question',
      text: 'Deploy?',
      subject: '["Deploy?",["Deploy","Cancel it"]]',
      options: [
        { id: '0', label: 'Deploy' },
        { id: '1', label: 'Cancel it', deny: true },
      ],
    },
  ])
})

test('no answer is a no, and is told; a withdrawn question is an error', async () => {
  for (const why of ['expired', 'nobody-to-ask'] as const)
    expect(await askPerson.call({ question: 'Go?' }, says({ kind: 'refused', why }))).toMatchObject({
      result: { decision: null, by: null, why: expect.stringContaining('no') },
      note: `no answer: ${why}`,
    })
  await expect(
    askPerson.call({ question: 'Go?' }, says({ kind: 'refused', why: 'stopped' })),
  ).rejects.toThrow(ToolError)
})

test.each([
  {},
  { question: '' },
  { question: 'x'.repeat(1_501) },
  { question: 'Go?', options: [] },
  { question: 'Go?', options: ['Yes', 'yes'] },
  { question: 'Go?', options: ['x'.repeat(41)] },
  { question: 'Go?', options: Array.from({ length: 9 }, (_, index) => `option ${index}`) },
  { question: 'Go?', chat: 'slack:C2' },
])('is not asked with wrong arguments: %j', async (args) => {
  await expect(askPerson.call(args, says({ kind: 'refused', why: 'expired' }))).rejects.toThrow(ToolError)
})

test('is offered where somebody can be asked', () => {
  const names = (within: ToolScope) => offered(within).map(({ name }) => name)
  expect(names(says({ kind: 'refused', why: 'expired' }))).toContain('ask_person')
  expect(names(scope())).not.toContain('ask_person')
})
