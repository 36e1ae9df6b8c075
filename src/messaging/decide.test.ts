import { describe, expect, it } from 'vitest'
import { type Case, decideOn, natively } from '../../tests/support/decision.js'
import { agent, policy } from '../../tests/support/policy.js'
import type { InboundMessage } from './contract.js'
import type { GroupPolicy } from './roster.js'
import type { RoomState } from './state.js'

const BOT = { id: 'peer', name: 'Peer', kind: 'bot' } as const
const AGENTS = [
  agent('Golem', { orchestrator: true }),
  agent('Librarian', { aliases: ['Lib'] }),
  agent('Old', { archived: true }),
]
const rules = (groupPolicy: GroupPolicy, change: Parameters<typeof policy>[0] = {}) =>
  policy({ groupPolicy, ...change }, AGENTS)

interface Way {
  way: string
  text: string
  message?: Partial<InboundMessage>
  state?: Partial<RoomState>
  reason: string
  who?: string[]
}

/** Every way to address the bot in a group. */
const ADDRESSED: Way[] = [
  {
    way: 'a native mention',
    text: '',
    message: { doc: natively('@Golem hi') },
    reason: 'mention',
    who: ['Golem'],
  },
  { way: "the bot's own name", text: '@Golem hi', reason: 'name', who: ['Golem'] },
  { way: "an agent's name", text: 'could @Librarian look?', reason: 'name', who: ['Librarian'] },
  { way: "an agent's other name", text: 'could @lib look?', reason: 'name', who: ['Librarian'] },
  {
    way: 'a command nobody knows',
    text: '/dance now',
    message: { command: { name: 'dance' } },
    reason: 'command',
    who: ['Golem'],
  },
  {
    way: 'a command that names this bot in another case',
    text: '/dance@GOLEM now',
    message: { command: { name: 'dance', target: 'GOLEM' } },
    reason: 'command',
    who: ['Golem'],
  },
  {
    way: 'a reply to an agent',
    text: 'and then?',
    message: { replyTo: { id: 'p1' } },
    state: { repliedTo: { ours: true, agent: 'Librarian' } },
    reason: 'reply',
    who: ['Librarian'],
  },
  {
    way: 'a reply to a post that only the platform knows as ours',
    text: 'and then?',
    message: { replyTo: { id: 'p1', author: { id: 'golem', name: 'Golem', kind: 'self' } } },
    reason: 'reply',
    who: ['Golem'],
  },
  {
    way: 'a thread with one person',
    text: 'and then?',
    message: { place: { chat: 'lobby', thread: 't' } },
    state: { thread: { answered: true, people: ['ann'] } },
    reason: 'thread',
    who: ['Golem'],
  },
]

/** What looks like it and is none. */
const UNADDRESSED: Way[] = [
  { way: 'plain talk', text: 'the build is red', reason: 'policy' },
  { way: 'a name without its @', text: 'Golem said so', reason: 'policy' },
  { way: 'a longer name', text: 'hi @Golemina', reason: 'policy' },
  { way: 'an address', text: 'write to golem@golem.example', reason: 'policy' },
  { way: 'code', text: 'try `@Golem hi`', reason: 'policy' },
  { way: 'a quote', text: '> @Golem hi\n\nhe said', reason: 'policy' },
  { way: 'everyone', text: '@everyone lunch', reason: 'policy' },
  {
    way: "another bot's command",
    text: '/help@otherbot',
    message: { command: { name: 'help', target: 'otherbot' } },
    reason: 'policy',
  },
  {
    way: "another bot's command in a thread of ours",
    text: '/help@otherbot',
    message: { command: { name: 'help', target: 'otherbot' }, place: { chat: 'lobby', thread: 't' } },
    state: { thread: { answered: true, people: ['ann'] } },
    reason: 'policy',
  },
  {
    way: 'a reply to somebody else',
    text: 'and then?',
    message: { replyTo: { id: 'x' } },
    state: { repliedTo: { ours: false, agent: null } },
    reason: 'policy',
  },
  {
    way: 'a thread with two people',
    text: 'and then?',
    message: { place: { chat: 'lobby', thread: 't' } },
    state: { thread: { answered: true, people: ['ann', 'bob'] } },
    reason: 'policy',
  },
  {
    way: 'a thread without an answer',
    text: 'and then?',
    message: { place: { chat: 'lobby', thread: 't' } },
    state: { thread: { answered: false, people: [] } },
    reason: 'policy',
  },
]

const POLICIES: GroupPolicy[] = ['mention-only', 'smart', 'always']
const across = (ways: Way[]) =>
  POLICIES.flatMap((groupPolicy) => ways.map((way) => ({ groupPolicy, ...way })))

describe('who is addressed', () => {
  it.each(across(ADDRESSED))(
    '$groupPolicy: $way runs',
    ({ groupPolicy, text, message, state, reason, who }) => {
      const { decision } = decideOn(text, { policy: rules(groupPolicy), message, state } as Case)
      expect(decision).toMatchObject({ verdict: 'run', addressed: true, reason, responders: who })
    },
  )

  it.each(across(UNADDRESSED))(
    '$groupPolicy: $way addresses nobody',
    ({ groupPolicy, text, message, state }) => {
      const { decision } = decideOn(text, { policy: rules(groupPolicy), message, state } as Case)
      expect(decision.addressed).toBe(false)
      if (groupPolicy === 'mention-only')
        expect(decision).toMatchObject({ verdict: 'keep', reason: 'policy' })
      else expect(decision).toMatchObject({ verdict: 'run', reason: `policy-${groupPolicy}` })
    },
  )

  it.each(POLICIES)('%s: a direct message is always answered, by the orchestrator', (groupPolicy) => {
    const { decision } = decideOn('hi', { policy: rules(groupPolicy), message: { chat: { kind: 'dm' } } })
    expect(decision).toMatchObject({
      verdict: 'run',
      addressed: true,
      reason: 'direct',
      responders: ['Golem'],
    })
  })

  it('threads are followed up as the room says', () => {
    const follow = (threadFollowUps: 'mention' | 'one-person' | 'always', people: string[]) =>
      decideOn('and then?', {
        policy: rules('mention-only', { threadFollowUps }),
        message: { place: { chat: 'lobby', thread: 't' } },
        state: { thread: { answered: true, people } },
      }).decision.verdict
    expect(follow('mention', ['ann'])).toBe('keep')
    expect(follow('one-person', ['ann'])).toBe('run')
    expect(follow('one-person', ['ann', 'bob'])).toBe('keep')
    expect(follow('always', ['ann', 'bob'])).toBe('run')
  })

  it('a near miss is told in the receipt', () => {
    const { decision } = decideOn('hi @Golemina')
    const gate = decision.trace.find((one) => one.gate === 'addressed')
    expect(gate?.saw['near misses']).toEqual(['Golem'])
    expect(gate?.why).toMatch(/near/)
  })
})

describe('another bot', () => {
  it.each(across(ADDRESSED.filter(({ reason }) => reason !== 'mention' && reason !== 'name')))(
    '$groupPolicy: $way of another bot wakes nobody',
    ({ groupPolicy, text, message, state }) => {
      const { decision } = decideOn(text, {
        policy: rules(groupPolicy),
        message: { ...message, author: BOT },
        ...(state ? { state } : {}),
      })
      expect(decision).toMatchObject({ verdict: 'keep', reason: 'policy' })
    },
  )

  it.each(POLICIES)('%s: a mention by another bot wakes, within the budget', (groupPolicy) => {
    const say = (botTurns: number, quietNoticed = false) =>
      decideOn('@Golem hi', {
        policy: rules(groupPolicy, { maxTurns: 3 }),
        message: { author: BOT },
        state: { botTurns, quietNoticed },
      }).decision
    expect(say(2)).toMatchObject({ verdict: 'run', reason: 'name' })
    expect(say(3)).toMatchObject({
      verdict: 'keep',
      reason: 'max-turns',
      notices: [{ kind: 'quiet', maxTurns: 3 }],
    })
    expect(say(3, true).notices).toEqual([])
  })

  it('in a direct message needs a mention as well', () => {
    expect(decideOn('hi', { message: { author: BOT, chat: { kind: 'dm' } } }).decision).toMatchObject({
      verdict: 'keep',
      reason: 'policy',
    })
  })

  it('cannot call everyone, nor give commands', () => {
    const { decision } = decideOn('@everyone @Golem go', {
      policy: rules('always', { respondToEveryone: true }),
      message: { author: BOT },
    })
    expect(decision.responders).toEqual(['Golem'])
    expect(decideOn('@Golem stop', { message: { author: BOT } }).decision.command).toBeUndefined()
    expect(decideOn('!why', { message: { author: BOT } }).decision.command).toBeUndefined()
  })

  it('is stopped by the count although a person is not', () => {
    expect(decideOn('@Golem hi', { state: { botTurns: 99 } }).decision.verdict).toBe('run')
  })
})
