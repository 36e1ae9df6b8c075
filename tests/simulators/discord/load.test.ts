/** A thousand events a second, and what the control API and a recording are good for. */
import { afterEach, expect, it } from 'vitest'
import { Closing } from './bot.fixture.js'
import { flood } from './index.js'

const closing = new Closing()
afterEach(() => closing.end())

it('a thousand messages a second come in order, without loss, over a broken socket too', async () => {
  const sim = await closing.discord({ limits: 'off', heartbeatMs: 250 })
  sim.recordsTraffic = false
  const people = ['Ann', 'Bob', 'Cem'].map((name) => sim.person(name))
  const chat = sim.group('load', people)
  const { got, until } = await closing.socket(sim)
  await until(() => got.length === 2, 'ready')
  const flooding = flood(sim, { chat, people, perSecond: 1_000, seconds: 3, mentionPercent: 5 })
  await until(() => got.length > 1_000, 'a third')
  sim.cut('close')
  const said = await flooding
  await sim.until(() => sim.pending === 0, 'all taken')
  expect(got.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.id)).toEqual(said)
  expect(sim.lost).toEqual([])
}, 20_000)

it('a recording is replayed to whoever is there', async () => {
  const sim = await closing.discord()
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const { got, until } = await closing.socket(sim)
  sim.say(chat, ann, 'on record')
  await until(() => got.length === 3, 'heard')
  expect(await sim.replay(sim.recording())).toBe(1)
  await until(() => got.length === 4, 'heard again')
  expect(got[3]?.d).toMatchObject({ content: 'on record', id: got[2]?.d.id })
})

it('the control API does what people do', async () => {
  const sim = await closing.discord()
  const ask = async (path: string, body?: unknown) => {
    const answer = await fetch(`${sim.url}/_sim/${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Record<string, string> & { extras?: string[]; chats?: unknown[] }
  }
  await ask('people', { name: 'Ann' })
  const { id: chat = '' } = await ask('chats', { title: 'general', people: ['Ann'] })
  const { id: message } = await ask(`chats/${chat}/messages`, { person: 'Ann', text: 'root' })
  const { id: thread } = await ask('thread', {
    chat,
    person: 'Ann',
    name: 'side',
    on: message,
    text: 'in it',
  })
  expect(thread).toBe(message)
  expect(sim.seen(chat).map(({ text }) => text)).toEqual(['root', 'in it'])
  const { id: forum } = await ask('channel', { name: 'help', kind: 'forum' })
  expect(sim.discord.describe(forum ?? '')).toMatchObject({ type: 15 })
  expect((await ask('state')).extras).toContain('reconnect')
  expect(await ask('settings', {})).toEqual(sim.settings('socket'))
  expect(() => sim.settings('webhook')).toThrow('no webhooks for messages')
  expect(() => sim.webhook('http://127.0.0.1/x')).toThrow('no webhooks for messages')
})
