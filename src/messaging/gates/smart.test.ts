import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideOn, natively } from '../../../tests/support/decision.js'
import { agent, policy, T0 } from '../../../tests/support/policy.js'
import { gateOn, halfOf, labelled, scoreOf } from '../../../tests/support/smart-gate.js'
import type { Talk } from '../state.js'
import { signsOf } from './smart-signs.js'

const rules = policy({ groupPolicy: 'smart', smartGate: 'local' }, [
  agent('Golem', { orchestrator: true }),
  agent('Librarian', { role: 'invoices and payments' }),
])
const gate = (text: string, given: Parameters<typeof decideOn>[1] = {}) => {
  const { decision } = decideOn(text, { policy: rules, ...given })
  return { verdict: decision.verdict, gate: decision.trace.find((one) => one.gate === 'smart-gate') }
}
const talk = (...lines: ['Ann' | 'Bob' | 'Golem', string][]): { state: { talk: Talk } } => ({
  state: {
    talk: {
      lines: lines.map(([name, text], index) => ({
        kind: name === 'Golem' ? 'agent' : 'person',
        name,
        text,
        at: T0 - (lines.length - index) * 1_000,
      })),
      people: ['Ann', 'Bob'],
    },
  },
})

describe('the cheap gate of a smart room', () => {
  it.each([
    ['a question', 'where is the key?'],
    ['one without its mark', 'how do I start it'],
    ['a Chinese one', '发布完成了吗'],
    ['another', '钥匙在哪里'],
    ['a slip of the hand', 'cna anybdy explain this'],
    ['a request', 'someone please restart the mail relay'],
    ['what is in the field of an agent', 'invoices, payments'],
    ['what it is not sure of', 'the build is red'],
  ])('lets %s through: %s', (_, text) => {
    expect(gate(text)).toMatchObject({ verdict: 'run' })
  })

  it.each([
    ['a yes', 'ok, sounds good'],
    ['thanks', '谢谢'],
    ['a link alone', 'https://example.com/what?is=this'],
    ['code alone', '```\nwhat is this?\n```'],
    ['a quote alone', '> what is this?'],
    ['an announcement', 'FYI: the office is closed on Monday'],
    ['a question that wants no answer', 'great, is it not? who needs sleep anyway, right?'],
    ['talk among people', 'lunch?'],
    ['a statement in nobody’s field', 'I painted the fence'],
  ])('skips %s: %s', (_, text) => {
    expect(gate(text)).toMatchObject({ verdict: 'keep', gate: { verdict: 'stop' } })
  })

  it('skips what is said to somebody else', () => {
    expect(gate('', { message: { doc: natively('@Bob where is it?', 'bob', 'Bob') } })).toMatchObject({
      verdict: 'keep',
      gate: { verdict: 'stop', why: 'skip: it is said to somebody else.' },
    })
    const reply = { message: { replyTo: { id: 'x' } }, state: { repliedTo: { ours: false, agent: null } } }
    expect(gate('where is it?', reply)).toMatchObject({ verdict: 'keep', gate: { verdict: 'stop' } })
  })

  it('skips what calls a person of the chat by name, not an agent that is spoken of', () => {
    expect(gate('Bob, where is it?', talk())).toMatchObject({ verdict: 'keep' })
    expect(gate('where is it, Bob?', talk())).toMatchObject({ verdict: 'keep' })
    expect(gate('Golem, where is it?', talk())).toMatchObject({ verdict: 'run' })
    expect(gate('Ann, where is it?', talk())).toMatchObject({ verdict: 'run' })
  })

  it('a statement after another person’s question is its answer; after one’s own it is not', () => {
    expect(gate('invoices are on the shelf', talk(['Bob', 'where are they?']))).toMatchObject({
      verdict: 'keep',
      gate: { why: expect.stringMatching(/answer/) },
    })
    expect(gate('invoices are on the shelf', talk(['Ann', 'where are they?']))).toMatchObject({
      verdict: 'run',
    })
  })

  it('what follows an agent’s words goes on with it, if it is not a thank-you or somebody else’s', () => {
    const answered = talk(['Ann', 'where is it?'], ['Golem', 'In the drawer.'])
    expect(gate('it lies somewhere else now', answered)).toMatchObject({
      verdict: 'run',
      gate: { why: expect.stringMatching(/^unsure/) },
    })
    expect(gate('perfect, thanks', answered)).toMatchObject({ verdict: 'keep' })
    const theirs = talk(['Bob', 'where is it?'], ['Golem', 'In the drawer.'])
    expect(gate('it lies somewhere else now', theirs)).toMatchObject({ verdict: 'keep' })
  })

  it('skips what has no text', () => {
    expect(gate('', { message: { files: [{ id: 'f', name: 'a.png' }] } }).verdict).toBe('keep')
  })

  it('says in the receipt what it saw', () => {
    expect(gate('invoices, payments').gate?.saw).toEqual({
      question: false,
      request: false,
      trouble: false,
      'in the field of': 'Librarian',
      'mentions others': false,
      'calls a person': false,
      'reply to others': false,
      'an agent spoke last': false,
    })
  })

  it('is not asked about what is addressed, nor where it is off', () => {
    expect(gate('@Golem the build is red').gate).toBeUndefined()
    expect(gate('hi', { policy: policy({ groupPolicy: 'smart' }) }).gate).toBeUndefined()
  })
})

describe('laws', () => {
  const words = fc.array(
    fc.oneof(
      fc.constantFrom('thanks', 'ok', 'lunch', '谢谢', '> why?', '`x`', 'https://e.org', '吗', 'please', '?'),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
    { maxLength: 12 },
  )

  it('what is addressed always runs, whatever it says', () => {
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(' ')
        const decided = decideOn(text, { policy: rules, message: { doc: natively(`@Golem ${text}`) } })
        // A command of its own is carried out instead.
        if (decided.decision.reason !== 'command') expect(decided.decision.verdict).toBe('run')
        expect(decided.decision.trace.some((one) => one.gate === 'smart-gate')).toBe(false)
      }),
    )
  })

  it('the same message, room and talk get the same verdict, and it is the first word of its sentence', () => {
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(' ')
        const [one, two] = [gate(text, talk(['Bob', text])), gate(text, talk(['Bob', text]))]
        expect(one).toEqual(two)
        if (one.gate === undefined) return
        const verdict = one.gate.why.slice(0, one.gate.why.indexOf(':'))
        expect({ run: 'pass', skip: 'stop', unsure: 'note' }[verdict]).toBe(one.gate.verdict)
        expect(one.gate.verdict === 'stop').toBe(one.verdict === 'keep')
      }),
    )
  })

  it('the trace holds nobody’s words', () => {
    const secret = 'swordfish'
    const seen = gate(`why is ${secret} in the invoices?`, talk(['Bob', secret], ['Golem', secret]))
    expect(JSON.stringify(seen.gate)).not.toContain(secret)
  })

  it('a text of any length is read in no time', () => {
    const start = process.cpuUsage().user
    for (const unit of ['why ', '什么', 'a', '> x\n', '`', ', right', '…', 'good morning ', '可以，'])
      signsOf(unit.repeat(1_000_000 / unit.length), 'Ann', T0, rules.agents)
    expect((process.cpuUsage().user - start) / 1_000).toBeLessThan(2_000)
  })
})

describe('the labelled messages', () => {
  const all = labelled()

  it('are many, in both languages, and about half of them are never tuned on', () => {
    expect(all.length).toBeGreaterThanOrEqual(240)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    for (const language of ['en', 'zh']) {
      const own = all.filter((one) => one.language === language)
      const share = own.filter(({ id }) => halfOf(id) === 'tune').length / own.length
      expect(share).toBeGreaterThan(0.4)
      expect(share).toBeLessThan(0.6)
    }
  })

  it('the half that the rules were made on is met well', () => {
    const tune = all.filter(({ id }) => halfOf(id) === 'tune')
    expect(scoreOf(tune, (one) => gateOn(one).verdict !== 'skip').f1).toBeGreaterThan(0.9)
  })
})
