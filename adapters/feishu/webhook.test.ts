import { describe, expect, it } from 'vitest'
import { encrypt, signed } from '../../tests/simulators/feishu/envelope.js'
import { TestClock } from '../../tests/support/clock.js'
import { Refusals } from '../refusals.js'
import { unseal } from './seal.js'
import type { Fields } from './shape.js'
import { serveWebhook } from './webhook.js'

const KEY = 'kudryavka-key-of-the-app'
const TOKEN = 'rvaYgkND1GOiu5MM0E1rncYC6PLtF7JV'
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

interface Sent {
  body?: unknown
  key?: string | null
  signedWith?: string | null
  headers?: Record<string, string>
  method?: string
  at?: number
  raw?: string
}

function desk(take: (body: Fields) => Promise<object | undefined> = async () => undefined) {
  const clock = new TestClock(1_700_000_000_000)
  const taken: Fields[] = []
  const options = {
    encryptKey: KEY,
    verificationToken: TOKEN,
    clock,
    log: quiet,
    refusals: new Refusals(clock, quiet, 'Feishu'),
    take: async (body: Fields) => {
      taken.push(body)
      return take(body)
    },
  }
  const send = async ({ body, key = KEY, signedWith = KEY, headers, method = 'POST', at, raw }: Sent) => {
    const clear = JSON.stringify(body)
    const text = raw ?? (key === null ? clear : JSON.stringify({ encrypt: encrypt(clear, key) }))
    const seconds = Math.floor((at ?? clock.now()) / 1_000)
    const request = new Request('http://localhost/webhooks/feishu', {
      method,
      headers: {
        'content-type': 'application/json',
        ...(signedWith !== null && signed(signedWith, seconds, 'nonce', text)),
        ...headers,
      },
      ...(method === 'POST' && { body: text }),
    })
    return serveWebhook(options, request)
  }
  return { send, taken, clock }
}

const event = (token = TOKEN): Fields => ({
  schema: '2.0',
  header: { event_id: 'ev-1', event_type: 'im.message.receive_v1', token, app_id: 'cli_1' },
  event: { message: { message_id: 'om_1' } },
})

describe('what Feishu posts', () => {
  it('is answered when it is durable, and not before', async () => {
    let store: (answer: object | undefined) => void = () => undefined
    const { send, taken } = desk(
      () =>
        new Promise((resolve) => {
          store = resolve
        }),
    )
    let status = 0
    const sent = send({ body: event() }).then((response) => {
      status = response.status
      return response
    })
    while (taken.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(status).toBe(0)
    store({ toast: { type: 'info', content: 'OK' } })
    const response = await sent
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ toast: { type: 'info', content: 'OK' } })
    expect(taken).toEqual([event()])
  })

  it('that could not be stored is refused, so that it comes again', async () => {
    const { send } = desk(async () => {
      throw new Error('the disk is full')
    })
    expect((await send({ body: event() })).status).toBe(503)
  })

  it('a challenge is answered with nothing but the key and the token to prove it', async () => {
    const { send, taken } = desk()
    const body = { type: 'url_verification', challenge: 'ajls384kdjx98XX', token: TOKEN }
    const response = await send({ body, signedWith: null })
    expect(await response.json()).toEqual({ challenge: 'ajls384kdjx98XX' })
    expect((await send({ body: { ...body, token: 'wrong' }, signedWith: null })).status).toBe(401)
    expect((await send({ body, key: null, signedWith: null })).status).toBe(401)
    expect((await send({ body: { type: 'url_verification', token: TOKEN } })).status).toBe(400)
    expect(taken).toEqual([])
  })

  it.each<[string, Sent, number]>([
    ['plain JSON without a signature', { body: event(), key: null, signedWith: null }, 401],
    ['plain JSON with a good signature', { body: event(), key: null }, 401],
    ['encrypted, but not signed', { body: event(), signedWith: null }, 401],
    ['signed with another key', { body: event(), signedWith: 'another' }, 401],
    ['encrypted with another key', { body: event(), key: 'another' }, 401],
    ['a wrong Verification Token', { body: event('wrong') }, 401],
    ['no Verification Token', { body: { schema: '2.0', header: {}, event: {} } }, 401],
    ['no JSON', { raw: 'hello' }, 400],
    ['JSON that is no object', { raw: '[1]' }, 400],
    ['nothing', { raw: '' }, 400],
    ['nothing encrypted', { raw: '{"encrypt":""}' }, 401],
    ['encrypted that is none', { raw: '{"encrypt":"AAAA"}' }, 401],
    ['encrypted text that is no JSON', { raw: JSON.stringify({ encrypt: encrypt('x', KEY) }) }, 400],
    ['a signature of nine hours ago', { body: event(), at: 1_700_000_000_000 - 9 * 3_600_000 }, 401],
    ['a signature of tomorrow', { body: event(), at: 1_700_000_000_000 + 86_400_000 }, 401],
    ['a time that is none', { body: event(), headers: { 'x-lark-request-timestamp': 'now' } }, 401],
    ['another method', { body: event(), method: 'PUT' }, 405],
    ['two megabytes', { raw: JSON.stringify({ encrypt: 'A'.repeat(2_000_000) }) }, 413],
  ])('%s is refused', async (_, sent, status) => {
    const { send, taken } = desk()
    const response = await send(sent)
    expect(response.status).toBe(status)
    const said = await response.text()
    expect(said).not.toContain(KEY)
    expect(said).not.toContain(TOKEN)
    expect(taken).toEqual([])
  })

  it('fs-redelivery-hours-later: a retry of six hours later with its first signature is still taken', async () => {
    const { send, taken, clock } = desk()
    const at = clock.now()
    clock.advance(7 * 3_600_000)
    expect((await send({ body: event(), at })).status).toBe(200)
    expect(taken).toHaveLength(1)
  })

  it('events of the old form carry the token beside themselves', async () => {
    const { send, taken } = desk()
    const body = {
      uuid: '1',
      token: TOKEN,
      ts: '1700000000.0',
      type: 'event_callback',
      event: { type: 'message' },
    }
    expect((await send({ body })).status).toBe(200)
    expect(taken).toHaveLength(1)
  })
})

describe('a seal', () => {
  it('opens the vector of the vendor’s page', () => {
    // https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/encrypt-key-encryption-configuration-case
    const sealed = 'P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk='
    expect(unseal(sealed, 'test key')).toBe('hello world')
  })

  it('of another key, or none at all, does not open', () => {
    expect(unseal(encrypt('secret', KEY), `${KEY}x`)).not.toBe('secret')
    for (const text of ['', 'x', 'AAAA', '!!!!']) expect(unseal(text, KEY)).toBeNull()
  })
})
