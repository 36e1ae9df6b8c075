import { describe, expect, it } from 'vitest'
import { decideOn, natively } from '../../../tests/support/decision.js'
import { agent, policy } from '../../../tests/support/policy.js'

const rules = policy({ groupPolicy: 'smart', smartGate: 'local' }, [
  agent('Golem', { orchestrator: true }),
  agent('Librarian', { role: 'invoices and payments' }),
])
const gate = (text: string, given: Parameters<typeof decideOn>[1] = {}) => {
  const { decision } = decideOn(text, { policy: rules, ...given })
  return { verdict: decision.verdict, gate: decision.trace.find((one) => one.gate === 'smart-gate') }
}

describe('the cheap gate of a smart room', () => {
  it.each([
    ['a question', 'where is the key?'],
    ['one without its mark', 'how do I start it'],
    ['a Chinese one', '发布完成了吗'],
    ['another', '钥匙在哪里'],
    ['what is in the field of an agent', 'invoices, payments'],
    ['what it is not sure of', 'the build is red'],
  ])('lets %s through: %s', (_, text) => {
    expect(gate(text)).toMatchObject({ verdict: 'run' })
  })

  it('skips what is said to somebody else', () => {
    expect(gate('', { message: { doc: natively('@Bob where is it?', 'bob', 'Bob') } })).toMatchObject({
      verdict: 'keep',
      gate: { verdict: 'stop', why: 'skip: it is said to somebody else.' },
    })
    const reply = { message: { replyTo: { id: 'x' } }, state: { repliedTo: { ours: false, agent: null } } }
    expect(gate('where is it?', reply)).toMatchObject({ verdict: 'keep', gate: { verdict: 'stop' } })
  })

  it('skips what has no text', () => {
    expect(gate('', { message: { files: [{ id: 'f', name: 'a.png' }] } }).verdict).toBe('keep')
  })

  it('says in the receipt what it saw', () => {
    expect(gate('invoices, payments').gate?.saw).toEqual({
      question: false,
      'in the field of': 'Librarian',
      'mentions others': false,
      'reply to others': false,
    })
  })

  it('is not asked about what is addressed, nor where it is off', () => {
    expect(gate('@Golem the build is red').gate).toBeUndefined()
    expect(gate('hi', { policy: policy({ groupPolicy: 'smart' }) }).gate).toBeUndefined()
  })
})
