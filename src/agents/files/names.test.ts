import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileName, isSecretPath, uniqueName } from './names.js'

describe('names of files from outside', () => {
  test.each([
    ['../../../outside.txt', 'outside.txt'],
    ['..\\..\\evil.exe', 'evil.exe'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['a\u202Efdp.exe', 'afdp.exe'],
    ['line\nbreak\u0000.txt', 'linebreak.txt'],
    ['报告 最终.pdf', '报告 最终.pdf'],
    ['', 'file'],
    ['..', 'file'],
    ['a:b*c?.txt', 'a_b_c_.txt'],
  ])('%j', (given, expected) => {
    expect(fileName(given)).toBe(expected)
  })

  test('any name is one plain file of its folder, and short enough', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
        const name = fileName(given)
        expect(name).toMatch(/^[^./\\][^/\\]*$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120)
        expect(name).not.toMatch(/\p{Cc}/u)
      }),
    )
  })

  test('no two share a name, whatever they are called', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a.txt', 'A.TXT', 'a (2).txt', '../a.txt', 'b', '')), (names) => {
        const taken = new Set<string>()
        const made = names.map((name) => uniqueName(name, taken).toLowerCase())
        expect(new Set(made).size).toBe(names.length)
      }),
    )
    const taken = new Set<string>()
    expect([uniqueName('a.txt', taken), uniqueName('a.txt', taken)]).toEqual(['a.txt', 'a (2).txt'])
  })
})

describe('what never leaves', () => {
  test.each([
    '.env',
    '.ENV.local',
    'prod.env',
    'id_rsa',
    'id_ed25519.bak',
    'server.pem',
    'tls.KEY',
    'store.p12',
    '.ssh/config',
    'a/.git/config',
    'credentials.json',
    'service-account-7.json',
    'golem.yaml',
    'terraform.tfstate',
    '.npmrc',
  ])('%s', (path) => {
    expect(isSecretPath(path.split('/'))).toBe(true)
  })

  test.each(['out/chart.png', 'keyboard.txt', 'monkey.md', 'environment.md', 'key.png', 'secret-santa.txt'])(
    'but %s does',
    (path) => {
      expect(isSecretPath(path.split('/'))).toBe(false)
    },
  )
})
