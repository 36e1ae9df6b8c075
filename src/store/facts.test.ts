import { describe, expect, it } from 'vitest'
import { message, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { InboundMessage } from '../messaging/contract.js'
import { FACT_CHARACTERS, type FactKept } from '../messaging/facts.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const DM: Partial<InboundMessage> = { place: { chat: 'd-ann' }, chat: { kind: 'dm' } }
const DEN: Partial<InboundMessage> = { place: { chat: 'den' } }
const bob = { id: 'bob', name: 'Bob', kind: 'person' } as const

/** A turn at work; the room says so afterwards. */
function turnIn(room: TestRoom, where: Partial<InboundMessage> = {}, text = '@Golem hello'): ClaimedTurn {
  room.say(text, where)
  const turn = room.next()
  return turn
}
function remember(
  room: TestRoom,
  turn: ClaimedTurn,
  text: string,
  audience: 'chat' | 'person' | 'connection' | null = null,
): FactKept {
  return COMMANDS.rememberFact(room.room, { turn: turn.id, text, audience, at: room.now })
}
const forget = (room: TestRoom, turn: ClaimedTurn, text: string) =>
  COMMANDS.forgetFact(room.room, { turn: turn.id, text, at: room.now })

/** Has something kept in a turn of its own. */
function kept(room: TestRoom, text: string, where: Partial<InboundMessage> = {}): void {
  const turn = turnIn(room, where)
  expect(remember(room, turn, text).status).toBe('kept')
  room.answer(turn, 'Kept.')
}
/** What a turn there is told. */
function told(room: TestRoom, where: Partial<InboundMessage> = {}): string[] {
  const turn = turnIn(room, where, '@Golem what do you know?')
  room.answer(turn, 'This.')
  return (turn.facts ?? []).map(({ text }) => text)
}
const outsider = { id: 'eve', name: 'Eve', kind: 'person', outside: true } as const
function listed(room: TestRoom, chat: string): void {
  COMMANDS.noteListed(room.room, 'local', chat, room.now)
}
function shared(text: string, owners = ['ann'], change = {}): TestRoom {
  const room = new TestRoom(policy({ owners, ...change }))
  room.say(`!memory workspace ${text}`)
  return room
}

describe('who is shown a fact', () => {
  it('one of a chat: the chat, whoever is in it, and no other', () => {
    const room = new TestRoom()
    kept(room, 'The demo is on Friday')
    expect(told(room)).toEqual(['The demo is on Friday'])
    expect(told(room, { author: bob })).toEqual(['The demo is on Friday'])
    expect(told(room, { place: { chat: 'lobby', thread: 't' } })).toEqual(['The demo is on Friday'])
    expect(told(room, DEN)).toEqual([])
    expect(told(room, DM)).toEqual([])
  })

  it('one of a person: direct chats with them, never a group, not even one they are alone in', () => {
    const room = new TestRoom()
    kept(room, 'Ann is looking for another job', DM)
    expect(told(room, DM)).toHaveLength(1)
    expect(told(room, { ...DM, place: { chat: 'd-ann-2' } })).toHaveLength(1)
    expect(told(room)).toEqual([])
    expect(told(room, DEN)).toEqual([])
    expect(told(room, { ...DM, place: { chat: 'd-bob' }, author: bob })).toEqual([])
  })

  it('not where somebody else has been seen in the direct chat, also after they left', () => {
    const room = new TestRoom()
    kept(room, 'Ann is looking for another job', DM)
    room.say('hello', { ...DM, author: bob })
    const turns = room.claim()
    for (const turn of turns) {
      expect(turn.facts).toBeUndefined()
      room.answer(turn, 'x')
    }
    expect(told(room, DM)).toEqual([])
  })

  it('members leaving widens nothing', () => {
    const room = new TestRoom()
    room.say('hello', { author: bob })
    kept(room, 'for the lobby')
    kept(room, 'for Ann', DM)
    const left = {
      kind: 'change',
      at: 0,
      place: { chat: 'lobby' },
      author: bob,
      chat: { kind: 'group' },
    } as const
    room.accept({ ...left, event: 'left', left: [bob] })
    expect(told(room)).toEqual(['for the lobby'])
    expect(told(room, DM)).toEqual(['for Ann'])
  })

  it('another account on the same platform is another world', () => {
    const room = new TestRoom()
    kept(room, 'for Ann', DM)
    room.accept(message('hi', { ...DM, event: 'other' }), { connection: 'local.two' })
    const [turn] = room.claim()
    expect([turn?.connection, turn?.facts]).toEqual(['local.two', undefined])
  })
})

describe('facts of the whole organisation', () => {
  it('are kept by an owner alone, by command', () => {
    const room = shared('Payroll is on the 25th', ['bob'])
    listed(room, 'lobby')
    expect(told(room)).toEqual([])
    const turn = turnIn(room)
    expect(remember(room, turn, 'x', 'connection')).toMatchObject({ status: 'refused' })
  })

  it('are shown where the platform says that everybody is inside, for a while', () => {
    const room = shared('Payroll is on the 25th')
    const turn = turnIn(room)
    expect(turn).toMatchObject({ unlisted: true })
    expect(turn.facts).toBeUndefined()
    room.answer(turn, 'x')
    listed(room, 'lobby')
    expect(told(room)).toEqual(['Payroll is on the 25th'])
    room.now += 11 * 60_000
    expect(told(room)).toEqual([])
  })

  it('not any more when somebody new is seen, until the list is read again', () => {
    const room = shared('Payroll is on the 25th')
    listed(room, 'lobby')
    room.say('hello', { author: bob })
    expect(told(room)).toEqual([])
    listed(room, 'lobby')
    expect(told(room)).toHaveLength(1)
  })

  it('never where somebody from outside has been seen, also after they left', () => {
    const room = shared('Payroll is on the 25th')
    room.say('hi', { author: outsider })
    room.accept({
      kind: 'change',
      event: 'l',
      at: 0,
      place: { chat: 'lobby' },
      author: outsider,
      left: [outsider],
    } as never)
    listed(room, 'lobby')
    expect(told(room)).toEqual([])
    const turn = turnIn(room)
    expect(turn.unlisted).toBeUndefined()
    room.answer(turn, 'x')
    room.say('!memory workspace another')
    expect(
      room.room.raw.prepare("SELECT count(*) AS n FROM facts WHERE audience = 'connection'").get(),
    ).toEqual({ n: 1 })
  })
})

describe('keeping', () => {
  it('is for whoever it was said to, and the agent cannot widen it', () => {
    const room = new TestRoom(policy({ owners: ['ann'] }))
    const dm = turnIn(room, DM)
    expect(remember(room, dm, 'a', 'chat')).toMatchObject({ status: 'refused' })
    expect(remember(room, dm, 'a', 'connection')).toMatchObject({ status: 'refused' })
    expect(remember(room, dm, 'a', 'person')).toMatchObject({ status: 'kept', audience: 'person' })
    room.answer(dm, 'x')
    const group = turnIn(room)
    expect(remember(room, group, 'a', 'person')).toMatchObject({ status: 'refused' })
    expect(remember(room, group, 'a', 'connection')).toMatchObject({ status: 'refused' })
    expect(remember(room, group, 'a', 'chat')).toMatchObject({ status: 'kept', audience: 'chat' })
  })

  it('says one thing once, and no more than there is room for', () => {
    const room = new TestRoom()
    const turn = turnIn(room)
    expect(remember(room, turn, 'The  demo\nis on Friday.')).toMatchObject({
      status: 'kept',
      text: 'The demo is on Friday.',
    })
    expect(remember(room, turn, 'the demo is on friday')).toMatchObject({ status: 'known' })
    expect(remember(room, turn, 'x'.repeat(FACT_CHARACTERS + 1))).toMatchObject({ code: 'too-long' })
    expect(remember(room, turn, ' \u200b\n')).toMatchObject({ code: 'empty' })
    for (let n = 0; n < 11; n++) expect(remember(room, turn, `${n} ${'x'.repeat(490)}`).status).toBe('kept')
    expect(remember(room, turn, `12 ${'x'.repeat(490)}`).status).toBe('kept')
    expect(remember(room, turn, `13 ${'x'.repeat(490)}`)).toMatchObject({
      code: 'full',
      why: expect.stringContaining('forgotten first'),
    })
  })

  it('only for a person who asks: no bot, no turn that has ended, no message that is gone', () => {
    const room = new TestRoom()
    const turn = turnIn(room, { id: 'm1' })
    room.remove('m1')
    expect(remember(room, turn, 'x')).toMatchObject({ status: 'refused' })
    room.answer(turn, 'x')
    expect(remember(room, turn, 'x')).toMatchObject({ status: 'refused' })
  })
})

describe('forgetting', () => {
  it('by who had it kept, or an owner of the room; a person’s by that person', () => {
    const room = new TestRoom(policy({ owners: ['carol'] }))
    kept(room, 'tea at four')
    kept(room, 'coffee at five')
    const bobs = turnIn(room, { author: bob })
    expect(forget(room, bobs, 'tea')).toMatchObject({
      status: 'refused',
      why: expect.stringContaining('owner'),
    })
    room.answer(bobs, 'x')
    const owner = turnIn(room, { author: { id: 'carol', name: 'Carol', kind: 'person' } })
    expect(forget(room, owner, 'coffee')).toEqual({ status: 'forgotten', text: 'coffee at five' })
    room.answer(owner, 'x')
    const own = turnIn(room)
    expect(forget(room, own, 'TEA AT FOUR.')).toEqual({ status: 'forgotten', text: 'tea at four' })
    expect(forget(room, own, 'tea')).toMatchObject({ status: 'refused' })
  })

  it('names what could be meant, and never what is of another audience', () => {
    const room = new TestRoom()
    kept(room, 'tea at four')
    kept(room, 'tea at five')
    kept(room, 'tea in the den', DEN)
    const turn = turnIn(room)
    expect(forget(room, turn, 'tea')).toMatchObject({ candidates: ['tea at four', 'tea at five'] })
    expect(forget(room, turn, 'tea in the den')).toMatchObject({ status: 'refused' })
    expect(forget(room, turn, 'te')).toMatchObject({ status: 'refused' })
  })

  it('the words are gone from the database, too', () => {
    const room = new TestRoom()
    kept(room, 'the walrus')
    const turn = turnIn(room)
    forget(room, turn, 'the walrus')
    expect(JSON.stringify(room.room.raw.prepare('SELECT * FROM facts').all())).not.toContain('walrus')
  })
})

describe('the message that a fact was taken from', () => {
  it('deleted: the fact goes with it', () => {
    const room = new TestRoom()
    kept(room, 'the walrus sleeps', { id: 'm1' })
    kept(room, 'the heron wakes', { id: 'm2' })
    room.remove('m1')
    expect(told(room)).toEqual(['the heron wakes'])
  })

  it('edited: a fact with words that do not stand there any more goes with them', () => {
    const room = new TestRoom()
    const say = (id: string, text: string, fact: string) => {
      const turn = turnIn(room, { id }, text)
      expect(remember(room, turn, fact).status).toBe('kept')
      room.answer(turn, 'x')
    }
    say('m1', '@Golem the key is under the walrus', 'The key is under the walrus')
    say('m2', '@Golem the demo is on fridya', 'The demo is on Friday')
    room.edit('m1', '@Golem the key is elsewhere')
    room.edit('m2', '@Golem the demo is on friday')
    expect(told(room)).toEqual(['The demo is on Friday'])
  })

  it('a command of its own as well', () => {
    const room = new TestRoom()
    room.say('!memory add the walrus sleeps', { id: 'c' })
    expect(told(room)).toEqual(['the walrus sleeps'])
    room.remove('c')
    expect(told(room)).toEqual([])
  })
})

it('a chat that goes on under another id keeps its facts, and what is known of its readers', () => {
  const room = new TestRoom()
  kept(room, 'the walrus')
  room.say('hi', { author: outsider })
  room.accept({
    kind: 'change',
    event: 'mv',
    at: 0,
    place: { chat: 'lobby' },
    author: bob,
    chat: { kind: 'group' },
    movedTo: 'hall',
  } as never)
  expect(told(room, { place: { chat: 'hall' } })).toEqual(['the walrus'])
  expect(room.room.raw.prepare("SELECT outsiders FROM chats WHERE key = 'local:hall'").get()).toEqual({
    outsiders: 1,
  })
})
