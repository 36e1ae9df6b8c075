import { describe, expect, it } from 'vitest'
import { neverArrived, reasonOf, withoutAddresses } from './http.js'

const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code })

describe('a request that came to nothing', () => {
  it.each([
    ['no address for the name', new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), true],
    [
      'nobody listens, on any address',
      new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]),
      true,
    ],
    [
      'the proxy says no',
      new TypeError('fetch failed', { cause: new Error('Proxy response (407) !== 200') }),
      true,
    ],
    ['a certificate of somebody else', coded('ERR_TLS_CERT_ALTNAME_INVALID'), true],
    ['one address was written to', new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')]), false],
    ['cut off', new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') }), false],
    ['out of time', new DOMException('The operation timed out', 'TimeoutError'), false],
    ['no error at all', 'ECONNREFUSED', false],
  ])('%s: whether it never arrived', (_, error, expected) => {
    expect(neverArrived(error)).toBe(expected)
  })

  it('is told by its innermost reason, without addresses', () => {
    expect(reasonOf(new TypeError('fetch failed', { cause: coded('ECONNRESET') }))).toBe('ECONNRESET')
    expect(reasonOf(new Error('no https://api.example/botTOKEN/x there'))).toBe('no (address) there')
    expect(reasonOf(undefined)).toBe('unknown')
    expect(withoutAddresses('x'.repeat(1_000))).toHaveLength(300)
  })
})
