/** Questions to people, from the row to the last word. Long, because its law at the end needs every step that stands before it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agent, message, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Question } from '../messaging/approval.js'
import { APPROVAL_EXPIRE } from '../messaging/limits.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const GOLEM = agent('Golem', { orchestrator: true, effects: 'unknown' })
const rules = policy({}, [GOLEM])
const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const

function deploy(change: Partial<Question> = {}): Question {
  return {
    kind: 'permission',
    agent: 'Golem',
    text: 'Run `make deploy`?',
    options: [
      { id: 'allow', label: 'Allow' },
      { id: 'reject', label: 'Reject', deny: true },
    ],
    subject: 'make deploy',
    ...change,
  }
}

/** Ann has asked, the agent works. */
function working(given = rules): { room: TestRoom; turn: ClaimedTurn } {
  const room = new TestRoom(given)
  room.say('@Golem deploy', { id: 'q' })
  const turn = room.next()
  COMMANDS.markFirstEvent(room.room, turn.id, room.now)
  return { room, turn }
}

function ask(room: TestRoom, turn: Pick<ClaimedTurn, 'id'>, question = deploy()) {
  return COMMANDS.openQuestion(room.room, { turn: turn.id, question, at: room.now })
}

const take = (room: TestRoom, approval: number) => COMMANDS.takeRuling(room.room, approval, room.now)

interface Shown {
  text: string
  tokens: string[]
}

/** Sends what is ready. What the posts and edits of questions say by now, by the id of the post. */
function send(room: TestRoom): Shown[] {
  const shown: Shown[] = []
  for (let claimed = room.operations(); claimed.length > 0; claimed = room.operations())
    for (const { id, op, tokens } of claimed) {
      if (op.kind === 'note')
        shown.push({
          text: JSON.stringify({ ...op.notice, edits: op.edits }),
          tokens: [...tokens],
        })
      const receipt = { at: room.now, id: op.kind === 'note' && op.edits ? op.edits : `p${id}` }
      COMMANDS.recordReceipt(room.room, id, { state: 'sent', at: room.now, receipt })
    }
  return shown
}

function tokensOf(room: TestRoom): string[] {
  return send(room).findLast(({ tokens }) => tokens.length > 0)?.tokens ?? []
}

const code = (room: TestRoom) => COMMANDS.approvals(room.room)[0]?.code ?? 'none'

describe('a question', () => {
  it('is a post with a button for each option, and a press decides it', () => {
    const { room, turn } = working()
    const opened = ask(room, turn)
    expect(opened).toMatchObject({ status: 'open', who: ['Ann'], expiresAt: room.now + APPROVAL_EXPIRE })
    if (opened.status !== 'open') return
    const [allow = ''] = tokensOf(room)
    expect(take(room, opened.approval)).toBeNull()
    expect(room.press(allow, 'ann', { id: 'p1' })).toMatchObject({ ruled: [opened.approval], abort: [] })
    expect(send(room).map(({ text }) => JSON.parse(text))).toContainEqual(
      expect.objectContaining({ kind: 'decided', end: { how: 'chosen', label: 'Allow', by: 'ann' } }),
    )
    expect(take(room, opened.approval)).toEqual({
      kind: 'chosen',
      option: 'allow',
      by: { id: 'ann', name: 'ann' },
    })
    expect(take(room, opened.approval)).toBeNull()
    expect(room.receipt('local:lobby:q').turns[0]?.questions).toMatchObject([
      { state: 'chosen', choice: 'Allow', by: { id: 'ann' }, how: 'button', usedAt: room.now },
    ])
  })

  it('any-approval-by-a-bystander: others are told in private, and learn nothing', () => {
    const { room, turn } = working()
    ask(room, turn)
    const [allow = '', reject = ''] = tokensOf(room)
    expect(room.press(allow, 'mallory').whisper).toMatchObject({
      to: 'mallory',
      text: 'Only Ann can decide this.',
    })
    expect(COMMANDS.approvals(room.room)).toHaveLength(1)
    room.press(reject)
    expect(room.press(allow).whisper?.text).toBe('This was already decided: Reject, by ann.')
    expect(room.press(allow, 'mallory').whisper?.text).toBe('Only Ann can decide this.')
    expect(COMMANDS.approvals(room.room)).toEqual([])
  })

  it('is another one when it is asked again after its decision was used', () => {
    const { room, turn } = working()
    const first = ask(room, turn)
    room.press(tokensOf(room)[0] ?? '')
    if (first.status === 'open') take(room, first.approval)
    const second = ask(room, turn)
    expect(second).toMatchObject({ status: 'open' })
    expect(second).not.toEqual(first)
  })

  it('is not asked twice while it is open', () => {
    const { room, turn } = working()
    expect(ask(room, turn)).toEqual(ask(room, turn))
    expect(ask(room, turn, deploy({ subject: 'rm -rf /' }))).not.toEqual(ask(room, turn))
    expect(COMMANDS.approvals(room.room)).toHaveLength(2)
  })

  it('needs somebody to ask', () => {
    const room = new TestRoom(policy({ groupPolicy: 'always' }, [GOLEM]))
    room.say('@Golem hello', { author: { id: 'feed', name: 'Feed', kind: 'bot' } })
    expect(ask(room, room.next())).toEqual({
      status: 'ruled',
      ruling: { kind: 'refused', why: 'nobody-to-ask' },
    })
  })

  it.each([
    { approvers: [], may: ['ann'] },
    { approvers: ['bob'], may: ['bob'] },
    { approvers: ['requester', 'bob'], may: ['ann', 'bob'] },
  ])('is for $may where approvers are $approvers', ({ approvers, may }) => {
    for (const person of ['ann', 'bob', 'mallory']) {
      const { room, turn } = working(policy({ approvers }, [GOLEM]))
      ask(room, turn)
      const { ruled = [], whisper } = room.press(tokensOf(room)[0] ?? '', person)
      expect(ruled.length === 1).toBe(may.includes(person))
      expect(whisper === undefined).toBe(may.includes(person))
    }
  })

  it('is withdrawn when its turn ends, is stopped, or its message is deleted', () => {
    for (const end of ['settle', 'stop', 'delete'] as const) {
      const { room, turn } = working()
      ask(room, turn)
      const [allow = ''] = tokensOf(room)
      if (end === 'settle') room.answer(turn, 'done without')
      else if (end === 'stop') room.say('/stop', { command: { name: 'stop' } })
      else room.remove('q')
      expect(COMMANDS.approvals(room.room)).toEqual([])
      expect(room.press(allow)).toMatchObject({ whisper: { text: 'This question is no longer open.' } })
      expect(send(room).some(({ text }) => text.includes('withdrawn'))).toBe(true)
    }
  })

  it('is refused when nobody decides it, and the run is told', () => {
    const { room, turn } = working()
    const opened = ask(room, turn)
    const [allow = ''] = tokensOf(room)
    room.now += APPROVAL_EXPIRE
    expect(room.press(allow).whisper?.text).toMatch(/expired/)
    const { ruled, expired } = COMMANDS.expireQuestions(room.room, room.now)
    expect({ ruled, expired }).toEqual({ ruled: [opened.status === 'open' && opened.approval], expired: 1 })
    expect(take(room, ruled[0] ?? 0)).toEqual({ kind: 'refused', why: 'expired' })
    expect(send(room).some(({ text }) => text.includes('"how":"expired"'))).toBe(true)
  })

  it('that cannot be posted is refused', () => {
    const { room, turn } = working()
    ask(room, turn)
    for (const { id, op } of room.operations())
      if (op.kind === 'note')
        COMMANDS.recordReceipt(room.room, id, {
          state: 'failed',
          at: room.now,
          failure: { kind: 'forbidden' },
          message: 'no',
        })
    expect(COMMANDS.expireQuestions(room.room, room.now)).toMatchObject({ expired: 1 })
  })

  it('keeps a teammate’s asker waiting as long', () => {
    const room = new TestRoom(policy({}, [GOLEM, agent('Beta', { effects: 'unknown' })]))
    room.say('@Golem deploy', { id: 'q' })
    const turn = room.next()
    room.ask(turn, 'Beta')
    room.settle(turn.id, { state: 'settled', text: '' })
    ask(room, room.next())
    room.now += 3_600_000
    room.tend()
    expect(COMMANDS.approvals(room.room)).toHaveLength(1)
    expect(COMMANDS.queue(room.room).turns.some(({ state }) => state === 'waiting-for-decision')).toBe(true)
  })
})

describe('an answer in words', () => {
  it.each([
    'approve CODE',
    '!approve CODE',
    '/approve CODE',
    '@Golem approve CODE',
    '  Approve code ',
    '同意 CODE',
  ])('"%s" decides it, and wakes nobody', (form) => {
    const { room, turn } = working()
    const opened = ask(room, turn)
    const own = code(room)
    const said = room.say(form.replace('CODE', own).replace('code', own.toLowerCase()))
    expect(said).toMatchObject({ ruled: [opened.status === 'open' && opened.approval], awaited: false })
    expect(room.claim()).toEqual([])
    room.answer(turn, 'done')
    expect(room.claim()).toEqual([])
  })

  it('chooses among several by number or by name', () => {
    const options = ['Red', 'Green', 'Blue sky'].map((label) => ({ id: label, label }))
    for (const [form, wanted] of [
      ['answer CODE 2', 'Green'],
      ['answer CODE blue SKY', 'Blue sky'],
      ['answer CODE 9', null],
      ['approve CODE', null],
    ] as const) {
      const { room, turn } = working()
      ask(room, turn, deploy({ kind: 'question', options }))
      const own = code(room)
      room.say(form.replace('CODE', own))
      expect(room.receipt('local:lobby:q').turns[0]?.questions?.[0]?.choice).toBe(wanted)
    }
  })

  it('of somebody else decides nothing and is told in private', () => {
    const { room, turn } = working()
    ask(room, turn)
    expect(room.say(`approve ${code(room)}`, { author: BOB })).toMatchObject({
      whisper: { to: 'bob', text: 'Only Ann can decide this.' },
    })
    expect(COMMANDS.approvals(room.room)).toHaveLength(1)
  })

  it('counts in its own chat only', () => {
    const { room, turn } = working()
    ask(room, turn)
    const own = code(room)
    room.say(`approve ${own}`, { place: { chat: 'den' } })
    room.say(`!approve ${own}`, { place: { chat: 'den' } })
    expect(COMMANDS.approvals(room.room)).toHaveLength(1)
  })

  it('that is old decides nothing newer', () => {
    const { room, turn } = working()
    const first = ask(room, turn)
    const old = code(room)
    room.say(`approve ${old}`)
    if (first.status === 'open') take(room, first.approval)
    ask(room, turn)
    expect(room.say(`approve ${old}`).ruled).toBeUndefined()
    expect(COMMANDS.approvals(room.room)).toHaveLength(1)
  })

  it('without a code says which are open', () => {
    const { room, turn } = working()
    ask(room, turn)
    const own = code(room)
    room.say('!approve')
    expect(
      send(room).some(({ text }) => text.includes(`approve ${own}`) && text.includes('Waiting for')),
    ).toBe(true)
  })
})

describe('a restart', () => {
  it('a turn whose question is open waits; the press begins it again with that decision, once', () => {
    const { room, turn } = working()
    ask(room, turn)
    const [allow = ''] = tokensOf(room)
    const next = room.reboot('boot-2')
    next.recover()
    expect(send(next).map(({ text }) => text)).toEqual([expect.stringContaining('"again":"restarted"')])
    expect(next.claim()).toEqual([])
    expect(next.receipt('local:lobby:q')).toMatchObject({ outcome: 'running', turns: [{ state: 'parked' }] })
    // Its conversation goes on.
    next.say('@Golem something else', { author: BOB })
    next.answer(next.next(), 'else')
    next.now += 5 * 3_600_000
    expect(next.press(allow)).toMatchObject({ ruled: [expect.any(Number)] })
    const again = next.next()
    expect(again).toMatchObject({ id: turn.id, attempt: 2 })
    expect(ask(next, again)).toEqual({
      status: 'ruled',
      ruling: { kind: 'chosen', option: 'allow', by: { id: 'ann', name: 'ann' } },
    })
    expect(ask(next, again)).toMatchObject({ status: 'open' })
  })

  it('between the press and the run: the decision is not lost', () => {
    const { room, turn } = working()
    ask(room, turn)
    room.press(tokensOf(room)[1] ?? '')
    const next = room.reboot('boot-2')
    next.recover()
    expect(ask(next, next.next())).toMatchObject({ status: 'ruled', ruling: { option: 'reject' } })
  })

  it('the buttons of the post that was changed work as well', () => {
    const { room, turn } = working()
    ask(room, turn)
    tokensOf(room)
    const next = room.reboot('boot-2')
    next.recover()
    next.press(tokensOf(next)[0] ?? '')
    expect(next.next().id).toBe(turn.id)
  })

  it('nobody decides: the turn ends, is not run again, and that is said', () => {
    const { room } = working()
    ask(room, { id: 1 })
    const next = room.reboot('boot-2')
    next.recover()
    send(next)
    next.now += APPROVAL_EXPIRE
    next.tend()
    expect(next.claim()).toEqual([])
    expect(send(next).some(({ text }) => text.includes('"kind":"undecided"'))).toBe(true)
    expect(next.receipt('local:lobby:q')).toMatchObject({
      turns: [{ state: 'cancelled', reason: 'nobody decided in time' }],
    })
  })

  it('/stop ends what waits', () => {
    const { room } = working()
    ask(room, { id: 1 })
    const [allow = ''] = tokensOf(room)
    const next = room.reboot('boot-2')
    next.recover()
    next.say('/stop', { command: { name: 'stop' } })
    next.press(allow)
    expect(next.claim()).toEqual([])
    expect(next.receipt('local:lobby:q').outcome).toBe('stopped')
  })
})

it('parked: what was said meanwhile is context of the run that goes on', () => {
  const { room, turn } = working()
  ask(room, turn)
  const [allow = ''] = tokensOf(room)
  room.say('by the way', { author: BOB })
  room.settle(turn.id, { state: 'parked', reason: 'x' })
  expect(send(room).some(({ text }) => text.includes('"again":"paused"'))).toBe(true)
  room.press(allow)
  expect(room.next().lines.map(({ text }) => text)).toContain('by the way')
})

it('parked just when it was decided: it goes on at once', () => {
  const { room, turn } = working()
  ask(room, turn)
  room.press(tokensOf(room)[0] ?? '')
  room.settle(turn.id, { state: 'parked', reason: 'x' })
  expect(room.next().id).toBe(turn.id)
})

type Step =
  | { do: 'ask'; subject: string }
  | { do: 'press'; who: string; token: number }
  | { do: 'text'; who: string; code: number; deny: boolean }
  | { do: 'take' | 'restart' | 'park' | 'expire' | 'stop' }

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('ask' as const), subject: fc.constantFrom('a', 'b') }),
    fc.record({
      do: fc.constant('press' as const),
      who: fc.constantFrom('ann', 'bob', 'mallory'),
      token: fc.nat(12),
    }),
    fc.record({
      do: fc.constant('text' as const),
      who: fc.constantFrom('ann', 'bob', 'mallory'),
      code: fc.nat(6),
      deny: fc.boolean(),
    }),
    fc.record({ do: fc.constantFrom('take', 'restart', 'park', 'expire', 'stop') }),
  ),
  { minLength: 1, maxLength: 30 },
) as fc.Arbitrary<Step[]>

it('law: no presses, words, replays and restarts hand out a decision twice, or one that somebody else made', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom([], ['bob'], ['requester', 'bob']), (play, approvers) => {
      let { room } = working(policy({ approvers }, [GOLEM]))
      const may = approvers.length === 0 ? ['ann'] : approvers.map((id) => (id === 'requester' ? 'ann' : id))
      const tokens: string[] = []
      const codes: string[] = []
      const granted: { subject: string; by: string }[] = []
      /** Decisions that were accepted, by question. */
      const decided = new Map<number, string>()
      let boot = 1
      const open = new Map<number, string>()
      const grant = (subject: string, ruling: ReturnType<typeof take>) => {
        if (ruling?.kind === 'chosen') granted.push({ subject, by: ruling.by.id })
      }
      const note = (who: string, ruled: readonly number[] | undefined) => {
        for (const id of ruled ?? []) {
          expect(may).toContain(who)
          expect(decided.has(id)).toBe(false)
          decided.set(id, who)
        }
      }
      for (const step of play) {
        room.now += 1_000
        const state = room.room.raw.prepare('SELECT state FROM turns WHERE id = 1').pluck().get()
        if (state === 'queued') room.claim()
        if (step.do === 'ask') {
          const result = ask(room, { id: 1 }, deploy({ subject: step.subject }))
          if (result.status === 'open') open.set(result.approval, step.subject)
          else grant(step.subject, result.ruling)
        } else if (step.do === 'press') {
          const token = tokens[step.token]
          if (token !== undefined) note(step.who, room.press(token, step.who).ruled)
        } else if (step.do === 'text') {
          const known = codes[step.code] ?? 'A2A2'
          const author = { id: step.who, name: step.who, kind: 'person' } as const
          note(step.who, room.say(`${step.deny ? 'deny' : 'approve'} ${known}`, { author }).ruled)
        } else if (step.do === 'take') {
          for (const [id, subject] of open) grant(subject, take(room, id))
        } else if (step.do === 'restart') {
          room = room.reboot(`boot-${++boot}`)
          room.recover()
        } else if (step.do === 'park') room.settle(1, { state: 'parked', reason: 'x' })
        else if (step.do === 'expire') {
          room.now += APPROVAL_EXPIRE
          room.tend()
        } else room.say('/stop', { command: { name: 'stop' } })
        for (const { code: one } of COMMANDS.approvals(room.room)) if (!codes.includes(one)) codes.push(one)
        for (const { tokens: fresh } of send(room)) tokens.push(...fresh)
      }
      expect(granted.length).toBeLessThanOrEqual(decided.size)
      for (const { by } of granted) expect(may).toContain(by)
      expect(new Set(codes).size).toBe(codes.length)
    }),
    { numRuns: 300 },
  )
})

it('a message that only looks like an answer is none', () => {
  const room = new TestRoom(rules)
  expect(room.accept(message('@Golem approve the plan')).awaited).toBe(true)
  room.say('approve this')
  expect(send(room)).toEqual([])
})
