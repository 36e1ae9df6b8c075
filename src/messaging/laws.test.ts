/** What holds for every message, in every room: the laws of `decide`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inputFor, natively, request, roomState } from '../../tests/support/decision.js'
import { agent, policy, T0 } from '../../tests/support/policy.js'
import type { InboundMessage } from './contract.js'
import { type DecideInput, decide } from './decide.js'
import { GATES } from './decision.js'
import { parseDoc } from './doc/index.js'
import type { DefaultResponder, Policy } from './roster.js'

const ROSTERS = [
  [
    agent('Golem', { orchestrator: true }),
    agent('Librarian', { role: 'invoices' }),
    agent('Old', { archived: true }),
  ],
  [agent('Golem', { orchestrator: true })],
  [agent('Old', { archived: true })],
  [agent('All Stars'), agent('小助手', { orchestrator: true }), agent('Shade', { hidden: true })],
]
const TEXTS = [
  'hi',
  '',
  '@Golem hi',
  '@Golem',
  '@Librarian and @Golem',
  '@Old hi',
  '@everyone go',
  '@all',
  '@Shade hi',
  '`@Golem`',
  '> @Golem\n\nno',
  'golem@golem.example',
  'why',
  '/why',
  '!status',
  '/dance@otherbot',
  '@小助手帮我',
  '@小助手 帮我',
  'invoices?',
]
const DEFAULTS: DefaultResponder[] = [
  { kind: 'everyone' },
  { kind: 'mentions' },
  { kind: 'auto' },
  { kind: 'agent', agent: 'Old' },
  { kind: 'agent', agent: 'Golem' },
]

const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    agents: fc.constantFrom(...ROSTERS),
    groupPolicy: fc.constantFrom('mention-only', 'smart', 'always'),
    threadFollowUps: fc.constantFrom('mention', 'one-person', 'always'),
    smartGate: fc.constantFrom('off', 'local'),
    respondToEveryone: fc.boolean(),
    cjkNames: fc.constantFrom('strict', 'longest'),
    maxTurns: fc.constantFrom(1, 10),
    defaultResponder: fc.constantFrom(...DEFAULTS),
    denied: fc.boolean(),
  } as const)
  .map(({ agents, denied, ...settings }) =>
    policy(settings, agents, denied ? { access: { local: { deny: { users: ['mallory'] } } } } : {}),
  )

const anyMessage: fc.Arbitrary<Partial<InboundMessage>> = fc
  .record({
    doc: fc.oneof(
      fc.constantFrom(...TEXTS).map((text) => parseDoc(text)),
      fc.constantFrom('@Golem', '@Golem hi', 'hi @Golem').map((text) => natively(text)),
      fc.constant(natively('@Bob hi', 'bob', 'Bob')),
      fc.string({ maxLength: 30 }).map((text) => parseDoc(text)),
    ),
    author: fc.constantFrom(
      { id: 'ann', name: 'Ann', kind: 'person' } as const,
      { id: 'mallory', name: 'Mallory', kind: 'person' } as const,
      { id: 'peer', name: 'Peer', kind: 'bot' } as const,
      { id: 'golem', name: 'Golem', kind: 'self' } as const,
    ),
    chat: fc.constantFrom({ kind: 'group' } as const, { kind: 'dm' } as const),
    place: fc.constantFrom({ chat: 'lobby' }, { chat: 'lobby', thread: 't' }),
    replyTo: fc.constantFrom(
      undefined,
      { id: 'p' },
      { id: 'p', author: { id: 'golem', name: 'Golem', kind: 'self' } as const },
    ),
    command: fc.constantFrom(undefined, { name: 'why' }, { name: 'why', target: 'otherbot' }),
    partial: fc.boolean(),
  })
  .map(({ replyTo, command, ...rest }) => ({
    ...rest,
    ...(replyTo ? { replyTo } : {}),
    ...(command ? { command } : {}),
  }))

const anyRequest = fc
  .record({
    sender: fc.constantFrom('ann', 'bob'),
    responders: fc.constantFrom(['Golem'], ['Librarian'], ['Golem', 'Librarian']),
    lastAt: fc.integer({ min: T0 - 200_000, max: T0 }),
    items: fc.integer({ min: 1, max: 31 }),
    characters: fc.integer({ min: 0, max: 9_000 }),
    addressed: fc.boolean(),
  })
  .map(request)
const anyState = fc
  .record({
    botTurns: fc.integer({ min: 0, max: 12 }),
    quietNoticed: fc.boolean(),
    hintGiven: fc.boolean(),
    thread: fc.constantFrom(
      null,
      { answered: true, people: ['ann'] },
      { answered: true, people: ['ann', 'bob'] },
      { answered: false, people: [] },
    ),
    owner: fc.constantFrom(null, 'Librarian', 'Old', 'Nobody'),
    repliedTo: fc.constantFrom(
      null,
      { ours: true, agent: 'Librarian' },
      { ours: true, agent: null },
      { ours: false, agent: null },
    ),
    waiting: fc.constantFrom({ sender: 0, room: 0 }, { sender: 20, room: 30 }, { sender: 1, room: 200 }),
    busy: fc.boolean(),
    tail: fc.option(anyRequest),
    unfinished: fc.option(
      fc
        .tuple(anyRequest, fc.integer({ min: T0 - 10, max: T0 + 10 }))
        .map(([one, until]) => ({ ...one, until })),
    ),
    utterance: fc.option(
      fc.record({
        waiting: fc.option(anyRequest),
        begun: fc.constantFrom('no', 'unaddressed', 'addressed'),
      }),
    ),
  })
  .map(roomState)

const anyCase = fc
  .record({ rules: anyPolicy, message: anyMessage, state: anyState })
  .map(({ rules, message, state }) => ({
    ...inputFor('', { policy: rules, message, state }),
  }))

const law = (
  holds: (decided: ReturnType<typeof decide>['decision'], input: DecideInput, rules: Policy) => void,
) =>
  fc.assert(
    fc.property(anyCase, ({ policy: rules, input }) => holds(decide(rules, input).decision, input, rules)),
    { numRuns: 400 },
  )

describe('laws of a decision', () => {
  it('is pure: the same input, the same output, and the input as it was', () => {
    fc.assert(
      fc.property(anyCase, ({ policy: rules, input }) => {
        const before = structuredClone({ rules, input })
        const first = decide(rules, input)
        expect(decide(rules, input)).toEqual(first)
        expect({ rules, input }).toEqual(before)
        expect(structuredClone(first)).toEqual(first)
      }),
      { numRuns: 150 },
    )
  })

  it('a message of the bot itself never runs, whatever it says', () =>
    law((decision, { message }) => {
      if (message.author.kind === 'self')
        expect(decision).toMatchObject({ verdict: 'keep', responders: [], notices: [] })
    }))

  it('who is denied wakes nobody and gives no command', () =>
    law((decision, { message }, rules) => {
      if (message.author.id !== 'mallory' || rules.access.local === undefined) return
      expect(decision).toMatchObject({ verdict: 'keep', reason: 'access', responders: [] })
      expect(decision.command).toBeUndefined()
    }))

  it('mention-only never runs for what is addressed to nobody', () =>
    law((decision, { settings }) => {
      if (
        settings.groupPolicy === 'mention-only' &&
        decision.verdict === 'run' &&
        decision.join !== 'debounce' &&
        decision.join !== 'utterance'
      )
        expect(decision.addressed).toBe(true)
    }))

  it('another bot runs an agent by a mention only, and never beyond the count', () =>
    law((decision, { message, settings, state }) => {
      if (message.author.kind !== 'bot' || decision.verdict !== 'run') return
      expect(['mention', 'name']).toContain(decision.reason)
      expect(state.botTurns).toBeLessThan(settings.maxTurns)
      expect(decision.join).toBe('none')
      expect(decision.command).toBeUndefined()
    }))

  it("a person's addressed message is never dropped in silence", () =>
    law((decision, { message, state }) => {
      if (message.author.kind !== 'person' || !decision.addressed || decision.verdict === 'run') return
      // The rest of something that is being answered.
      if (decision.reason === 'late-part') expect(state.utterance?.begun).toBe('addressed')
      else if (decision.verdict === 'refuse') expect(decision.notices).toMatchObject([{ kind: 'not-taken' }])
      else if (decision.command === undefined) {
        expect(decision.reason).toBe('nobody-answers')
        expect(decision.notices.length).toBeGreaterThan(0)
        expect(decision.trace.at(-1)?.verdict).toBe('stop')
      }
    }))

  it('runs for somebody, and only for active members; what does not run has no responders', () =>
    law((decision, { settings }, rules) => {
      if (decision.verdict !== 'run') {
        expect(decision.responders).toEqual([])
        return
      }
      expect(decision.responders.length).toBeGreaterThan(0)
      expect(new Set(decision.responders).size).toBe(decision.responders.length)
      if (decision.join === 'debounce' || decision.join === 'utterance') return
      for (const name of decision.responders) {
        expect(settings.members).toContain(name)
        expect(rules.agents.find((one) => one.name === name)).toMatchObject({
          archived: false,
          hidden: false,
        })
      }
    }))

  it('every gate says why, in the order of the gates, and a stop is the last one', () =>
    law((decision) => {
      expect(decision.trace.length).toBeGreaterThan(0)
      const places = decision.trace.map(({ gate }) => GATES.indexOf(gate))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(new Set(places).size).toBe(places.length)
      for (const { why } of decision.trace) expect(why).toMatch(/\S.*[.?!]$|near: .+/s)
      const stop = decision.trace.findIndex(({ verdict }) => verdict === 'stop')
      if (stop >= 0) expect(stop).toBe(decision.trace.length - 1)
      const stopped = decision.verdict !== 'run' && decision.command === undefined
      expect(stop >= 0).toBe(stopped)
    }))

  it('the trace holds nothing of what was said', () => {
    const secret = 'xyzzy-plugh'
    law((_, input, rules) => {
      const said = { ...input, message: { ...input.message, doc: parseDoc(`@Golem ${secret}`) } }
      expect(JSON.stringify(decide(rules, said).decision.trace)).not.toContain(secret)
    })
  })

  it('never starts in the past, nor later than the debounce', () =>
    law((decision, { now, settings }) => {
      expect(decision.notBefore).toBeGreaterThanOrEqual(now)
      expect(decision.notBefore).toBeLessThanOrEqual(now + settings.debounceMs)
    }))

  it('joins only its own sender, within the bounds', () =>
    law((decision, { message, state, settings, now }, rules) => {
      if (decision.join === 'none') return
      const joined =
        decision.join === 'merge'
          ? state.tail
          : decision.join === 'utterance'
            ? state.utterance?.waiting
            : state.unfinished
      expect(joined?.items).toBeLessThan(rules.bounds.mergeItems)
      if (decision.join === 'merge') {
        expect(joined?.sender).toBe(message.author.id)
        expect(now - (joined?.lastAt ?? 0)).toBeLessThanOrEqual(settings.coalesceWindowMs)
      } else if (decision.join === 'debounce') expect(now).toBeLessThanOrEqual(state.unfinished?.until ?? 0)
    }))
})
