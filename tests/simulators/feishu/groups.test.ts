/** What happens in chats, as an app is told of it. */
import { afterEach, describe, expect, it } from 'vitest'
import { api, Closing, type Json } from './bot.fixture.js'
import type { FeishuOptions } from './index.js'

const closing = new Closing()
afterEach(() => closing.end())

async function begin(options: FeishuOptions = {}) {
  const sim = await closing.feishu(options)
  const [ann, bob] = [sim.person('Ann'), sim.person('Bob')]
  const chat = sim.group('team', [ann, bob])
  const { heard } = await closing.socket(sim)
  const events = async (count: number): Promise<Json[]> => {
    await sim.until(() => sim.acknowledged.length === count, `${count} events`)
    return heard
  }
  return { sim, ann, bob, chat, heard, events }
}
const contentOf = (event: Json | undefined): Json =>
  JSON.parse(String((event?.message as Json | undefined)?.content)) as Json

describe('what is heard of a group', () => {
  it('is all, or what names the bot', async () => {
    for (const sees of ['all', 'addressed'] as const) {
      const { sim, ann, chat, events } = await begin({ sees })
      sim.say(chat, ann, 'aside')
      sim.say(chat, ann, 'question', { mention: true })
      sim.say(sim.dm(ann), ann, 'direct')
      const heard = await events(sees === 'all' ? 3 : 2)
      const texts = heard.map((event) => contentOf(event).text)
      expect(texts).toEqual([...(sees === 'all' ? ['aside'] : []), '@_user_1 question', 'direct'])
      expect(heard.at(-1)?.message).toMatchObject({ chat_type: 'p2p' })
    }
  })

  it('numbers mentions in order, and lists @_all or not', async () => {
    for (const listsAll of [true, false]) {
      const { sim, ann, bob, chat, events } = await begin({ listsAll })
      sim.say(chat, ann, `<at user_id="${bob.id}"></at> and <at user_id="all"></at>`, { mention: true })
      const [event] = await events(1)
      expect(contentOf(event).text).toBe('@_user_1 @_user_2 and @_all')
      const { mentions } = (event?.message ?? {}) as { mentions: Json[] }
      expect(mentions.map(({ key, name }) => [key, name])).toEqual([
        ['@_user_1', 'Golem'],
        ['@_user_2', 'Bob'],
        ...(listsAll ? [['@_all', '所有人']] : []),
      ])
      expect(sim.seen(chat)).toMatchObject([{ text: '@Golem @Bob and @所有人', pings: [sim.bot.id, bob.id] }])
    }
  })

  it('names people of other companies without a user_id', async () => {
    const { sim, chat, events } = await begin()
    const guest = sim.feishu.externalPerson('Guest')
    sim.feishu.add(chat, guest)
    sim.say(chat, guest, 'hello')
    const [, event] = await events(2)
    expect(event?.sender).toMatchObject({
      sender_id: { open_id: guest.id, user_id: '' },
      sender_type: 'user',
    })
    const { tenant_key } = (event?.sender ?? {}) as Json
    expect(tenant_key).not.toBe(event?.tenant_key)
  })

  it('is nothing of edits', async () => {
    const { sim, ann, chat, events } = await begin()
    const id = sim.say(chat, ann, 'one')
    sim.edit(chat, id, 'two')
    sim.say(chat, ann, 'three')
    expect((await events(2)).map((event) => contentOf(event).text)).toEqual(['one', 'three'])
    expect(sim.seen(chat)).toMatchObject([{ text: 'two', edited: true }, {}])
  })
})

describe('what people send', () => {
  it('arrives by its kind', async () => {
    const { sim, ann, chat, events } = await begin()
    const png = { name: 'a.png', mime: 'image/png', bytes: Buffer.from('89504e47', 'hex') }
    const file = { name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('x') }
    sim.say(chat, ann, '', { files: [png] })
    sim.say(chat, ann, 'see', { files: [png], mention: true })
    sim.say(chat, ann, 'and this', { files: [file] })
    sim.say(chat, ann, '', { files: [{ name: 'v.opus', mime: 'audio/ogg', bytes: Buffer.from('x') }] })
    sim.say(chat, ann, '', { files: [{ name: 'v.mp4', mime: 'video/mp4', bytes: Buffer.from('x') }] })
    sim.feishu.sticker(chat, ann)
    const heard = await events(7)
    expect(heard.map(({ message }) => (message as Json).message_type)).toEqual([
      'image',
      'post',
      'file',
      'text',
      'audio',
      'media',
      'sticker',
    ])
    expect(contentOf(heard[1])).toMatchObject({
      content: [
        [
          { tag: 'at', user_id: '@_user_1', user_name: 'Golem' },
          { tag: 'text', text: ' see' },
        ],
        [{ tag: 'img' }],
      ],
    })
    expect(contentOf(heard[2])).toMatchObject({
      file_name: 'a.txt',
      file_key: expect.stringMatching(/^file_v3_/),
    })
    expect(contentOf(heard[4])).toMatchObject({ duration: 2000 })
  })

  it('may be rich text with every element', async () => {
    const { sim, ann, bob, chat, events } = await begin()
    sim.feishu.richText(chat, ann, {
      title: 'T',
      content: [
        [
          { tag: 'at', user_id: sim.bot.id },
          { tag: 'at', user_id: bob.id },
          { tag: 'new', text: 'x' },
        ],
      ],
    })
    const [event] = await events(1)
    expect(contentOf(event)).toEqual({
      title: 'T',
      content: [
        [
          { tag: 'at', user_id: '@_user_1', user_name: 'Golem' },
          { tag: 'at', user_id: '@_user_2', user_name: 'Bob' },
          { tag: 'new', text: 'x' },
        ],
      ],
    })
    expect(event?.message).toMatchObject({ mentions: [{ key: '@_user_1' }, { key: '@_user_2' }] })
  })

  it('may be a merged forward, whose content is no JSON', async () => {
    const { sim, ann, chat, events } = await begin()
    sim.feishu.forward(chat, ann, [sim.say(chat, ann, 'x')])
    const [, event] = await events(2)
    expect(event?.message).toMatchObject({
      message_type: 'merge_forward',
      content: 'Merged and Forwarded Message',
    })
  })
})

describe('replies and topics', () => {
  it('a quote has a root and a parent, and no thread', async () => {
    const { sim, ann, bob, chat, events } = await begin()
    const root = sim.say(chat, ann, 'root')
    const first = sim.say(chat, bob, 'first', { replyTo: root })
    sim.say(chat, ann, 'second', { replyTo: first })
    const heard = await events(3)
    expect(heard[2]?.message).toMatchObject({ root_id: root, parent_id: first })
    expect(heard[2]?.message).not.toHaveProperty('thread_id')
  })

  it('a topic in a plain group has a thread', async () => {
    const { sim, ann, bob, chat, events } = await begin()
    const root = sim.say(chat, ann, 'root')
    sim.say(chat, bob, 'in it', { replyTo: root, thread: root })
    const heard = await events(2)
    expect(heard[1]?.message).toMatchObject({
      root_id: root,
      parent_id: root,
      thread_id: sim.feishu.topic(chat, root),
    })
  })

  it('in a group of topics every message begins one', async () => {
    const { sim, ann, events } = await begin()
    const topics = sim.feishu.topicGroup('topics', [ann])
    const root = sim.say(topics, ann, 'root')
    const thread = sim.feishu.topic(topics, root)
    sim.say(topics, ann, 'more', { replyTo: root })
    sim.say(topics, ann, 'another')
    const heard = await events(3)
    expect(heard[0]?.message).toMatchObject({ thread_id: thread, chat_type: 'group' })
    expect(heard[0]?.message).not.toHaveProperty('root_id')
    expect(heard[1]?.message).toMatchObject({ thread_id: thread, root_id: root, parent_id: root })
    const { thread_id } = (heard[2]?.message ?? {}) as Json
    expect(thread_id).not.toBe(thread)
  })
})

describe('changes', () => {
  it('of people, bots, names and the chat itself are told', async () => {
    const { sim, ann, chat, events } = await begin()
    const eve = sim.person('Eve')
    sim.feishu.add(chat, eve, ann)
    sim.feishu.withdraw(chat, eve, ann)
    sim.feishu.add(chat, eve, ann)
    sim.feishu.remove(chat, eve, ann)
    sim.feishu.rename(chat, 'crew', ann)
    sim.feishu.remove(chat, sim.bot, ann)
    sim.say(chat, ann, 'unheard')
    sim.feishu.add(chat, sim.bot, ann)
    sim.feishu.disband(chat, ann)
    const heard = await events(8)
    expect(heard.map(({ event_type }) => event_type)).toEqual([
      'im.chat.member.user.added_v1',
      'im.chat.member.user.withdrawn_v1',
      'im.chat.member.user.added_v1',
      'im.chat.member.user.deleted_v1',
      'im.chat.updated_v1',
      'im.chat.member.bot.deleted_v1',
      'im.chat.member.bot.added_v1',
      'im.chat.disbanded_v1',
    ])
    expect(heard[0]).toMatchObject({
      chat_id: chat,
      operator_id: { open_id: ann.id },
      name: 'team',
      users: [{ name: 'Eve', user_id: { open_id: eve.id } }],
    })
    expect(heard[4]).toMatchObject({ before_change: { name: 'team' }, after_change: { name: 'crew' } })
    expect(() => sim.say(chat, ann, 'x')).toThrow('was disbanded')
  })

  it('of messages: taken back, reactions, read; and the menu', async () => {
    const { sim, ann, chat, events } = await begin()
    const id = sim.say(chat, ann, 'x')
    sim.react(chat, id, ann, '👍')
    sim.feishu.unreact(chat, id, ann, '👍')
    sim.delete(chat, id)
    sim.feishu.read(ann, ['om_1'])
    sim.feishu.menu(ann, 'help')
    const heard = await events(6)
    expect(heard.slice(1)).toMatchObject([
      {
        event_type: 'im.message.reaction.created_v1',
        message_id: id,
        reaction_type: { emoji_type: 'THUMBSUP' },
        operator_type: 'user',
        user_id: { open_id: ann.id },
      },
      { event_type: 'im.message.reaction.deleted_v1' },
      { event_type: 'im.message.recalled_v1', message_id: id, chat_id: chat, recall_type: 'message_owner' },
      { event_type: 'im.message.message_read_v1', message_id_list: ['om_1'] },
      {
        event_type: 'application.bot.menu_v6',
        event_key: 'help',
        operator: { operator_id: { open_id: ann.id } },
      },
    ])
    expect(heard[1]).not.toHaveProperty('chat_id')
    expect(sim.seen(chat)).toEqual([])
  })
})

describe('several apps in one chat', () => {
  it('hear the same message, each in ids of its own', async () => {
    const { sim, ann, chat, events } = await begin()
    const other = sim.feishu.app({ name: 'Other' })
    sim.feishu.add(chat, other.person)
    const second = await closing.socket(other)
    const id = sim.say(chat, ann, `<at user_id="${other.person.id}"></at> hi`)
    const mine = (await events(1)).at(-1) ?? {}
    await sim.until(() => other.acknowledged.length === 2, 'the other app')
    const theirs = second.heard.at(-1) ?? {}
    expect([(mine.message as Json).message_id, (theirs.message as Json).message_id]).toEqual([id, id])
    expect(mine.event_id).not.toBe(theirs.event_id)
    expect(mine).toMatchObject({ sender: { sender_id: { open_id: ann.id } } })
    expect(theirs).toMatchObject({ sender: { sender_id: { open_id: other.openId(ann) } } })
    expect(other.openId(ann)).not.toBe(ann.id)
    const info = await api(other, 'GET', '/bot/v3/info')
    expect(theirs.message).toMatchObject({
      mentions: [{ id: { open_id: (info.body.bot as Json).open_id } }],
    })
    expect(mine.message).toMatchObject({
      mentions: [{ id: { open_id: other.person.id }, mentioned_type: 'bot' }],
    })
  })

  it('hear of each other only where that is asked for', async () => {
    for (const hearsBots of [false, true]) {
      const { sim, chat, heard } = await begin({ hearsBots })
      const other = sim.feishu.app({ name: 'Other' })
      sim.feishu.add(chat, other.person)
      const body = { receive_id: chat, msg_type: 'text', content: '{"text":"from a bot"}' }
      await api(other, 'POST', '/im/v1/messages?receive_id_type=chat_id', body)
      expect(other.calls.map(({ method }) => method)).toContain('im.message.create')
      expect(sim.calls.map(({ method }) => method)).not.toContain('im.message.create')
      if (!hearsBots) continue
      await sim.until(() => sim.acknowledged.length === 1, 'the message of the other bot')
      expect(heard[0]).toMatchObject({
        sender: { sender_type: 'app', sender_id: { open_id: other.person.id } },
      })
    }
  })
})
