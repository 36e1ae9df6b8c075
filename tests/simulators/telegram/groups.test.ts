import { describe, expect, it } from 'vitest'
import { box, updates } from './harness.fixture.js'

const texts = (all: Record<string, Record<string, unknown>>[]) => all.map(({ message }) => message?.text)

describe('privacy mode', () => {
  it('gives a bot in a group only what is meant for it', async () => {
    const { telegram, ask } = await box({ privacyMode: true })
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const own = (await ask('sendMessage', { chat_id: chat, text: 'mine' })).result.message_id
    telegram.say(chat, ann, 'nothing for it')
    telegram.say(chat, ann, 'hello', { mention: true })
    telegram.say(chat, ann, 'golem_bot without the sign')
    telegram.say(chat, ann, '/help')
    telegram.say(chat, ann, '/help@other_bot')
    telegram.say(chat, ann, '/help@GOLEM_bot')
    telegram.say(chat, ann, 'an answer', { replyTo: String(own) })
    telegram.say(chat, ann, 'Golem, look', {
      entities: [{ type: 'text_mention', offset: 0, length: 5, user: { id: Number(telegram.bot.id) } }],
    })
    telegram.join(chat, telegram.person('Bob'))
    expect(texts(await updates(ask))).toEqual([
      '@golem_bot hello',
      '/help',
      '/help@GOLEM_bot',
      'an answer',
      'Golem, look',
      undefined,
    ])
    expect((await ask('getMe')).result).toMatchObject({
      can_read_all_group_messages: false,
      username: 'golem_bot',
    })
  })

  it('gives it everything once it is an administrator, or joined with privacy mode off', async () => {
    const { telegram, ask } = await box({ privacyMode: true })
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    telegram.setPrivacy(false)
    telegram.say(chat, ann, 'still hidden')
    telegram.removeBot(chat, ann)
    telegram.addBot(chat, ann)
    telegram.say(chat, ann, 'seen after it came back')
    telegram.setPrivacy(true)
    const other = telegram.group('Other', [ann])
    telegram.promoteBot(other, ann)
    telegram.say(other, ann, 'seen by an administrator')
    const kinds = (await updates(ask)).map((update) => Object.keys(update)[1])
    expect(kinds).toEqual([
      'my_chat_member',
      'my_chat_member',
      'message',
      'message',
      'my_chat_member',
      'message',
    ])
  })

  it('never gives it other bots’ messages, nor its own', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const other = telegram.otherBot('Other', 'other_bot')
    const chat = telegram.group('Team', [ann, other])
    telegram.say(chat, other, 'beep', { mention: true })
    await ask('sendMessage', { chat_id: chat, text: 'mine' })
    expect(await updates(ask)).toEqual([])
    expect(telegram.seen(chat)).toHaveLength(2)
  })

  it('gives it other bots’ messages where the mode for that is on', async () => {
    const { telegram, ask } = await box({ botToBot: true })
    const ann = telegram.person('Ann')
    const other = telegram.otherBot('Other', 'other_bot')
    const chat = telegram.group('Team', [ann, other])
    telegram.say(chat, other, 'beep')
    expect(await updates(ask)).toMatchObject([{ message: { text: 'beep', from: { is_bot: true } } }])
  })
})

describe('topics and threads', () => {
  it('the General topic has no thread id; others have, and their root is no reply', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.forum('Forum', [ann])
    const thread = telegram.topic(chat, ann, 'Builds')
    telegram.say(chat, ann, 'in General')
    const inTopic = telegram.say(chat, ann, 'in Builds', { thread })
    const [root, general, topic] = await updates(ask)
    expect(root).toMatchObject({
      message: {
        message_thread_id: Number(thread),
        is_topic_message: true,
        forum_topic_created: { name: 'Builds' },
      },
    })
    expect(general?.message).not.toHaveProperty('message_thread_id')
    expect(general?.message).toMatchObject({ chat: { is_forum: true } })
    expect(topic).toMatchObject({
      message: {
        message_thread_id: Number(thread),
        is_topic_message: true,
        reply_to_message: { message_id: Number(thread), forum_topic_created: {} },
      },
    })
    expect((await ask('sendMessage', { chat_id: chat, text: 'x', message_thread_id: 1 })).description).toBe(
      'Bad Request: message thread not found',
    )
    const reply = await ask('sendMessage', {
      chat_id: chat,
      text: 'x',
      reply_parameters: { message_id: Number(inTopic) },
    })
    expect(reply.result).toMatchObject({ message_thread_id: Number(thread), is_topic_message: true })
    expect(telegram.seen(chat).map(({ thread: of, replyTo }) => [of, replyTo])).toEqual([
      [thread, undefined],
      [undefined, undefined],
      [thread, undefined],
      [thread, inTopic],
    ])
  })

  it('makes topics as an administrator, and none in a closed one', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.forum('Forum', [ann])
    const create = () => ask('createForumTopic', { chat_id: chat, name: 'Mine' })
    expect((await create()).description).toBe('Bad Request: not enough rights to create a topic')
    const thread = telegram.topic(chat, ann, 'Closed')
    telegram.closeTopic(chat, ann, thread)
    expect(
      (await ask('sendMessage', { chat_id: chat, text: 'x', message_thread_id: Number(thread) })).description,
    ).toBe('Bad Request: TOPIC_CLOSED')
    telegram.promoteBot(chat, ann)
    const made = await create()
    expect(
      (
        await ask('sendMessage', {
          chat_id: chat,
          text: 'x',
          message_thread_id: made.result.message_thread_id,
        })
      ).ok,
    ).toBe(true)
    telegram.say(chat, ann, 'y', { thread: String(made.result.message_thread_id) })
    expect((await updates(ask)).at(-1)).toMatchObject({
      message: {
        reply_to_message: { from: { id: Number(telegram.bot.id) }, forum_topic_created: { name: 'Mine' } },
      },
    })
  })

  it('gives reply chains of a supergroup a thread id that is no topic', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.supergroup('Team', [ann])
    const first = telegram.say(chat, ann, 'one')
    const second = telegram.say(chat, ann, 'two', { replyTo: first })
    telegram.say(chat, ann, 'three', { replyTo: second })
    const chain = await updates(ask)
    expect(chain.map(({ message }) => message?.message_thread_id)).toEqual([
      undefined,
      Number(first),
      Number(first),
    ])
    expect(chain.some(({ message }) => message?.is_topic_message)).toBe(false)
    expect(
      (await ask('sendMessage', { chat_id: chat, text: 'x', message_thread_id: Number(first) })).description,
    ).toBe('Bad Request: message thread not found')
  })
})

describe('who speaks', () => {
  it('an anonymous administrator shows as the group', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    telegram.anonymousAdmin(chat, ann)
    telegram.say(chat, ann, 'who am I?')
    expect(await updates(ask)).toMatchObject([
      {
        message: {
          from: { username: 'GroupAnonymousBot', is_bot: true },
          sender_chat: { id: Number(chat), title: 'Team' },
        },
      },
    ])
    expect(telegram.seen(chat)[0]?.author).toEqual({ id: chat, name: 'Team', bot: false })
  })

  it('a linked channel’s posts appear in its group, and are discussed there', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const channel = telegram.channel('News', [ann])
    const chat = telegram.supergroup('Talk', [ann])
    telegram.link(channel, chat)
    const post = telegram.channelPost(channel, 'read this')
    const forwarded = telegram.seen(chat)[0]?.id ?? ''
    telegram.say(chat, ann, 'nice', { replyTo: forwarded })
    expect(await updates(ask)).toMatchObject([
      { channel_post: { sender_chat: { type: 'channel' }, text: 'read this' } },
      {
        message: {
          is_automatic_forward: true,
          from: { id: 777000 },
          sender_chat: { id: Number(channel) },
          forward_origin: { type: 'channel', message_id: Number(post), chat: { title: 'News' } },
        },
      },
      { message: { text: 'nice', message_thread_id: Number(forwarded) } },
    ])
  })

  it('gives forwards their origin, albums their group, voice its length, edits a new update', async () => {
    const { telegram, ask } = await box()
    const [ann, bob] = [telegram.person('Ann'), telegram.person('Bob')]
    const chat = telegram.group('Team', [ann, bob])
    const id = telegram.say(chat, ann, 'first')
    telegram.forward(chat, bob, { chat, id })
    telegram.forward(chat, bob, { chat, id }, true)
    const bytes = new Uint8Array(3)
    telegram.album(
      chat,
      ann,
      [
        { name: 'a.png', mime: 'image/png', bytes },
        { name: 'b.png', mime: 'image/png', bytes },
      ],
      'both',
    )
    telegram.voice(chat, ann, bytes, 7)
    telegram.edit(chat, id, 'second')
    const all = await updates(ask)
    expect(all[1]?.message?.forward_origin).toMatchObject({
      type: 'user',
      sender_user: { first_name: 'Ann' },
    })
    expect(all[2]?.message?.forward_origin).toMatchObject({ type: 'hidden_user', sender_user_name: 'Ann' })
    expect(all[3]?.message).toMatchObject({ caption: 'both', photo: [{ width: 90 }, { file_size: 3 }] })
    expect(all[4]?.message?.media_group_id).toBe(all[3]?.message?.media_group_id)
    expect(all[5]?.message).toMatchObject({ voice: { duration: 7, mime_type: 'audio/ogg' } })
    expect(all[6]).toMatchObject({
      update_id: Number(all[0]?.update_id) + 6,
      edited_message: { message_id: Number(id), text: 'second' },
    })
  })

  it('cuts what a person’s client would cut', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    telegram.say(telegram.dm(ann), ann, `a${'😀'.repeat(2100)}`)
    const parts = texts(await updates(ask)).map(String)
    expect(parts).toHaveLength(2)
    expect(parts.join('')).toBe(`a${'😀'.repeat(2100)}`)
    expect(parts.every((part) => !/\p{Surrogate}/u.test(part))).toBe(true)
  })
})

describe('what a bot is told of', () => {
  it('reactions only as an administrator, and only when it asked for them', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const id = telegram.say(chat, ann, 'a')
    const count = async () => (await updates(ask)).filter((update) => update.message_reaction).length
    telegram.react(chat, id, ann, '👍')
    expect(await count()).toBe(0)
    await ask('getUpdates', { allowed_updates: ['message', 'message_reaction'] })
    telegram.react(chat, id, ann, '🔥')
    expect(await count()).toBe(0)
    telegram.promoteBot(chat, ann)
    telegram.react(chat, id, ann, '👀')
    telegram.react(chat, id, ann, '')
    expect((await updates(ask)).slice(1)).toMatchObject([
      {
        message_reaction: {
          old_reaction: [{ emoji: '🔥' }],
          new_reaction: [{ emoji: '👀' }],
          user: { id: Number(ann.id) },
        },
      },
      { message_reaction: { new_reaction: [] } },
    ])
  })

  it('joins, leaves and new names by service messages; deletions never', async () => {
    const { telegram, ask } = await box()
    const [ann, bob] = [telegram.person('Ann'), telegram.person('Bob')]
    const chat = telegram.group('Team', [ann])
    telegram.join(chat, bob)
    telegram.rename(chat, ann, 'Crew')
    telegram.delete(chat, telegram.say(chat, bob, 'oops'))
    telegram.leave(chat, bob)
    expect(await updates(ask)).toMatchObject([
      { message: { new_chat_members: [{ first_name: 'Bob' }] } },
      { message: { new_chat_title: 'Crew' } },
      { message: { text: 'oops' } },
      { message: { left_chat_member: { first_name: 'Bob' } } },
    ])
    expect(telegram.seen(chat).map(({ text }) => text)).toEqual([
      'Bob joined the group',
      'The group is now called Crew',
      'Bob left the group',
    ])
    expect(telegram.seen(chat, bob)).toEqual([])
  })

  it('tells about chats and members', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    expect((await ask('getChat', { chat_id: chat })).result).toMatchObject({
      title: 'Team',
      type: 'supergroup',
    })
    expect((await ask('getChatMemberCount', { chat_id: chat })).result).toBe(2)
    expect((await ask('getChatAdministrators', { chat_id: chat })).result).toMatchObject([
      { status: 'creator', user: { first_name: 'Ann' } },
    ])
    expect((await ask('getChatMember', { chat_id: chat, user_id: telegram.bot.id })).result).toMatchObject({
      status: 'member',
    })
    expect((await ask('getChatMember', { chat_id: chat, user_id: 1 })).description).toBe(
      'Bad Request: invalid user_id specified',
    )
    const commands = [{ command: 'help', description: 'What I can do' }]
    await ask('setMyCommands', { commands })
    expect((await ask('getMyCommands')).result).toEqual(commands)
    expect(
      (await ask('setMyCommands', { commands: [{ command: 'No!', description: 'x' }] })).description,
    ).toBe('Bad Request: BOT_COMMAND_INVALID')
    await ask('sendChatAction', { chat_id: chat, action: 'typing' })
    expect(telegram.isTyping(chat)).toBe(true)
    telegram.clock.advance(5000)
    expect(telegram.isTyping(chat)).toBe(false)
  })
})
