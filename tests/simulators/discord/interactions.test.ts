/** Commands and buttons, by the real discord.js and by bare calls. */
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Events,
  type Interaction,
  MessageFlags,
} from 'discord.js'
import { afterEach, expect, it } from 'vitest'
import { api, Closing } from './bot.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

const COMMANDS = [
  { name: 'golem', description: 'Ask', options: [{ name: 'text', description: 'What', type: 3 }] },
  { name: 'Ask about this', type: 3 },
  { name: 'Who is this', type: 2 },
]

async function world() {
  const sim = await closing.discord({ limits: 'off' })
  const [ann, bob] = [sim.person('Ann'), sim.person('Bob')]
  const chat = sim.group('general', [ann, bob])
  const client = await closing.client(sim)
  await client.application.commands.set(COMMANDS)
  const next = () => new Promise<Interaction>((resolve) => client.once(Events.InteractionCreate, resolve))
  return { sim, ann, bob, chat, client, next }
}

/** Interactions as they come, raw. */
async function raw() {
  const sim = await closing.discord({ limits: 'off' })
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const { got, until } = await closing.socket(sim)
  await api(sim, 'PUT', `/applications/${sim.bot.id}/commands`, COMMANDS)
  const next = async () => {
    const before = got.length
    const id = sim.discord.slash(chat, ann, 'golem', { text: 'hi' })
    await until(() => got.slice(before).some(({ t }) => t === 'INTERACTION_CREATE'), 'the command')
    const token = String(got.at(-1)?.d.token)
    const callback = (body: unknown) => api(sim, 'POST', `/interactions/${id}/${token}/callback`, body, '')
    const hook = (method: string, rest = '', body?: unknown) =>
      api(sim, method, `/webhooks/${sim.bot.id}/${token}${rest}`, body, '')
    return { callback, hook, d: got.at(-1)?.d ?? {} }
  }
  return { sim, ann, chat, next }
}

it('a slash command is answered in the chat; to one person alone where that is wanted', async () => {
  const { sim, ann, bob, chat, next } = await world()
  let coming = next()
  sim.discord.slash(chat, ann, 'golem', { text: 'what time is it' })
  let got = await coming
  if (!got.isChatInputCommand()) throw new Error('no command')
  expect([got.commandName, got.options.getString('text'), got.user.id, got.channelId]).toEqual([
    'golem',
    'what time is it',
    ann.id,
    chat,
  ])
  await got.reply('late')
  await got.followUp({ content: 'for you', flags: MessageFlags.Ephemeral })
  expect(sim.seen(chat, bob).map(({ text }) => text)).toEqual(['late'])
  expect(sim.seen(chat, ann).map(({ text, onlyFor }) => [text, onlyFor])).toEqual([
    ['late', undefined],
    ['for you', ann.id],
  ])
  coming = next()
  sim.discord.slash(chat, ann, 'golem')
  got = await coming
  if (!got.isChatInputCommand()) throw new Error('no command')
  await got.deferReply()
  expect(sim.seen(chat).at(-1)?.text).toBe('Golem is thinking…')
  await got.editReply('done')
  expect(sim.seen(chat).at(-1)).toMatchObject({ text: 'done', edited: false })
  await got.deleteReply()
  expect(sim.seen(chat, bob)).toHaveLength(1)
})

it('menus of messages and of people say what they were opened on', async () => {
  const { sim, ann, bob, chat, next } = await world()
  const id = sim.say(chat, bob, 'look at this')
  let coming = next()
  sim.discord.messageCommand(chat, id, ann, 'Ask about this')
  const message = await coming
  if (!message.isMessageContextMenuCommand()) throw new Error('no message command')
  expect([message.targetId, message.targetMessage.content]).toEqual([id, 'look at this'])
  coming = next()
  sim.discord.userCommand(chat, ann, 'Who is this', bob)
  const user = await coming
  if (!user.isUserContextMenuCommand()) throw new Error('no user command')
  expect(user.targetUser.id).toBe(bob.id)
  expect(() => sim.discord.slash(chat, ann, 'nothing')).toThrow('no command')
})

it('a button is pressed, and changes the message it is on', async () => {
  const { sim, ann, chat, client, next } = await world()
  const channel = await client.channels.fetch(chat)
  if (!channel?.isSendable()) throw new Error('not sendable')
  const yes = new ButtonBuilder().setCustomId('y:1').setLabel('Yes').setStyle(ButtonStyle.Primary)
  const { id } = await channel.send({
    content: 'ok?',
    components: [new ActionRowBuilder<ButtonBuilder>().addComponents(yes)],
  })
  expect(sim.seen(chat)[0]?.buttons).toEqual([{ label: 'Yes', value: 'y:1' }])
  expect(() => sim.press(chat, id, ann, 'n')).toThrow('no button')
  const coming = next()
  sim.press(chat, id, ann, 'y:1')
  const press = await coming
  if (!press.isButton()) throw new Error('no button')
  expect([press.customId, press.message.id, press.user.id]).toEqual(['y:1', id, ann.id])
  await press.update({ content: 'yes!', components: [] })
  expect(sim.seen(chat)).toMatchObject([{ id, text: 'yes!', buttons: [], edited: true }])
  expect(sim.discord.failed).toEqual([])
})

it('an answer after three seconds, or a second one, is refused; the person is told', async () => {
  const { sim, ann, chat, next } = await raw()
  const late = await next()
  sim.clock.advance(3_001)
  expect(await late.callback({ type: 5 })).toMatchObject({
    status: 404,
    body: { code: 10062, message: 'Unknown interaction' },
  })
  expect(sim.discord.failed).toEqual([{ chat, user: ann.id, text: 'The application did not respond' }])
  const twice = await next()
  expect((await twice.callback({ type: 5 })).status).toBe(204)
  expect(await twice.callback({ type: 4, data: { content: 'x' } })).toMatchObject({
    status: 400,
    body: { code: 40060 },
  })
  expect((await twice.callback({ type: 5 })).body.code).toBe(40060)
})

it('a token is good for a quarter of an hour, and only after the first answer', async () => {
  const { sim, chat, next } = await raw()
  const one = await next()
  expect((await one.hook('POST', '', { content: 'early' })).body.code).toBe(10015)
  await one.callback({ type: 5, data: { flags: 64 } })
  // The first further message takes the place of "is thinking", and stays with the person.
  const { body } = await one.hook('POST', '', { content: 'first' })
  expect((await one.hook('GET', '/messages/@original')).body.id).toBe(body.id)
  expect((await one.hook('PATCH', '/messages/@original', { content: 'second' })).body.content).toBe('second')
  expect(sim.seen(chat).map(({ text, onlyFor }) => [text, onlyFor !== undefined])).toEqual([['second', true]])
  expect((await one.hook('PATCH', '/messages/@original', { content: 'x'.repeat(2_001) })).body.code).toBe(
    50035,
  )
  sim.clock.advance(15 * 60_000)
  expect(await one.hook('POST', '', { content: 'late' })).toMatchObject({
    status: 401,
    body: { code: 50027 },
  })
  expect(JSON.stringify(sim.calls)).not.toContain(String(one.d.token))
})

it('commands are put up whole, for all guilds or one', async () => {
  const sim = await closing.discord({ limits: 'off' })
  const base = `/applications/${sim.bot.id}`
  const [{ body: made }, { body: bad }] = [
    await api(sim, 'PUT', `${base}/commands`, COMMANDS),
    await api(sim, 'PUT', `${base}/commands`, [{ name: 'Not This', description: 'x' }]),
  ]
  expect((made as unknown as { type: number }[]).map(({ type }) => type)).toEqual([1, 3, 2])
  expect(bad).toMatchObject({ code: 50035, errors: { 0: { name: {} } } })
  await api(sim, 'PUT', `${base}/guilds/${sim.discord.guild}/commands`, [{ name: 'here', description: 'x' }])
  expect(sim.discord.commands.map(({ name }) => name)).toEqual([
    'golem',
    'Ask about this',
    'Who is this',
    'here',
  ])
  expect((await api(sim, 'PUT', '/applications/1/commands', [])).status).toBe(403)
})
