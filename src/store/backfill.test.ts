/** What was said before a turn, stored as context. */
import { describe, expect, it } from 'vitest'
import { message, policy, SELF, T0 } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { InboundMessage } from '../messaging/contract.js'
import type { Backfill, ClaimedTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const BOT = { ...SELF, kind: 'self' } as const
/** Said so many minutes before the test begins. */
const earlier = (minutes: number, text: string, id: string, change: Partial<InboundMessage> = {}) =>
  message(text, { id, at: T0 - minutes * 60_000, ...change })
function read(
  room: TestRoom,
  turn: ClaimedTurn,
  messages: readonly InboundMessage[],
  end: Backfill['end'] = { kind: 'some' },
) {
  const found = COMMANDS.backfill(room.room, { turn: turn.id, at: room.now, self: SELF, messages, end })
  return { ...found, lines: (found.shown ?? turn).lines }
}
const texts = (shown: { lines: readonly { text: string }[] }) => shown.lines.map(({ text }) => text)

describe('lines that are read back', () => {
  it('are context in the order they were said, not new, and wake nobody', () => {
    const room = new TestRoom()
    room.say('@Golem and now?', { id: '9' })
    const turn = room.next()
    expect(turn.gap).toEqual({ before: '9' })
    const shown = read(room, turn, [
      earlier(5, 'we ship on Friday', '1'),
      earlier(4, 'it is Friday', '2', { author: BOT }),
      earlier(3, '@Golem is it?', '3', { author: { id: 'bob', name: 'Bob', kind: 'person' } }),
    ])
    expect(shown.read).toBe(3)
    expect(shown.lines.map(({ kind, text, new: fresh }) => [kind, text, fresh])).toEqual([
      ['person', 'we ship on Friday', false],
      ['agent', 'it is Friday', false],
      ['person', 'is it?', false],
      ['person', 'and now?', true],
    ])
    room.answer(turn, 'yes')
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:3')).toMatchObject({ outcome: 'read', decision: null, turns: [] })
    expect(room.receipt('local:lobby:2').outcome).toBe('said')
    const gates = room.receipt('local:lobby:9').turns[0]?.gates
    expect(gates).toContainEqual({
      gate: 'history',
      verdict: 'note',
      saw: { 'lines read back': 3, 'known already': 0 },
      why: '3 earlier lines were read back from the platform.',
    })
    room.say('@Golem more', { id: '10' })
    expect(texts(room.next())).toEqual([
      'we ship on Friday',
      'it is Friday',
      'is it?',
      'and now?',
      'yes',
      'more',
    ])
  })

  it('are read once: the next turn misses nothing', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: '9' })
    const turn = room.next()
    read(room, turn, [earlier(5, 'old', '1')])
    room.answer(turn, 'hi')
    room.say('@Golem again', { id: '10' })
    expect(room.next().gap).toBeUndefined()
  })

  it('change nothing that is known, and bring no line twice', () => {
    const room = new TestRoom()
    room.say('heard', { id: '8' })
    room.say('@Golem hi', { id: '9' })
    const turn = room.next()
    const shown = read(room, turn, [
      earlier(5, 'old', '1'),
      earlier(5, 'old', '1'),
      message('heard, edited meanwhile', { id: '8' }),
      message('@Golem hi', { id: '9' }),
    ])
    expect([shown.read, texts(shown)]).toEqual([1, ['old', 'heard', 'hi']])
  })

  it('leave out what is being sent, and what is said after the question: that comes by itself', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: '9', at: T0 })
    room.answer(room.next(), 'hello there')
    room.operations()
    room.say('@Golem again', { id: '10', at: T0 + 1_000 })
    room.now += 2_000
    const turn = room.next()
    const shown = read(room, turn, [
      message('hello there', { id: '99', at: T0 + 500, author: BOT }),
      message('later', { id: '11', at: T0 + 1_500 }),
    ])
    expect([shown.read, texts(shown)]).toEqual([0, ['hi', 'hello there', 'again']])
  })

  it('heard after they were read are decided as usual: a mention that came late is answered', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: '9' })
    const turn = room.next()
    read(room, turn, [
      earlier(1, '@Golem me too', '8', { author: { id: 'bob', name: 'Bob', kind: 'person' } }),
    ])
    room.answer(turn, 'hi')
    room.accept(earlier(1, '@Golem me too', '8', { author: { id: 'bob', name: 'Bob', kind: 'person' } }))
    const late = room.next()
    expect(late).toMatchObject({ replyTo: '8', requester: { id: 'bob' } })
    expect(texts(late)).toEqual(['hi', 'hi', 'me too'])
    expect(room.receipt('local:lobby:8')).toMatchObject({ outcome: 'running', decision: { verdict: 'run' } })
  })

  it('stay before /new', () => {
    const room = new TestRoom()
    room.say('/new', { id: '8', command: { name: 'new' } })
    room.say('@Golem hi', { id: '9' })
    const shown = read(room, room.next(), [earlier(5, 'old', '1')])
    expect(texts(shown)).toEqual(['hi'])
  })

  it("bring a thread's first message into its context", () => {
    const room = new TestRoom()
    const thread = { chat: 'lobby', thread: '1' }
    room.say('@Golem hi', { id: '9', place: thread })
    const shown = read(room, room.next(), [
      earlier(9, 'the plan', '1'),
      earlier(5, 'sounds good', '2', { place: thread }),
    ])
    expect(texts(shown)).toEqual(['the plan', 'sounds good', 'hi'])
  })

  it('that say nothing, or belong elsewhere, are left out', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: '9' })
    const shown = read(room, room.next(), [
      earlier(5, ' ', '1'),
      earlier(4, 'elsewhere', '2', { place: { chat: 'den' } }),
      earlier(3, 'in a thread', '3', { place: { chat: 'lobby', thread: 't' } }),
    ])
    expect(texts(shown)).toEqual(['hi'])
  })

  it('find their place between lines that were heard', () => {
    const room = new TestRoom()
    room.say('first', { id: '1', at: T0 - 50_000 })
    room.say('third', { id: '3', at: T0 - 30_000 })
    room.say('@Golem hi', { id: '9', at: T0 })
    const shown = read(room, room.next(), [
      message('second', { id: '2', at: T0 - 40_000 }),
      message('fourth', { id: '4', at: T0 - 20_000 }),
    ])
    expect(texts(shown)).toEqual(['first', 'second', 'third', 'fourth', 'hi'])
  })
})

describe('a gap', () => {
  const gapOf = (room: TestRoom, id: string, change: Partial<InboundMessage> = {}) => {
    room.say('@Golem hi', { id, ...change })
    const turn = room.next()
    room.answer(turn, 'hello')
    room.deliver()
    return turn.gap
  }

  it('is in no conversation of a chat that is known from its first line on', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: '9' })
    const turn = room.next()
    read(room, turn, [], { kind: 'whole' })
    room.answer(turn, 'hello')
    expect(gapOf(room, '10', { place: { chat: 'lobby', thread: 't' } })).toBeUndefined()
    expect(gapOf(room, '11', { place: { chat: 'den' } })).toBeDefined()
  })

  it('is not in a thread whose first message was heard, but in one that began before', () => {
    const room = new TestRoom()
    gapOf(room, '1')
    expect(gapOf(room, '2', { place: { chat: 'lobby', thread: '1' } })).toBeUndefined()
    expect(gapOf(room, '3', { place: { chat: 'lobby', thread: '0' } })).toEqual({ before: '3' })
  })

  it('is always there where only some lines are shown to the bot', () => {
    const room = new TestRoom()
    const mention = (id: string) => {
      room.accept(message('@Golem hi', { id }), { sees: 'addressed' })
      const turn = room.next()
      read(room, turn, [], { kind: 'whole' })
      room.answer(turn, 'hello')
      return turn.gap
    }
    expect(mention('1')).toEqual({ before: '1' })
    expect(mention('2')).toEqual({ before: '2' })
  })

  it('that cannot be read is told once; one that could not be read now is tried again', () => {
    const room = new TestRoom()
    const turns = (['failed', 'failed', 'unreadable', 'unreadable'] as const).map((kind, index) => {
      room.say('@Golem hi', { id: String(index) })
      const turn = room.next()
      const shown = turn.gap && read(room, turn, [], { kind, why: 'no.' })
      room.answer(turn, 'hello')
      return shown?.unread
    })
    expect(turns).toEqual([true, true, true, undefined])
    expect(room.receipt('local:lobby:2').turns[0]?.gates.at(-1)).toMatchObject({
      gate: 'history',
      why: 'Earlier messages could not be read: no.',
    })
  })

  it('in a direct chat is no news', () => {
    const room = new TestRoom()
    room.say('hi', { id: '1', chat: { kind: 'dm' } })
    expect(read(room, room.next(), [], { kind: 'unreadable', why: 'no.' }).unread).toBe(false)
  })

  it('is no affair of a teammate that works on a task', () => {
    const room = new TestRoom(policy())
    room.say('@Golem hi', { id: '1' })
    const turn = room.next()
    room.ask(turn, 'Librarian')
    room.settle(turn.id, { state: 'settled', text: '' })
    expect(room.next().gap).toBeUndefined()
  })
})
