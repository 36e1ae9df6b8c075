import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../../../messaging/engine.js'
import { parseLine } from './protocol.js'

describe('messages', () => {
  test.each([
    [{ type: 'text', text: 'a' }],
    [{ type: 'final', text: 'a' }],
    [{ type: 'final' }],
    [{ type: 'tool', id: 1, name: 'history_read', arguments: { limit: 2 } }],
    [{ type: 'file', path: 'a.png', name: 'b.png' }],
    [{ type: 'usage', inputTokens: 1, outputTokens: 2, costUsd: 0.1 }],
    [{ type: 'usage', inputTokens: 1, outputTokens: 2, cachedTokens: 1, model: 'small' }],
    [{ type: 'error', message: 'no' }],
  ])('%j', (message) => {
    expect(parseLine(JSON.stringify(message))).toEqual(message)
  })

  test('a turn may be named by number or text', () => {
    expect(parseLine('{"type":"text","turn":7,"text":"a"}')).toEqual({ type: 'text', turn: '7', text: 'a' })
  })
})

describe('plain text', () => {
  test.each([
    'hello',
    '42',
    '"quoted"',
    '{ not json',
    '{"no":"type"}',
    '[{"type":"text"}]',
    '{"type":3}',
    'null',
  ])('%s', (line) => {
    expect(parseLine(line)).toEqual({ type: 'plain', text: line })
  })

  test('loses a terminal’s colours and control characters', () => {
    expect(parseLine('\u001b[1;31mred\u001b[0m\u0000\u0007 and\ttab\u001b]0;title\u0007')).toEqual({
      type: 'plain',
      text: 'red and\ttab',
    })
  })

  test('any line gives a message or one EngineError, never another exception', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((it) => `{"type":"text","text":${it}}`),
        ),
        (line) => {
          try {
            parseLine(line)
          } catch (error) {
            expect(error).toBeInstanceOf(EngineError)
          }
        },
      ),
    )
  })
})

describe('faults', () => {
  test.each([
    ['{"type":"assistant"}', /type "assistant".*text, final, tool/],
    ['{"type":"constructor"}', /"constructor"/],
    ['{"type":"text"}', /text/],
    ['{"type":"usage","inputTokens":-1,"outputTokens":0}', /inputTokens/],
  ])('%s', (line, message) => {
    expect(() => parseLine(line)).toThrow(message)
  })
})
