/** What is no proper request: every one is answered or dropped, and the daemon lives on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, raw, request, start, survives, TOKEN } from './harness.fixture.js'

let open: Harness
let guarded: Harness
beforeAll(async () => {
  const serve = async (_connection: string, incoming: Request) => Response.json(await incoming.json())
  open = await start({ serve })
  guarded = await start({ serve, token: TOKEN })
})
afterAll(() => Promise.all([open.close(), guarded.close()]))

describe('a malformed request gets a 4xx and never ends the daemon', () => {
  it.each([
    ['GET //', request('//')],
    ['GET // with a token set', request('//', 'Host: 127.0.0.1')],
    ['//evil.example/', request('//evil.example/')],
    ['absolute form', request('http://127.0.0.1/health')],
    ['absolute form of another host', request('http://evil.example/')],
    ['OPTIONS *', request('*', 'Host: 127.0.0.1', 'OPTIONS')],
    ['bad percent-encoding', request('/api/messages/%/receipt')],
    ['percent-encoding that is no UTF-8', request('/api/messages/%ff%fe/receipt')],
    ['an encoded NUL', request('/api/messages/%00/receipt')],
    ['an encoded line break', request('/a%0d%0ab')],
    ['a backslash', request('/\\evil')],
    ['an encoded backslash', request('/%5c%5cevil')],
    ['dot segments', request('/assets/../../etc/passwd')],
    ['encoded dot segments', request('/assets/%2e%2e/%2e%2e/etc/passwd')],
    ['dot segments behind an encoded slash', request('/assets/..%2f..%2fetc%2fpasswd')],
    ['raw bytes in the target', request('/\u00e9')],
    ['a fragment', request('/health#x')],
    ['a Host of blanks', request('/health', 'Host:  ')],
    ['a Host with a path', request('/health', 'Host: 127.0.0.1/x')],
    ['a Host with user info', request('/health', 'Host: a@127.0.0.1')],
    ['a Host with an impossible port', request('/health', 'Host: 127.0.0.1:99999')],
    ['a Host with brackets only', request('/health', 'Host: [::::]')],
    ['two Hosts', request('/health', 'Host: 127.0.0.1\r\nHost: evil.example')],
    ['no Host', `GET /health HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ['no Host in HTTP/1.0', `GET /health HTTP/1.0\r\n\r\n`],
    ['an unknown method', request('/health', 'Host: 127.0.0.1', 'BREW')],
    ['a TLS hello', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001'],
    ['garbage', 'hello\r\n\r\n'],
    [
      'content-length and chunked together',
      request('/api/session', 'Host: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked', 'POST'),
    ],
    ['a negative content-length', request('/api/session', 'Host: 127.0.0.1\r\nContent-Length: -1', 'POST')],
    [
      'two content-lengths',
      request('/api/session', 'Host: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2', 'POST'),
    ],
    [
      'a bad chunk',
      `${request('/api/local/x', 'Host: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked', 'POST')}zz\r\n`,
    ],
    ['an expectation nobody knows', request('/health', 'Host: 127.0.0.1\r\nExpect: tea')],
    ['CONNECT', request('evil.example:443', 'Host: evil.example', 'CONNECT')],
  ])('%s', async (_name, text) => {
    for (const golem of [open, guarded]) {
      const answer = await survives(golem, text)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
    }
  })

  it('huge headers: 431', async () => {
    expect(
      await survives(open, request('/health', `Host: 127.0.0.1\r\nX-Big: ${'a'.repeat(40_000)}`)),
    ).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('a huge address: 414', async () => {
    expect(await survives(open, request(`/${'a'.repeat(9_000)}`))).toMatch(/^HTTP\/1\.1 414 /)
  })

  it('garbage pipelined behind a good request: the good one is not answered twice, the bad one not at all or by 400', async () => {
    const answer = await survives(
      open,
      'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\u0000\u0001garbage\r\n\r\n',
    )
    expect(answer.match(/"status":"ok"/g)?.length ?? 0).toBeLessThanOrEqual(1)
    for (const line of answer.match(/^HTTP\/1\.1 \d+/gm) ?? []) expect(line).toMatch(/ (200|400)$/)
  })

  it('an upgrade nobody offers is answered as the plain request it is', async () => {
    const answer = await survives(
      open,
      request('/health', 'Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade'),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 (200|4\d\d) /)
  })

  it.each([
    ['GET //', request('//')],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('answers in the one shape, even before routing: %s', async (_, text) => {
    const answer = await survives(open, text)
    expect(answer).toContain('"error":{"code":"bad-request"')
    expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff')
  })
})

describe('slow clients', () => {
  it('are cut off with 408 when the headers do not come', async () => {
    const golem = await start({ timeouts: { headers: 60, request: 120, every: 20 } })
    expect(await raw(golem.server.port, 'GET /health HTTP/1.1\r\nHost: 127')).toMatch(/^HTTP\/1\.1 408 /)
    await golem.close()
  })

  it('are cut off when the body does not come', async () => {
    const golem = await start({
      timeouts: { headers: 60, request: 120, every: 20 },
      serve: async (_connection, incoming) => Response.json(await incoming.json()),
    })
    const head =
      'POST /api/local/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    await raw(golem.server.port, head) // resolves only when the server closes the socket
    expect((await golem.get('/health')).status).toBe(200)
    await golem.close()
  })
})
