import { describe, expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import type { Operation } from '../messaging/contract.js'
import type { OperationResult } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'
import { cancel, enqueue } from './outbox.js'

const post = (text: string): Operation => ({
  kind: 'post',
  place: { chat: 'a' },
  part: { text, body: {}, mentions: [] },
})

describe('an operation on another', () => {
  const target = (room: TestRoom, of: number) =>
    enqueue(room.room, {
      connection: 'local',
      chatKey: 'local:a',
      conversation: 'local:a',
      turn: null,
      message: null,
      at: room.now,
      role: 'status',
      target: of,
      op: { kind: 'delete', place: { chat: 'a' }, id: '' },
    })
  const status = (room: TestRoom) =>
    enqueue(room.room, {
      connection: 'local',
      chatKey: 'local:a',
      conversation: 'local:a',
      turn: null,
      message: null,
      at: room.now,
      role: 'status',
      op: post('working'),
    })
  const end = (room: TestRoom, id: number, result: OperationResult) =>
    COMMANDS.recordReceipt(room.room, id, result)

  it('is given its id, once that is known', () => {
    const room = new TestRoom()
    const first = status(room)
    target(room, first)
    expect(room.operations()).toHaveLength(1)
    expect(room.operations()).toEqual([])
    end(room, first, { state: 'sent', at: room.now, receipt: { id: 'n7', at: room.now } })
    expect(room.operations()[0]?.op).toEqual({ kind: 'delete', place: { chat: 'a' }, id: 'n7' })
  })

  it('is dropped when that never came to be', () => {
    const room = new TestRoom()
    const first = status(room)
    const second = target(room, first)
    room.operations()
    end(room, first, { state: 'failed', at: room.now, failure: { kind: 'forbidden' }, message: 'no' })
    expect(room.operations()).toEqual([])
    expect(room.room.raw.prepare('SELECT state FROM outbox WHERE id = ?').get(second)).toEqual({
      state: 'cancelled',
    })
  })

  it('is not taken back once it may have had its effect', () => {
    const room = new TestRoom()
    const id = status(room)
    room.operations()
    expect(cancel(room.room, id, room.now, 'no')).toBe(false)
    end(room, id, {
      state: 'retry',
      at: room.now,
      retryAt: room.now,
      failure: { kind: 'ambiguous' },
      ambiguous: true,
      message: 'no answer',
    })
    expect(cancel(room.room, id, room.now, 'no')).toBe(false)
    const other = status(room)
    expect(cancel(room.room, other, room.now, 'no')).toBe(true)
    expect(cancel(room.room, other, room.now, 'no')).toBe(false)
  })
})

it('the log of an operation that is tried for days stays small, with its beginning and its end', () => {
  const room = new TestRoom()
  enqueue(room.room, {
    connection: 'local',
    chatKey: 'local:a',
    conversation: 'local:a',
    turn: null,
    message: null,
    at: room.now,
    role: 'answer',
    op: post('x'),
  })
  for (let n = 0; n < 200; n++) {
    const [claimed] = room.operations()
    COMMANDS.recordReceipt(room.room, claimed?.id ?? 0, {
      state: 'retry',
      at: room.now,
      retryAt: room.now + 60_000,
      failure: { kind: 'unreachable' },
      ambiguous: false,
      message: `try ${n}`,
    })
    room.now += 60_000
  }
  const { log } = room.room.raw.prepare('SELECT log FROM outbox').get() as { log: string }
  const entries = JSON.parse(log) as { what: string }[]
  expect(entries.length).toBeLessThanOrEqual(20)
  expect(entries[1]?.what).toBe('unreachable: try 0')
  expect(entries.at(-1)?.what).toBe('unreachable: try 199')
})

it('a crowd of threads in a chat that must wait does not stand before other chats', () => {
  const room = new TestRoom()
  const put = (chat: string, conversation: string) =>
    enqueue(room.room, {
      connection: 'local',
      chatKey: chat,
      conversation,
      turn: null,
      message: null,
      at: room.now,
      role: 'answer',
      op: post(chat),
    })
  for (let n = 0; n < 100; n++) put('local:busy', `local:busy:${n}`)
  put('local:quiet', 'local:quiet')
  const { operations } = COMMANDS.claimOperations(room.room, {
    now: room.now,
    max: 2,
    connections: ['local'],
    blocked: { 'local:busy': room.now + 1_000 },
  })
  expect(operations.map(({ chatKey }) => chatKey)).toEqual(['local:quiet'])
})
