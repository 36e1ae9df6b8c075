/** The gateway, with the real `@discordjs/ws`, and with a bare socket for what no good client does. */
import { GatewayIntentBits } from 'discord.js'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Closing, type Dispatched, EVERYTHING, settingsOf } from '../bot.fixture.js'
import type { DiscordSimulator } from '../index.js'

const closing = new Closing()
afterEach(() => closing.end())

const { Guilds, GuildMembers, GuildMessages, DirectMessages } = GatewayIntentBits

const created = (got: readonly Dispatched[]) =>
  got.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content)

interface Bare {
  frames: { op: number; t: string | null; s: number | null; d: Record<string, unknown> }[]
  closed: Promise<number>
  send(op: number, d: unknown): void
  has(what: (frame: Bare['frames'][number]) => boolean): Promise<void>
}

async function bare(sim: DiscordSimulator, path = '/gateway?v=10&encoding=json'): Promise<Bare> {
  const socket = new WebSocket(`${sim.url.replace('http', 'ws')}${path}`)
  closing.add(socket, () => socket.terminate())
  const frames: Bare['frames'] = []
  let ask = () => {}
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)) as Bare['frames'][number])
    ask()
  })
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  await new Promise((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return {
    frames,
    closed,
    send: (op, d) => socket.send(JSON.stringify({ op, d })),
    has: (what) =>
      new Promise((resolve) => {
        ask = () => {
          if (frames.some(what)) resolve()
        }
        ask()
      }),
  }
}

const identity = (sim: DiscordSimulator, more: Record<string, unknown> = {}) => ({
  token: settingsOf(sim).botToken,
  intents: 513,
  properties: { os: 'linux', browser: 'test', device: 'test' },
  ...more,
})

describe('a session', () => {
  it('begins with READY, then each guild; threads and direct chats come as they are spoken in', async () => {
    const sim = await closing.discord()
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const { got, until } = await closing.socket(sim)
    await until(() => got.length >= 2, 'a guild')
    expect(got.map(({ t }) => t)).toEqual(['READY', 'GUILD_CREATE'])
    const [ready, guild] = got
    expect(ready?.d).toMatchObject({
      v: 10,
      user: { id: sim.bot.id, bot: true },
      guilds: [{ id: sim.discord.guild, unavailable: true }],
      resume_gateway_url: `${sim.url.replace('http', 'ws')}/resume`,
    })
    expect(guild?.d).toMatchObject({ name: 'Acme', channels: [{ id: chat, name: 'general', type: 0 }] })
    sim.say(sim.dm(ann), ann, 'psst')
    await until(() => got.length === 3, 'the message')
    expect(got[2]?.d).toMatchObject({ content: 'psst', channel_type: 1 })
    expect(got[2]?.d).not.toHaveProperty('guild_id')
  })

  it('is resumed by a fresh process, and replays what was said meanwhile, in order, once', async () => {
    const sim = await closing.discord()
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const first = await closing.socket(sim)
    sim.say(chat, ann, 'one')
    await first.until(() => created(first.got).length === 1, 'one')
    first.abandon()
    await sim.until(() => sim.connections === 0, 'gone')
    sim.say(chat, ann, 'two')
    sim.say(chat, ann, 'three')
    const second = await closing.socket(sim, { saved: first.kept.session })
    await second.until(() => second.got.some(({ t }) => t === 'RESUMED'), 'resumed')
    expect(second.got.map(({ t }) => t)).toEqual(['MESSAGE_CREATE', 'MESSAGE_CREATE', 'RESUMED'])
    expect(created(second.got)).toEqual(['two', 'three'])
    sim.say(chat, ann, 'four')
    await second.until(() => created(second.got).length === 3, 'four')
  })

  it('replays from where the client says it is: an older sequence brings more again', async () => {
    const sim = await closing.discord()
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const first = await closing.socket(sim)
    for (const text of ['one', 'two', 'three']) sim.say(chat, ann, text)
    await first.until(() => created(first.got).length === 3, 'all')
    first.abandon()
    const saved = first.kept.session
    if (saved === null) throw new Error('no session')
    const second = await closing.socket(sim, { saved: { ...saved, sequence: saved.sequence - 2 } })
    await second.until(() => second.got.length === 3, 'resumed')
    expect(created(second.got)).toEqual(['two', 'three'])
  })

  it('that is gone, or of which the buffer has lost a part, is invalid; the client begins anew', async () => {
    const sim = await closing.discord({ buffer: 4, limits: 'off', sessionMs: 60_000 })
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const first = await closing.socket(sim)
    await first.until(() => first.got.length === 2, 'ready')
    first.abandon()
    await sim.until(() => sim.connections === 0, 'gone')
    for (let at = 0; at < 10; at++) sim.say(chat, ann, `message ${at}`)
    const second = await closing.socket(sim, { saved: first.kept.session })
    expect(second.got.map(({ t }) => t)).toContain('READY')
    expect(created(second.got)).toEqual([])
    expect(sim.lost.length).toBeGreaterThan(0)
    second.abandon()
    await sim.until(() => sim.connections === 0, 'gone')
    sim.clock.advance(60_001)
    const third = await closing.socket(sim, { saved: second.kept.session })
    expect(third.got[0]?.t).toBe('READY')
  }, 15_000)

  it('is resumed by itself after op 7, a broken socket, and op 9 that allows it', async () => {
    const sim = await closing.discord()
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const { got, until } = await closing.socket(sim)
    for (const [at, end] of [
      () => sim.reconnect(),
      () => sim.cut('close'),
      () => sim.invalidate(true),
    ].entries()) {
      await sim.until(() => sim.connections === 1, 'connected')
      end()
      sim.say(chat, ann, `message ${at}`)
      await until(() => got.filter(({ t }) => t === 'RESUMED').length === at + 1, `resumed ${at}`)
    }
    expect(created(got)).toEqual(['message 0', 'message 1', 'message 2'])
    expect(got.filter(({ t }) => t === 'READY')).toHaveLength(1)
  })

  it('that is taken away makes the client identify again: what was said in between is not told', async () => {
    const sim = await closing.discord({ limits: 'off' })
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const { got, until } = await closing.socket(sim)
    await until(() => got.length === 2, 'ready')
    sim.invalidate()
    sim.say(chat, ann, 'in the gap')
    await until(() => got.filter(({ t }) => t === 'READY').length === 2, 'ready again')
    expect(created(got)).toEqual([])
  }, 15_000)
})

describe('what the client has', () => {
  it('is known by its heartbeats', async () => {
    const sim = await closing.discord({ heartbeatMs: 50 })
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    expect(sim.pending).toBe(0)
    await closing.socket(sim)
    await sim.until(() => sim.pending === 0 && sim.acknowledged.length === 1, 'the guild is taken')
    sim.say(chat, ann, 'hello')
    expect(sim.pending).toBe(1)
    await sim.until(() => sim.pending === 0, 'it is taken')
    expect(sim.acknowledged).toHaveLength(2)
  })

  it('can be brought again, connected or not', async () => {
    const sim = await closing.discord({ heartbeatMs: 50 })
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const first = await closing.socket(sim)
    for (const text of ['one', 'two', 'three']) sim.say(chat, ann, text)
    await first.until(() => created(first.got).length === 3, 'all')
    await sim.until(() => sim.pending === 0, 'taken')
    sim.redeliver(2)
    expect(sim.pending).toBe(2)
    await sim.until(() => sim.pending === 0, 'taken again')
    expect(created(first.got)).toEqual(['one', 'two', 'three', 'two', 'three'])
    first.abandon()
    await sim.until(() => sim.connections === 0, 'gone')
    sim.redeliver(1_000)
    sim.say(chat, ann, 'four')
    const second = await closing.socket(sim, { saved: first.kept.session })
    await sim.until(() => sim.pending === 0, 'taken')
    expect(created(second.got)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('is waited for in its own session only: whoever has begun another does not come back', async () => {
    const sim = await closing.discord()
    const first = await bare(sim)
    first.send(2, identity(sim))
    await first.has(({ t }) => t === 'GUILD_CREATE')
    sim.cut('close')
    await first.closed
    const ann = sim.person('Ann')
    sim.say(sim.group('lobby', [ann]), ann, 'anybody?')
    expect(sim.pending).toBeGreaterThan(0)
    sim.clock.advance(10_000)
    const second = await bare(sim)
    second.send(2, identity(sim))
    await second.has(({ t }) => t === 'READY')
    second.send(1, second.frames.findLast(({ s }) => s !== null)?.s ?? 0)
    await sim.until(() => sim.pending === 0, 'nothing is waited for')
  })

  it('does not grow on a half-open socket, which the client finds by itself', async () => {
    const sim = await closing.discord({ heartbeatMs: 200 })
    const ann = sim.person('Ann')
    const chat = sim.group('general', [ann])
    const { got, until } = await closing.socket(sim)
    await until(() => got.length === 2, 'ready')
    await sim.until(() => sim.pending === 0, 'taken')
    sim.cut('half-open')
    sim.say(chat, ann, 'into the void')
    expect(sim.connections).toBe(0)
    await until(() => got.at(-1)?.t === 'RESUMED', 'resumed')
    expect(created(got)).toEqual(['into the void'])
    await sim.until(() => sim.pending === 0, 'taken')
  })
})

describe('intents', () => {
  const heard = async (intents: readonly number[]) => {
    const sim = await closing.discord()
    const [ann, bob] = [sim.person('Ann'), sim.person('Bob')]
    const chat = sim.group('general', [ann])
    const { got, until } = await closing.socket(sim, { intents })
    await until(() => got.length >= 1, 'ready')
    sim.say(chat, ann, 'plain', { files: [{ name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('a') }] })
    sim.say(chat, ann, 'named', { mention: true })
    sim.say(sim.dm(ann), ann, 'direct')
    sim.discord.join(bob)
    sim.discord.nickname(ann, 'Annie')
    sim.inject('TEST_END', {})
    await until(() => got.some(({ t }) => t === 'TEST_END'), 'the end')
    return { got, sim }
  }

  it('for contents: without it a message is blank, unless it is direct or names the bot', async () => {
    const { got, sim } = await heard([Guilds, GuildMessages, DirectMessages])
    expect(created(got)).toEqual(['', `<@${sim.bot.id}> named`, 'direct'])
    expect(got.find(({ t }) => t === 'MESSAGE_CREATE')?.d.attachments).toEqual([])
    expect(got.some(({ t }) => t.startsWith('GUILD_MEMBER'))).toBe(false)
  })

  it('for members: who comes and who is called what', async () => {
    const { got } = await heard([Guilds, GuildMembers])
    expect(got.map(({ t }) => t).filter((t) => t.startsWith('GUILD_MEMBER'))).toEqual([
      'GUILD_MEMBER_ADD',
      'GUILD_MEMBER_UPDATE',
    ])
    expect(created(got)).toEqual([])
  })

  it('for nothing: no guild, no message', async () => {
    const { got } = await heard([])
    expect(got.map(({ t }) => t)).toEqual(['READY', 'TEST_END'])
  })

  it('that are not granted, or none, end the connection', async () => {
    const sim = await closing.discord({ granted: [] })
    const [one, other] = [await bare(sim), await bare(sim)]
    one.send(2, identity(sim, { intents: 1 << 15 }))
    other.send(2, identity(sim, { intents: 1 << 30 }))
    expect(await one.closed).toBe(4014)
    expect(await other.closed).toBe(4013)
    sim.discord.grant(['MessageContent'])
    const third = await bare(sim)
    third.send(2, identity(sim, { intents: 1 << 15 }))
    await third.has(({ t }) => t === 'READY')
  })

  it('discord.js says so when they are disallowed, or the token is wrong', async () => {
    const sim = await closing.discord({ granted: ['GuildMembers'] })
    await expect(closing.client(sim)).rejects.toThrow(/disallowed intents/i)
    sim.revoke()
    await expect(closing.client(sim, [Guilds])).rejects.toThrow(/token/i)
  })
})

describe('a client that errs', () => {
  const cases: readonly [
    what: string,
    code: number,
    run: (bare: Bare, sim: DiscordSimulator) => void,
    path?: string,
  ][] = [
    ['a wrong token', 4004, (one, sim) => one.send(2, identity(sim, { token: 'wrong' }))],
    ['a wrong token on RESUME', 4004, (one) => one.send(6, { token: 'x', session_id: 's', seq: 1 })],
    ['no opcode', 4001, (one) => one.send(99, {})],
    ['presence before IDENTIFY', 4003, (one) => one.send(3, {})],
    ['a large payload', 4002, (one) => one.send(3, 'x'.repeat(5_000))],
    ['a shard out of range', 4010, (one, sim) => one.send(2, identity(sim, { shard: [2, 2] }))],
    ['an old version', 4012, () => {}, '/gateway?v=5&encoding=json'],
  ]
  it.each(cases)('%s: close code %i', async (_, code, run, path) => {
    const sim = await closing.discord()
    const one = await bare(sim, path)
    run(one, sim)
    expect(await one.closed).toBe(code)
  })

  it('identifies twice, or names a sequence that never was', async () => {
    const sim = await closing.discord()
    const one = await bare(sim)
    one.send(2, identity(sim))
    await one.has(({ t }) => t === 'READY')
    one.send(1, 10_000)
    expect(await one.closed).toBe(4007)
    const session = one.frames.find(({ t }) => t === 'READY')?.d.session_id
    const other = await bare(sim)
    other.send(6, { token: identity(sim).token, session_id: session, seq: 1 })
    await other.has(({ t }) => t === 'RESUMED')
    other.send(2, identity(sim))
    expect(await other.closed).toBe(4005)
  })

  it('identifies too soon after another, or too often a day', async () => {
    const sim = await closing.discord({ identifies: 1, clock: { manual: true } })
    const one = await bare(sim)
    one.send(2, identity(sim))
    await one.has(({ t }) => t === 'READY')
    const other = await bare(sim)
    other.send(2, identity(sim))
    await other.has(({ op }) => op === 9)
    sim.clock.advance(5_000)
    other.send(2, identity(sim))
    expect(await other.closed).toBe(4004)
  })

  it('sends no heartbeat: its connection ends, its session stays', async () => {
    const sim = await closing.discord({ heartbeatMs: 100 })
    const one = await bare(sim)
    one.send(2, identity(sim))
    expect(await one.closed).toBe(4009)
    const session = one.frames.find(({ t }) => t === 'READY')?.d.session_id
    const other = await bare(sim)
    other.send(6, { token: identity(sim).token, session_id: session, seq: 1 })
    await other.has(({ t }) => t === 'RESUMED')
  })
})

it('two shards share the guilds; direct chats are on the first', async () => {
  const sim = await closing.discord({ limits: 'off', shards: 2 })
  const ann = sim.person('Ann')
  for (let at = 0; at < 6; at++) sim.discord.addGuild(`Guild ${at}`, [ann])
  const guilds = sim.chats().length
  const sockets = [await bare(sim), await bare(sim)]
  for (const [at, one] of sockets.entries())
    one.send(2, identity(sim, { shard: [at, 2], intents: 1 | 512 | 4096 }))
  for (const one of sockets) await one.has(({ t }) => t === 'READY')
  sim.say(sim.dm(ann), ann, 'hi')
  await sockets[0]?.has(({ t }) => t === 'MESSAGE_CREATE')
  const named = sockets.flatMap(({ frames }) =>
    frames.flatMap(({ t, d }) => (t === 'READY' ? (d.guilds as { id: string }[]).map(({ id }) => id) : [])),
  )
  expect(new Set(named).size).toBe(7)
  expect(named).toHaveLength(7)
  expect(sockets[1]?.frames.some(({ t }) => t === 'MESSAGE_CREATE')).toBe(false)
  expect(guilds).toBe(0)
})

it('guilds come and go, and have outages', async () => {
  const sim = await closing.discord()
  const ann = sim.person('Ann')
  const { got, until } = await closing.socket(sim, { intents: EVERYTHING })
  const types = () => got.map(({ t, d }) => `${t}${d.unavailable === true ? ' out' : ''}`)
  const guild = sim.discord.addGuild('Other', [ann])
  sim.discord.outage(guild)
  sim.discord.outage(guild, false)
  sim.discord.renameGuild(guild, 'Another')
  sim.discord.removeBot(guild)
  await until(() => got.length === 7, 'all')
  expect(types().slice(2)).toEqual([
    'GUILD_CREATE',
    'GUILD_DELETE out',
    'GUILD_CREATE',
    'GUILD_UPDATE',
    'GUILD_DELETE',
  ])
})
