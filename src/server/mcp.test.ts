import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, raw, start, TOKEN } from './harness.fixture.js'

let golem: Harness
let without: Harness
const seen: string[] = []
beforeAll(async () => {
  golem = await start({
    token: TOKEN,
    mcp: async (request) => {
      seen.push(await request.text())
      return Response.json({ ok: true })
    },
  })
  without = await start()
})
afterAll(() => Promise.all([golem.close(), without.close()]))

const send = (headers: Record<string, string> = {}, body = '{}') =>
  golem.get('/mcp', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: 'Bearer of-a-turn', ...headers },
  })

describe('/mcp', () => {
  it('is handed over with its body; the gateway’s own token is not asked for', async () => {
    const response = await send({}, '{"jsonrpc":"2.0"}')
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    expect(seen).toEqual(['{"jsonrpc":"2.0"}'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('is not there where nobody answers it', async () => {
    expect((await without.get('/mcp', { method: 'POST' })).status).toBe(404)
    expect((await without.get('/mcp')).status).toBe(404)
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a page of ours', { origin: 'http://127.0.0.1' }],
    ['a page without an origin', { 'sec-fetch-site': 'none' }],
    ['a file', { origin: 'null' }],
  ])('refuses %s', async (_, headers) => {
    expect((await send(headers as Record<string, string>)).status).toBe(403)
  })

  it('refuses a name that only resolves to this machine', async () => {
    const open = await start({
      host: '0.0.0.0',
      token: TOKEN,
      hosts: ['golem.example'],
      mcp: async () => Response.json({}),
    })
    try {
      for (const [host, status] of [
        ['golem.example', 403],
        ['192.168.1.20', 403],
        [`127.0.0.1:${open.server.port}`, 200],
        ['localhost', 200],
      ]) {
        const answer = await raw(
          open.server.port,
          `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
        )
        expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      }
    } finally {
      await open.close()
    }
  })

  it('refuses a form, a token in the address, and a body without end', async () => {
    expect((await send({ 'content-type': 'text/plain' })).status).toBe(415)
    expect((await golem.get('/mcp?token=x', { method: 'POST' })).status).toBe(400)
    expect((await send({}, `"${'x'.repeat(600_000)}"`)).status).toBe(413)
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(65_536))),
    })
    const init = {
      method: 'POST',
      body: endless,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    expect(
      await golem.get('/mcp', init as RequestInit).then(
        ({ status }) => status,
        () => 413,
      ),
    ).toBe(413)
  })
})
