/** Threads, forum posts, and everything that is said by others than people. */
import { afterEach, describe, expect, it } from 'vitest'
import { api, Closing, type Dispatched } from './bot.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

async function world() {
  const sim = await closing.discord({ limits: 'off' })
  const [ann, bob] = [sim.person('Ann'), sim.person('Bob')]
  const chat = sim.group('general', [ann, bob])
  const { got, until } = await closing.socket(sim)
  await until(() => got.length === 2, 'ready')
  let marks = 0
  const since = async (run: () => unknown): Promise<Dispatched[]> => {
    const mark = `TEST_${++marks}`
    sim.inject(mark, {})
    await run()
    sim.inject(mark, {})
    await until(() => got.filter(({ t }) => t === mark).length === 2, 'the end')
    return got.slice(got.findIndex(({ t }) => t === mark) + 1, -1)
  }
  return { sim, ann, bob, chat, since }
}

describe('a thread', () => {
  it('on a message has its id, and shows it as its first', async () => {
    const { sim, ann, chat, since } = await world()
    const root = sim.say(chat, ann, 'the root')
    let id = ''
    const events = await since(() => {
      id = sim.say(chat, ann, 'inside', { thread: root })
    })
    expect(events.map(({ t, d }) => [t, d.type])).toEqual([
      ['THREAD_CREATE', 11],
      ['MESSAGE_UPDATE', 0],
      ['MESSAGE_CREATE', 21],
      ['MESSAGE_CREATE', 0],
    ])
    expect(events[0]?.d).toMatchObject({ id: root, parent_id: chat, newly_created: true })
    expect(events[3]?.d).toMatchObject({ id, channel_id: root, content: 'inside' })
    expect(sim.seen(chat).map(({ text, thread }) => [text, thread])).toEqual([
      ['the root', undefined],
      ['inside', root],
    ])
    expect(sim.seen(root).map(({ text }) => text)).toEqual(['the root', 'inside'])
  })

  it('that is archived takes no edits, comes back by a message, and when locked does not', async () => {
    const { sim, ann, chat } = await world()
    const thread = sim.discord.thread(chat, ann, 'plans')
    const post = (content: string) => api(sim, 'POST', `/channels/${thread}/messages`, { content })
    const { body } = await post('one')
    sim.discord.archive(thread)
    const edit = await api(sim, 'PATCH', `/channels/${thread}/messages/${String(body.id)}`, { content: 'x' })
    expect(edit.body).toMatchObject({ code: 50083, message: 'Thread is archived' })
    expect((await post('two')).status).toBe(200)
    expect(sim.discord.describe(thread)).toMatchObject({ thread_metadata: { archived: false } })
    sim.discord.lock(thread)
    expect((await post('three')).body).toMatchObject({ code: 160005 })
    expect(sim.calls.at(-1)).toMatchObject({ chat, params: { channel: thread } })
  })

  it('that is private is there for those in it', async () => {
    const { sim, ann, chat, since } = await world()
    let thread = ''
    const before = await since(() => {
      thread = sim.discord.thread(chat, ann, 'secret', { private: true, text: 'psst' })
    })
    expect(before).toEqual([])
    expect((await api(sim, 'GET', `/channels/${thread}`)).body.code).toBe(50001)
    const after = await since(() => sim.discord.threadMember(thread, sim.bot))
    expect(after.map(({ t }) => t)).toEqual(['THREAD_CREATE', 'THREAD_MEMBERS_UPDATE'])
    expect((await api(sim, 'GET', `/channels/${thread}`)).body).toMatchObject({ type: 12 })
  })

  it('is started by the bot, on a message once', async () => {
    const { sim, ann, chat } = await world()
    const id = sim.say(chat, ann, 'root')
    const start = (name: string) => api(sim, 'POST', `/channels/${chat}/messages/${id}/threads`, { name })
    expect(await start('t')).toMatchObject({ status: 201, body: { id, type: 11, name: 't' } })
    expect((await start('t')).body.code).toBe(160004)
    const own = await api(sim, 'POST', `/channels/${chat}/threads`, { name: 'own', type: 11 })
    expect(own.body).toMatchObject({ type: 11, parent_id: chat })
    expect(sim.seen(chat).at(-1)?.text).toBe('Golem started a thread: own')
    const active = await api(sim, 'GET', `/guilds/${sim.discord.guild}/threads/active`)
    expect((active.body.threads as unknown[]).length).toBe(2)
  })

  it('is a post of a forum, whose first message has its id', async () => {
    const { sim, ann, since } = await world()
    const forum = sim.discord.channel('help', { kind: 'forum' })
    let id = ''
    const events = await since(() => {
      id = sim.discord.forumPost(forum, ann, 'It is broken', 'how do I mend it?')
    })
    expect(events.map(({ t, d }) => [t, d.id, d.channel_id ?? d.parent_id])).toEqual([
      ['THREAD_CREATE', id, forum],
      ['MESSAGE_CREATE', id, id],
    ])
    const reply = await api(sim, 'POST', `/channels/${id}/messages`, {
      content: 'so',
      message_reference: { message_id: id },
    })
    expect(reply.status).toBe(200)
    expect(sim.seen(forum).map(({ text, thread }) => [text, thread])).toEqual([
      ['how do I mend it?', id],
      ['so', id],
    ])
    const made = await api(sim, 'POST', `/channels/${forum}/threads`, {
      name: 'News',
      message: { content: 'all' },
    })
    expect(made.body).toMatchObject({ name: 'News', message: { content: 'all', id: made.body.id } })
  })
})

it('what others say: system messages, webhooks, bots, stickers, polls, forwards, voice, crossposts', async () => {
  const { sim, ann, bob, chat, since } = await world()
  const other = sim.discord.otherBot('CI')
  const events = await since(() => {
    sim.discord.join(sim.person('Cem'), { welcome: chat })
    const first = sim.say(chat, ann, 'first')
    sim.discord.pin(chat, first, ann)
    sim.discord.boost(chat, bob)
    sim.discord.sayAsWebhook(chat, 'Deploys', 'done')
    sim.say(chat, other, 'red')
    sim.discord.say(chat, ann, '', { stickers: ['wave'] })
    sim.discord.say(chat, ann, '', { poll: { question: 'Lunch?', answers: ['yes', 'no'] } })
    sim.discord.forward(chat, bob, { chat, id: first })
    const voice = { name: 'voice-message.ogg', mime: 'audio/ogg', bytes: Buffer.from('o') }
    sim.discord.say(chat, ann, '', { files: [voice], voiceSeconds: 3 })
    sim.discord.crosspost(chat, 'News', 'extra')
  })
  const messages = events.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d)
  expect(
    messages.map(({ type, webhook_id, author, flags }) => [
      type,
      webhook_id !== undefined,
      (author as { bot?: boolean }).bot === true,
      flags,
    ]),
  ).toEqual([
    [7, false, false, 0],
    [0, false, false, 0],
    [6, false, false, 0],
    [8, false, false, 0],
    [0, true, true, 0],
    [0, false, true, 0],
    [0, false, false, 0],
    [0, false, false, 0],
    [0, false, false, 1 << 14],
    [0, false, false, 1 << 13],
    [0, true, true, 1 << 1],
  ])
  expect(messages[6]).toMatchObject({ sticker_items: [{ name: 'wave' }] })
  expect(messages[7]).toMatchObject({ poll: { question: { text: 'Lunch?' } } })
  expect(messages[8]).toMatchObject({
    message_snapshots: [{ message: { content: 'first' } }],
    message_reference: { type: 1 },
  })
  expect(messages[9]).toMatchObject({ attachments: [{ duration_secs: 3, content_type: 'audio/ogg' }] })
  expect(
    sim
      .seen(chat)
      .map(({ author, text }) => [author.name, text])
      .slice(0, 6),
  ).toEqual([
    ['Cem', 'Cem joined the server.'],
    ['Ann', 'first'],
    ['Ann', 'Ann pinned a message to this channel.'],
    ['Bob', 'Bob just boosted the server!'],
    ['Deploys', 'done'],
    ['CI', 'red'],
  ])
})

it('the picker offers the role that came with the bot: a mention of that, and of nobody', async () => {
  const { sim, ann, chat, since } = await world()
  const role = sim.discord.botRole()
  const [event] = await since(() => sim.say(chat, ann, `<@&${role}> hello`))
  expect(event?.d).toMatchObject({ mentions: [], mention_roles: [role], mention_everyone: false })
  expect(sim.seen(chat)[0]).toMatchObject({ text: '@Golem hello', pings: [sim.bot.id] })
})

it('a reply that pages puts the author among the mentions, typed or not', async () => {
  const { sim, ann, bob, chat, since } = await world()
  const id = sim.say(chat, bob, 'works?')
  const [loud, quiet] = await since(() => {
    sim.say(chat, ann, 'thanks', { replyTo: id })
    sim.discord.say(chat, ann, 'thanks', { replyTo: id, pingReply: false })
  })
  expect(loud?.d).toMatchObject({ type: 19, mentions: [{ id: bob.id }], referenced_message: { id } })
  expect(quiet?.d).toMatchObject({ type: 19, mentions: [] })
})

it('edits, previews, deletions, reactions, typing, names: each by its event', async () => {
  const { sim, ann, bob, chat, since } = await world()
  const id = sim.say(chat, ann, 'one')
  const more = [sim.say(chat, bob, 'two'), sim.say(chat, bob, 'three')]
  const events = await since(() => {
    sim.edit(chat, id, 'one, better')
    sim.discord.unfurl(chat, id, { title: 'A page' })
    sim.react(chat, id, bob, '👍')
    sim.discord.unreact(chat, id, bob, '👍')
    sim.discord.type(chat, bob)
    sim.discord.renameChannel(chat, 'renamed')
    sim.discord.renamePerson(bob, 'Robert')
    sim.delete(chat, id)
    sim.discord.deleteMany(chat, more)
    sim.discord.deleteChannel(chat)
  })
  expect(events.map(({ t }) => t)).toEqual([
    'MESSAGE_UPDATE',
    'MESSAGE_UPDATE',
    'MESSAGE_REACTION_ADD',
    'MESSAGE_REACTION_REMOVE',
    'TYPING_START',
    'CHANNEL_UPDATE',
    'GUILD_MEMBER_UPDATE',
    'MESSAGE_DELETE',
    'MESSAGE_DELETE_BULK',
    'CHANNEL_DELETE',
  ])
  expect(events[0]?.d.edited_timestamp).not.toBeNull()
  expect(events[1]?.d).toMatchObject({ embeds: [{ title: 'A page' }] })
  expect(events[5]?.d).toMatchObject({ id: chat, name: 'renamed' })
})

it('a channel that the bot may no longer see is gone for it', async () => {
  const { sim, ann, chat, since } = await world()
  const events = await since(() => {
    sim.discord.permit(chat, { deny: ['ViewChannel'] })
    sim.say(chat, ann, 'unheard')
    sim.discord.permit(chat, { allow: ['ViewChannel'] })
  })
  expect(events.map(({ t }) => t)).toEqual(['CHANNEL_DELETE', 'CHANNEL_CREATE'])
})
