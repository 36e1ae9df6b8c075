import fc from 'fast-check'
import { expect, it } from 'vitest'
import { redactor } from './redact.js'

it.each([
  ['Authorization: Bearer abcdefghijklmnop123', 'Authorization: Bearer [redacted]'],
  ['GET https://h/x?a=1&token=abc&b=2', 'GET https://h/x?a=1&token=[redacted]&b=2'],
  ['postgres://golem:pass@db/golem', 'postgres://golem:[redacted]@db/golem'],
  ['xoxb-123456789-abc and xapp-1-ABCDEFGH', '[redacted] and [redacted]'],
  [
    'https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe',
    'https://api.telegram.org/bot[redacted]/getMe',
  ],
  [`sk-${'a1'.repeat(20)}`, '[redacted]'],
])('masks what looks like a credential: %s', (text, clean) => {
  expect(redactor([])(text)).toBe(clean)
})

it.each([
  'The disk is full.',
  'at async handle (/work/src/app.ts:12:3)',
  'slack:C123:171.22',
  'bot said hello',
])('leaves ordinary text alone: %s', (text) => {
  expect(redactor(['short'])(text)).toBe(text)
})

it('never lets a known value through, alone or inside another one', () => {
  const secret = fc.string({ minLength: 6, maxLength: 40 })
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.string(),
      fc.string(),
      (secrets, before, after) => {
        const redact = redactor(secrets)
        for (const one of secrets) {
          fc.pre(!'[redacted]'.includes(one))
          expect(redact(`${before} ${one} ${after}`)).not.toContain(` ${one} `)
        }
      },
    ),
  )
})
