import { basename, join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileForm } from './key.js'

const connection = fc.stringMatching(/^[a-z0-9.]{1,12}$/)
const chat = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.stringMatching(/^[-A-Za-z0-9_.%:/~u]{1,12}$/),
  fc.string({ minLength: 150, maxLength: 300 }),
)
const key = fc.tuple(connection, chat).map(([a, b]) => `${a}:${b}`)

describe('fileForm', () => {
  it.each([
    ['slack:C123', 'slack-C123'],
    ['telegram:-100456', 'telegram--100456'],
    ['slack.acme:C123', 'slack.acme-C123'],
    ['slack:D1:U1', 'slack-D1%3AU1'],
    ['local:../../etc/passwd', 'local-%2E%2E%2F%2E%2E%2Fetc%2Fpasswd'],
    ['local:100%', 'local-100%25'],
    ['wx:群一', 'wx-%E7%BE%A4%E4%B8%80'],
    ['wx:群二', 'wx-%E7%BE%A4%E4%BA%8C'],
    ['local:\ud800', 'local-%uD800'],
  ])('%s -> %s', (chatKey, form) => {
    expect(fileForm(chatKey)).toBe(form)
  })

  it.each(['', 'slack', ':C1', 'slack:', 'Slack:C1', '../x:C1', 'a-b:C1', 'sl ack:C1'])(
    'refuses %j',
    (chatKey) => {
      expect(() => fileForm(chatKey)).toThrow(/no chat key/)
    },
  )

  it('gives two keys two forms, also where upper and lower case differ', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(fileForm(a) === fileForm(b)).toBe(a === b)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps keys apart that differ only past the length of a file name', () => {
    const long = `local:${'x'.repeat(400)}`
    expect(fileForm(`${long}1`)).not.toBe(fileForm(`${long}2`))
  })

  it('never leaves the folder and fits a file name with its suffixes', () => {
    fc.assert(
      fc.property(key, (chatKey) => {
        const name = `${fileForm(chatKey)}.md`
        const path = join('/memory/groups', name)
        expect(basename(path)).toBe(name)
        expect(relative('/memory/groups', path)).toBe(name)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(170)
        expect(name).toMatch(/^[a-z0-9.]+-[A-Za-z0-9_%~-]+\.md$/)
      }),
      { numRuns: 500 },
    )
  })
})
