import { describe, expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import type { Operation } from '../messaging/contract.js'
import type { ClaimOperations } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'
import { enqueue } from './outbox.js'

const post = (text: string): Operation => ({
  kind: 'post',
  place: { chat: 'a' },
  part: { text, body: {}, mentions: [] },
})
const mark: Operation = { kind: 'react', place: { chat: 'a' }, id: 'm', mark: 'done' }

function outbox() {
  const room = new TestRoom()
  const put = (
    conversation: string,
    op: Operation = post(conversation),
    role: 'answer' | 'notice' = 'answer',
  ) =>
    enqueue(room.room, {
      connection: conversation.slice(0, conversation.indexOf(':')),
      chatKey: conversation.split(':').slice(0, 2).join(':'),
      conversation,
      turn: null,
      message: null,
      at: room.now,
      role,
      op,
    })
  const claim = (change: Partial<ClaimOperations> = {}) =>
    COMMANDS.claimOperations(room.room, {
      now: room.now,
      max: 4,
      connections: ['x', 'y'],
      blocked: {},
      ...change,
    })
  return { room, put, claim }
}
const chat = (writes: number, used: Record<string, number> = {}) =>
  ({ scope: 'chat', writes, perMs: 1_000, used }) as const

describe('what is handed out', () => {
  it('is no more than is left, over all conversations of a chat, and what waits is said', () => {
    const { put, claim } = outbox()
    for (let n = 0; n < 3; n++) put(`x:a:${n}`)
    const { operations, held } = claim({ budgets: { x: [chat(3, { 'x:a': 1 })] } })
    expect(operations.map(({ conversation }) => conversation)).toEqual(['x:a:0', 'x:a:1'])
    expect(held).toEqual([{ connection: 'x', chatKey: 'x:a', chat: 'dm', kind: 'post', yields: false }])
  })

  it('is found behind any number of conversations that must wait', () => {
    const { put, claim } = outbox()
    for (let n = 0; n < 100; n++) put(`x:a:${n}`)
    put('y:b')
    const { operations } = claim({ budgets: { x: [chat(1, { 'x:a': 1 })] } })
    expect(operations.map(({ conversation }) => conversation)).toEqual(['y:b'])
  })

  it('is an answer before a mark', () => {
    const { put, claim } = outbox()
    put('x:a:1', mark, 'notice')
    put('x:a:2')
    const { operations, held } = claim({ budgets: { x: [chat(1)] } })
    expect(operations.map(({ op }) => op.kind)).toEqual(['post'])
    expect(held).toMatchObject([{ kind: 'react', yields: true }])
  })

  it('is not of a kind that must wait on its connection; whoever said so knows until when', () => {
    const { put, claim } = outbox()
    put('x:a')
    put('x:b', mark, 'notice')
    put('y:a')
    const { operations, held } = claim({ kinds: { x: ['post'] } })
    expect(operations.map(({ conversation }) => conversation)).toEqual(['y:a', 'x:b'])
    expect(held).toEqual([])
  })

  it('keeps its order where it waits: nothing overtakes within a conversation', () => {
    const { room, put, claim } = outbox()
    put('x:a', post('1'))
    put('x:a', post('2'))
    expect(claim({ budgets: { x: [chat(1, { 'x:a': 1 })] } }).operations).toEqual([])
    const [first] = claim({ budgets: { x: [chat(1)] } }).operations
    expect(first?.op).toEqual(post('1'))
    expect(claim().operations).toEqual([])
    COMMANDS.recordReceipt(room.room, first?.id ?? 0, {
      state: 'sent',
      at: room.now,
      receipt: { at: room.now },
    })
    expect(claim().operations.map(({ op }) => op)).toEqual([post('2')])
  })
})
