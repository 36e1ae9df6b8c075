/** What a decision says about waiting: bounds, merging, the rest of a message that has only begun. */
import { describe, expect, it } from 'vitest'
import { type Case, decideOn, natively, request } from '../../tests/support/decision.js'
import { agent, policy, T0 } from '../../tests/support/policy.js'
import type { GroupPolicy } from './roster.js'
import type { RoomState } from './state.js'

const BOT = { id: 'peer', name: 'Peer', kind: 'bot' } as const
const AGENTS = [agent('Golem', { orchestrator: true }), agent('Librarian'), agent('Old', { archived: true })]
const rules = (groupPolicy: GroupPolicy) => policy({ groupPolicy }, AGENTS)

describe('the bounds of the queue', () => {
  const waiting = { sender: 20, room: 20 }
  it.each([
    { policy: 'mention-only', text: '@Golem hi', told: true },
    { policy: 'smart', text: 'hi', told: false },
    { policy: 'smart', text: '@Golem hi', told: true },
    { policy: 'always', text: 'hi', told: true },
  ] as const)('$policy: "$text" is refused, told: $told', ({ policy: groupPolicy, text, told }) => {
    const { decision } = decideOn(text, { policy: rules(groupPolicy), state: { waiting } })
    expect(decision).toMatchObject({ verdict: 'refuse', reason: 'queue-full', responders: [] })
    expect(decision.notices).toEqual(told ? [{ kind: 'not-taken', reason: 'sender-full' }] : [])
  })

  it('a full room refuses every sender', () => {
    const { decision } = decideOn('@Golem hi', { state: { waiting: { sender: 0, room: 200 } } })
    expect(decision.notices).toEqual([{ kind: 'not-taken', reason: 'room-full' }])
  })

  it('one less is taken', () => {
    expect(decideOn('@Golem hi', { state: { waiting: { sender: 19, room: 199 } } }).decision.verdict).toBe(
      'run',
    )
  })
})

describe('merging', () => {
  const merged = (tail: RoomState['tail'], given: Case = {}) =>
    decideOn('more', { policy: rules('always'), ...given, state: { busy: true, tail } }).decision.join

  it.each([
    ['the same sender, in time', request(), 'merge'],
    ['another sender', request({ sender: 'bob' }), 'none'],
    ['exactly at the window', request({ lastAt: T0 - 120_000 }), 'merge'],
    ['after the window', request({ lastAt: T0 - 120_001 }), 'none'],
    ['as many lines as may be shown', request({ items: 30 }), 'none'],
    ['as many characters as may merge', request({ characters: 7_997 }), 'none'],
    ['just so many', request({ characters: 7_996 }), 'merge'],
    ['another agent', request({ responders: ['Librarian'] }), 'none'],
    ['more agents', request({ responders: ['Golem', 'Librarian'] }), 'none'],
  ] as const)('%s: %o', (_, tail, expected) => {
    expect(merged(tail)).toBe(expected)
  })

  it('never lines of another bot', () => {
    const { decision } = decideOn('@Golem more', {
      message: { author: BOT },
      state: { tail: request({ sender: 'peer' }) },
    })
    expect(decision.join).toBe('none')
  })
})

describe('a message that waits for its rest', () => {
  it.each([
    ['a bare mention', { doc: natively('@Golem') }],
    ['files alone', { doc: natively('@Golem'), files: [{ id: 'f', name: 'a.png' }] }],
    ['a text cut by the platform', { doc: natively('@Golem a long story'), partial: true }],
  ] as const)('%s starts after the debounce, also behind a turn', (_, message) => {
    for (const busy of [false, true])
      expect(decideOn('', { message, state: { busy } }).decision.notBefore).toBe(T0 + 1_500)
  })

  it('a whole text starts at once', () => {
    expect(decideOn('@Golem hi').decision.notBefore).toBe(T0)
  })

  const unfinished = { ...request({ characters: 0 }), until: T0 + 100 }
  const rest = (text: string, given: Case = {}) =>
    decideOn(text, { state: { unfinished }, ...given }).decision

  it('is joined by the next line of the same sender', () => {
    expect(rest('what is up?')).toMatchObject({
      verdict: 'run',
      addressed: true,
      join: 'debounce',
      reason: 'continues',
      responders: ['Golem'],
      notBefore: T0,
    })
  })

  it('stays unaddressed when it was', () => {
    const given = { policy: rules('smart'), state: { unfinished: { ...unfinished, addressed: false } } }
    expect(rest('look', given)).toMatchObject({ join: 'debounce', addressed: false })
    expect(rest('@Golem look', given)).toMatchObject({ join: 'debounce', addressed: true, reason: 'name' })
  })

  it.each([
    ['too late', { now: T0 + 101 }],
    ['of a bot', { message: { author: BOT } }],
    ['as many lines as may merge', { state: { unfinished: { ...unfinished, items: 30 } } }],
  ] as const)('is not joined by what comes %s', (_, given) => {
    expect(rest('what is up?', given as Case)).toMatchObject({ verdict: 'keep', reason: 'policy' })
  })

  it.each(['@Librarian look', '@Old look', '@everyone look'])('nor by what is said to others: %s', (text) => {
    expect(rest(text, { policy: rules('always') }).join).not.toBe('debounce')
  })

  it('a command is no rest', () => {
    expect(rest('!why')).toMatchObject({ reason: 'command' })
  })
})
