import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Effects } from '../messaging/roster.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const NAMES = ['Golem', 'Ada', 'Ben', 'Cleo', 'Dan', 'Eve']
const team = (effects: Effects = 'none', language: 'en' | 'zh' = 'en') =>
  policy(
    {},
    NAMES.map((name, index) => agent(name, { orchestrator: index === 0, effects, aliases: [`${name}-bot`] })),
    { language },
  )
const texts = (turn: ClaimedTurn) => turn.lines.map(({ text, new: fresh }) => `${text}${fresh ? '*' : ''}`)

/** Golem is at work on a question of Ann's. */
function asked(given = team()): { room: TestRoom; turn: ClaimedTurn } {
  const room = new TestRoom(given)
  room.say('@Golem please', { id: 'q' })
  return { room, turn: room.next() }
}
const rest = (room: TestRoom, turn: ClaimedTurn): void => room.settle(turn.id, { state: 'settled', text: '' })

describe('asking a teammate', () => {
  it('brings the answer back as a follow-up in the same conversation, quoting the question', () => {
    const { room, turn } = asked()
    expect(room.ask(turn, 'Ada', 'count the beans')).toMatchObject({ status: 'asked' })
    rest(room, turn)
    const work = room.next()
    expect(work).toMatchObject({
      kind: 'ask',
      agent: 'Ada',
      ask: { asker: 'Golem', task: 'count the beans', depth: 1, chain: ['Golem'] },
      requester: { id: 'ann' },
    })
    expect(texts(work)).toEqual(['count the beans*'])
    room.answer(work, '42', { operations: [] })
    const follow = room.next()
    expect(follow).toMatchObject({ kind: 'follow-up', agent: 'Golem', replyTo: 'q', addressed: true })
    expect(texts(follow)).toEqual(['please', '42*'])
    expect(follow.lines.at(-1)).toMatchObject({ kind: 'result', author: { name: 'Ada' } })
    room.answer(follow, 'There are 42.')
    expect(room.deliver()).toEqual(['post There are 42.', 'react done'])
    expect(room.receipt('local:lobby:q')).toMatchObject({ outcome: 'answered' })
  })

  it('by any of its names; not somebody who is not there', () => {
    const { room, turn } = asked()
    expect(room.ask(turn, 'ADA-BOT')).toMatchObject({ status: 'asked' })
    expect(room.ask(turn, 'Zoe')).toMatchObject({ status: 'refused', why: expect.stringMatching(/Ada, Ben/) })
  })

  it('leaves the conversation free meanwhile', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    room.next()
    room.say('@Golem another thing', { author: BOB })
    expect(room.next()).toMatchObject({ kind: 'message', agent: 'Golem' })
  })

  it('several results come in one follow-up, in the order of the asks, those that failed marked as such', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada', 'a')
    room.ask(turn, 'Ben', 'b')
    room.ask(turn, 'Cleo', 'c')
    rest(room, turn)
    const [ada, ben] = room.claim()
    room.answer(ben as never, 'ben says', { operations: [] })
    room.settle((ada as ClaimedTurn).id, {
      state: 'failed',
      code: 'exit',
      message: '/srv/secret: no such file',
    })
    const cleo = room.next()
    expect(cleo.agent).toBe('Cleo')
    room.settle(cleo.id, { state: 'passed', reason: 'nothing to add' })
    const follow = room.next()
    expect(texts(follow)).toEqual([
      'please',
      '[Ada gave no result: failed]*',
      'ben says*',
      '[Cleo gave no result: had nothing to say]*',
    ])
    expect(JSON.stringify(COMMANDS.roomMessages(room.room, 'local:lobby', { limit: 50 }))).not.toContain(
      'secret',
    )
    expect(room.receipt('local:lobby:q').turns.find(({ state }) => state === 'failed')?.reason).toMatch(
      /secret/,
    )
  })

  it('a result is at most 12,000 characters, and says that it was cut', () => {
    for (const language of ['en', 'zh'] as const) {
      const { room, turn } = asked(team('none', language))
      room.ask(turn, 'Ada')
      rest(room, turn)
      room.answer(room.next(), `x${'😀'.repeat(10_000)}`, { operations: [] })
      const result = room.next().lines.at(-1)?.text ?? ''
      expect(result.length).toBeLessThanOrEqual(12_000)
      expect(result.length).toBeGreaterThan(11_900)
      expect(result).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
      expect(result).toMatch(
        language === 'en' ? /left out: the result has 20001 characters\]$/ : /20001.*省略\]$/,
      )
    }
  })

  it('marks results in the language of the house', () => {
    const { room, turn } = asked(team('none', 'zh'))
    room.ask(turn, 'Ada')
    rest(room, turn)
    room.settle(room.next().id, { state: 'failed', code: 'exit', message: 'x' })
    expect(texts(room.next()).at(-1)).toBe('[Ada没有给出结果：失败]*')
  })

  it('at most two at work in a room, however deep', () => {
    const { room, turn } = asked()
    for (const name of ['Ada', 'Ben', 'Cleo', 'Dan']) room.ask(turn, name)
    rest(room, turn)
    const first = room.claim()
    expect(first).toHaveLength(2)
    // What is asked further down waits in the same two lanes.
    room.ask(first[0] as ClaimedTurn, 'Eve')
    expect(room.claim()).toEqual([])
    rest(room, first[0] as ClaimedTurn)
    expect(room.claim()).toHaveLength(1)
  })

  it('an agent works on one thing at a time in a conversation', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada', 'one')
    room.ask(turn, 'Ada', 'two')
    rest(room, turn)
    const one = room.next()
    expect(room.claim()).toEqual([])
    room.say('@Ada are you there?', { author: BOB })
    expect(room.claim()).toEqual([])
    room.answer(one, 'first', { operations: [] })
    expect(room.claim().map(({ agent: name }) => name)).toEqual(['Ada'])
  })
})

describe('limits of asking', () => {
  it('no circle, and not oneself', () => {
    const { room, turn } = asked()
    expect(room.ask(turn, 'Golem')).toMatchObject({ status: 'refused', why: expect.stringMatching(/circle/) })
    room.ask(turn, 'Ada')
    rest(room, turn)
    const ada = room.next()
    expect(room.ask(ada, 'Golem')).toMatchObject({
      status: 'refused',
      why: expect.stringMatching(/Golem → Ada → Golem/),
    })
    room.ask(ada, 'Ben')
    rest(room, ada)
    expect(room.ask(room.next(), 'Ada')).toMatchObject({ status: 'refused' })
  })

  it('four deep', () => {
    const { room, turn } = asked()
    let at = turn
    for (const name of ['Ada', 'Ben', 'Cleo', 'Dan']) {
      expect(room.ask(at, name)).toMatchObject({ status: 'asked' })
      rest(room, at)
      at = room.next()
    }
    expect(room.ask(at, 'Eve')).toMatchObject({ status: 'refused', why: expect.stringMatching(/4 deep/) })
  })

  it('eight for one request, the follow-ups included', () => {
    const { room, turn } = asked()
    let at = turn
    for (let n = 1; n <= 8; n++) {
      expect(room.ask(at, 'Ada', `task ${n}`)).toMatchObject({ status: 'asked' })
      rest(room, at)
      room.answer(room.next(), `${n}`, { operations: [] })
      at = room.next()
      expect(at.kind).toBe('follow-up')
    }
    expect(room.ask(at, 'Ada', 'task 9')).toMatchObject({
      status: 'refused',
      why: expect.stringMatching(/8 times/),
    })
  })

  it('not after the turn has ended', () => {
    const { room, turn } = asked()
    rest(room, turn)
    expect(room.ask(turn, 'Ada')).toMatchObject({ status: 'refused' })
  })
})

describe('asking further down', () => {
  it('reports up, and stays out of the context of the room', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada', 'count')
    rest(room, turn)
    const ada = room.next()
    room.ask(ada, 'Ben', 'count the left ones')
    rest(room, ada)
    room.answer(room.next(), 'nineteen, between us', { operations: [] })
    const again = room.next()
    expect(again).toMatchObject({ kind: 'follow-up', agent: 'Ada', ask: { task: 'count' } })
    expect(texts(again)).toEqual(['nineteen, between us*'])
    room.answer(again, '42', { operations: [] })
    const follow = room.next()
    expect(texts(follow)).toEqual(['please', '42*'])
    room.answer(follow, 'There are 42.')
    room.say('@Golem thanks')
    expect(texts(room.next())).toEqual(['please', '42', 'There are 42.', 'thanks*'])
    expect(COMMANDS.searchTranscript(room.room, 'local:lobby', 'nineteen', 5)).toEqual([])
  })

  it('a teammate that failed reports at once, and is not resumed by what it asked', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    const ada = room.next()
    room.ask(ada, 'Ben')
    room.settle(ada.id, { state: 'failed', code: 'exit', message: 'x' })
    const [follow, ben] = room
      .claim()
      .toSorted((a, b) => a.kind.length - b.kind.length)
      .toReversed()
    expect(follow).toMatchObject({ kind: 'follow-up', agent: 'Golem' })
    room.answer(ben as never, 'late', { operations: [] })
    room.answer(follow as never, 'It did not work.')
    expect(room.claim()).toEqual([])
  })
})
