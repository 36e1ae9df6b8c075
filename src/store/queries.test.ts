import { describe, expect, it } from 'vitest'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { queueSchema, roomMessageSchema, roomSchema, statusSchema } from '../messaging/views.js'
import { COMMANDS } from './commands-table.js'

describe('the messages of a room', () => {
  const page = (room: TestRoom, at: { before?: number; after?: number }, limit = 3) =>
    (COMMANDS.roomMessages(room.room, 'local:lobby', { ...at, limit }) ?? []).map(({ text }) => text)

  it('come in pages, oldest first; what nobody reads takes no place in them', () => {
    const room = new TestRoom()
    for (let n = 1; n <= 7; n++) {
      room.say(`line ${n}`)
      room.accept({
        kind: 'skipped',
        reason: 'no-content',
        event: `s${n}`,
        place: { chat: 'lobby' },
        at: room.now,
      })
    }
    expect(page(room, {})).toEqual(['line 5', 'line 6', 'line 7'])
    const [fifth] = COMMANDS.roomMessages(room.room, 'local:lobby', { limit: 3 }) ?? []
    expect(page(room, { before: fifth?.id ?? 0 })).toEqual(['line 2', 'line 3', 'line 4'])
    expect(page(room, { after: 0 })).toEqual(['line 1', 'line 2', 'line 3'])
    expect(page(room, { after: fifth?.id ?? 0 })).toEqual(['line 6', 'line 7'])
    expect(page(room, { after: 0, before: fifth?.id ?? 0 }, 50)).toHaveLength(4)
  })

  it('are as their schema says, whatever became of them', () => {
    const room = new TestRoom()
    room.say('kept', { id: 'k' })
    room.say('@Golem hi', { id: 'q' })
    const turn = room.next()
    room.ask(turn, 'Librarian')
    room.answer(turn, 'one moment')
    room.answer(room.next(), 'here', { operations: [] })
    room.remove('k')
    const messages = COMMANDS.roomMessages(room.room, 'local:lobby', { limit: 50 }) ?? []
    expect(messages.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'person kept',
      'person waiting',
      'agent said',
      'result said',
    ])
    for (const message of messages) expect(roomMessageSchema.parse(message)).toEqual(message)
    expect(messages[0]).toMatchObject({ text: null, deletedAt: room.now })
  })
})

describe('rooms, queue and status', () => {
  it('count what there is', () => {
    const room = new TestRoom(policy({ maxTurns: 1 }))
    room.say('@Golem one', { chat: { kind: 'group', title: 'Lobby' } })
    room.say('@Golem two', { author: { id: 'bob', name: 'Bob', kind: 'person' } })
    const turn = room.next()
    const [view] = COMMANDS.rooms(room.room)
    expect(view).toMatchObject({
      key: 'local:lobby',
      title: 'Lobby',
      policy: 'mention-only',
      members: ['Golem', 'Librarian', 'Scribe'],
      messages: 2,
      running: 1,
      waiting: 1,
      quiet: false,
    })
    expect(roomSchema.parse(view)).toEqual(view)
    const queue = COMMANDS.queue(room.room)
    expect(queueSchema.parse(queue)).toEqual(queue)
    room.answer(turn, 'ok')
    expect(COMMANDS.rooms(room.room)[0]).toMatchObject({ quiet: true, messages: 3 })
    const status = COMMANDS.status(room.room)
    expect(status).toMatchObject({ rooms: 1, messages: 3, turns: { settled: 1, queued: 1 }, asks: 0 })
    expect(statusSchema.parse(status)).toEqual(status)
  })

  it('the queue shows posts that wait and why, not status posts', () => {
    const room = new TestRoom()
    room.say('@Golem one')
    room.answer(room.next(), 'ok')
    const [claimed] = room.operations()
    COMMANDS.recordReceipt(room.room, claimed?.id ?? 0, {
      state: 'retry',
      at: room.now,
      retryAt: room.now + 1_000,
      failure: { kind: 'unreachable' },
      ambiguous: false,
      message: 'no route',
    })
    expect(COMMANDS.queue(room.room).operations.filter(({ kind }) => kind !== 'react')).toMatchObject([
      { chatKey: 'local:lobby', kind: 'post', state: 'pending', attempts: 1, failure: 'unreachable' },
    ])
  })

  it('a house without messages has empty answers', () => {
    const room = new TestRoom()
    expect(COMMANDS.rooms(room.room)).toEqual([])
    expect(COMMANDS.queue(room.room)).toEqual({ turns: [], operations: [] })
    expect(COMMANDS.receipt(room.room, 'last')).toBeNull()
    expect(COMMANDS.status(room.room)).toMatchObject({ rooms: 0, messages: 0, turns: {}, operations: {} })
  })
})
