import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.js'
import { Refusals } from '../refusals.js'
import { serveWebhook } from './webhook.js'

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

interface Sent {
  body: string
  type?: string
  method?: string
  headers?: Record<string, string>
  secret?: string
  at?: number
}

function desk(take: (body: unknown) => Promise<void> = async () => undefined) {
  const clock = new TestClock(1_700_000_000_000)
  const taken: unknown[] = []
  const options = {
    signingSecret: SECRET,
    clock,
    log: quiet,
    refusals: new Refusals(clock, quiet, 'Slack'),
    take: async (body: unknown) => {
      taken.push(body)
      await take(body)
    },
  }
  const send = async ({
    body,
    type = 'application/json',
    method = 'POST',
    headers,
    secret = SECRET,
    at,
  }: Sent) => {
    const ts = String(Math.floor((at ?? clock.now()) / 1_000))
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${ts}:${body}`).digest('hex')}`
    const request = new Request('http://localhost/events', {
      method,
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': ts,
        'x-slack-signature': signature,
        ...headers,
      },
      ...(method === 'POST' && { body }),
    })
    return serveWebhook(options, request)
  }
  return { send, taken, clock }
}

const event = (text: string, id = 'Ev01'): string =>
  JSON.stringify({
    type: 'event_callback',
    team_id: 'T1',
    event_id: id,
    event: { type: 'message', channel: 'C1', text },
  })

describe('what Slack posts', () => {
  it('an event is answered when it is durable', async () => {
    let store: () => void = () => undefined
    const { send, taken } = desk(
      () =>
        new Promise((resolve) => {
          store = resolve
        }),
    )
    let status = 0
    const sent = send({ body: event('你好') }).then((response) => {
      status = response.status
    })
    while (taken.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(status).toBe(0)
    store()
    await sent
    expect(status).toBe(200)
    expect(taken).toMatchObject([{ event: { text: '你好' } }])
  })

  it('sl-ack-does-not-wait-for-the-agent: stored, answered, and its repetitions answered as well', async () => {
    const { send, taken, clock } = desk()
    for (const [seconds, headers] of [
      [0, {}],
      [3, { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' }],
      [63, { 'x-slack-retry-num': '2' }],
    ] as const) {
      clock.advance(seconds * 1_000)
      expect((await send({ body: event('summarise'), headers })).status).toBe(200)
    }
    expect(taken).toHaveLength(3)
  })

  it('what cannot be stored is not answered with success, so that it comes again', async () => {
    const { send } = desk(() => Promise.reject(new Error('the disk is full')))
    const response = await send({ body: event('x') })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('disk')
  })

  it('the address proves itself', async () => {
    const { send, taken } = desk()
    const response = await send({ body: JSON.stringify({ type: 'url_verification', challenge: '3eZbrw' }) })
    expect([response.status, await response.text()]).toEqual([200, '3eZbrw'])
    expect(taken).toEqual([])
  })

  it('interactions and slash commands come on the same address', async () => {
    const { send, taken } = desk()
    const type = 'application/x-www-form-urlencoded'
    const payload = JSON.stringify({ type: 'block_actions', user: { id: 'U1' } })
    expect((await send({ type, body: `payload=${encodeURIComponent(payload)}` })).status).toBe(200)
    expect((await send({ type, body: 'command=%2Fgolem&text=why+not&trigger_id=1' })).status).toBe(200)
    expect((await send({ type, body: 'ssl_check=1&token=x' })).status).toBe(200)
    expect(taken).toEqual([
      { type: 'block_actions', user: { id: 'U1' } },
      { command: '/golem', text: 'why not', trigger_id: '1' },
    ])
  })
})

describe('what is refused', () => {
  it.each<[string, number, Partial<Sent>]>([
    ['another secret', 401, { secret: 'another' }],
    ['no signature', 401, { headers: { 'x-slack-signature': '' } }],
    ['a signature of another length', 401, { headers: { 'x-slack-signature': 'v0=00' } }],
    ['a time that is none', 401, { headers: { 'x-slack-request-timestamp': 'now' } }],
    ['an old request', 401, { at: 1_700_000_000_000 - 301_000 }],
    ['one of tomorrow', 401, { at: 1_700_000_000_000 + 301_000 }],
    ['malformed JSON', 400, { body: '{"type":' }],
    ['no event', 400, { body: '{"x":1}' }],
    ['another form', 400, { type: 'application/x-www-form-urlencoded', body: 'x=1' }],
    ['a form with a broken payload', 400, { type: 'application/x-www-form-urlencoded', body: 'payload=%7B' }],
    ['another type of content', 400, { type: 'text/plain', body: event('x') }],
    ['GET', 405, { method: 'GET' }],
    ['a body that is too large', 413, { body: event('x'.repeat(1024 * 1024)) }],
  ])('%s: %i', async (_, status, sent) => {
    const { send, taken } = desk()
    const response = await send({ body: event('x'), ...sent })
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain(SECRET)
    expect(taken).toEqual([])
  })

  it('a body that was changed on its way', async () => {
    const { clock } = desk()
    const ts = String(clock.now() / 1_000)
    const signature = `v0=${createHmac('sha256', SECRET)
      .update(`v0:${ts}:${event('a')}`)
      .digest('hex')}`
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': ts,
        'x-slack-signature': signature,
      },
      body: event('b'),
    })
    const refusals = new Refusals(clock, quiet, 'Slack')
    const options = { signingSecret: SECRET, clock, log: quiet, refusals, take: async () => undefined }
    expect((await serveWebhook(options, request)).status).toBe(401)
  })

  it('a stream that says it is short and is not', async () => {
    const { clock } = desk()
    const chunk = new Uint8Array(256 * 1024)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += chunk.byteLength
        controller.enqueue(chunk)
      },
    })
    const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
    const refusals = new Refusals(clock, quiet, 'Slack')
    const options = { signingSecret: SECRET, clock, log: quiet, refusals, take: async () => undefined }
    expect((await serveWebhook(options, request)).status).toBe(413)
    expect(sent).toBeLessThan(2 * 1024 * 1024)
  })
})
