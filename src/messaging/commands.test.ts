import { describe, expect, it } from 'vitest'
import { decideOn } from '../../tests/support/decision.js'
import { agent, policy } from '../../tests/support/policy.js'

const AGENTS = [agent('Golem', { orchestrator: true }), agent('Librarian')]

describe('commands', () => {
  it.each([
    ['/why', { name: 'why', argument: '' }, { command: { name: 'why' } }],
    ['/why last', { name: 'why', argument: 'last' }, { command: { name: 'why' } }],
    ['/WHY@golem last', { name: 'why', argument: 'last' }, { command: { name: 'why', target: 'golem' } }],
    ['!why', { name: 'why', argument: '' }, {}],
    ['@Golem status', { name: 'status', argument: '' }, {}],
    ['@Golem /new', { name: 'new', argument: '' }, {}],
    ['@Golem  Stop ', { name: 'stop', argument: '' }, {}],
  ] as const)('%s is carried out', (text, command, message) => {
    expect(decideOn(text, { message }).decision).toMatchObject({
      verdict: 'keep',
      reason: 'command',
      addressed: true,
      command,
      responders: [],
    })
  })

  it('one chosen from a menu, whose words are not in the text', () => {
    expect(decideOn('42', { message: { command: { name: 'why' } } }).decision.command).toEqual({
      name: 'why',
      argument: '42',
    })
  })

  it.each([
    ['/golem why', 'why', ''],
    ['/golem WHY last one', 'why', 'last one'],
    ['/golem-dev status', 'status', ''],
    ['/golem', 'help', ''],
  ])('%s: the bot’s own command of the platform, as it was typed', (text, name, argument) => {
    const { decision } = decideOn(text, { message: { command: { name } } })
    expect(decision.command).toEqual({ name, argument })
    expect(
      decideOn(text, { message: { command: { name, target: 'other' } } }).decision.command,
    ).toBeUndefined()
  })

  it('another word than the one that was called is none', () => {
    expect(
      decideOn('/notes why', { message: { command: { name: 'notes' } } }).decision.command,
    ).toBeUndefined()
    expect(decideOn('/golem why', { message: { command: { name: 'ask' } } }).decision.command).toBeUndefined()
  })

  it('a bare word in a direct message', () => {
    expect(decideOn('help', { message: { chat: { kind: 'dm' } } }).decision.command?.name).toBe('help')
  })

  it.each(['why', 'status please', 'please /why', '@Librarian status', '@Golem why not?', '/why@otherbot'])(
    '%s is none',
    (text) => {
      const target = text.endsWith('@otherbot') ? { command: { name: 'why', target: 'otherbot' } } : {}
      expect(
        decideOn(text, { policy: policy({ groupPolicy: 'always' }, AGENTS), message: target }).decision
          .command,
      ).toBeUndefined()
    },
  )
})
