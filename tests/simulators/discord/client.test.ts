/** The real discord.js against the simulator, as a bot uses it. */
import { AttachmentBuilder, Events, type Message } from 'discord.js'
import { afterEach, expect, it } from 'vitest'
import { Closing } from './bot.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

it('logs in, hears a mention and replies to it', async () => {
  const sim = await closing.discord()
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const client = await closing.client(sim)
  expect(client.user.id).toBe(sim.bot.id)
  expect(client.guilds.cache.first()?.name).toBe('Acme')
  const heard = new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve))
  const id = sim.say(chat, ann, 'hello **there**', { mention: true })
  const message = await heard
  expect(message.id).toBe(id)
  expect(message.mentions.has(client.user)).toBe(true)
  await message.reply({
    content: `hi **you** <@${ann.id}>`,
    allowedMentions: { parse: [], repliedUser: true },
  })
  const [, answer] = sim.seen(chat)
  expect(answer).toMatchObject({
    author: { id: sim.bot.id, name: 'Golem', bot: true },
    text: 'hi you @Ann',
    replyTo: id,
    pings: [ann.id],
  })
  expect(sim.calls.map(({ method }) => method)).toContain('createMessage')
})

it('takes files, and gives them back by a signed address', async () => {
  const sim = await closing.discord()
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const client = await closing.client(sim)
  const channel = await client.channels.fetch(chat)
  if (!channel?.isSendable()) throw new Error('not sendable')
  const sent = await channel.send({
    files: [new AttachmentBuilder(Buffer.from('a,b\n'), { name: 'table.csv' })],
  })
  expect(sim.seen(chat)[0]?.files).toEqual([{ name: 'table.csv', bytes: 4 }])
  const url = sent.attachments.first()?.url ?? ''
  expect(await (await fetch(url)).text()).toBe('a,b\n')
  expect((await fetch(url.replace(/hm=\w/, 'hm=z'))).status).toBe(404)
})

it('waits as long as it is told, and is not said twice by one nonce', async () => {
  const sim = await closing.discord()
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const client = await closing.client(sim)
  const channel = await client.channels.fetch(chat)
  if (!channel?.isSendable()) throw new Error('not sendable')
  sim.fault({ method: 'createMessage', times: 1, do: { kind: 'rate-limit', retryAfterMs: 300 } })
  const body = { content: 'once', nonce: '42', enforceNonce: true }
  const sent = await channel.send(body)
  expect((await channel.send(body)).id).toBe(sent.id)
  const posts = sim.calls.filter(({ method }) => method === 'createMessage')
  expect(posts.map(({ status, effect }) => [status, effect])).toEqual([
    [429, false],
    [200, true],
    [200, false],
  ])
  expect((posts[1]?.at ?? 0) - (posts[0]?.at ?? 0)).toBeGreaterThanOrEqual(300)
  expect(sim.seen(chat).map(({ text }) => text)).toEqual(['once'])
})

it('hears the first direct message of somebody, and goes on after a reconnect', async () => {
  const sim = await closing.discord()
  const ann = sim.person('Ann')
  sim.group('general', [ann])
  const client = await closing.client(sim)
  const next = () => new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve))
  let heard = next()
  sim.say(sim.dm(ann), ann, 'psst')
  const message = await heard
  expect([message.content, message.inGuild()]).toEqual(['psst', false])
  await message.reply('yes?')
  expect(sim.seen(sim.dm(ann)).map(({ text }) => text)).toEqual(['psst', 'yes?'])
  heard = next()
  sim.reconnect()
  sim.say(sim.dm(ann), ann, 'still there?')
  expect((await heard).content).toBe('still there?')
})
