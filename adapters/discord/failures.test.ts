import { describe, expect, it } from 'vitest'
import { type Failure, type Operation, PlatformFailure } from '../../src/messaging/contract.js'
import { asFailure, CallFailed, connectFailure, cureOf, FATAL_CLOSES } from './failures.js'

const part = { text: 'x', body: { content: 'x' }, mentions: [] }
const post: Operation = { kind: 'post', place: { chat: '1' }, part }
const inThread: Operation = { kind: 'post', place: { chat: '1', thread: '2' }, part }
const edit: Operation = { kind: 'edit', place: { chat: '1' }, id: '3', part }
const upload: Operation = { kind: 'upload', place: { chat: '1' }, path: '/x', name: 'x' }
const react: Operation = { kind: 'react', place: { chat: '1' }, id: '3', mark: 'done' }

const refusal = (status: number, code?: number, fields?: readonly string[]): CallFailed =>
  new CallFailed('refused', 'POST x', 'no', {
    status,
    ...(code !== undefined && { code }),
    ...(fields && { fields }),
  })

const of = (error: unknown, op: Operation = post): Failure => asFailure(error, op, 1_000).failure

describe('what Discord says no to', () => {
  it.each<[string, CallFailed, Operation, Failure]>([
    ['a channel that is not there', refusal(404, 10_003), post, { kind: 'gone', what: 'chat' }],
    ['a thread that is not there', refusal(404, 10_003), inThread, { kind: 'gone', what: 'thread' }],
    ['a message that is not there', refusal(404, 10_008), edit, { kind: 'gone', what: 'target' }],
    ['a quote of what it may not read', refusal(403, 160_002), post, { kind: 'gone', what: 'target' }],
    ['an archived thread', refusal(400, 50_083), inThread, { kind: 'gone', what: 'thread' }],
    ['a message in one', refusal(400, 50_083), edit, { kind: 'forbidden' }],
    ['a channel out of sight', refusal(403, 50_001), post, { kind: 'forbidden' }],
    ['a missing permission', refusal(403, 50_013), post, { kind: 'forbidden' }],
    ['a person without direct messages', refusal(403, 50_007), post, { kind: 'forbidden' }],
    ['somebody else’s message', refusal(403, 50_005), edit, { kind: 'forbidden' }],
    ['a text a filter blocks', refusal(400, 200_000), post, { kind: 'forbidden' }],
    ['a 403 of no known code', refusal(403, 12_345), post, { kind: 'forbidden' }],
    ['a 404 of no known code', refusal(404, 0), edit, { kind: 'gone', what: 'target' }],
    ['a file too large', refusal(413, 40_005), upload, { kind: 'invalid', field: 'file' }],
    ['a wrong token', refusal(401, 0), post, { kind: 'unauthorized' }],
    ['somebody on the way', refusal(401), post, { kind: 'unreachable' }],
    ['a wrong token of an interaction', refusal(401, 50_027), post, { kind: 'invalid', field: 'other' }],
    ['anything else', refusal(400, 12_345), post, { kind: 'invalid', field: 'other' }],
  ])('%s', (_, error, op, expected) => {
    expect(of(error, op)).toEqual(expected)
  })

  it.each<[string, readonly string[], Failure]>([
    ['a long text', ['content.BASE_TYPE_MAX_LENGTH'], { kind: 'invalid', field: 'length' }],
    ['a wrong text', ['content.BASE_TYPE_BAD_TYPE'], { kind: 'invalid', field: 'markup' }],
    ['a quote of nothing', ['message_reference.REPLIES_UNKNOWN_MESSAGE'], { kind: 'gone', what: 'target' }],
    ['a file', ['files.0.x'], { kind: 'invalid', field: 'file' }],
    ['a button', ['components.0.components.0.custom_id.X'], { kind: 'invalid', field: 'other' }],
    ['an id that is none', ['channel_id.NUMBER_TYPE_COERCE'], { kind: 'gone', what: 'chat' }],
  ])('a form with %s', (_, fields, expected) => {
    expect(of(refusal(400, 50_035, fields))).toEqual(expected)
  })
})

describe('what is not now', () => {
  const limited = (details: object) => new CallFailed('limited', 'x', '429', { status: 429, ...details })

  it.each<[string, Operation, object, Failure]>([
    ['of a channel', post, { retryAfter: 1_234 }, { kind: 'rate-limited', retryAt: 2_234, scope: 'chat' }],
    ['of marks', react, { retryAfter: 250 }, { kind: 'rate-limited', retryAt: 1_250, scope: 'kind' }],
    [
      'of the account',
      post,
      { retryAfter: 5, global: true },
      { kind: 'rate-limited', retryAt: 1_005, scope: 'account' },
    ],
    ['without an end', post, {}, { kind: 'rate-limited', retryAt: 31_000, scope: 'chat' }],
  ])('a limit %s', (_, op, details, expected) => {
    expect(of(limited(details), op)).toEqual(expected)
  })

  it('slow mode', () => {
    const slow = new CallFailed('refused', 'x', 'slow', { status: 400, code: 20_016, retryAfter: 3_000 })
    expect(of(slow)).toEqual({ kind: 'rate-limited', retryAt: 4_000, scope: 'chat' })
  })

  it('a line that did not come about, or broke', () => {
    expect(of(new CallFailed('unreachable', 'x', 'ECONNREFUSED'))).toEqual({ kind: 'unreachable' })
    expect(of(new CallFailed('unanswered', 'x', 'status 502', { status: 502 }))).toEqual({
      kind: 'ambiguous',
    })
  })
})

it('a failure of the platform’s own stays what it is, and a fault in here is one', () => {
  const own = new PlatformFailure({ kind: 'forbidden' }, 'no')
  expect(asFailure(own, post, 0)).toBe(own)
  expect(of(new TypeError('oops'))).toEqual({ kind: 'invalid', field: 'other' })
})

it('only a wrong token ends a connection for good, and every fatal close has its cure', () => {
  expect(connectFailure(refusal(401, 0))).toMatchObject({ name: 'ConnectFailure' })
  expect(connectFailure(refusal(403, 50_001))).toMatchObject({ name: 'CallFailed' })
  expect(cureOf(refusal(401, 50_027))).toBeUndefined()
  expect(cureOf(refusal(401))).toBeUndefined()
  for (const { reason, cure } of Object.values(FATAL_CLOSES)) {
    expect(reason).toMatch(/gateway code 40\d\d/)
    expect(cure).toMatch(/\w{4}/)
  }
})
