import { describe, expect, it } from 'vitest'
import { decideOn } from '../../../tests/support/decision.js'
import { agent, policy } from '../../../tests/support/policy.js'
import type { GroupPolicy } from '../roster.js'

const AGENTS = [
  agent('Golem', { orchestrator: true }),
  agent('Librarian', { aliases: ['Lib'] }),
  agent('Old', { archived: true }),
]
const rules = (groupPolicy: GroupPolicy, change: Parameters<typeof policy>[0] = {}) =>
  policy({ groupPolicy, ...change }, AGENTS)

describe('who answers', () => {
  it('everyone: all active agents, at most five, in the order of the room', () => {
    const many = Array.from({ length: 7 }, (_, index) => agent(`A${index}`))
    const { decision } = decideOn('@all hi', { policy: policy({ groupPolicy: 'always' }, many) })
    expect(decision).toMatchObject({ route: 'everyone', addressed: false })
    expect(decision.responders).toEqual(['A0', 'A1', 'A2', 'A3', 'A4'])
  })

  it('everyone addresses the bot only where the room says so', () => {
    const { decision } = decideOn('@everyone hi', {
      policy: rules('mention-only', { respondToEveryone: true }),
    })
    expect(decision).toMatchObject({ verdict: 'run', reason: 'everyone', responders: ['Golem', 'Librarian'] })
  })

  it('an agent "All Stars" is called without calling all, and "@all" still calls all', () => {
    const agents = [agent('Golem', { orchestrator: true }), agent('All Stars'), agent('Scribe')]
    const given = policy({ groupPolicy: 'always' }, agents)
    expect(decideOn('@All Stars please', { policy: given }).decision).toMatchObject({
      route: 'named',
      responders: ['All Stars'],
    })
    expect(decideOn('@all please', { policy: given }).decision.responders).toHaveLength(3)
    expect(decideOn('@alligator please', { policy: given }).decision.trace[2]?.saw['near misses']).toEqual([])
  })

  it('an agent that is called All keeps its name', () => {
    const given = policy({}, [agent('Golem', { orchestrator: true }), agent('All')])
    expect(decideOn('@all please', { policy: given }).decision.responders).toEqual(['All'])
    expect(
      decideOn('@everyone please', {
        policy: { ...given, defaults: { ...given.defaults, groupPolicy: 'always' } },
      }).decision.responders,
    ).toHaveLength(2)
  })

  it('named agents, in order of first mention, once each', () => {
    expect(decideOn('@Librarian, @Golem, @Librarian!', { policy: rules('smart') }).decision).toMatchObject({
      route: 'named',
      responders: ['Librarian', 'Golem'],
    })
  })

  it('an archived agent is not answered for, and it is said', () => {
    expect(decideOn('@Old hi', { policy: rules('always') }).decision).toMatchObject({
      verdict: 'keep',
      reason: 'nobody-answers',
      notices: [{ kind: 'archived', agents: ['Old'] }],
    })
    expect(decideOn('@Old and @Golem hi', { policy: rules('always') }).decision).toMatchObject({
      verdict: 'run',
      responders: ['Golem'],
      notices: [{ kind: 'archived', agents: ['Old'] }],
    })
  })

  it('a hidden agent cannot be called', () => {
    const given = policy({}, [agent('Golem', { orchestrator: true }), agent('Shade', { hidden: true })])
    expect(decideOn('@Shade hi', { policy: given }).decision.verdict).toBe('keep')
  })

  it('the owner of a conversation answers, unless a reply or a name says otherwise', () => {
    const state = { owner: 'Librarian' }
    expect(decideOn('hi', { policy: rules('always'), state }).decision).toMatchObject({
      route: 'thread',
      responders: ['Librarian'],
    })
    expect(decideOn('@Golem hi', { policy: rules('always'), state }).decision.responders).toEqual(['Golem'])
    expect(
      decideOn('hi', {
        policy: rules('always'),
        message: { replyTo: { id: 'p' } },
        state: { ...state, repliedTo: { ours: true, agent: 'Golem' } },
      }).decision,
    ).toMatchObject({ route: 'reply', responders: ['Golem'] })
  })

  it('who has been archived since owns nothing', () => {
    expect(decideOn('hi', { policy: rules('always'), state: { owner: 'Old' } }).decision.responders).toEqual([
      'Golem',
    ])
  })

  it('an addressed message goes to the orchestrator when the default responder is archived', () => {
    const given = rules('always', { defaultResponder: { kind: 'agent', agent: 'Old' } })
    const reply = { message: { replyTo: { id: 'p' } }, state: { repliedTo: { ours: true, agent: null } } }
    expect(decideOn('and?', { policy: given, ...reply }).decision).toMatchObject({
      verdict: 'run',
      route: 'orchestrator',
      responders: ['Golem'],
    })
    expect(decideOn('just talk', { policy: given }).decision).toMatchObject({
      verdict: 'keep',
      reason: 'nobody-answers',
    })
  })

  it('where only mentions are answered, the hint is given once', () => {
    const given = rules('always', { defaultResponder: { kind: 'mentions' } })
    expect(decideOn('hi', { policy: given }).decision.notices).toEqual([{ kind: 'mention-hint' }])
    expect(decideOn('hi', { policy: given, state: { hintGiven: true } }).decision.notices).toEqual([])
  })

  it('by role where one fits clearly, else the orchestrator', () => {
    const given = policy({ groupPolicy: 'always', defaultResponder: { kind: 'auto' } }, [
      agent('Golem', { orchestrator: true }),
      agent('Librarian', { role: 'invoices, payments and taxes' }),
      agent('Scribe', { role: 'release notes and changelogs' }),
    ])
    expect(decideOn('invoices and payments', { policy: given }).decision).toMatchObject({
      route: 'auto',
      responders: ['Librarian'],
    })
    expect(decideOn('lunch anybody', { policy: given }).decision).toMatchObject({
      route: 'orchestrator',
      responders: ['Golem'],
    })
  })
})
