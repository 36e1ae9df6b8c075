import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Api } from './api.js'
import { CallFailed } from './failures.js'
import { Web } from './web.js'

const TOKEN = 'MTAw.Secret.a-token-that-is-never-shown'
let server: Server
let web: Web
afterEach(async () => {
  await web.close()
  server.closeAllConnections()
  server.close()
})

async function open(listener: RequestListener): Promise<Api> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  web = await Web.open({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/` })
  return new Api(web, TOKEN)
}

const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  open((_, response) => response.writeHead(status, headers).end(body))

async function failureOf(call: Promise<unknown>): Promise<CallFailed> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CallFailed)) throw new Error(`not a CallFailed: ${String(error)}`)
  expect(`${error.message} ${error.stack}`).not.toContain(TOKEN)
  return error
}

describe('a call', () => {
  it('asks version 10 with the token, once, and escapes what stands in its path', async () => {
    const asked: string[] = []
    const api = await open((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.end('{"id":"1"}')
    })
    expect(await api.get(['channels', '../users', '@me'], { query: { limit: 5, after: undefined } })).toEqual(
      {
        id: '1',
      },
    )
    expect(asked).toEqual([`GET /api/v10/channels/..%2Fusers/@me?limit=5 Bot ${TOKEN}`])
  })

  it('leaves the token out where the path carries its own right, and never shows that', async () => {
    let authorization: string | undefined = 'none yet'
    const api = await open((request, response) => {
      authorization = request.headers.authorization
      response.writeHead(404).end('{"code":10062,"message":"Unknown interaction"}')
    })
    const path = ['interactions', '1', 'aW50ZXJhY3Rpb246c2VjcmV0', 'callback']
    const error = await failureOf(api.call('POST', path, { body: {}, authorized: false }))
    expect(authorization).toBeUndefined()
    expect(error.message).toBe('POST interactions/1/…/callback: Unknown interaction (10062)')
  })

  it('is not followed elsewhere', async () => {
    const api = await answering(302, '', { location: 'http://example.invalid/' })
    expect(await failureOf(api.get(['x']))).toMatchObject({ kind: 'refused', details: { status: 302 } })
  })

  it('is given up when nobody waits for it any more', async () => {
    const api = await open(() => undefined)
    const abort = new AbortController()
    const failing = failureOf(api.get(['x'], { signal: abort.signal }))
    abort.abort()
    expect((await failing).kind).toBe('unanswered')
    expect((await failureOf(api.get(['x'], { signal: AbortSignal.abort() }))).kind).toBe('unreachable')
    expect((await failureOf(api.get(['x'], { timeoutMs: 20 }))).kind).toBe('unanswered')
  })

  it('says where a form is wrong', async () => {
    const body = {
      code: 50_035,
      message: 'Invalid Form Body',
      errors: {
        content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'no' }] },
        embeds: { 0: { title: { _errors: [{ code: 'X' }] } } },
      },
    }
    const api = await answering(400, JSON.stringify(body))
    expect(await failureOf(api.get(['x']))).toMatchObject({
      kind: 'refused',
      details: { status: 400, code: 50_035, fields: ['content.BASE_TYPE_MAX_LENGTH', 'embeds.0.title.X'] },
    })
  })

  it.each([500, 502, 503, 408])('that ends with status %i may have had its effect', async (status) => {
    const api = await answering(status, '<html>')
    expect(await failureOf(api.get(['x']))).toMatchObject({ kind: 'unanswered', details: { status } })
  })

  it.each(['<html>', '{"id":', 'ok'])('that is answered by %j has no answer', async (body) => {
    const api = await answering(200, body)
    expect((await failureOf(api.get(['x']))).kind).toBe('unanswered')
  })

  it('may be answered by nothing', async () => {
    const api = await answering(204, '')
    expect(await api.call('DELETE', ['x'])).toEqual({})
  })

  it('to where nobody listens never arrived', async () => {
    const api = await answering(204, '')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect((await failureOf(api.get(['x']))).kind).toBe('unreachable')
  })
})

describe('a limit', () => {
  it.each<[string, string, Record<string, string>, object]>([
    [
      'of a route',
      '{"message":"limited","retry_after":1.2344,"global":false}',
      { 'retry-after': '2', 'x-ratelimit-scope': 'user' },
      { retryAfter: 1_235, global: false },
    ],
    [
      'of the account, by its body',
      '{"message":"limited","retry_after":0.5,"global":true}',
      {},
      { retryAfter: 500, global: true },
    ],
    [
      'of the account, by its headers',
      '{"message":"limited","retry_after":3,"global":false}',
      { 'x-ratelimit-scope': 'global' },
      { retryAfter: 3_000, global: true },
    ],
    [
      'of others in the same place',
      '{"message":"limited","retry_after":3,"global":false}',
      { 'x-ratelimit-scope': 'shared' },
      { retryAfter: 3_000, global: false },
    ],
    ['of this machine’s address', '<html>', { 'retry-after': '120' }, { retryAfter: 120_000, global: true }],
  ])('%s', async (_, body, headers, details) => {
    const api = await answering(429, body, headers)
    expect(await failureOf(api.get(['x']))).toMatchObject({ kind: 'limited', details })
  })

  it('without an end has none', async () => {
    const api = await answering(429, '')
    const { details } = await failureOf(api.get(['x']))
    expect(details.retryAfter).toBeUndefined()
  })
})
