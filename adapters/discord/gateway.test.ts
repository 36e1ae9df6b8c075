import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ConnectFailure } from '../../src/messaging/contract.js'
import type { DiscordOptions } from '../../tests/simulators/discord/index.js'
import { collect, openWorld, type World } from './harness.fixture.js'

let world: World
const open = async (options?: DiscordOptions, settings?: Record<string, unknown> | null): Promise<World> => {
  world = await openWorld(options, settings)
  return world
}
afterEach(() => world?.close())

const phases = () => world.host.states.map(({ phase }) => phase)
const identifies = () => world.sim.calls.filter(({ method }) => method === 'getGatewayBot').length
const heard = (count: number) =>
  world.passing(() => world.host.all('message').length >= count, `${count} messages are heard`, 100)
const restart = async (): Promise<void> => {
  await world.connection.close(world.sim.clock.now() + 500)
  await world.connect()
}

describe('a session', () => {
  it('outlives the process: what was said meanwhile comes with the next one, and nothing is begun anew', async () => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'before')
    await heard(1)
    const begun = identifies()
    await world.connection.close(sim.clock.now() + 500)
    sim.say(chat, ann, 'meanwhile')
    await world.connect()
    await heard(2)
    expect(world.host.texts()).toEqual(['before', 'meanwhile'])
    expect(identifies()).toBe(begun)
    expect(sim.lost).toEqual([])
  })

  it('is told of what is stored, not of what has arrived', async () => {
    const { sim, host, chat, ann } = await open()
    sim.say(chat, ann, 'first')
    await sim.until(() => sim.pending === 0, 'it is acknowledged')
    let release: () => void = () => undefined
    host.held = new Promise((resolve) => {
      release = resolve
    })
    sim.say(chat, ann, 'second')
    await host.until(() => host.offered.length === 2)
    const beats = sim.acknowledged.length
    // Heartbeats go on, and say nothing of it.
    await new Promise<void>((resolve) => setTimeout(resolve, 1_100))
    expect(sim.acknowledged.length).toBe(beats)
    expect(sim.pending).toBe(1)
    host.held = null
    release()
    await sim.until(() => sim.pending === 0, 'it is acknowledged')
  })

  it('dc-resume-replays-message: what is replayed is offered under the key it had', async () => {
    const { sim, host, chat, ann } = await open()
    const id = sim.say(chat, ann, 'once')
    sim.react(chat, id, ann, '👍')
    await world.passing(() => host.all('reaction').length === 1, 'both are heard', 0)
    await sim.until(() => sim.pending === 0, 'it is acknowledged')
    const before = host.offered.map(({ event }) => event)
    sim.redeliver(2)
    await world.passing(() => host.offered.length >= before.length + 2, 'it is replayed', 0)
    expect(new Set(host.offered.map(({ event }) => event))).toEqual(new Set(before))
    expect(host.all('message')).toHaveLength(1)
    expect(host.all('reaction')).toHaveLength(1)
  })

  it('that Discord wants on another connection goes on there, and nobody is told', async () => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'before')
    await heard(1)
    const states = phases().length
    sim.reconnect()
    sim.say(chat, ann, 'during')
    await heard(2)
    expect(phases().slice(states)).toEqual([])
    expect(identifies()).toBe(1)
  })

  it('is kept while Discord cannot be reached', async () => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'before')
    await heard(1)
    const { url } = sim
    const port = Number(new URL(url).port)
    await sim.close()
    await world.passing(() => world.host.phase === 'degraded', 'it is noticed', 100)
    const file = join(world.host.dataDir, 'discord-session-0.json')
    await world.passing(
      () => world.host.lines.filter((line) => /socket.*ended/.test(line)).length >= 3,
      'it is tried',
      2_000,
    )
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      session: { sequence: expect.any(Number) },
    })
    expect(port).toBeGreaterThan(0)
  })

  it('dc-messages-missed-while-disconnected: one that is over is told of, and what was missed can be read', async () => {
    const { sim, host, chat, ann } = await open()
    const last = sim.say(chat, ann, 'last heard')
    await heard(1)
    const states = phases().length
    sim.cut('close')
    sim.expireSessions()
    const missed = ['51', '52'].map((text) => sim.say(chat, ann, text))
    await world.passing(() => phases().slice(states).includes('ready'), 'it is back', 500)
    // From "not hearing" to "hearing": what the core reads back after.
    expect(phases().slice(states)).toContain('degraded')
    expect(host.phase).toBe('ready')
    const read = await collect(world.connection.history?.({ chat }, { after: last, limit: 100 }))
    expect(read.flatMap((event) => (event.kind === 'message' ? event.id : []))).toEqual(missed)
    sim.say(chat, ann, 'and on')
    await world.passing(() => host.texts().includes('and on'), 'it is heard', 100)
  })

  it('that is over leaves a gap: every channel and thread in which something was said is named', async () => {
    const { sim, chat, ann } = await open()
    const quiet = sim.group('quiet', [ann])
    const unheard = sim.group('unheard', [ann])
    sim.say(quiet, ann, 'long ago')
    const thread = sim.discord.thread(chat, ann, 'plans')
    await heard(1)
    world.asksItself()
    sim.clock.advance(10 * 60_000)
    sim.say(chat, ann, 'last heard')
    await heard(2)
    sim.clock.advance(10 * 60_000)
    await world.connection.close(sim.clock.now() + 1_000)
    sim.expireSessions()
    const missed = [sim.say(unheard, ann, 'anybody?'), sim.say(chat, ann, 'here?', { thread })]
    await world.connect()
    const places = await collect(world.connection.missed?.())
    expect(places.map(({ place }) => place)).toEqual(
      expect.arrayContaining([{ chat: unheard }, { chat, thread }]),
    )
    expect(places.map(({ place }) => place)).not.toContainEqual({ chat: quiet })
    const read = await Promise.all(
      places.map(({ place, after }) => collect(world.connection.history?.(place, { after, limit: 100 }))),
    )
    expect(read.flat().flatMap((event) => (event.kind === 'message' ? event.id : []))).toEqual(
      expect.arrayContaining(missed),
    )
    // It is told once; whoever asked has stored it.
    expect(await collect(world.connection.missed?.())).toEqual([])
  })

  it('that is over leaves a gap in direct chats too, which is found when somebody is heard there again', async () => {
    const { sim, host, ann } = await open()
    const dm = sim.dm(ann)
    await world.connection.close(sim.clock.now() + 1_000)
    sim.expireSessions()
    sim.say(dm, ann, 'are you there?')
    sim.say(dm, ann, 'hello?')
    await world.connect()
    expect(host.texts()).toEqual([])
    sim.say(dm, ann, 'at last')
    await world.passing(() => host.texts().includes('at last'), 'it is heard', 100)
    expect(host.texts()).toEqual(['are you there?', 'hello?', 'at last'])
    const calls = sim.calls.length
    sim.say(dm, ann, 'and on')
    await world.passing(() => host.texts().includes('and on'), 'it is heard', 100)
    expect(sim.calls.slice(calls).filter(({ method }) => method === 'getMessages')).toEqual([])
  })

  it('that is no good is not tried for ever', async () => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'before')
    await heard(1)
    await world.connection.close(sim.clock.now() + 500)
    sim.expireSessions()
    await world.connect()
    sim.say(chat, ann, 'after')
    await heard(2)
    expect(world.host.phase).toBe('ready')
  })

  it.each([4_000, 4_007, 4_008, 4_009])('survives close code %i', async (code) => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'before')
    await heard(1)
    sim.closeGateway(code)
    await world.passing(() => world.host.phase === 'degraded', 'it is noticed', 0)
    await world.passing(() => world.host.phase === 'ready', 'it is back', 500)
    sim.say(chat, ann, 'after')
    await heard(2)
  })

  it('survives op 9, of either kind', async () => {
    const { sim, chat, ann } = await open()
    for (const [at, resumable] of [true, false].entries()) {
      sim.invalidate(resumable)
      await world.passing(() => sim.connections === 1 && world.host.phase === 'ready', 'it is back', 500)
      sim.say(chat, ann, `after ${at}`)
      await heard(at + 1)
    }
  })
})

describe('a line', () => {
  it('that is open and dead is told of, and replaced in the same session', async () => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'before')
    await heard(1)
    sim.cut('half-open')
    sim.say(chat, ann, 'into the void')
    await world.passing(() => world.host.phase === 'degraded', 'it is noticed', 1_000)
    await heard(2)
    expect(identifies()).toBe(1)
    await world.passing(() => world.host.phase === 'ready', 'it is back', 100)
  })

  it('that is quiet is asked, and stays', async () => {
    const { sim } = await open({ heartbeatMs: 60_000 })
    const states = phases().length
    for (let at = 0; at < 60; at++) {
      sim.clock.advance(1_000)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(phases().slice(states)).toEqual([])
    expect(sim.connections).toBe(1)
  })
})

describe('a refusal', () => {
  it.each([
    [4_004, 'Reset Token'],
    [4_013, 'Update Golem'],
    [4_014, 'Message Content Intent'],
  ])('with close code %i ends it for good, with its cure', async (code, cure) => {
    const { sim, host } = await open()
    sim.closeGateway(code)
    const closed = await world.connection.done
    expect(closed).toMatchObject({ fatal: true, reason: expect.stringContaining(String(code)) })
    expect(closed.cure).toContain(cure)
    expect(host.phase).toBe('failed')
    expect(JSON.stringify(closed)).not.toContain(String(sim.settings('socket').botToken))
  })

  it('of intents that were taken away meanwhile makes do with those that are left', async () => {
    const { sim, host, chat, ann } = await open()
    sim.discord.grant(['GuildMembers'])
    sim.expireSessions()
    sim.closeGateway(4_014)
    await world.passing(() => JSON.stringify(host.states.at(-1)).includes('addressed'), 'it is back', 500)
    expect(host.states.at(-1)).toMatchObject({ phase: 'ready', sees: 'addressed' })
    sim.say(chat, ann, 'hello', { mention: true })
    await heard(1)
  })

  it('to begin another session is waited for, and posts go out meanwhile', async () => {
    const { sim, host } = await open({ identifies: 1 }, null)
    const connecting = world.connect()
    await world.passing(
      () => host.states.some(({ phase }) => phase === 'degraded'),
      'it gives up waiting',
      500,
    )
    await connecting
    expect(host.states.at(-1)).toMatchObject({
      phase: 'degraded',
      reason: expect.stringContaining('no more sessions until'),
    })
    expect(sim.connections).toBe(0)
    const { id } = await world.connection.perform(
      {
        kind: 'post',
        place: { chat: world.chat },
        part: { text: 'here', body: { content: 'here' }, mentions: [] },
      },
      'k',
      new AbortController().signal,
    )
    expect(id).toBeDefined()
  })

  it('of the token while connecting is one that a person has to cure', async () => {
    const { sim } = await open({}, null)
    sim.fault({ method: 'getGatewayBot', do: { kind: 'refuse', code: 401 } })
    await expect(world.connect()).rejects.toBeInstanceOf(ConnectFailure)
    expect(world.host.phase).toBe('failed')
  })
})

it('as many shards as Discord wants, each with a session of its own', async () => {
  const { sim, host, chat, ann } = await open({ shards: 2 })
  expect(sim.connections).toBe(2)
  const dm = sim.dm(ann)
  sim.say(chat, ann, 'in the guild')
  sim.say(dm, ann, 'directly')
  await heard(2)
  const begun = identifies()
  await restart()
  expect(sim.connections).toBe(2)
  expect(identifies()).toBe(begun)
  sim.say(chat, ann, 'again')
  await heard(3)
  expect(host.phase).toBe('ready')
})
