import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drain, engineRun, FakeClock, turnInput } from '../../../../tests/fixtures/agents/kit.js'
import { createAi } from './ai.js'
import { classify, codeOf, cureOf, type FailureKind, retryAfterOf } from './failure.js'
import { aiSettings } from './settings.js'
import { PATIENCE, pause, TRIES } from './wait.js'

const NOW = Date.UTC(2026, 2, 1)

function http(statusCode: number, message: string, responseBody = ''): Error {
  return Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, responseBody })
}

describe('what went wrong', () => {
  // As the providers word it.
  it.each<[unknown, FailureKind]>([
    [http(429, 'Rate limit reached for gpt-5 in organization'), 'busy'],
    [http(529, 'Overloaded'), 'unavailable'],
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'busy'],
    [http(400, 'Your credit balance is too low to access the Anthropic API.'), 'no-credit'],
    [http(400, 'prompt is too long: 215000 tokens > 200000 maximum'), 'overflow'],
    [http(400, "This model's maximum context length is 8192 tokens."), 'overflow'],
    [http(400, 'The input token count (1100000) exceeds the maximum number of tokens allowed'), 'overflow'],
    [http(400, 'bad', '{"error":{"type":"exceed_context_size_error"}}'), 'overflow'],
    [
      http(400, 'The response was filtered due to the prompt triggering content management policy'),
      'refused',
    ],
    [http(400, "Unsupported parameter: 'temperature'"), 'rejected'],
    [http(404, 'model: claude-none'), 'no-model'],
    [http(308, 'Permanent Redirect'), 'moved'],
    [
      new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND api.example.com') }),
      'unavailable',
    ],
    [new TypeError('terminated', { cause: new Error('other side closed') }), 'cut'],
    [Object.assign(new Error('JSON parsing failed'), { name: 'AI_JSONParseError' }), 'garbage'],
    ['a word', 'unavailable'],
    [null, 'unavailable'],
  ])('%s', (error, kind) => {
    const failure = classify(error, NOW)
    expect(failure.kind).toBe(kind)
    expect(failure.said).not.toBe('')
    expect(cureOf(failure)).toMatch(/\.$/)
    expect(codeOf(failure)).toBeTruthy()
  })

  it.each(['anthropic/one', 'openai/one', 'google/one'])(
    'never quotes a key that no header takes (%s)',
    async (model) => {
      for (const key of ['sk-first-part\nsecond-part', 'sk-first-part…second-part']) {
        const models = createAi(aiSettings({ model, apiKey: key, baseUrl: 'http://127.0.0.1:9/v1' }), {
          clock: new FakeClock(),
          environment: {},
          chance: () => 0,
        })
        const error: unknown = await drain(
          models.run(engineRun({ cwd: '/nowhere', input: turnInput() })),
        ).catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(/Check the key/) })
        expect(String(error)).not.toMatch(/first-part|second-part/)
        await models.close()
      }
    },
  )

  it('is one line of bounded length, whatever the provider says', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2_000 }),
        fc.integer({ min: 300, max: 599 }),
        (message, status) => {
          const { said } = classify(http(status, message, message), NOW)
          expect(said.length).toBeLessThanOrEqual(400)
          expect(said).not.toMatch(/[\r\n\u2028]/)
        },
      ),
    )
  })
})

describe('when to come again', () => {
  it.each([
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': new Date(NOW + 90_000).toUTCString() }, 90_000],
    [{ 'retry-after': new Date(NOW - 90_000).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ])('%j', (headers, ms) => {
    const found = retryAfterOf(headers as Record<string, string>, NOW)
    if (ms === undefined) expect(found ?? 0).toBe(0)
    else expect(found).toBe(ms)
  })

  it('is never at once, never beyond the bounds, and later each time', () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: TRIES }), chance, (tries, luck) => {
        const ms = pause(tries, undefined, luck)
        expect(ms).toBeGreaterThanOrEqual(500)
        expect(ms).toBeLessThanOrEqual(20_000)
        expect(pause(tries + 1, undefined, luck)).toBeGreaterThanOrEqual(ms)
      }),
    )
    expect(pause(1, 7_000, 0)).toBe(7_000)
    expect(pause(1, 1, 0)).toBe(500)
    // No word to go by: as if there were none.
    for (const word of [0, -5_000]) expect(pause(3, word, 0)).toBe(pause(3, undefined, 0))
    expect(pause(1, 10 * PATIENCE, 1)).toBeLessThanOrEqual(PATIENCE + 250)
  })
})
