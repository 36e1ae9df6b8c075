/** Faults seen in other gateways, each of which must be impossible here. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, raw, request, start, survives, TOKEN } from './harness.fixture.js'

let open: Harness
let guarded: Harness
const seen: string[] = []
beforeAll(async () => {
  const serve = async (connection: string, request: Request, path: string) => {
    seen.push(`${connection} ${request.method} ${path}`)
    return Response.json({ bytes: (await request.arrayBuffer()).byteLength })
  }
  open = await start({ serve, uploadBytes: 1_000_000 })
  guarded = await start({ serve, token: TOKEN, secrets: [TOKEN] })
})
afterAll(() => Promise.all([open.close(), guarded.close()]))

const status = async (golem: Harness, path: string, init?: RequestInit) =>
  (await golem.get(path, init)).status
const code = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('without a token, only this machine', () => {
  it.each(['0.0.0.0', '::', '192.168.1.20', 'golem.example'])('refuses to listen on %s', async (host) => {
    await expect(start({ host })).rejects.toMatchObject({
      name: 'ServerError',
      code: 'open-to-network',
      message: expect.stringMatching(/gateway\.token.*gateway\.host to 127\.0\.0\.1/),
    })
  })

  it.each(['$' + '{UNSET}', '$' + '{GOLEM_TOKEN}', '', '  ', 'two words'])(
    'a token of %j is no token: it does not start',
    async (token) => {
      await expect(start({ token })).rejects.toMatchObject({ code: 'bad-token' })
    },
  )
})

describe('the token', () => {
  it.each([
    '/api/rooms',
    '/api/rooms/local:lobby/messages',
    '/api/messages/last/receipt',
    '/api/queue',
    '/api/approvals',
    '/api/status',
    '/api/openapi.json',
    '/api/local/rooms',
    '/api/anything',
    '/api',
  ])('is asked for at %s', async (path) => {
    const response = await guarded.get(path)
    expect([response.status, response.headers.get('www-authenticate'), await code(response)]).toEqual([
      401,
      'Bearer realm="golem"',
      'unauthorized',
    ])
    expect(await status(guarded, path, bearer(`${TOKEN}x`))).toBe(401)
    expect(await status(guarded, path, bearer(TOKEN.slice(1)))).toBe(401)
    expect(await status(guarded, path, bearer(TOKEN))).not.toBe(401)
  })

  it.each([
    '/%61pi/rooms',
    '/api%2frooms',
    '/api/%72ooms',
    '/API/rooms',
    '/webhooks/local/rooms',
    '/webhooks/local.b/rooms',
    '/webhooks/%6cocal/rooms',
    '/./api/rooms',
    '/x/../api/rooms',
  ])('cannot be gone round by %s', async (path) => {
    const before = seen.length
    const answer = await raw(guarded.server.port, request(path))
    expect(answer).toMatch(/^HTTP\/1\.1 (400|401|404) /)
    expect(answer).not.toContain('local:lobby')
    expect(seen.length).toBe(before)
  })

  it('is never taken from an address, even a right one', async () => {
    for (const name of ['token', 'access_token']) {
      const response = await guarded.get(`/api/rooms?${name}=${TOKEN}`)
      expect([response.status, await code(response)]).toEqual([400, 'token-in-url'])
    }
  })

  it('is neither shown nor logged', async () => {
    const texts = await Promise.all(
      ['/health', '/api/status', '/api/openapi.json', '/'].map(
        async (path) => await (await guarded.get(path, bearer(TOKEN))).text(),
      ),
    )
    expect(texts.join() + JSON.stringify(guarded.log.lines)).not.toContain(TOKEN)
  })

  it('takes as long for a near miss as for a far one: digests are compared, not texts', async () => {
    for (const wrong of ['a', TOKEN.slice(0, -1), 'é'.repeat(20), 'x'.repeat(5_000)])
      expect(await status(guarded, '/api/rooms', bearer(encodeURIComponent(wrong)))).toBe(401)
  })
})

describe('the session of the console', () => {
  const login = (golem: Harness, token: string, headers: Record<string, string> = {}) =>
    golem.get('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    })

  it('is a cookie no script can read and no other site can send, and not the token', async () => {
    const cookie = (await login(guarded, TOKEN)).headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^golem-session-\d+=\d+\.[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
    expect(cookie).not.toContain(TOKEN)
    const https = (await login(guarded, TOKEN, { 'x-forwarded-proto': 'https' })).headers.get('set-cookie')
    expect(https).toMatch(/; Secure$/)
  })

  it('opens the API until it ends, is changed or expires', async () => {
    const golem = await start({ token: TOKEN })
    const cookie = ((await login(golem, TOKEN)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const get = (value: string) => status(golem, '/api/rooms', { headers: { cookie: value } })
    expect(await get(`other=1; ${cookie}`)).toBe(200)
    const [name, value] = cookie.split('=')
    const [stamp, signature] = (value ?? '').split('.')
    expect(await get(`${name}=${Number(stamp) + 1}.${signature}`)).toBe(401)
    expect(await get(`${name}=${stamp}.`)).toBe(401)
    expect(await get(`${name}=`)).toBe(401)
    const other = await start({ token: 'another-token-altogether' })
    expect(
      await status(other, '/api/rooms', {
        headers: { cookie: `golem-session-${other.server.port}=${value}` },
      }),
    ).toBe(401)
    golem.clock.forward(31 * 24 * 3_600_000)
    expect(await get(cookie)).toBe(401)
    const bye = await golem.get('/api/session', { method: 'DELETE' })
    expect(bye.headers.get('set-cookie')).toMatch(/=; Path=\/; Max-Age=0;/)
    await Promise.all([golem.close(), other.close()])
  })

  it('tells the page whether to ask for the token', async () => {
    expect(await (await guarded.get('/api/session')).json()).toEqual({ required: true, loggedIn: false })
    expect(await (await guarded.get('/api/session', bearer(TOKEN))).json()).toEqual({
      required: true,
      loggedIn: true,
    })
    expect(await (await open.get('/api/session')).json()).toEqual({ required: false, loggedIn: true })
  })

  it('closes for a minute after ten wrong tokens, to the right one as well', async () => {
    const golem = await start({ token: TOKEN })
    for (let i = 0; i < 10; i++) expect((await login(golem, `wrong-${i}`)).status).toBe(401)
    const blocked = await login(golem, TOKEN)
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '60'])
    golem.clock.forward(60_000)
    expect((await login(golem, TOKEN)).status).toBe(200)
    await golem.close()
  })

  it.each(['', '[]', '{"token":1}', '{"token":"a","x":1}', '{', 'null'])(
    'refuses a body of %j',
    async (body) => {
      const response = await guarded.get('/api/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(response.status).toBe(400)
    },
  )
})

describe('pages of other sites', () => {
  it.each([
    'evil.example',
    'golem.example:3000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.1.20',
    '[2001:db8::1]',
  ])('a Host of %s (DNS rebinding) is refused everywhere', async (host) => {
    for (const path of ['/', '/health', '/api/rooms', '/api/local/rooms'])
      expect(await raw(open.server.port, request(path, `Host: ${host}`))).toMatch(/^HTTP\/1\.1 403 /)
  })

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:80', '[::1]:3000', '127.1.2.3'])(
    'a Host of %s is this machine',
    async (host) => {
      expect(await raw(open.server.port, request('/health', `Host: ${host}`))).toMatch(/^HTTP\/1\.1 200 /)
    },
  )

  it('a server open to the network answers to addresses and to its given names only', async () => {
    const golem = await start({ host: '0.0.0.0', token: TOKEN, hosts: ['golem.example'] })
    const ask = (host: string) => raw(golem.server.port, request('/health', `Host: ${host}`))
    for (const host of ['192.168.1.20', 'golem.example', 'Golem.Example:443', 'localhost', '[2001:db8::1]'])
      expect(await ask(host)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await ask('evil.example')).toMatch(/^HTTP\/1\.1 403 /)
    expect(await ask('evil.example')).toContain('gateway.hosts')
    await golem.close()
  })

  it.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1:1',
    'file://',
    'http://localhost.evil.example',
    'not a url',
  ])('an Origin of %s is refused, for reading and for writing, with and without a token', async (origin) => {
    for (const golem of [open, guarded])
      for (const init of [{ method: 'GET' }, { method: 'POST', body: '{}' }, { method: 'OPTIONS' }]) {
        const headers = { origin, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
        const response = await golem.get('/api/local/rooms', { ...init, headers })
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null])
      }
  })

  it('our own page may', async () => {
    const response = await open.get('/api/local/rooms', {
      method: 'POST',
      body: '{}',
      headers: {
        origin: open.server.url,
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
    })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  it('an image or a form on another site reads and changes nothing', async () => {
    const head = (site: string) => `Host: 127.0.0.1\r\nSec-Fetch-Site: ${site}`
    for (const site of ['cross-site', 'same-site'])
      expect(await raw(open.server.port, request('/api/local/rooms', head(site)))).toMatch(/^HTTP\/1\.1 403 /)
    expect(await raw(open.server.port, request('/api/local/rooms', head('none')))).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json', ''])(
    'a POST of type %j is refused',
    async (type) => {
      const before = seen.length
      const response = await open.get('/api/local/rooms', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': type },
      })
      expect([response.status, seen.length]).toEqual([415, before])
    },
  )

  it('a browser never posts a webhook', async () => {
    const init = { method: 'POST', body: '{}', headers: { origin: open.server.url } }
    expect(await status(open, '/webhooks/slack/events', init)).toBe(403)
    expect(await raw(open.server.port, request('/webhooks/slack/x', 'Host: golem.tunnel.example'))).toMatch(
      / 200 /,
    )
  })
})

describe('large bodies', () => {
  const post = (
    path: string,
    body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
    type = 'application/json',
  ): [string, RequestInit] => [
    path,
    {
      method: 'POST',
      body,
      headers: { 'content-type': type },
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    } as RequestInit,
  ]
  const chunks = (count: number, size: number) => {
    let left = count
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(new Uint8Array(size).fill(32))
        else controller.close()
      },
    })
  }

  it('are refused by their declared length before a byte is read', async () => {
    const before = seen.length
    const head = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 300000000`
    expect(await survives(open, request('/api/local/x', head, 'POST'))).toMatch(/^HTTP\/1\.1 413 /)
    expect(await survives(open, request('/api/session', head, 'POST'))).toMatch(/^HTTP\/1\.1 413 /)
    expect(seen.length).toBe(before)
  })

  it('are cut off at the limit when they declare none', async () => {
    const response = await open.get(...post('/api/local/x', chunks(10, 64 * 1024)))
    expect([response.status, await code(response)]).toEqual([413, 'too-large'])
    expect(await status(open, ...post('/api/session', chunks(10, 64 * 1024)))).toBe(413)
  })

  it('are 413 even where the reader of the broken stream made something else of it', async () => {
    const golem = await start({
      serve: async (_connection, incoming) => {
        try {
          await incoming.text()
        } catch {
          return new Response('looks fine')
        }
        return new Response('read')
      },
    })
    expect(await status(golem, ...post('/api/local/x', chunks(10, 64 * 1024)))).toBe(413)
    await golem.close()
  })

  it('may be larger for files and webhooks', async () => {
    const file = new Uint8Array(900_000)
    const type = 'text/plain'
    expect(await (await open.get(...post('/api/local/rooms/a/files', file, type))).json()).toEqual({
      bytes: 900_000,
    })
    expect(await status(open, ...post('/api/local/rooms/a/files', new Uint8Array(1_000_001), type))).toBe(413)
    expect(await status(open, ...post('/webhooks/slack/e', new Uint8Array(900_000)))).toBe(200)
    expect(await status(open, ...post('/webhooks/slack/e', new Uint8Array(1_100_000)))).toBe(413)
    expect(
      await (await open.get(...post('/api/local/rooms/a/files', chunks(3, 100_000), type))).json(),
    ).toEqual({ bytes: 300_000 })
  })
})

describe('what a browser may do with an answer', () => {
  it('data runs no script, whatever somebody uploaded', async () => {
    const golem = await start({
      serve: async () =>
        new Response('<script>alert(1)</script>', {
          headers: { 'content-type': 'text/html', 'content-security-policy': 'none' },
        }),
    })
    const { headers } = await golem.get('/api/local/files/1')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    await golem.close()
  })

  it('holds for errors too', async () => {
    const { headers } = await open.get('/api/nothing')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('a message with </script> is data, never a page', async () => {
    const response = await open.get('/api/messages/last/receipt')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  })
})
