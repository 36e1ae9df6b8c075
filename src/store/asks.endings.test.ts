/** How an ask ends when it does not end well: time, restarts, stops, deletions. */
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

describe('when a teammate does not come back', () => {
  it('the ask is timed out, the follow-up says so, and a late answer changes nothing', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.ask(turn, 'Ben')
    rest(room, turn)
    const [ada, ben] = room.claim()
    room.answer(ben as never, 'here', { operations: [] })
    room.now += 30 * 60_000
    expect(room.tend().expired).toBe(1)
    const follow = room.next()
    expect(texts(follow).slice(1)).toEqual(['[Ada gave no result: did not answer in time]*', 'here*'])
    room.answer(follow, 'Half of it.')
    room.answer(ada as never, 'sorry, late', { operations: [] })
    expect(room.claim()).toEqual([])
    expect(room.deliver().filter((line) => line.startsWith('post'))).toEqual(['post Half of it.'])
  })

  it('its work ends with the wait for it, and so does the work that it has asked for', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    const [ada] = room.claim() as [ClaimedTurn]
    room.ask(ada, 'Ben')
    room.now += 29 * 60_000
    rest(room, ada)
    const [ben] = room.claim() as [ClaimedTurn]
    expect(room.tend().abort).toEqual([])
    room.now += 60_000
    expect(room.tend().abort).toEqual([{ turn: ben.id, why: 'overdue' }])
    expect(room.tend().abort).toEqual([])
    room.settle(ben.id, { state: 'cancelled', reason: 'overdue' })
    expect(room.claim()).toMatchObject([{ kind: 'follow-up', agent: 'Golem' }])
  })

  it('what it had not begun is not begun any more', () => {
    const { room, turn } = asked()
    for (const name of ['Ada', 'Ben', 'Cleo']) room.ask(turn, name)
    rest(room, turn)
    const working = room.claim()
    room.now += 30 * 60_000
    room.tend()
    for (const one of working) room.answer(one, 'late', { operations: [] })
    expect(room.claim().map(({ kind }) => kind)).toEqual(['follow-up'])
  })

  it('an agent that left the roster meanwhile counts as no result, at once', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    const after = new TestRoom(policy({}, [agent('Golem', { orchestrator: true })]), 'boot-2', room.room.raw)
    after.now = room.now
    after.recover()
    const turns = [...after.claim(), ...after.claim()]
    expect(turns).toMatchObject([{ kind: 'follow-up', agent: 'Golem' }])
    expect(texts(turns[0] as ClaimedTurn).at(-1)).toBe(
      '[Ada gave no result: was stopped or could not start]*',
    )
  })
})

describe('when the asker does not end well', () => {
  const said = (room: TestRoom) => room.deliver().filter((line) => !line.startsWith('react received'))
  const failed = { state: 'failed', code: 'unauthorized', message: 'the key is wrong' } as const

  it('its failure is not said while its teammates work: what follows has the last word', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.settle(turn.id, failed)
    expect(said(room)).toEqual([])
    room.answer(room.next(), '42', { operations: [] })
    const follow = room.next()
    expect(texts(follow).at(-1)).toBe('42*')
    room.answer(follow, 'It is 42.')
    expect(said(room)).toEqual(['post It is 42.', 'react done'])
    expect(room.receipt('local:lobby:q').outcome).toBe('answered')
  })

  it('the follow-up that fails says so, once, and so does the receipt', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.answer(turn, 'I ask Ada.')
    room.answer(room.next(), '42', { operations: [] })
    room.settle(room.next().id, failed)
    expect(said(room)).toEqual(['post I ask Ada.', 'note failed', 'react failed'])
    const receipt = room.receipt('local:lobby:q')
    expect(receipt.outcome).toBe('failed')
    expect(receipt.summary).toContain('Golem failed: unauthorized')
  })

  it('cut off by a kill after it has asked, it goes on with what they report; nobody is asked twice', () => {
    const { room, turn } = asked(team('unknown'))
    room.ask(turn, 'Ada')
    COMMANDS.markFirstEvent(room.room, turn.id, room.now)
    const ada = room.next()
    const after = room.reboot('boot-2')
    expect(after.recover()).toMatchObject({ interrupted: 1, requeued: 1 })
    expect(said(after)).toEqual([])
    after.answer(after.next(), '42', { operations: [] })
    expect(ada.ask).not.toBeNull()
    const follow = after.next()
    expect(texts(follow).at(-1)).toBe('42*')
    after.answer(follow, 'It is 42.')
    expect(said(after)).toEqual(['post It is 42.', 'react done'])
    expect(after.receipt('local:lobby:q').outcome).toBe('answered')
  })

  it('stopped by a person it is not followed up', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.settle(turn.id, { state: 'cancelled', reason: 'stopped', partial: '' })
    expect(room.claim()).toEqual([])
  })
})

describe('when the question is edited while a teammate works', () => {
  it('the old words are answered first; then the person may ask for the new ones', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    const ada = room.next()
    room.edit('q', '@Golem something else')
    expect(room.deliver().filter((line) => line.startsWith('note'))).toEqual([])
    room.answer(ada, '42', { operations: [] })
    const follow = room.next()
    room.answer(follow, 'It is 42.')
    expect(room.deliver().filter((line) => !line.startsWith('react'))).toEqual([
      'post It is 42.',
      'note edited',
    ])
  })
})

describe('what a teammate made', () => {
  it('for somebody who no longer waits for it is not posted', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    const ada = room.next()
    room.now += 30 * 60_000
    room.tend()
    room.answer(ada, 'late')
    expect(room.deliver().filter((line) => line.startsWith('post'))).toEqual([])
  })
})

describe('a restart in the middle', () => {
  it('asks once, although the asker runs again', () => {
    const { room, turn } = asked()
    const long = 'x'.repeat(20_000)
    const first = room.ask(turn, 'Ada', long)
    const after = room.reboot('boot-2')
    after.recover()
    const turns = after.claim()
    const again = turns.find(({ kind }) => kind === 'message') as ClaimedTurn
    expect(after.ask(again, 'Ada', long)).toEqual(first)
    rest(after, again)
    after.answer(turns.find(({ kind }) => kind === 'ask') as ClaimedTurn, '42', { operations: [] })
    expect(after.next().kind).toBe('follow-up')
  })

  it('does not ask again who has answered, and follows up once', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.answer(room.next(), '42', { operations: [] })
    const after = room.reboot('boot-2')
    after.recover()
    const again = after.next()
    expect(again.kind).toBe('message')
    after.ask(again, 'Ada')
    rest(after, again)
    const follow = after.next()
    expect(texts(follow).at(-1)).toBe('42*')
    after.answer(follow, 'done')
    const third = after.reboot('boot-3')
    third.recover()
    expect(third.claim()).toEqual([])
    expect(third.deliver().filter((line) => line.startsWith('post'))).toEqual(['post done'])
  })

  it('with several asked: who has answered is not asked again, who was at work works again, and one follow-up tells all', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada', 'a')
    room.ask(turn, 'Ben', 'b')
    room.ask(turn, 'Cleo', 'c')
    rest(room, turn)
    const [ada] = room.claim()
    room.answer(ada as ClaimedTurn, 'ada says', { operations: [] })
    room.claim()
    const after = room.reboot('boot-2')
    after.recover()
    const again = after.claim()
    expect(again.map(({ agent: name }) => name).toSorted()).toEqual(['Ben', 'Cleo'])
    for (const one of again) after.answer(one, `${one.agent} says`, { operations: [] })
    const follow = after.next()
    expect(texts(follow)).toEqual(['please', 'ada says*', 'Ben says*', 'Cleo says*'])
    const third = after.reboot('boot-3')
    third.recover()
    const once = third.next()
    expect(once).toMatchObject({ kind: 'follow-up', agent: 'Golem' })
    third.answer(once, 'all of it')
    expect(third.claim()).toEqual([])
    expect(third.deliver().filter((line) => line.startsWith('post'))).toEqual(['post all of it'])
  })

  it('a teammate of unknown effects that was cut off counts as no result', () => {
    const { room, turn } = asked(team('unknown'))
    room.ask(turn, 'Ada')
    rest(room, turn)
    COMMANDS.markFirstEvent(room.room, room.next().id, room.now)
    const after = room.reboot('boot-2')
    expect(after.recover()).toMatchObject({ interrupted: 1 })
    expect(texts(after.next()).at(-1)).toBe('[Ada gave no result: was interrupted]*')
    expect(after.deliver()).not.toContain('note interrupted')
  })
})

describe('calling it off', () => {
  it('/stop reaches the teammates, clears the status, and brings no follow-up', () => {
    const { room, turn } = asked()
    room.now += 1_000
    expect(room.deliver()).toEqual(['react received'])
    for (const name of ['Ada', 'Ben', 'Cleo']) room.ask(turn, name)
    rest(room, turn)
    const working = room.claim()
    room.now += 5_000
    expect(room.deliver()).toEqual(['note asked'])
    const { abort } = room.say('/stop', { command: { name: 'stop' } })
    expect(abort.map(({ turn: id }) => id).toSorted()).toEqual(working.map(({ id }) => id).toSorted())
    for (const { id } of working) room.settle(id, { state: 'cancelled', reason: 'stopped' })
    expect(room.claim()).toEqual([])
    expect(room.deliver()).toEqual(['note stopped', 'react stopped', 'delete'])
    expect(room.receipt('local:lobby:q')).toMatchObject({ outcome: 'stopped' })
    expect(room.receipt('local:lobby:q').summary).toBe('Golem was stopped by the person who asked.')
  })

  it("is not for others: somebody else's /stop leaves it", () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    room.next()
    expect(room.say('/stop', { command: { name: 'stop' }, author: BOB }).abort).toEqual([])
  })

  it('a stopped asker takes its teammates with it, those at work and those that wait', () => {
    const { room, turn } = asked()
    for (const name of ['Ada', 'Ben', 'Cleo']) room.ask(turn, name)
    const working = room.claim()
    const { abort } = room.say('/stop', { command: { name: 'stop' } })
    expect(abort.map(({ turn: id }) => id)).toEqual([turn.id, ...working.map(({ id }) => id)])
    room.settle(turn.id, { state: 'cancelled', reason: 'stopped' })
    for (const { id } of working) room.settle(id, { state: 'cancelled', reason: 'stopped' })
    expect(room.claim()).toEqual([])
    expect(COMMANDS.status(room.room).asks).toBe(0)
  })

  it('the deletion of the question ends it all', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    rest(room, turn)
    const ada = room.next()
    expect(room.remove('q').abort).toEqual(expect.arrayContaining([{ turn: ada.id, why: 'deleted' }]))
    room.settle(ada.id, { state: 'cancelled', reason: 'the message was deleted' })
    expect(room.claim()).toEqual([])
  })
})
