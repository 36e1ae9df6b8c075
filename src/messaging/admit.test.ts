import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agent, policy, T0 } from '../../tests/support/policy.js'
import { type AdmitInput, admit } from './admit.js'

const rules = policy({ maxTurns: 3 }, [
  agent('Golem', { orchestrator: true }),
  agent('Old', { archived: true }),
])
function asked(change: Partial<AdmitInput> = {}) {
  return admit(rules, {
    agent: 'Golem',
    kind: 'message',
    addressed: true,
    forPerson: true,
    createdAt: T0,
    settings: rules.defaults,
    botTurns: 0,
    quietNoticed: false,
    now: T0,
    ...change,
  })
}
const HALF_AN_HOUR = 30 * 60_000

describe('a turn that is about to start', () => {
  it('starts, and says so', () => {
    expect(asked()).toMatchObject({ verdict: 'run', notices: [] })
    expect(asked().trace.map(({ gate, verdict }) => `${gate} ${verdict}`)).toEqual([
      'max-turns pass',
      'admit pass',
    ])
  })

  it.each([
    ['an agent that left the room', { agent: 'Gone' }, 'agent-gone', 'Gone'],
    ['an agent that was archived', { agent: 'Old' }, 'archived', 'Old'],
  ] as const)('%s does not start; who asked is told, others are not', (_, change, reason, name) => {
    expect(asked(change)).toMatchObject({
      verdict: 'drop',
      reason,
      notices: [{ kind: 'archived', agents: [name] }],
    })
    expect(asked({ ...change, addressed: false }).notices).toEqual([])
  })

  it('what waited for more than half an hour has expired', () => {
    expect(asked({ now: T0 + HALF_AN_HOUR }).verdict).toBe('run')
    expect(asked({ now: T0 + HALF_AN_HOUR + 1 })).toMatchObject({
      verdict: 'drop',
      reason: 'expired',
      notices: [{ kind: 'expired' }],
    })
    expect(asked({ now: T0 + HALF_AN_HOUR + 1, addressed: false }).notices).toEqual([])
  })

  it.each(['follow-up', 'ask', 'wake'] as const)('a %s has no such age', (kind) => {
    expect(asked({ kind, now: T0 + 10 * HALF_AN_HOUR }).verdict).toBe('run')
  })

  it('bots that have spoken often enough wait for a person; it is said once', () => {
    expect(asked({ forPerson: false, botTurns: 2 }).verdict).toBe('run')
    expect(asked({ forPerson: false, botTurns: 3 })).toMatchObject({
      verdict: 'drop',
      reason: 'max-turns',
      notices: [{ kind: 'quiet', maxTurns: 3 }],
    })
    expect(asked({ forPerson: false, botTurns: 3, quietNoticed: true }).notices).toEqual([])
    expect(asked({ forPerson: true, botTurns: 99 }).verdict).toBe('run')
  })

  it('law: pure; what is dropped has a gate that stopped it, and says why', () => {
    fc.assert(
      fc.property(
        fc.record({
          agent: fc.constantFrom('Golem', 'Old', 'Gone'),
          kind: fc.constantFrom('message', 'follow-up', 'ask', 'wake'),
          addressed: fc.boolean(),
          forPerson: fc.boolean(),
          botTurns: fc.nat(6),
          quietNoticed: fc.boolean(),
          now: fc.integer({ min: T0, max: T0 + 2 * HALF_AN_HOUR }),
        } as const),
        (change) => {
          const admission = asked(change)
          expect(asked(change)).toEqual(admission)
          const stops = admission.trace.filter(({ verdict }) => verdict === 'stop')
          expect(stops.length).toBe(admission.verdict === 'run' ? 0 : 1)
          for (const { why } of admission.trace) expect(why).not.toBe('')
        },
      ),
    )
  })
})
