/** Several accounts of Golem's in one chat: each message is answered once, by the account that it is said to. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { natively } from '../../tests/support/decision.js'
import { agent, message, policy, T0 } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Account } from '../messaging/accounts.js'
import type { BotIdentity, Doc, InboundMessage } from '../messaging/contract.js'
import { parseDoc } from '../messaging/doc/index.js'
import type { Policy, RoomSettings } from '../messaging/roster.js'
import type { ClaimedTurn } from '../messaging/store.js'

const MAIN: BotIdentity = { id: 'B1', name: 'Golem' }
const REV: BotIdentity = { id: 'B2', name: 'Reviewer' }
const SELF: Record<string, BotIdentity> = { slack: MAIN, 'slack.rev': REV }
const CONNECTIONS = ['slack', 'slack.rev'] as const
type Connection = (typeof CONNECTIONS)[number]

const account = (connection: string, owner: string | null, change: Partial<Account> = {}): Account => ({
  connection,
  platform: 'slack',
  agent: owner,
  hears: true,
  sameIds: true,
  ...change,
})
const rules = (settings: Partial<RoomSettings> = {}, change: Partial<Policy> = {}): Policy =>
  policy(
    settings,
    [
      agent('Golem', { orchestrator: true }),
      agent('Reviewer', { role: 'code review' }),
      agent('Scribe', { role: 'keeps notes' }),
    ],
    { accounts: [account('slack', null), account('slack.rev', 'Reviewer')], ...change },
  )

const both = (text: string): Doc => {
  const one = natively(text, 'B1', 'Golem')
  return text.includes('@RevBot') ? natively(text, 'B2', 'RevBot') : one
}

class Two {
  readonly room: TestRoom
  #next = 0

  /** @param known both accounts have heard something in the chat before */
  constructor(given: Policy = rules(), known = true) {
    this.room = new TestRoom(given)
    if (known) this.say('hello', { doc: parseDoc('hello'), author: { id: 'zoe', name: 'Zoe', kind: 'bot' } })
  }

  hear(connection: Connection, given: InboundMessage) {
    const author = given.author.id === SELF[connection]?.id ? 'self' : given.author.kind
    return this.room.accept(
      { ...given, author: { ...given.author, kind: author } },
      { connection, self: SELF[connection] ?? MAIN },
    )
  }

  /** Said in the chat, and heard by both, in the order given. */
  say(
    text: string,
    change: Partial<InboundMessage> = {},
    order: readonly Connection[] = CONNECTIONS,
  ): string {
    const id = `m${++this.#next}`
    const given = message(text, { at: this.room.now, doc: both(text), ...change, id, event: `message:${id}` })
    for (const connection of order) this.hear(connection, given)
    return id
  }

  /** What an account has posted, as the platform tells both. */
  posted(connection: Connection, text: string, change: Partial<InboundMessage> = {}): string {
    const { id, name } = SELF[connection] ?? MAIN
    return this.say(text, { author: { id, name, kind: 'bot' }, ...change })
  }

  turns(): { connection: string; agent: string }[] {
    return this.room.claim().map(({ connection, agent: name }) => ({ connection, agent: name }))
  }

  reason(connection: Connection, id: string): string | undefined {
    return this.room.receipt(`${connection}:lobby:${id}`).decision?.reason
  }
}

const golem = { connection: 'slack', agent: 'Golem' }
const reviewer = { connection: 'slack.rev', agent: 'Reviewer' }
const always = rules({ groupPolicy: 'always' })

describe('two accounts in one chat', () => {
  for (const order of [CONNECTIONS, [...CONNECTIONS].reverse()] as const)
    describe(`heard by ${order[0]} first`, () => {
      it.each<[string, string, object[]]>([
        ['a mention of the team’s account', '@Golem hi', [golem]],
        ['a mention of an agent’s own', '@RevBot hi', [reviewer]],
        ['the agent’s name in plain text', '@Reviewer hi', [reviewer]],
        ['another agent’s name', '@Scribe hi', [{ connection: 'slack', agent: 'Scribe' }]],
        ['both', '@Reviewer and @Scribe', [{ connection: 'slack', agent: 'Scribe' }, reviewer]],
        ['nobody', 'hi', []],
        ['nobody, by a command', '!status', []],
      ])('%s', (_, text, expected) => {
        const two = new Two()
        two.say(text, {}, order)
        expect(two.turns().toSorted((a, b) => (a.connection < b.connection ? -1 : 1))).toEqual(expected)
      })

      it('what nobody is called for is the team’s, and only once', () => {
        const two = new Two(always)
        const id = two.say('hi', {}, order)
        expect(two.turns()).toEqual([golem])
        expect(two.reason('slack.rev', id)).toBe('other-account')
      })

      it('in an always-room, too, what is said to one is not answered by the other', () => {
        const two = new Two(always)
        const id = two.say('@RevBot hi', {}, order)
        expect(two.turns()).toEqual([reviewer])
        expect(two.room.receipt(`slack:lobby:${id}`).decision?.gates.at(-1)).toMatchObject({
          gate: 'account',
          why: 'It is for Reviewer, which answers through another account.',
        })
      })

      it('@all: each agent once, through its own account where it has one', () => {
        const two = new Two(always)
        two.say('@all hi', {}, order)
        expect(two.turns().toSorted((a, b) => (a.connection < b.connection ? -1 : 1))).toEqual([
          golem,
          reviewer,
        ])
        expect(two.room.claim()).toEqual([])
      })

      it('a chat that both hear of for the first time', () => {
        const two = new Two(always, false)
        two.say('hi', {}, order)
        expect(two.turns()).toHaveLength(1)
        const named = new Two(always, false)
        named.say('@Reviewer hi', {}, order)
        expect(named.turns()).toHaveLength(1)
      })
    })

  it('a direct chat with an agent’s account is the agent’s', () => {
    const two = new Two()
    const direct = message('hi', { chat: { kind: 'dm' }, place: { chat: 'D9' }, at: T0 })
    two.hear('slack.rev', direct)
    expect(two.turns()).toEqual([reviewer])
  })

  it('a reply goes to whose post it is, also where the platform does not say whose that was', () => {
    const two = new Two(always)
    two.say('@RevBot hi')
    const turn = two.room.next()
    two.room.answer(turn, 'looks good')
    const [post] = two.room.operations().filter(({ op }) => op.kind === 'post')
    expect(post).toBeUndefined()
    const author = { ...REV, kind: 'bot' } as const
    const id = two.posted('slack.rev', 'looks good')
    two.say('why?', { replyTo: { id, author } })
    expect(two.reason('slack', 'm4')).toBe('other-account')
  })

  it('a thread goes on with whoever of Golem’s spoke last in it', () => {
    const two = new Two(rules())
    const place = { chat: 'lobby', thread: 't1' }
    two.say('@Golem hi', { place })
    two.room.answer(two.room.next(), 'hello')
    two.posted('slack', 'hello', { place })
    two.say('and now?', { place })
    const next = two.room.next()
    expect(next).toMatchObject(golem)
    two.room.answer(next, 'well')
    two.say('@RevBot you?', { place })
    two.room.answer(two.room.next(), 'fine')
    two.posted('slack.rev', 'fine', { place })
    two.say('really?', { place })
    expect(two.turns()).toEqual([reviewer])
  })

  it('an account that was taken out takes nothing any more', () => {
    const two = new Two(always)
    const left = { id: 'B1', name: 'Golem', kind: 'self' } as const
    two.room.accept(
      { kind: 'change', event: 'left', at: T0, place: { chat: 'lobby' }, author: left, left: [left] },
      { connection: 'slack', self: MAIN },
    )
    two.say('hi', {}, ['slack.rev'])
    expect(two.turns()).toEqual([reviewer])
  })

  it('an account that is shown only what addresses it takes nothing either', () => {
    const two = new Two(always)
    two.room.accept(message('@Golem x', { id: 'x', doc: both('@Golem x') }), {
      connection: 'slack',
      self: MAIN,
      sees: 'addressed',
    })
    two.room.answer(two.room.next(), 'y')
    two.say('hi', {}, ['slack.rev'])
    expect(two.turns()).toEqual([reviewer])
  })

  it('where no agent has an account, each account is as before', () => {
    const two = new Two(rules({ groupPolicy: 'always' }, { accounts: [] }))
    two.say('hi')
    expect(two.turns()).toHaveLength(2)
  })
})

describe('what an account of Golem’s own says', () => {
  const texts = (turn: ClaimedTurn) =>
    turn.lines.map(({ kind, author, text }) => `${kind} ${author.name}: ${text}`)

  it('is an agent’s line for the others, and wakes nobody without a mention', () => {
    const two = new Two(always)
    two.posted('slack.rev', 'the tests are green')
    expect(two.turns()).toEqual([])
    two.say('@Golem what did he say?')
    expect(texts(two.room.next())).toContain('agent Reviewer: the tests are green')
  })

  it('is heard also where lists of people are kept', () => {
    const two = new Two(rules({}, { access: { 'slack.rev': { allow: { users: ['ann'] } } } }))
    two.posted('slack', '@RevBot please look')
    expect(two.turns()).toEqual([reviewer])
  })

  it('a name in it wakes an agent by its own account alone', () => {
    const two = new Two()
    two.say('@Golem hi')
    const turn = two.room.next()
    two.room.answer(turn, '@Reviewer please look', { wakes: ['Reviewer'] })
    expect(two.room.claim()).toEqual([])
    two.posted('slack', '@Reviewer please look')
    const work = two.room.next()
    expect(work).toMatchObject(reviewer)
    two.room.answer(work, '@Golem and @Scribe: done', { wakes: ['Golem', 'Scribe'] })
    expect(two.room.claim()).toEqual([])
    two.posted('slack.rev', '@Golem and @Scribe: done')
    expect(two.turns()).toEqual([{ connection: 'slack', agent: 'Scribe' }])
  })

  it('an account that is heard of only then does not answer what its agent was woken for', () => {
    const two = new Two(rules(), false)
    two.say('@Golem hi', {}, ['slack'])
    two.room.answer(two.room.next(), '@Reviewer please look', { wakes: ['Reviewer'] })
    two.posted('slack', '@Reviewer please look')
    expect(two.turns()).toEqual([{ connection: 'slack', agent: 'Reviewer' }])
  })

  it('where accounts do not hear each other, it wakes as ever, and once', () => {
    const deaf = [
      account('slack', null, { hears: false }),
      account('slack.rev', 'Reviewer', { hears: false }),
    ]
    const two = new Two(rules({}, { accounts: deaf }))
    two.say('@Golem hi')
    two.room.answer(two.room.next(), '@Reviewer please look', { wakes: ['Reviewer'] })
    two.posted('slack', '@Reviewer please look')
    expect(two.turns()).toEqual([{ connection: 'slack', agent: 'Reviewer' }])
  })

  it('a loop across accounts stops at maxTurns, with one notice, until a person speaks', () => {
    const two = new Two(rules({ maxTurns: 3 }))
    two.say('@Golem ask each other')
    let said = 0
    for (let turn: ClaimedTurn | undefined = two.room.next(); turn !== undefined; [turn] = two.room.claim()) {
      said++
      const text = turn.agent === 'Golem' ? `@RevBot ${said}` : `@Golem ${said}`
      // Whom a text names is found by their names as well.
      two.room.answer(turn, text, { wakes: [turn.agent === 'Golem' ? 'Reviewer' : 'Golem'] })
      two.posted(turn.connection as Connection, text)
      expect(said).toBeLessThan(10)
    }
    expect(said).toBe(3)
    two.posted('slack', '@RevBot again')
    expect(two.turns()).toEqual([])
    const notices = two.room.room
      .sql("SELECT count(*) AS n FROM outbox WHERE kind = 'note' AND op LIKE '%quiet%'")
      .get() as { n: number }
    expect(notices.n).toBe(1)
    two.say('go on')
    two.say('@RevBot what now?')
    expect(two.turns()).toEqual([reviewer])
  })
})

it('law: whatever is said, by whom and in which order it is heard, no agent answers it twice', () => {
  const words = fc.array(
    fc.constantFrom('@Golem', '@RevBot', '@Reviewer', '@Scribe', '@all', 'hi', '!why', '/stop'),
    {
      maxLength: 4,
    },
  )
  const said = fc.record({
    text: words.map((list) => list.join(' ')),
    by: fc.constantFrom('ann', 'bob', 'B1', 'B2'),
    reversed: fc.boolean(),
    thread: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.constantFrom<RoomSettings['groupPolicy']>('mention-only', 'smart', 'always'),
      fc.array(said, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      (groupPolicy, all, known) => {
        const two = new Two(rules({ groupPolicy, respondToEveryone: true }), known)
        for (const one of all) {
          const order = one.reversed ? [...CONNECTIONS].reverse() : CONNECTIONS
          const kind = one.by.startsWith('B') ? 'bot' : 'person'
          two.say(
            one.text,
            {
              author: { id: one.by, name: one.by, kind },
              ...(one.thread ? { place: { chat: 'lobby', thread: 't' } } : {}),
            },
            order,
          )
          for (;;) {
            const turns = two.room.claim()
            if (turns.length === 0) break
            const agents = turns.map(({ agent: name }) => name)
            expect(new Set(agents).size).toBe(agents.length)
            for (const turn of turns) two.room.answer(turn, 'ok', { operations: [] })
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})
