import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Harness, start } from './harness.fixture.js'
import { errorSchema, roomMessagesSchema } from './routes.js'

let golem: Harness
beforeAll(async () => {
  golem = await start({
    serve: async (connection, request, path) =>
      path.startsWith('/nothing')
        ? null
        : Response.json(
            { connection, path, method: request.method, body: await request.text() },
            { status: 201 },
          ),
  })
})
afterAll(() => golem.close())

async function json(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await golem.get(path, init)
  return { status: response.status, body: await response.json() }
}
const asJson = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

describe('rooms', () => {
  it('lists rooms', async () => {
    expect(await json('/api/rooms')).toMatchObject({ status: 200, body: { rooms: [{ key: 'local:lobby' }] } })
  })

  it('pages through messages by internal id', async () => {
    const page = async (query: string) =>
      roomMessagesSchema
        .parse((await json(`/api/rooms/local%3Alobby/messages?${query}`)).body)
        .messages.map(({ id }) => id)
    expect(await page('limit=2')).toEqual([19, 20])
    expect(await page('before=19&limit=2')).toEqual([17, 18])
    expect(await page('after=7&limit=2')).toEqual([8, 9])
  })

  it('takes a key with its colon as it is', async () => {
    expect((await json('/api/rooms/local:lobby/messages')).status).toBe(200)
  })

  it.each([
    'limit=0',
    'limit=201',
    'limit=abc',
    'limit=1.5',
    'before=-1',
    'after=99999999999999999',
    'limit=',
  ])('refuses %s', async (query) => {
    expect(await json(`/api/rooms/local:lobby/messages?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'bad-parameter' } },
    })
  })

  it('says that a room is not there', async () => {
    expect(await json('/api/rooms/slack%3AC1/messages')).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown-room' } },
    })
  })
})

describe('receipts', () => {
  it.each(['7', 'local%3Alobby%3A42', 'local:lobby:42'])('finds a message by %s', async (id) => {
    expect(await json(`/api/messages/${id}/receipt`)).toMatchObject({
      status: 200,
      body: { message: { id: 7 } },
    })
  })

  it('finds the last message', async () => {
    expect(await json('/api/messages/last/receipt')).toMatchObject({ body: { message: { id: 20 } } })
  })

  it('decodes an id once only', async () => {
    expect((await json('/api/messages/local%253Alobby%253A42/receipt')).status).toBe(404)
  })

  it('says that a message is not there', async () => {
    expect(await json('/api/messages/999/receipt')).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown-message' } },
    })
  })
})

it('shows the queue and the counts', async () => {
  expect(await json('/api/queue')).toMatchObject({ status: 200, body: { turns: [{ turn: 7 }] } })
  expect(await json('/api/status')).toMatchObject({ status: 200, body: { rooms: 1, turns: { settled: 4 } } })
})

describe('what a connection serves itself', () => {
  it('is handed to the local rooms with the path as it was sent', async () => {
    const answer = await json('/api/local/rooms/a%2Fb/messages?x=1', asJson('POST', { text: 'hi' }))
    expect(answer).toEqual({
      status: 201,
      body: { connection: 'local', path: '/rooms/a%2Fb/messages', method: 'POST', body: '{"text":"hi"}' },
    })
  })

  it('is handed to a second account of the local platform', async () => {
    expect(await json('/api/local.lab/rooms')).toMatchObject({
      body: { connection: 'local.lab', path: '/rooms' },
    })
    expect((await json('/api/locals/rooms')).status).toBe(404)
  })

  it('is handed to the connection of a webhook', async () => {
    const answer = await json('/webhooks/slack.acme/events', { method: 'POST', body: 'payload=1' })
    expect(answer).toMatchObject({
      status: 201,
      body: { connection: 'slack.acme', path: '/events', body: 'payload=1' },
    })
  })

  it('is 404 where the connection serves nothing', async () => {
    expect(await json('/api/local/nothing')).toMatchObject({
      status: 404,
      body: { error: { code: 'not-found' } },
    })
  })
})

describe('errors have one shape', () => {
  it.each([
    ['GET', '/api/nothing', 404, 'not-found'],
    ['GET', '/api', 404, 'not-found'],
    ['GET', '/webhooks', 404, 'not-found'],
    ['POST', '/api/nothing', 404, 'not-found'],
    ['DELETE', '/api/rooms', 405, 'method-not-allowed'],
    ['POST', '/health', 405, 'method-not-allowed'],
    ['POST', '/', 405, 'method-not-allowed'],
    ['OPTIONS', '/api/rooms', 405, 'method-not-allowed'],
    ['PUT', '/api/openapi.json', 405, 'method-not-allowed'],
    ['GET', '/missing.png', 404, 'not-found'],
  ])('%s %s', async (method, path, status, code) => {
    const response = await golem.get(path, { method })
    expect(response.status).toBe(status)
    expect(errorSchema.parse(await response.json()).error.code).toBe(code)
    if (status === 405) expect(response.headers.get('allow')).toMatch(/GET, HEAD/)
  })
})

it('answers HEAD as it would GET, without the body', async () => {
  const response = await golem.get('/api/rooms', { method: 'HEAD' })
  expect([response.status, await response.text()]).toEqual([200, ''])
})

describe('a failing handler', () => {
  it('answers with a fixed sentence and logs the reason without secrets', async () => {
    const broken = await start({
      serve: async () => {
        throw new Error('disk gone at /srv/golem, token xoxb-very-secret-value')
      },
    })
    const response = await broken.get('/api/local/rooms')
    const text = await response.text()
    await broken.close()
    expect(response.status).toBe(500)
    expect(
      z
        .object({ error: z.object({ code: z.literal('internal'), message: z.string() }) })
        .parse(JSON.parse(text)),
    ).toBeTruthy()
    expect(text).not.toContain('/srv')
    const logged = JSON.stringify(broken.log.lines)
    expect(logged).toContain('disk gone at /srv/golem')
    expect(logged).not.toContain('very-secret')
  })
})

describe('health', () => {
  it('is ok when all is well', async () => {
    expect(await json('/health')).toEqual({
      status: 200,
      body: {
        status: 'ok',
        version: '0.1.0',
        connections: [
          {
            id: 'local',
            phase: 'ready',
            sees: 'all',
            note: null,
            lastCatchUp: null,
            catchingUp: false,
            reason: null,
            cure: null,
          },
        ],
        store: { writable: true, reason: null, cure: null },
      },
    })
  })

  it('is degraded, with reason and cure, when the store cannot write', async () => {
    const full = await start({
      storeHealth: () => ({ ok: false, reason: 'The disk is full.', cure: 'Free some space.' }),
    })
    const response = await full.get('/health')
    expect([response.status, await response.json()]).toMatchObject([
      200,
      {
        status: 'degraded',
        store: { writable: false, reason: 'The disk is full.', cure: 'Free some space.' },
      },
    ])
    await full.close()
  })

  it('is degraded when the store does not even answer', async () => {
    const dead = await start({ storeHealth: () => Promise.reject(new Error('worker died')) })
    expect(await (await dead.get('/health')).json()).toMatchObject({
      status: 'degraded',
      store: { writable: false },
    })
    await dead.close()
  })

  it('is degraded while one connection is not ready, and failed with 503 when all have failed', async () => {
    const failed = {
      phase: 'failed',
      reason: 'Slack refused xoxb-very-secret-value',
      cure: 'Renew the token.',
    } as const
    const some = await start({
      connections: () => [
        {
          id: 'local',
          state: { phase: 'ready', sees: 'addressed', note: 'Privacy mode is on.' },
          caughtUp: { at: 1, messages: 3, complete: true },
        },
        { id: 'slack', state: failed },
        { id: 'discord', state: { phase: 'connecting' } },
        { id: 'feishu', state: { phase: 'degraded', reason: 'Nothing heard for 90 s.' } },
      ],
    })
    const all = await start({ connections: () => [{ id: 'slack', state: failed }] })
    const one = await some.get('/health')
    const text = await one.text()
    expect(one.status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      status: 'degraded',
      connections: [
        {
          id: 'local',
          sees: 'addressed',
          note: expect.stringMatching(/^Privacy mode is on\. .*behave as mention-only\.$/),
          lastCatchUp: { at: 1, messages: 3, complete: true },
        },
        { id: 'slack', phase: 'failed', reason: 'Slack refused [redacted]', cure: 'Renew the token.' },
        { id: 'discord', phase: 'connecting' },
        { id: 'feishu', phase: 'degraded', reason: 'Nothing heard for 90 s.' },
      ],
    })
    expect(text).not.toContain('very-secret')
    const none = await all.get('/health')
    expect([none.status, await none.json()]).toMatchObject([503, { status: 'failed' }])
    await Promise.all([some.close(), all.close()])
  })
})
