/** Webhooks: sealed, signed, repeated until they are taken; with the SDK's own receiver. */
import { createServer } from 'node:http'
import { AESCipher, adaptDefault, EventDispatcher, LoggerLevel } from '@larksuiteoapi/node-sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { Closing, EVENTS, type Json } from './bot.fixture.js'
import { type FeishuOptions, type FeishuSimulator, signed } from './index.js'

const closing = new Closing()
afterEach(() => closing.end())

const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} }
const secretsOf = (sim: FeishuSimulator) =>
  sim.settings('webhook').webhook as { encryptKey: string; verificationToken: string }

async function begin(options: FeishuOptions = {}) {
  const sim = await closing.feishu(options)
  const ann = sim.person('Ann')
  return { sim, ann, chat: sim.group('team', [ann]) }
}

/** The SDK's receiver behind a bare server. */
async function receiver(sim: FeishuSimulator): Promise<{ url: string; heard: Json[] }> {
  const heard: Json[] = []
  const { encryptKey, verificationToken } = secretsOf(sim)
  const dispatcher = new EventDispatcher({
    ...(encryptKey !== undefined && { encryptKey }),
    verificationToken,
    logger: quiet,
    loggerLevel: LoggerLevel.fatal,
  }).register(Object.fromEntries(EVENTS.map((type) => [type, (event: Json) => void heard.push(event)])))
  const handle = adaptDefault('/webhook/event', dispatcher, { autoChallenge: true })
  const url = await closing.listen(createServer((request, response) => void handle(request, response)))
  return { url, heard }
}

describe('with the SDK', () => {
  it('a URL proves itself by the challenge, and events arrive', async () => {
    for (const options of [{}, { encryptKey: null }]) {
      const { sim, ann, chat } = await begin(options)
      const { url, heard } = await receiver(sim)
      sim.webhook(url)
      expect(await sim.verifyWebhook()).toBe(true)
      const id = sim.say(chat, ann, 'hi', { mention: true })
      await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
      expect(heard).toMatchObject([{ event_type: 'im.message.receive_v1', message: { message_id: id } }])
    }
  })
})

describe('a delivery', () => {
  it('is sealed with the key and signed', async () => {
    const { sim, ann, chat } = await begin()
    const hook = await closing.hook()
    sim.webhook(hook.url)
    sim.say(chat, ann, '秘密')
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    const { encryptKey, verificationToken } = secretsOf(sim)
    const [{ raw, body, headers } = { raw: '', body: {} as Json, headers: {} }] = hook.heard
    expect(raw).not.toContain('秘密')
    const clear = JSON.parse(new AESCipher(encryptKey).decrypt(String(body.encrypt))) as Json
    expect(clear).toMatchObject({
      schema: '2.0',
      header: {
        event_type: 'im.message.receive_v1',
        token: verificationToken,
        app_id: sim.settings('socket').appId,
      },
      event: { message: { content: '{"text":"秘密"}' } },
    })
    const at = Number(headers['x-lark-request-timestamp'])
    const nonce = String(headers['x-lark-request-nonce'])
    expect(signed(encryptKey, at, nonce, raw)['x-lark-signature']).toBe(headers['x-lark-signature'])
    expect(Math.abs(at * 1000 - Date.now())).toBeLessThan(5_000)
  })

  it('is plain and unsigned without a key, and may be of the old form', async () => {
    const { sim } = await begin({ encryptKey: null })
    const hook = await closing.hook()
    sim.webhook(hook.url)
    const { verificationToken } = secretsOf(sim)
    const event = { type: 'message', open_id: 'ou_x', text: 'old' }
    sim.inject({ uuid: 'u1', token: verificationToken, ts: '1.0', type: 'event_callback', event })
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    expect(hook.heard[0]?.body).toMatchObject({ uuid: 'u1', type: 'event_callback', event })
    expect(hook.heard[0]?.headers).not.toHaveProperty('x-lark-signature')
    expect(sim.acknowledged).toEqual(['u1'])
    expect(sim.settings('webhook').webhook).not.toHaveProperty('encryptKey')
  })

  it('comes again until it is answered by 200 in time', async () => {
    const { sim, ann, chat } = await begin({ clock: { manual: true, start: 1_700_000_000_000 } })
    const answers = [500, null, 302, 200]
    const hook = await closing.hook((_, n) => answers[n - 1] ?? null)
    sim.webhook(hook.url)
    sim.say(chat, ann, 'x')
    for (const [n, wait] of [15_000, 300_000, 3_600_000].entries()) {
      await hook.hears(n + 1)
      // The second attempt is never answered: it fails by its time.
      if (n === 1) sim.clock.advance(3_000)
      await sim.until(() => sim.waitsUntil !== undefined, `attempt ${n + 1} to fail`)
      expect(sim.waitsUntil).toBe(sim.clock.now() + wait)
      sim.clock.advance(wait)
    }
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    expect(hook.heard).toHaveLength(4)
  })

  it('is signed by a clock that may be off', async () => {
    const { sim, ann, chat } = await begin()
    const hook = await closing.hook()
    sim.webhook(hook.url)
    sim.skew(-600_000)
    sim.say(chat, ann, 'x')
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    const at = Number(hook.heard[0]?.headers['x-lark-request-timestamp'])
    expect(Date.now() / 1000 - at).toBeGreaterThan(590)
  })
})
