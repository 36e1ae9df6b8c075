import { describe, expect, it } from 'vitest'
import type { Failure, Operation, Part } from '../../src/messaging/contract.js'
import { asFailure, CallFailed, connectFailure, cureOf, isFatal } from './failures.js'

const NOW = 1_700_000_000_000
const part: Part = { text: 'x', body: { type: 'text', text: 'x' }, mentions: [] }
const post: Operation = { kind: 'post', place: { chat: 'oc_1' }, part, replyTo: 'om_1' }
const edit: Operation = { kind: 'edit', place: { chat: 'oc_1' }, id: 'om_2', part }
const upload: Operation = { kind: 'upload', place: { chat: 'oc_1' }, path: '/tmp/x', name: 'x' }

const failed = (code: number, more: CallFailed['details'] = {}): CallFailed =>
  new CallFailed(code, 'POST im/v1/messages', { status: 400, ...more })
const meaning = (error: unknown, op: Operation = post): Failure => asFailure(error, op, NOW).failure

describe('a refusal', () => {
  it.each<[number, string, Failure]>([
    [230002, 'The bot can not be outside the group.', { kind: 'forbidden' }],
    [230013, 'Bot has NO availability to this user.', { kind: 'forbidden' }],
    [230018, 'These operations are NOT allowed at current group settings.', { kind: 'forbidden' }],
    [230019, 'The topic does NOT exist.', { kind: 'gone', what: 'thread' }],
    [230025, 'The length of the message content reaches its limit.', { kind: 'invalid', field: 'length' }],
    [230034, 'The receive_id is invalid.', { kind: 'gone', what: 'chat' }],
    [230049, 'The message is being sent.', { kind: 'ambiguous' }],
    [232009, 'a chat which has already been dissolved.', { kind: 'gone', what: 'chat' }],
    [230071, 'does not support reply in thread', { kind: 'gone', what: 'thread' }],
    [99991672, 'Access denied.', { kind: 'forbidden' }],
    [10014, 'app secret invalid', { kind: 'unauthorized' }],
    [99991663, 'Invalid access token for authorization.', { kind: 'unreachable' }],
    [2200, 'internal error', { kind: 'ambiguous' }],
    [4711, 'something new', { kind: 'invalid', field: 'other' }],
  ])('%i "%s" is known for what it is', (code, said, failure) => {
    expect(meaning(failed(code, { said }))).toEqual(failure)
  })

  it('of an edit is about the edit', () => {
    expect(meaning(failed(230071), edit)).toEqual({ kind: 'forbidden' })
    expect(meaning(failed(230075), edit)).toEqual({ kind: 'forbidden' })
    expect(meaning(failed(230054), edit)).toEqual({ kind: 'invalid', field: 'markup' })
  })

  it('of a parameter is about what the parameter says', () => {
    const said = (ext: string): Failure =>
      meaning(failed(230001, { said: `Your request contains an invalid request parameter, ext=${ext}` }))
    expect(said('invalid receive_id.')).toEqual({ kind: 'gone', what: 'chat' })
    expect(said('invalid message_id.')).toEqual({ kind: 'gone', what: 'target' })
    expect(said('content is not a string in json format.')).toEqual({ kind: 'invalid', field: 'markup' })
    expect(said('something else')).toEqual({ kind: 'invalid', field: 'other' })
  })

  it('fs-more-tables-than-a-card-takes: of a card gives way to plain text, whatever limit it was', () => {
    const card = (said: string): Failure =>
      meaning(failed(230099, { said: `Failed to create card content, ext=${said}` }))
    expect(card('ErrCode: 11310; ErrMsg: card table number over limit; ErrorValue: table;')).toEqual({
      kind: 'invalid',
      field: 'markup',
    })
    expect(card('ErrCode: 200621; ErrMsg: parse card json err')).toEqual({ kind: 'invalid', field: 'markup' })
    expect(card('ErrCode: 11232; ErrMsg: card content size over limit')).toEqual({
      kind: 'invalid',
      field: 'length',
    })
  })

  it('of a file is about the file', () => {
    expect(meaning(failed(234010, { said: "File's size can't be 0." }), upload)).toEqual({
      kind: 'invalid',
      field: 'file',
    })
    expect(meaning(failed(230055), upload)).toEqual({ kind: 'invalid', field: 'file' })
  })

  it.each<[string, unknown]>([
    ['a sentence alone', failed(0, { said: 'The message was withdrawn.' })],
    ['230011', failed(230011, { said: 'The message was withdrawn.' })],
    ['231003', failed(231003, { said: 'The message is not found' })],
    ['230110', failed(230110, { said: 'Action unavailable as the message has been deleted.' })],
    ['an error that quotes the code', new Error('request failed with 230011')],
    ['an error that quotes the sentence', new TypeError('The message was withdrawn.')],
    ['a new code with the old sentence', failed(230999, { said: 'message has been recalled' })],
  ])('fs-trigger-withdrawn-no-code: %s means that the quoted message is gone', (_, error) => {
    for (const op of [post, upload, edit])
      expect(meaning(error, op)).toEqual({ kind: 'gone', what: 'target' })
  })

  it('never holds what leads somewhere: messages have no address and no id but the chat’s', () => {
    const { message } = asFailure(failed(230002, { said: 'no' }), post, NOW)
    expect(message).toBe('post in oc_1: POST im/v1/messages: code 230002, no; add the bot to the group')
  })
})

describe('a limit', () => {
  it('is known to the millisecond, and for what it holds', () => {
    expect(meaning(failed(99991400, { status: 429, waitMs: 7_250 }))).toEqual({
      kind: 'rate-limited',
      retryAt: NOW + 7_250,
      scope: 'kind',
    })
    expect(meaning(failed(230020))).toEqual({ kind: 'rate-limited', retryAt: NOW + 1_000, scope: 'chat' })
    expect(meaning(failed(0, { status: 429, waitMs: 0 }))).toMatchObject({
      kind: 'rate-limited',
      retryAt: NOW,
    })
  })
})

describe('silence', () => {
  it('is a doubt only where the request may have arrived', () => {
    expect(meaning(new CallFailed('unanswered', 'x'))).toEqual({ kind: 'ambiguous' })
    expect(meaning(new CallFailed('unreachable', 'x'))).toEqual({ kind: 'unreachable' })
  })
})

describe('what only a person can mend', () => {
  it('is said with its cure', () => {
    expect(isFatal(failed(10014))).toBe(true)
    expect(isFatal(failed(99991663))).toBe(false)
    expect(connectFailure(failed(10003))).toMatchObject({ name: 'ConnectFailure', cure: /App ID/ })
    const missing = failed(99991672, { scopes: ['im:message', 'im:message:send_as_bot'] })
    expect(connectFailure(missing)).toMatchObject({ cure: /im:message or im:message:send_as_bot/ })
    expect(connectFailure(failed(230002)).name).toBe('CallFailed')
  })

  it('of the long connection is told apart from Feishu being busy, which has the same code', () => {
    expect(cureOf(failed(1000040345, { said: 'app_id or app_secret is invalid' }))).toMatch(/App Secret/)
    expect(cureOf(failed(1000040345, { said: 'system busy' }))).toBeUndefined()
    expect(cureOf(failed(514))).toMatch(/App Secret/)
    expect(cureOf(failed(1000040350))).toBeUndefined()
  })
})
