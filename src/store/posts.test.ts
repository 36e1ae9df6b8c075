import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { POSTS_PER_TURN, type TurnPost } from '../messaging/posts.js'
import type { Policy, RoomSettings } from '../messaging/roster.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const DEV = { place: { chat: 'dev' }, chat: { kind: 'group', title: 'Dev' } } as const

function given(settings: Partial<RoomSettings> = {}, rooms: Policy['rooms'] = {}): Policy {
  return policy(settings, [agent('Golem', { orchestrator: true, effects: 'unknown' }), agent('Ada')], {
    rooms,
  })
}

/** Golem is at work on a question of Ann's in the lobby, which may reach `local:dev`. */
function asked(settings: Partial<RoomSettings> = {}): { room: TestRoom; turn: ClaimedTurn } {
  const room = new TestRoom(given(settings, { 'local:lobby': { places: ['local:dev'] } }))
  room.say('hello dev', { id: 'd', ...DEV })
  room.say('@Golem please', { id: 'q' })
  return { room, turn: room.next() }
}

function post(room: TestRoom, turn: ClaimedTurn, text: string, change: Partial<TurnPost> = {}) {
  const to = change.to ?? null
  const place = to === null ? turn.place : { chat: to.slice(to.indexOf(':') + 1) }
  return COMMANDS.postFromTurn(room.room, {
    turn: turn.id,
    at: room.now,
    to,
    text,
    operations: [{ kind: 'post', place, part: { text, body: { text }, mentions: [] }, agent: 'Golem' }],
    more: false,
    ...change,
  })
}
const botTurns = (room: TestRoom, chat: string) =>
  (room.room.sql('SELECT bot_turns FROM chats WHERE key = ?').get(chat) as { bot_turns: number }).bot_turns

describe('beside the answer', () => {
  it('stands before the answer, in the transcript and in the chat, and counts as a reply of a bot', () => {
    const { room, turn } = asked()
    expect(post(room, turn, 'half of it')).toMatchObject({ status: 'posted' })
    expect(post(room, turn, 'more of it')).toMatchObject({ status: 'posted' })
    expect(botTurns(room, 'local:lobby')).toBe(2)
    room.answer(turn, 'all of it')
    expect(room.deliver()).toEqual(['post half of it', 'post more of it', 'post all of it', 'react done'])
    expect(botTurns(room, 'local:lobby')).toBe(3)
    room.say('@Golem and now?', { id: 'q2' })
    expect(room.next().lines.map(({ text }) => text)).toEqual([
      'please',
      'half of it',
      'more of it',
      'all of it',
      'and now?',
    ])
  })

  it('is on the receipt of the question, and has one of its own', () => {
    const { room, turn } = asked()
    post(room, turn, 'half of it')
    room.answer(turn, 'all of it')
    room.deliver()
    const receipt = room.receipt('local:lobby:q')
    expect(receipt.outcome).toBe('answered')
    expect(receipt.turns[0]?.operations.map(({ text, state }) => [text, state])).toEqual([
      ['half of it', 'sent'],
      ['all of it', 'sent'],
      [null, 'sent'],
    ])
    const native = receipt.turns[0]?.operations[0]?.native
    // Once: with the turn that posted it.
    expect(room.receipt(`local:lobby:${native}`).operations).toEqual([])
    expect(room.receipt(`local:lobby:${native}`)).toMatchObject({
      outcome: 'said',
      message: { text: 'half of it', author: { name: 'Golem', kind: 'agent' } },
      answers: ['local:lobby:q'],
    })
  })

  it('stands although the turn fails, and although its question is deleted', () => {
    const { room, turn } = asked()
    post(room, turn, 'half of it')
    room.remove('q')
    room.settle(turn.id, { state: 'failed', code: 'exit', message: 'x' })
    expect(room.deliver()).toContain('post half of it')
  })

  it('of a teammate waits outside of the context while the conversation is at work', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada', 'count')
    const work = room.next()
    post(room, work, 'counting')
    room.answer(turn, 'asked Ada')
    room.deliver()
    room.say('@Golem?', { id: 'q2' })
    const lines = room.next().lines.map(({ text }) => text)
    expect(lines.filter((text) => text === 'counting')).toHaveLength(1)
    expect(lines.at(-1)).toBe('?')
  })
})

describe('bounds', () => {
  it(`${POSTS_PER_TURN} a turn`, () => {
    const { room, turn } = asked({ maxTurns: 100 })
    for (let i = 0; i < POSTS_PER_TURN; i += 1) expect(post(room, turn, `${i}`).status).toBe('posted')
    expect(post(room, turn, 'more')).toMatchObject({
      status: 'refused',
      why: expect.stringMatching(/10 messages/),
    })
  })

  it('a chat full of bots is left alone until a person speaks, here and there', () => {
    const { room, turn } = asked({ maxTurns: 2 })
    post(room, turn, 'a')
    post(room, turn, 'b')
    expect(post(room, turn, 'c')).toMatchObject({ status: 'refused', why: expect.stringMatching(/a person/) })
    expect(post(room, turn, 'a', { to: 'local:dev' }).status).toBe('posted')
    expect(post(room, turn, 'b', { to: 'local:dev' }).status).toBe('posted')
    expect(post(room, turn, 'c', { to: 'local:dev' }).status).toBe('refused')
    room.say('a person', DEV)
    expect(post(room, turn, 'c', { to: 'local:dev' }).status).toBe('posted')
  })

  it('nothing once the turn is over, or belongs to an earlier life', () => {
    const { room, turn } = asked()
    expect(post(room.reboot('boot-2'), turn, 'late').status).toBe('refused')
    room.answer(turn, 'done')
    expect(post(room, turn, 'late').status).toBe('refused')
    expect(room.deliver()).toEqual(['post done', 'react done'])
  })
})

describe('never twice', () => {
  /** The turn was cut off before it did anything that is not known, and runs again. */
  function again(room: TestRoom, turn: ClaimedTurn): { room: TestRoom; turn: ClaimedTurn } {
    room.settle(turn.id, { state: 'queued', reason: 'cut off' })
    const next = room.reboot('boot-2')
    return { room: next, turn: next.next() }
  }

  it('the same words of a turn that runs again', () => {
    const before = asked()
    post(before.room, before.turn, 'half')
    post(before.room, before.turn, 'to you', { to: 'local:dev' })
    const { room, turn } = again(before.room, before.turn)
    expect(turn.id).toBe(before.turn.id)
    expect(post(room, turn, 'half')).toMatchObject({ status: 'known' })
    expect(post(room, turn, 'to you', { to: 'local:dev' })).toMatchObject({ status: 'known' })
    // The first life's hands know what it left; a real start looks for it.
    expect(before.room.deliver().sort()).toEqual(['post half', 'post to you'])
  })

  it('of a turn that was cut off, and that somebody has run again', () => {
    const before = asked()
    post(before.room, before.turn, 'half')
    before.room.settle(before.turn.id, { state: 'interrupted', reason: 'cut off' })
    const { room } = before
    let retry = ''
    for (let [next] = room.operations(1); next !== undefined; [next] = room.operations(1)) {
      retry = next.tokens[0] ?? retry
      const receipt = { at: room.now, id: `p${next.id}` }
      COMMANDS.recordReceipt(room.room, next.id, { state: 'sent', at: room.now, receipt })
    }
    room.press(retry)
    const turn = room.next()
    expect(turn.id).not.toBe(before.turn.id)
    expect(post(room, turn, 'half')).toMatchObject({ status: 'known' })
    expect(post(room, turn, 'a half')).toMatchObject({
      status: 'refused',
      why: expect.stringMatching(/already/),
    })
  })

  it('other words of a turn that runs again, unless it means to', () => {
    const before = asked()
    post(before.room, before.turn, 'half of it')
    const { room, turn } = again(before.room, before.turn)
    expect(post(room, turn, 'the half of it')).toMatchObject({
      status: 'refused',
      why: expect.stringMatching(/already: "half of it".*more: true/),
    })
    expect(post(room, turn, 'and the rest', { more: true }).status).toBe('posted')
    // Another place heard nothing yet.
    expect(post(room, turn, 'hello', { to: 'local:dev' }).status).toBe('posted')
  })
})

describe('another chat', () => {
  it('of a whole connection is a group that was heard of: an id that nothing is known of may be a person', () => {
    const room = new TestRoom(
      given(
        {},
        { 'local:lobby': { places: ['local:*', 'local:ann'] }, 'local:dev': { places: ['local:*'] } },
      ),
    )
    room.say('hello dev', { id: 'd', ...DEV })
    room.say('@Golem please', { id: 'q' })
    const turn = room.next()
    for (const to of ['local:bob', 'local:nobody'])
      expect(post(room, turn, 'psst', { to }), to).toMatchObject({ status: 'refused' })
    expect(post(room, turn, 'hello', { to: 'local:dev' }).status).toBe('posted')
    // By its own name it is reached all the same, which makes it no group for others.
    expect(post(room, turn, 'psst', { to: 'local:ann' }).status).toBe('posted')
    room.say('@Golem please', { id: 'd2', ...DEV })
    const other = room.next()
    expect(post(room, other, 'psst', { to: 'local:ann' })).toMatchObject({ status: 'refused' })
    expect(COMMANDS.placesOf(room.room, other.id).map(({ key }) => key)).toEqual(['local:lobby'])
  })

  it('is posted to where the room may, with a receipt at both ends', () => {
    const { room, turn } = asked()
    expect(post(room, turn, 'the build is broken', { to: 'local:dev' })).toMatchObject({ status: 'posted' })
    room.answer(turn, 'told them')
    expect(room.deliver().sort()).toEqual(['post the build is broken', 'post told them', 'react done'])
    const here = room.receipt('local:lobby:q')
    const [operation] = here.turns[0]?.operations ?? []
    expect(operation).toMatchObject({ to: 'local:dev', state: 'sent', text: 'the build is broken' })
    expect(here.turns[0]?.operations.slice(1).every(({ to }) => to === undefined)).toBe(true)
    expect(room.receipt(`local:dev:${operation?.native}`)).toMatchObject({
      outcome: 'said',
      message: { chatKey: 'local:dev', text: 'the build is broken' },
      answers: ['local:lobby:q'],
    })
    room.say('@Golem what?', { id: 'd2', ...DEV })
    expect(room.next().lines.map(({ text }) => text)).toEqual(['hello dev', 'the build is broken', 'what?'])
  })

  it.each(['local:ops', 'local:dev:1', 'local:', 'slack:dev', 'local:*', 'local:lobby'])(
    '%s is out of reach',
    (to) => {
      const { room, turn } = asked()
      expect(post(room, turn, 'x', { to }).status).toBe('refused')
      expect(room.deliver()).toEqual([])
      expect(
        COMMANDS.rooms(room.room)
          .map(({ key }) => key)
          .sort(),
      ).toEqual(['local:dev', 'local:lobby'])
    },
  )

  it('nothing is within reach where nothing is said of it', () => {
    const room = new TestRoom(given())
    room.say('hi', { id: 'd', ...DEV })
    room.say('@Golem please', { id: 'q' })
    const turn = room.next()
    expect(COMMANDS.placesOf(room.room, turn.id)).toEqual([])
    expect(post(room, turn, 'x', { to: 'local:dev' }).status).toBe('refused')
  })

  it('all groups of a connection may be, a person’s direct chat only by its own name', () => {
    const room = new TestRoom(given({}, { 'local:lobby': { places: ['local:*'] } }))
    const direct = {
      place: { chat: 'dm-bob' },
      chat: { kind: 'dm' },
      author: { id: 'bob', name: 'Bob', kind: 'person' },
    } as const
    room.say('hi', { id: 'd', ...DEV })
    room.say('psst', { id: 'p', ...direct })
    room.claim()
    room.say('@Golem please', { id: 'q' })
    const turn = room.next()
    expect(COMMANDS.placesOf(room.room, turn.id)).toEqual([{ key: 'local:dev', kind: 'group', title: 'Dev' }])
    expect(post(room, turn, 'x', { to: 'local:dev' }).status).toBe('posted')
    expect(post(room, turn, 'x', { to: 'local:dm-bob' }).status).toBe('refused')
  })

  it('may be one that nothing was heard from yet', () => {
    const room = new TestRoom(given({}, { 'local:lobby': { places: ['local:new'] } }))
    room.say('@Golem please', { id: 'q' })
    const turn = room.next()
    expect(COMMANDS.placesOf(room.room, turn.id)).toEqual([{ key: 'local:new', kind: 'group', title: null }])
    expect(post(room, turn, 'x', { to: 'local:new' }).status).toBe('posted')
    expect(room.deliver()).toEqual(['post x'])
  })

  it('waits outside of the other chat’s context while an agent is at work there', () => {
    const { room, turn } = asked()
    room.say('@Golem something', { id: 'd2', ...DEV })
    const other = room.next()
    post(room, turn, 'the build is broken', { to: 'local:dev' })
    room.answer(other, 'something')
    room.deliver()
    room.say('@Golem and?', { id: 'd3', ...DEV })
    expect(room.next().lines.map(({ text }) => text)).toEqual([
      'hello dev',
      'something',
      'something',
      'the build is broken',
      'and?',
    ])
  })
})

describe('the room’s texts', () => {
  const owners = { 'local:lobby': { owners: ['ann'], bulletin: 'Be brief.' } }
  const work = (rooms: Policy['rooms'] = owners, change = {}) => {
    const room = new TestRoom(given({}, rooms))
    room.say('@Golem please', { id: 'q', ...change })
    return { room, turn: room.next() }
  }
  const set = (room: TestRoom, turn: ClaimedTurn, text: string | null) =>
    COMMANDS.changeRoomText(room.room, { turn: turn.id, key: 'bulletin', text, at: room.now })

  it('are changed by an owner, told in the chat, and win from the next turn on', () => {
    const { room, turn } = work()
    expect(set(room, turn, 'Be kind.')).toEqual({ status: 'changed' })
    expect(set(room, turn, 'Be kind.')).toEqual({ status: 'same' })
    room.answer(turn, 'done')
    expect(room.deliver()).toEqual(['post done', 'note room-changed', 'react done'])
    room.say('@Golem?', { id: 'q2' })
    const next = room.next()
    expect(next.texts).toEqual({ bulletin: 'Be kind.' })
    expect(set(room, next, null)).toEqual({ status: 'changed' })
    room.answer(next, 'done')
    room.say('@Golem?', { id: 'q3' })
    expect(room.next().texts).toBeUndefined()
  })

  it('are nobody’s to change where no owner is named, or another one is', () => {
    for (const rooms of [{}, { 'local:lobby': { owners: [] } }, { 'local:lobby': { owners: ['bob'] } }]) {
      const { room, turn } = work(rooms)
      expect(set(room, turn, 'x')).toMatchObject({ status: 'refused', why: expect.stringMatching(/owners/) })
    }
  })

  it('are not changed for a bot, and not in a teammate’s work', () => {
    const bot = work(owners, { author: { id: 'ann', name: 'Ann', kind: 'bot' } })
    expect(set(bot.room, bot.turn, 'x').status).toBe('refused')
    const { room, turn } = work()
    room.ask(turn, 'Ada', 'do it')
    expect(set(room, room.next(), 'x').status).toBe('refused')
  })
})
