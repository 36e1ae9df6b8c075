/** How events reach the app: taken, failed, repeated for hours, in pieces, by one connection of several. */
import { afterEach, describe, expect, it } from 'vitest'
import { api, button, Closing, card, type Json, markdown, send } from './bot.fixture.js'
import type { FeishuOptions, FeishuSimulator } from './index.js'

const closing = new Closing()
afterEach(() => closing.end())

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function begin(options: FeishuOptions = {}) {
  const sim = await closing.feishu({ clock: { manual: true, start: 1_700_000_000_000 }, ...options })
  const ann = sim.person('Ann')
  return { sim, ann, chat: sim.group('team', [ann]) }
}
const texts = (heard: Json[]): string[] =>
  heard.map(({ message }) => (JSON.parse((message as { content: string }).content) as { text: string }).text)

describe('an event that is not taken', () => {
  it('comes again after 15 s, 5 min, 1 h and 6 h, and then never', async () => {
    const { sim, ann, chat } = await begin()
    const { heard } = await closing.socket(sim, () => {
      throw new Error('not now')
    })
    sim.say(chat, ann, 'x')
    for (const [n, wait] of [15_000, 5 * MINUTE, HOUR, 6 * HOUR].entries()) {
      await sim.until(
        () => heard.length === n + 1 && sim.waitsUntil !== undefined,
        `attempt ${n + 1} to fail`,
      )
      expect(sim.waitsUntil).toBe(sim.clock.now() + wait)
      sim.clock.advance(wait)
    }
    await sim.until(() => sim.lost.length === 1, 'the event to be given up')
    expect(heard).toHaveLength(5)
    expect(new Set(heard.map(({ event_id }) => event_id)).size).toBe(1)
    expect([sim.pending, sim.acknowledged.length]).toEqual([0, 0])
  })

  it('is one that is not answered within 3 s', async () => {
    const { sim, ann, chat } = await begin()
    const never = new Promise(() => {})
    const { heard, hears } = await closing.socket(sim, () => (heard.length === 1 ? never : undefined))
    sim.say(chat, ann, 'x')
    await hears(1)
    sim.clock.advance(3_000)
    expect(sim.waitsUntil).toBe(sim.clock.now() + 15_000)
    sim.clock.advance(15_000)
    await sim.until(() => sim.acknowledged.length === 1, 'the second attempt')
  })

  it('may come under another event_id', async () => {
    const { sim, ann, chat } = await begin({ freshEventIds: true })
    const { heard } = await closing.socket(sim, () => {
      if (heard.length === 1) throw new Error('not now')
    })
    const id = sim.say(chat, ann, 'x')
    await sim.until(() => sim.waitsUntil !== undefined, 'the first attempt to fail')
    sim.clock.advance(15_000)
    await sim.until(() => sim.acknowledged.length === 1, 'the second attempt')
    expect(heard.map(({ message }) => (message as Json).message_id)).toEqual([id, id])
    expect(heard[0]?.event_id).not.toBe(heard[1]?.event_id)
  })

  it('waits for a connection, or for its time where that is asked for', async () => {
    for (const retries of ['eager', 'schedule'] as const) {
      const { sim, ann, chat } = await begin({ retries })
      sim.say(chat, ann, 'x')
      const { heard } = await closing.socket(sim)
      if (retries === 'schedule') {
        expect(heard).toEqual([])
        sim.clock.advance(15_000)
      }
      await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    }
  })

  it('goes to the next connection when its own is cut', async () => {
    for (const how of ['close', 'half-open'] as const) {
      const { sim, ann, chat } = await begin()
      const first = await closing.socket(sim, () => new Promise(() => {}))
      sim.say(chat, ann, 'x')
      await first.hears(1)
      first.client.close({ force: how === 'close' })
      sim.cut(how)
      const second = await closing.socket(sim)
      await sim.until(() => sim.acknowledged.length === 1, `the event to be taken after ${how}`)
      expect(texts(second.heard)).toEqual(['x'])
    }
  })
})

describe('events', () => {
  it('can be sent again, held, and let go in another order', async () => {
    const { sim, ann, chat } = await begin()
    const { heard } = await closing.socket(sim)
    sim.say(chat, ann, 'a')
    await sim.until(() => sim.acknowledged.length === 1, 'a')
    sim.redeliver()
    await sim.until(() => sim.acknowledged.length === 2, 'a again')
    const release = sim.hold()
    sim.say(chat, ann, 'b')
    sim.say(chat, ann, 'c')
    release((held) => [...held].reverse())
    await sim.until(() => sim.acknowledged.length === 4, 'all of them')
    expect(texts(heard)).toEqual(['a', 'a', 'c', 'b'])
    expect(sim.acknowledged[0]).toBe(sim.acknowledged[1])
  })

  it('go to one connection each', async () => {
    const { sim, ann, chat } = await begin()
    const [one, two] = [await closing.socket(sim), await closing.socket(sim)]
    for (let n = 0; n < 6; n++) sim.say(chat, ann, `m${n}`)
    await sim.until(() => sim.acknowledged.length === 6, 'all of them')
    expect([one.heard.length, two.heard.length]).toEqual([3, 3])
  })

  it('travel in pieces when they are large', async () => {
    const { sim, ann, chat } = await begin({ fragmentBytes: 100 })
    const { heard } = await closing.socket(sim)
    const long = '汉字'.repeat(500)
    sim.say(chat, ann, long)
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    expect(texts(heard)).toEqual([long])
  })

  it('that come with the handshake are lost by the SDK, and come again', async () => {
    const { sim, ann, chat } = await begin({ pushesAtHandshake: true })
    sim.say(chat, ann, 'x')
    const { heard } = await closing.socket(sim)
    sim.clock.advance(3_000)
    sim.clock.advance(15_000)
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    expect(texts(heard).slice(0, 1)).toEqual(['x'])
  })

  it('survive bytes that are no frame', async () => {
    const { sim, ann, chat } = await begin()
    const { heard } = await closing.socket(sim)
    sim.garble(Buffer.from('ff00ff00', 'hex'))
    sim.say(chat, ann, 'after')
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    expect(texts(heard)).toEqual(['after'])
  })

  it('are recorded and can be replayed', async () => {
    const { sim, ann, chat } = await begin()
    await closing.socket(sim)
    sim.say(chat, ann, 'x')
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    const other = await begin()
    const { heard } = await closing.socket(other.sim)
    expect(await other.sim.replay(sim.recording())).toBe(1)
    await other.sim.until(() => other.sim.acknowledged.length === 1, 'the replayed event')
    expect(texts(heard)).toEqual(['x'])
  })

  it('are those the app subscribed to', async () => {
    const { sim, ann, chat } = await begin({ events: ['im.message.receive_v1'] })
    const { heard } = await closing.socket(sim)
    const id = sim.say(chat, ann, 'x')
    sim.react(chat, id, ann, '👍')
    sim.say(chat, ann, 'y')
    await sim.until(() => sim.acknowledged.length === 2, 'two messages')
    expect(texts(heard)).toEqual(['x', 'y'])
  })
})

describe('the endpoint', () => {
  const ask = (sim: FeishuSimulator, secret?: string) => {
    const { appId, appSecret } = sim.settings('socket') as Record<string, string>
    const body = { AppID: appId, AppSecret: secret ?? appSecret }
    return send(`${sim.url}/callback/ws/endpoint`, 'POST', body, { locale: 'zh' })
  }

  it('gives an address that is good once, and how to behave', async () => {
    const { sim } = await begin({ clientConfig: { PingInterval: 3 } })
    const { body } = await ask(sim)
    expect(body).toMatchObject({
      code: 0,
      data: {
        URL: expect.stringMatching(/^ws:.*\?fpid=\d+&.*service_id=\d+/),
        ClientConfig: { PingInterval: 3, ReconnectCount: 7 },
      },
    })
    expect(sim.settings('socket').appId).toMatch(/^cli_[0-9a-f]{16}$/)
  })

  it('refuses a wrong secret for good, and is asked again when it is busy', async () => {
    const { sim } = await begin()
    expect((await ask(sim, 'wrong')).body).toMatchObject({ code: 514, data: {} })
    sim.fault({ method: 'ws.endpoint', times: 1, do: { kind: 'refuse', code: 1000040343 } })
    expect(await ask(sim)).toMatchObject({ status: 200, body: { code: 1000040343, data: {} } })
    sim.revoke()
    await expect(closing.socket(sim)).rejects.toThrow('code=514')
    sim.restore()
    await closing.socket(sim)
    expect(sim.connections).toBe(1)
  })
})

describe('a press', () => {
  async function pressed(answer: () => unknown) {
    const { sim, ann, chat } = await begin()
    const { heard, hears } = await closing.socket(sim, answer)
    const content = card(markdown('ask'), button('Yes', { value: 'y' }))
    const body = { receive_id: chat, msg_type: 'interactive', content }
    const sent = await api(sim, 'POST', '/im/v1/messages?receive_id_type=chat_id', body)
    sim.press(chat, String(sent.body.data?.message_id), ann, 'y')
    await hears(1)
    const update = (text: string) =>
      api(sim, 'POST', '/interactive/v1/card/update', {
        token: heard[0]?.token,
        card: JSON.parse(card(markdown(text))) as Json,
      })
    return { sim, chat, ann, heard, update }
  }

  it('that nobody answers in 3 s is told to the person, and not repeated', async () => {
    const { sim, heard, ann } = await pressed(() => new Promise(() => {}))
    sim.clock.advance(3_000)
    expect(sim.feishu.toasts).toMatchObject([{ person: ann.id, type: 'failed' }])
    sim.clock.advance(24 * HOUR)
    expect(heard).toHaveLength(1)
    expect(sim.lost).toHaveLength(1)
  })

  it('that fails is told as well', async () => {
    const { sim } = await pressed(() => {
      throw new Error('broken')
    })
    await sim.until(() => sim.feishu.toasts.length === 1, 'the failure')
  })

  it('lets the card be changed later, twice in 30 minutes', async () => {
    const { sim, chat, update } = await pressed(() => ({}))
    await sim.until(() => sim.acknowledged.length === 1, 'the answer')
    expect((await update('one')).body.code).toBe(0)
    expect((await update('two')).body.code).toBe(0)
    expect((await update('three')).body.code).toBe(230001)
    expect(sim.seen(chat)).toMatchObject([{ text: 'two' }])
  })

  it('undoes what was changed before it was answered', async () => {
    let done = (): void => {}
    const { sim, chat, update } = await pressed(() => new Promise<void>((resolve) => (done = resolve)))
    await update('too early')
    expect(sim.seen(chat)).toMatchObject([{ text: 'too early' }])
    done()
    await sim.until(() => sim.acknowledged.length === 1, 'the answer')
    expect(sim.seen(chat)).toMatchObject([{ text: 'ask' }])
  })

  it('needs a button', async () => {
    const { sim, chat, ann } = await pressed(() => ({}))
    const [seen] = sim.seen(chat)
    expect(() => sim.press(chat, seen?.id ?? '', ann, 'nothing')).toThrow('has no button')
  })
})
