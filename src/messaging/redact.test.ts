import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, REDACTED } from './redact.js'

const TELEGRAM = '123456789:TESTTOKENNOTREALTESTTOKENNOTREAL123'

describe('any-token-never-in-logs-or-chat', () => {
  const redactor = createRedactor([TELEGRAM, 'xoxb-TEST-NOT-REAL'])
  const inner = new Error(
    `request to https://api.telegram.org/bot${TELEGRAM}/sendMessage failed, reason: connect ETIMEDOUT`,
  )
  const outer = new Error('post failed', { cause: new Error(`for xoxb-TEST-NOT-REAL`, { cause: inner }) })

  test.each([
    ['the message', inner.message],
    ['URL-encoded', 'token=123456789%3ATESTTOKENNOTREALTESTTOKENNOTREAL123'],
    ['URL-encoded in small letters', 'x 123456789%3aTESTTOKENNOTREALTESTTOKENNOTREAL123'],
    ['a file link', `https://api.telegram.org/file/bot${TELEGRAM}/photos/1.jpg`],
    ['base64', Buffer.from(TELEGRAM).toString('base64')],
    ['Slack', 'Authorization: Bearer xoxb-TEST-NOT-REAL'],
  ])('%s', (_name, text) => {
    const shown = redactor.text(text)
    expect(shown).toContain(REDACTED)
    expect(shown).not.toMatch(/TESTTOKEN|TEST-NOT-REAL/)
  })

  test('an error with its causes still says what failed', () => {
    const shown = redactor.error(outer)
    expect(shown).not.toMatch(/TESTTOKEN|TEST-NOT-REAL/)
    expect(shown).toMatch(/post failed.*sendMessage.*ETIMEDOUT/)
  })

  test('log fields of any shape', () => {
    const loop: Record<string, unknown> = { err: outer, list: [{ url: `https://u:${TELEGRAM}@host/` }] }
    loop.self = loop
    const shown = JSON.stringify(redactor.value(loop))
    expect(shown).not.toMatch(/TESTTOKEN|TEST-NOT-REAL/)
    expect(shown).toContain('ETIMEDOUT')
  })
})

describe('shapes, of tokens nobody told', () => {
  const redactor = createRedactor()
  test.each([
    'xoxb-111111111111-222222222222-abcDEFghiJKL',
    'xapp-1-A012-345-abcdef',
    `https://api.telegram.org/bot987654321:AAE-abcdefghijklmnopqrstuvwxyz01234/getMe`,
    '987654321:AAE-abcdefghijklmnopqrstuvwxyz01234',
    `MTk4NjIyNDgzNDcxOTI1MjQ4.${'Cl2FMQ'}.ZnCjm1XVW7vRze4b7Cq4se7kKWs_abc`,
    'sk-ant-api03-AbCdEfGhIjKlMnOpQrSt',
    'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    'AKIAIOSFODNN7EXAMPLE',
    'Authorization: Bearer abcdef12',
    'bearer eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl',
    'postgres://golem:hunter2hunter@db/golem',
    'https://x.example/a?access_token=abcd1234&b=1',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ])('%s', (text) => {
    expect(redactor.text(text)).toContain(REDACTED)
  })

  test.each([
    'We use scikit: sk-learn-for-all-our-classification-work',
    'The meeting is at 10:30, ticket 123456:done',
    'Basic information about bearer bonds',
    'https://example.org/path?page=2&sort=asc',
    'mail me: ann@example.org; see https://example.org:8080/@ann',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  ])('ordinary words stay: %s', (text) => {
    expect(redactor.text(text)).toBe(text)
  })
})

test('no known secret survives, whatever stands around it and in whatever form', () => {
  const secret = fc
    .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
    .filter((it) => it.trim().length >= 6)
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const redactor = createRedactor([value])
      // A secret that is part of the replacement itself would be found in it.
      fc.pre(!REDACTED.includes(value))
      for (const form of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]) {
        const shown = redactor.text(`${before} ${form} ${after}`)
        for (const piece of shown.split(REDACTED)) expect(piece).not.toContain(value)
      }
    }),
  )
})

test('a streamed text never shows the first half of a secret', () => {
  const redactor = createRedactor(['correct-horse-battery'])
  const whole = 'The key is correct-horse-battery and xoxb-111111111111-abcdefghijkl, done.'
  for (let end = 0; end <= whole.length; end += 1) {
    const shown = redactor.partial(whole.slice(0, end))
    expect(shown).not.toMatch(/corre|xoxb-/)
  }
  expect(redactor.partial(whole)).toBe(`The key is ${REDACTED} and ${REDACTED}, done.`)
})

test('hostile text takes no long time', () => {
  const redactor = createRedactor(['secret-value'])
  const began = process.cpuUsage().user
  for (const text of [
    'a'.repeat(200_000),
    'eyJ'.repeat(60_000),
    'https://a:'.repeat(20_000),
    '1'.repeat(200_000),
  ]) {
    redactor.text(text)
    redactor.partial(text)
  }
  expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(3_000)
})

test('short values are no secrets', () => {
  expect(createRedactor(['abc', ' ']).text('abc def')).toBe('abc def')
})
