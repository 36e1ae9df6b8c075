import { expect, it } from 'vitest'
import { message } from '../../../tests/support/policy.js'
import type { Access } from '../roster.js'
import { accessGate } from './access.js'

const verdict = (access: Access | undefined) => accessGate(access, message('hi')).verdict

it.each<[string, Access | undefined, 'pass' | 'stop']>([
  ['nothing said', undefined, 'pass'],
  ['nothing listed', {}, 'pass'],
  ['denied person', { deny: { users: ['ann'] } }, 'stop'],
  ['another person denied', { deny: { users: ['bob'] } }, 'pass'],
  ['denied chat', { deny: { chats: ['lobby'] } }, 'stop'],
  ['allowed person', { allow: { users: ['ann'] } }, 'pass'],
  ['another person allowed', { allow: { users: ['bob'] } }, 'stop'],
  ['nobody allowed: an empty list never means everybody', { allow: { users: [] } }, 'stop'],
  ['allowed chat', { allow: { chats: ['lobby'] } }, 'pass'],
  ['another chat allowed', { allow: { chats: ['den'] } }, 'stop'],
  ['allowed person in another chat', { allow: { users: ['ann'], chats: ['den'] } }, 'stop'],
  ['allowed and denied', { allow: { users: ['ann'] }, deny: { users: ['ann'] } }, 'stop'],
])('%s: %o', (_, access, expected) => {
  expect(verdict(access)).toBe(expected)
})
