import { describe, expect, it } from 'vitest'
import {
  ConnectFailure,
  type Failure,
  type Operation,
  PlatformFailure,
} from '../../src/messaging/contract.js'
import { asFailure, CallFailed, connectFailure } from './failures.js'

const part = { text: 'x', body: {}, mentions: [] }
const post: Operation = { kind: 'post', place: { chat: 'C1' }, part }
const quoting: Operation = { ...post, replyTo: '1.000001' }
const failure = (code: string, op: Operation = post): Failure =>
  asFailure(new CallFailed(code, 'chat.postMessage'), op, 1_000).failure

describe('refusals', () => {
  it.each<[string, Failure]>([
    ['channel_not_found', { kind: 'gone', what: 'chat' }],
    ['is_archived', { kind: 'forbidden' }],
    ['not_in_channel', { kind: 'forbidden' }],
    ['restricted_action', { kind: 'forbidden' }],
    ['missing_scope', { kind: 'forbidden' }],
    ['message_not_found', { kind: 'gone', what: 'target' }],
    ['cant_update_message', { kind: 'forbidden' }],
    ['msg_too_long', { kind: 'invalid', field: 'length' }],
    ['msg_blocks_too_long', { kind: 'invalid', field: 'length' }],
    ['invalid_blocks', { kind: 'invalid', field: 'markup' }],
    ['invalid_auth', { kind: 'unauthorized' }],
    ['token_revoked', { kind: 'unauthorized' }],
    ['account_inactive', { kind: 'unauthorized' }],
    ['fatal_error', { kind: 'ambiguous' }],
    ['internal_error', { kind: 'ambiguous' }],
    ['service_unavailable', { kind: 'unreachable' }],
    ['never_heard_of', { kind: 'invalid', field: 'other' }],
  ])('%s', (code, expected) => {
    expect(failure(code)).toEqual(expected)
  })

  it('a thread that is gone is the target where the post only quoted, else the thread', () => {
    expect(failure('thread_not_found', quoting)).toEqual({ kind: 'gone', what: 'target' })
    expect(failure('thread_not_found', { ...quoting, place: { chat: 'C1', thread: '1.000001' } })).toEqual({
      kind: 'gone',
      what: 'thread',
    })
  })

  it('rate limits say until when', () => {
    const limited = new CallFailed('rate_limited', 'chat.postMessage', { retryAfterMs: 7_000 })
    expect(asFailure(limited, post, 1_000).failure).toEqual({
      kind: 'rate-limited',
      retryAt: 8_000,
      scope: 'chat',
    })
    expect(
      asFailure(limited, { kind: 'delete', place: { chat: 'C1' }, id: '1.1' }, 1_000).failure,
    ).toMatchObject({
      scope: 'kind',
    })
    expect(asFailure(new CallFailed('rate_limited', 'x'), post, 1_000).failure).toMatchObject({
      retryAt: 31_000,
    })
  })

  it('say what failed, where, and what to do', () => {
    const { message } = asFailure(new CallFailed('not_in_channel', 'chat.postMessage'), post, 0)
    expect(message).toMatch(/post in C1.*not_in_channel.*invite/)
    const own = new PlatformFailure({ kind: 'forbidden' }, 'x')
    expect(asFailure(own, post, 0)).toBe(own)
    expect(asFailure(new TypeError('a fault'), post, 0).failure).toEqual({ kind: 'invalid', field: 'other' })
  })
})

describe('connecting', () => {
  it.each([
    ['auth.test', 'invalid_auth', {}, 'Install App'],
    ['apps.connections.open', 'invalid_auth', {}, 'xapp-'],
    ['apps.connections.open', 'missing_scope', { needed: 'connections:write' }, 'connections:write'],
    ['auth.test', 'account_inactive', {}, 'install it again'],
    ['apps.connections.open', 'not_allowed_token_type', {}, 'mixed up'],
    ['chat.postMessage', 'missing_scope', { needed: 'chat:write' }, 'OAuth & Permissions'],
  ])('%s: %s has a cure', (method, code, details, cure) => {
    const error = connectFailure(new CallFailed(code, method, details))
    expect(error).toBeInstanceOf(ConnectFailure)
    expect((error as ConnectFailure).cure).toContain(cure)
  })

  it('what may pass by itself is no such failure', () => {
    for (const code of ['unreachable', 'unanswered', 'rate_limited', 'ended_before_hello'])
      expect(connectFailure(new CallFailed(code, 'auth.test'))).not.toBeInstanceOf(ConnectFailure)
  })
})
