import { describe, expect, it } from 'vitest'
import { chatKeyOf, conversationOf, placeOf, referenceOf } from './keys.js'
import type { SessionScope } from './roster.js'

const ann = { id: 'U1', name: 'Ann', kind: 'person' } as const
function of(scope: SessionScope, where: { thread?: string; chain?: string; dm?: boolean } = {}): string {
  const place = where.thread === undefined ? { chat: 'C1' } : { chat: 'C1', thread: where.thread }
  const chat = { kind: where.dm ? 'dm' : 'group' } as const
  return conversationOf('slack:C1', scope, { place, chat, author: ann }, where.chain ?? null)
}

describe('the context a message belongs to', () => {
  it.each([
    ['auto', {}, 'slack:C1'],
    ['auto', { thread: 't' }, 'slack:C1:t'],
    ['auto', { chain: 'm' }, 'slack:C1'],
    ['auto', { thread: 't', chain: 'm' }, 'slack:C1:t'],
    ['group', {}, 'slack:C1'],
    ['group', { thread: 't' }, 'slack:C1'],
    ['group', { chain: 'm' }, 'slack:C1'],
    ['thread', {}, 'slack:C1'],
    ['thread', { thread: 't' }, 'slack:C1:t'],
    ['thread', { chain: 'm' }, 'slack:C1:m'],
    ['thread', { thread: 't', chain: 'm' }, 'slack:C1:t'],
  ] as const)('%s %o: %s', (scope, where, expected) => {
    expect(of(scope, where)).toBe(expected)
  })

  it.each(['auto', 'group', 'thread'] as const)('%s: a direct message has one context a person', (scope) => {
    expect(of(scope, { dm: true })).toBe('slack:C1:U1')
    expect(of(scope, { dm: true, thread: 't', chain: 'm' })).toBe('slack:C1:U1')
  })
})

it('names chats, places and messages', () => {
  expect(chatKeyOf('slack.acme', 'C1')).toBe('slack.acme:C1')
  expect(placeOf('C1', null)).toEqual({ chat: 'C1' })
  expect(placeOf('C1', 't')).toEqual({ chat: 'C1', thread: 't' })
  expect(referenceOf({ chat: 'slack:C1', native: '17.2', id: 7 })).toBe('slack:C1:17.2')
  expect(referenceOf({ chat: 'slack:C1', native: null, id: 7 })).toBe('slack:C1:#7')
})
