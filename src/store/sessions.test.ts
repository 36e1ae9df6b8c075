import { describe, expect, it } from 'vitest'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { SessionScope } from '../messaging/roster.js'
import type { ClaimedTurn } from '../messaging/store.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const shown = (turn: ClaimedTurn) => turn.lines.map(({ text, new: fresh }) => `${text}${fresh ? '*' : ''}`)
const scoped = (sessionScope: SessionScope) => new TestRoom(policy({ sessionScope }))

/** Ann asks at the top level; the answer stands in the chat, quoting her. */
function answered(room: TestRoom): void {
  room.say('@Golem what is the plan?', { id: 'q' })
  room.answer(room.next(), 'Ship on Friday.')
  room.deliver()
}
const answerId = (room: TestRoom): string =>
  room.receipt('local:lobby:q').turns[0]?.operations[0]?.native ?? ''

describe('contexts', () => {
  it('auto: a native thread has its own', () => {
    const room = scoped('auto')
    room.say('in the hall')
    room.say('@Golem in the thread', { place: { chat: 'lobby', thread: 't' }, author: BOB })
    const turn = room.next()
    expect(turn).toMatchObject({
      conversation: 'local:lobby:t',
      place: { chat: 'lobby', thread: 't' },
      first: true,
    })
    expect(shown(turn)).toEqual(['in the thread*'])
    room.say('@Golem in the hall again')
    expect(shown(room.next())).toEqual(['in the hall', 'in the hall again*'])
  })

  it('a thread under a message begins with that message and its answers', () => {
    const room = scoped('auto')
    room.say('something else')
    answered(room)
    room.say('@Golem why Friday?', { place: { chat: 'lobby', thread: 'q' }, author: BOB })
    expect(shown(room.next())).toEqual(['what is the plan?', 'Ship on Friday.', 'why Friday?*'])
  })

  it('an answer that opens a thread is followed up in it without a mention', () => {
    const room = scoped('auto')
    room.say('@Golem what is the plan?', { id: 'q' })
    const turn = room.next()
    const thread = { chat: 'lobby', thread: 'q' }
    room.settle(
      turn.id,
      { state: 'settled', text: 'Ship on Friday.' },
      {
        operations: [
          {
            kind: 'post',
            place: thread,
            part: { text: 'Ship on Friday.', body: {}, mentions: [] },
            replyTo: 'q',
          },
        ],
      },
    )
    room.say('and on Saturday?', { place: thread })
    expect(shown(room.next())).toEqual(['what is the plan?', 'Ship on Friday.', 'and on Saturday?*'])
  })

  it('in such a thread a second person needs a mention: who began it has spoken in it', () => {
    const room = scoped('auto')
    room.say('@Golem what is the plan?', { id: 'q' })
    const thread = { chat: 'lobby', thread: 'q' }
    room.settle(
      room.next().id,
      { state: 'settled', text: 'Friday.' },
      { operations: [{ kind: 'post', place: thread, part: { text: 'Friday.', body: {}, mentions: [] } }] },
    )
    room.say('hm', { place: thread, author: BOB })
    expect(room.claim()).toEqual([])
  })

  it('thread: a reply chain has its own, and knows how it began', () => {
    const room = scoped('thread')
    room.say('something else', { author: BOB })
    answered(room)
    room.say('and then?', { id: 'r', replyTo: { id: answerId(room) } })
    const turn = room.next()
    expect(turn.conversation).toBe('local:lobby:q')
    expect(shown(turn)).toEqual(['what is the plan?', 'Ship on Friday.', 'and then?*'])
    room.answer(turn, 'Party.')
    room.deliver()
    const second = room.receipt('local:lobby:r').turns[0]?.operations[0]?.native ?? ''
    room.say('where?', { replyTo: { id: second } })
    expect(shown(room.next())).toEqual([
      'what is the plan?',
      'Ship on Friday.',
      'and then?',
      'Party.',
      'where?*',
    ])
  })

  it('thread: a reply to a later part of an answer belongs to the same chain', () => {
    const room = scoped('thread')
    room.say('@Golem tell me', { id: 'q' })
    const turn = room.next()
    const part = (text: string) => ({
      kind: 'post' as const,
      place: turn.place,
      part: { text, body: {}, mentions: [] },
    })
    room.settle(turn.id, { state: 'settled', text: 'one two' }, { operations: [part('one'), part('two')] })
    room.deliver()
    const last = room.receipt('local:lobby:q').turns[0]?.operations[1]?.native ?? ''
    room.say('go on', { replyTo: { id: last } })
    expect(room.next().conversation).toBe('local:lobby:q')
  })

  it('thread: a reply to an unknown message starts a chain there', () => {
    const room = scoped('thread')
    room.say('@Golem what about this?', { replyTo: { id: 'older' } })
    expect(room.next().conversation).toBe('local:lobby:older')
  })

  it('group: threads share the context of the chat, and an answer goes to the thread it was asked in', () => {
    const room = scoped('group')
    room.say('in the hall')
    room.say('@Golem in the thread', { place: { chat: 'lobby', thread: 't' } })
    const turn = room.next()
    expect(turn).toMatchObject({ conversation: 'local:lobby', place: { chat: 'lobby', thread: 't' } })
    expect(shown(turn)).toEqual(['in the hall', 'in the thread*'])
  })

  it('group: an answer in the chat is none in a thread that was never answered', () => {
    const room = scoped('group')
    room.say('just us', { place: { chat: 'lobby', thread: 't' } })
    answered(room)
    room.say('still just us', { place: { chat: 'lobby', thread: 't' } })
    expect(room.claim()).toEqual([])
  })

  it('a direct message has one context a person', () => {
    const room = new TestRoom()
    const dm = { chat: { kind: 'dm' as const }, place: { chat: 'd1' } }
    room.say('hi', dm)
    const turn = room.next()
    expect(turn).toMatchObject({ conversation: 'local:d1:ann', addressed: true, chat: { kind: 'dm' } })
    room.answer(turn, 'hello')
    room.say('again', dm)
    expect(shown(room.next())).toEqual(['hi', 'hello', 'again*'])
  })

  it('another conversation never leaks into one', () => {
    const room = new TestRoom()
    room.say('secret of the den', { place: { chat: 'den' } })
    room.say('secret of the thread', { place: { chat: 'lobby', thread: 't' } })
    room.say('secret to you', { chat: { kind: 'dm' }, place: { chat: 'd1' } })
    room.claim()
    room.say('@Golem what do you know?')
    expect(shown(room.next())).toEqual(['what do you know?*'])
  })
})
