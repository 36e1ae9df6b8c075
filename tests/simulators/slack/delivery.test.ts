/** How events reach the bot, and come again until they are acknowledged. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Person } from '../kit/stage.js'
import { api, Closing } from './bot.fixture.js'
import { flood, type SlackOptions, type SlackSimulator } from './index.js'

const closing = new Closing()
afterEach(() => closing.end())

async function open(options: SlackOptions = {}): Promise<{ sim: SlackSimulator; ann: Person; chat: string }> {
  const sim = await closing.slack(options)
  const ann = sim.person('Ann')
  return { sim, ann, chat: sim.group('dev', [ann]) }
}
/** Asked again until it holds; a busy machine takes its time. */
const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: 15_000 })
const MANUAL = { clock: { manual: true, start: 1_700_000_000_000 } } as const

describe('webhook', () => {
  it('is signed, and counts as taken by any 2xx', async () => {
    const { sim, ann, chat } = await open()
    const hook = await closing.hook()
    sim.webhook(hook.url)
    const ts = sim.say(chat, ann, 'hi')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    const [heard] = hook.heard
    expect(heard?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-slack-signature': expect.stringMatching(/^v0=[0-9a-f]{64}$/),
    })
    expect(heard?.headers).not.toHaveProperty('x-slack-retry-num')
    expect(heard?.payload).toMatchObject({
      type: 'event_callback',
      event_id: sim.acknowledged[0],
      event: { ts, text: 'hi', client_msg_id: expect.any(String) },
    })
  })

  it('comes again at once, after one and after five minutes, then never', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    const hook = await closing.hook(() => 500)
    sim.webhook(hook.url)
    sim.say(chat, ann, 'hi')
    const seen = () =>
      hook.heard.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']])
    await soon(() => hook.heard.length).toBe(2)
    expect(seen()).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
    ])
    await soon(() => sim.waitsUntil).toBe(1_700_000_060_000)
    sim.clock.advance(60_000)
    await soon(() => sim.waitsUntil).toBe(1_700_000_360_000)
    sim.clock.advance(300_000)
    await sim.until(() => sim.lost.length === 1, 'given up')
    expect(seen().slice(2)).toEqual([
      ['2', 'http_error'],
      ['3', 'http_error'],
    ])
    expect(new Set(hook.heard.map(({ payload }) => payload.event_id)).size).toBe(1)
    expect(sim.pending).toBe(0)
  })

  it('three seconds without an answer are none', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    const hook = await closing.hook((_, n) => (n === 1 ? null : 200))
    sim.webhook(hook.url)
    sim.say(chat, ann, 'hi')
    await soon(() => hook.heard.length).toBe(1)
    sim.clock.advance(3_000)
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(hook.heard[1]?.headers).toMatchObject({
      'x-slack-retry-num': '1',
      'x-slack-retry-reason': 'http_timeout',
    })
  })

  it('a refusal that asks for no retry gets none', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    const hook = await closing.hook(() => ({ status: 500, headers: { 'x-slack-no-retry': '1' } }))
    sim.webhook(hook.url)
    sim.say(chat, ann, 'hi')
    await sim.until(() => sim.lost.length === 1, 'given up')
    expect(hook.heard).toHaveLength(1)
  })

  it('what waited for an URL is sent when there is one', async () => {
    const { sim, ann, chat } = await open()
    sim.say(chat, ann, 'early')
    expect(sim.pending).toBe(1)
    const hook = await closing.hook()
    sim.webhook(hook.url)
    await sim.until(() => sim.pending === 0, 'all taken')
  })

  it('the clock behind signatures can be off', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    const hook = await closing.hook()
    sim.skew(-600_000)
    sim.webhook(hook.url)
    sim.say(chat, ann, 'hi')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(hook.heard[0]?.headers['x-slack-request-timestamp']).toBe('1699999400')
  })

  it('its URL proves itself by repeating a challenge', async () => {
    const { sim } = await open()
    const hook = await closing.hook(({ payload }) => ({
      status: 200,
      body: JSON.stringify({ challenge: payload.challenge }),
    }))
    sim.webhook(hook.url)
    expect(await sim.verifyWebhook()).toBe(true)
    const other = await closing.hook(() => ({ status: 200, body: 'ok' }))
    sim.webhook(other.url)
    expect(await sim.verifyWebhook()).toBe(false)
  })
})

describe('Socket Mode', () => {
  it('greets first, then sends envelopes', async () => {
    const { sim, ann, chat } = await open()
    const bot = await closing.socket(sim)
    sim.say(chat, ann, 'hi')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(bot.frames[0]).toMatchObject({
      type: 'hello',
      num_connections: 1,
      connection_info: { app_id: expect.stringMatching(/^A/) },
    })
    expect(bot.frames[1]).toMatchObject({
      type: 'events_api',
      envelope_id: expect.any(String),
      accepts_response_payload: false,
      retry_attempt: 0,
      retry_reason: '',
    })
  })

  it('an address is good once', async () => {
    const { sim } = await open()
    const { url } = await api(sim, 'apps.connections.open', {}, 'app')
    await closing.socketAt(String(url))
    await expect(closing.socketAt(String(url))).rejects.toThrow('403')
  })

  it('each event goes to one of the connections; an eleventh is one too many', async () => {
    const { sim, ann, chat } = await open()
    const bots = []
    for (let n = 0; n < 10; n++) bots.push(await closing.socket(sim))
    for (let n = 0; n < 20; n++) sim.say(chat, ann, String(n))
    await sim.until(() => sim.acknowledged.length === 20, 'all taken')
    expect(bots.map(({ heard }) => heard.length)).toEqual(Array.from({ length: 10 }, () => 2))
    const extra = await closing.socket(sim)
    expect(extra.frames).toEqual([{ type: 'disconnect', reason: 'too_many_websockets' }])
  })

  it('what is not acknowledged comes again, with the number of the try; the id of the event stays', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    const bot = await closing.socket(sim, ({ envelope }) => envelope?.retry_attempt === 2)
    sim.say(chat, ann, 'hi')
    await soon(() => bot.heard.length).toBe(1)
    sim.clock.advance(3_000)
    await soon(() => bot.heard.length).toBe(2)
    sim.clock.advance(3_000)
    sim.clock.advance(60_000)
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(bot.heard.map(({ envelope }) => [envelope?.retry_attempt, envelope?.retry_reason])).toEqual([
      [0, ''],
      [1, 'timeout'],
      [2, 'timeout'],
    ])
    expect(new Set(bot.heard.map(({ payload }) => payload.event_id)).size).toBe(1)
    expect(new Set(bot.heard.map(({ envelope }) => envelope?.envelope_id)).size).toBe(3)
  })

  it('what a cut connection left goes to the next one', async () => {
    const { sim, ann, chat } = await open()
    const first = await closing.socket(sim, () => false)
    sim.say(chat, ann, 'hi')
    await soon(() => first.heard.length).toBe(1)
    sim.cut('close')
    await sim.until(() => sim.connections === 0, 'gone')
    expect(sim.pending).toBe(1)
    const second = await closing.socket(sim)
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(second.heard[0]?.envelope).toMatchObject({ retry_attempt: expect.any(Number) })
    expect(Number(second.heard[0]?.envelope?.retry_attempt)).toBeGreaterThan(0)
  })

  it('a half-open connection is there, and swallows what is sent', async () => {
    const { sim, ann, chat } = await open()
    const bot = await closing.socket(sim)
    sim.cut('half-open')
    sim.say(chat, ann, 'hi')
    bot.socket.ping()
    expect(bot.socket.readyState).toBe(bot.socket.OPEN)
    expect(sim.pending).toBe(1)
    const next = await closing.socket(sim)
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(bot.heard).toEqual([])
    expect(next.heard).toHaveLength(1)
  })

  it('keeps what nobody takes as long as the retries last, and no longer', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    sim.say(chat, ann, 'one')
    sim.clock.advance(359_000)
    expect(sim.pending).toBe(1)
    sim.clock.advance(2_000)
    expect([sim.pending, sim.lost.length]).toEqual([0, 1])
  })

  it('asks to be refreshed, and ends when nobody goes', async () => {
    const { sim } = await open(MANUAL)
    const bot = await closing.socket(sim)
    sim.disconnect('refresh_requested')
    await expect
      .poll(() => bot.frames.at(-1))
      .toMatchObject({ type: 'disconnect', reason: 'refresh_requested' })
    expect(sim.connections).toBe(1)
    sim.clock.advance(10_000)
    await sim.until(() => sim.connections === 0, 'ended')
  })

  it('may leave the connection open when the client has said goodbye', async () => {
    const { sim } = await open({ lingers: true })
    const bot = await closing.socket(sim)
    const closed: string[] = []
    bot.socket.on('close', () => closed.push('close'))
    bot.socket.close()
    await sim.until(() => bot.socket.readyState === bot.socket.CLOSING, 'said goodbye')
    await closing.socket(sim)
    expect(closed).toEqual([])
  })

  it('sends acknowledged events again, and lets held ones go in any order', async () => {
    const { sim, ann, chat } = await open()
    const bot = await closing.socket(sim)
    sim.say(chat, ann, 'one')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    sim.redeliver()
    await sim.until(() => sim.acknowledged.length === 2, 'taken again')
    expect(bot.heard[1]?.payload.event_id).toBe(bot.heard[0]?.payload.event_id)
    const release = sim.hold()
    sim.say(chat, ann, 'a')
    sim.say(chat, ann, 'b')
    release((held) => [...held].reverse())
    await sim.until(() => sim.acknowledged.length === 4, 'all taken')
    expect(bot.heard.slice(2).map(({ payload }) => payload.event.text)).toEqual(['b', 'a'])
  })

  it('survives frames that are nothing', async () => {
    const { sim, ann, chat } = await open()
    const bot = await closing.socket(sim)
    for (const frame of ['', '{', '[]', 'null', '{"envelope_id":"none"}']) bot.socket.send(frame)
    sim.say(chat, ann, 'hi')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
  })

  it('brings 1,000 events a second, none lost', async () => {
    const { sim, ann, chat } = await open()
    sim.recordsTraffic = false
    const bot = await closing.socket(sim)
    const ids = await flood(sim, { chat, people: [ann, sim.person('Bob')], perSecond: 1_000, seconds: 2 })
    await sim.until(() => sim.acknowledged.length === 2_000, 'all taken')
    expect(bot.heard.map(({ payload }) => payload.event.ts)).toEqual(ids)
    expect(sim.lost).toEqual([])
  })
})

describe('record and replay', () => {
  it('brings the same events again', async () => {
    const { sim, ann, chat } = await open(MANUAL)
    const bot = await closing.socket(sim)
    sim.say(chat, ann, 'one', { mention: true })
    await sim.until(() => sim.acknowledged.length === 2, 'taken')
    const again = await closing.slack(MANUAL)
    const other = await closing.socket(again)
    expect(await again.replay(sim.recording())).toBe(2)
    await again.until(() => again.acknowledged.length === 2, 'taken')
    expect(other.heard.map(({ payload }) => payload)).toEqual(bot.heard.map(({ payload }) => payload))
  })
})
