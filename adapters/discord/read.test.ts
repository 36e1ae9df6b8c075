import { describe, expect, it } from 'vitest'
import {
  type Doc,
  type InboundMessage,
  type Mention,
  mentionsOf,
  parseDoc,
  plainText,
} from '../../src/messaging/contract.js'
import discord from './index.js'
import type { Context, DiscordRaw } from './raw.js'
import { sourceOf } from './read-files.js'

const SELF = { id: '900000000000000001', name: 'relay' }
const ANN = { id: '600000000000000011', username: 'ann', bot: false }
const BEN = { id: '600000000000000012', username: 'ben', bot: false }
const CHAN = '700000000000000001'
const GUILD = '800000000000000001'

const created = (d: Record<string, unknown>, golem: Context = {}): DiscordRaw => ({
  t: 'MESSAGE_CREATE',
  d: {
    id: '500000000000000001',
    type: 0,
    channel_id: CHAN,
    guild_id: GUILD,
    author: ANN,
    content: 'hello',
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    ...d,
  },
  golem,
})
const read = (raw: unknown) => discord.codec.read(raw as DiscordRaw, SELF)
const message = (raw: DiscordRaw): InboundMessage => {
  const found = read(raw)
  if (found.kind !== 'message') throw new Error(JSON.stringify(found))
  return found
}
const said = (content: string, golem?: Context) => message(created({ content }, golem)).doc

describe('named cases', () => {
  it('dc-managed-role-mention: the bot’s own role is the bot, another role is not', () => {
    const golem = { ownRoles: ['900000000000000101'], roles: { '900000000000000102': 'oncall' } }
    const own = said('<@&900000000000000101> hello', golem)
    const other = said('<@&900000000000000102> hello', golem)
    expect(mentionsOf(own)).toMatchObject([{ target: 'user', id: SELF.id, name: 'relay' }])
    expect(mentionsOf(other)).toMatchObject([{ target: 'role', id: '900000000000000102', name: 'oncall' }])
    // Without its roles the bot knows no role.
    expect(mentionsOf(said('<@&900000000000000101> hello'))).toMatchObject([{ target: 'role' }])
  })

  it('dc-reply-ping-is-not-a-typed-mention: who is called stands in the text', () => {
    const reply = {
      type: 19,
      mentions: [BEN],
      message_reference: { message_id: '500000000000000000' },
      referenced_message: {
        id: '500000000000000000',
        channel_id: CHAN,
        author: BEN,
        content: 'try restarting',
      },
    }
    const first = message(created({ ...reply, content: 'thanks, that works' }))
    const bot = { id: SELF.id, username: 'relay', bot: true }
    const second = message(
      created({ ...reply, mentions: [BEN, bot], content: `<@${SELF.id}> what do you think?` }),
    )
    expect(mentionsOf(first.doc)).toEqual([])
    expect(mentionsOf(second.doc)).toMatchObject([{ id: SELF.id }])
    expect(plainText(second.doc)).toBe('@relay what do you think?')
    for (const { replyTo } of [first, second])
      expect(replyTo).toMatchObject({ author: { id: BEN.id, name: 'ben' } })
  })

  it('dc-thread-inherits-parent: a thread is a thread of its parent, an unresolved parent nothing', () => {
    const thread = '710000000000000001'
    const parent = { [CHAN]: { type: 0, name: 'general' } }
    const raw = (type: number) =>
      created({ channel_id: thread }, { channels: { [thread]: { type, parent: CHAN }, ...parent } })
    for (const type of [10, 11, 12])
      expect(message(raw(type))).toMatchObject({ place: { chat: CHAN, thread }, chat: { title: 'general' } })
    for (const channels of [{ [thread]: { type: 11 } }, {}])
      expect(read(created({ channel_id: thread }, { channels }))).toMatchObject({
        kind: 'skipped',
        reason: 'malformed',
      })
    // A slash command takes the same path, and brings its channel along.
    const command = {
      id: '500000000000000009',
      type: 2,
      channel_id: thread,
      channel: { id: thread, type: 11, parent_id: CHAN },
      guild_id: GUILD,
      member: { user: ANN },
      data: { type: 1, name: 'golem', options: [{ type: 1, name: 'stop', options: [] }] },
    }
    expect(read({ t: 'INTERACTION_CREATE', d: command, golem: { channels: {} } })).toMatchObject({
      kind: 'message',
      place: { chat: CHAN, thread },
      command: { name: 'stop' },
    })
  })

  it('dc-resume-replays-message: what comes again is the same event', () => {
    const once = read(created({}, { delivery: 's:41' }))
    expect(read(created({}, { delivery: 't:7' })).event).toBe(once.event)
    const reaction = (delivery: string) =>
      read({
        t: 'MESSAGE_REACTION_ADD',
        d: {
          user_id: ANN.id,
          channel_id: CHAN,
          guild_id: GUILD,
          message_id: '500000000000000001',
          emoji: { id: null, name: '👍' },
        },
        golem: { delivery },
      }).event
    expect(reaction('s:42')).toBe(reaction('s:42'))
    // Taken away and set again in between.
    expect(reaction('s:44')).not.toBe(reaction('s:42'))
  })

  it('dc-direct-message-needs-partials: a direct chat nobody has heard of is one', () => {
    const d = {
      id: '500000000000000001',
      type: 0,
      channel_id: '740000000000000001',
      author: ANN,
      content: 'hi',
    }
    for (const golem of [undefined, { channels: {} }])
      expect(read({ t: 'MESSAGE_CREATE', d, golem })).toMatchObject({ kind: 'message', chat: { kind: 'dm' } })
    // Read back, no message says which server it is of.
    expect(read({ t: 'MESSAGE_CREATE', d, from: 'history' })).toMatchObject({ chat: { kind: 'group' } })
  })
})

describe('text', () => {
  it.each([
    ['<@1> and <@!2>', '@1 and @2'],
    ['<#3> <:smile:4> <a:dance:5> </ask it:6> <id:guide>', '#3 :smile: :dance: /ask it #guide'],
    [
      '<t:0> <t:1700000000:F> <t:99999999999999:R>',
      '1970-01-01 00:00 UTC 2023-11-14 22:13 UTC <t:99999999999999:R>',
    ],
    ['a \\<@1> b \\@everyone c\\\\d \\a', 'a <@1> b @everyone c\\d \\a'],
    ['`<@1>` ``a`b`` and ```<@2>```', '`<@1>` ``a`b`` and\n\n```\n<@2>\n```'],
    [
      '<https://x.example/a> <mailto:a@b.example> <nothing> < 3',
      'https://x.example/a mailto:a@b.example <nothing> < 3',
    ],
    ['[a **b** \\[c\\]](<https://x.example/(y)> "t")', '[a b [c]](https://x.example/(y))'],
    ['https://x.example/y. https://x.example/z)', 'https://x.example/y. https://x.example/z)'],
    ['> a\n> b\nc\n>>> d\n\ne', '> a\n> b\n\nc\n\n> d\n> \n> e'],
    ['a\n\n\nb\n', 'a\n\nb'],
    ['```js\n\nx\n```y', '```js\nx\n```\n\ny'],
    ['`` ` ``', '`` ` ``'],
    ['> ```\n> x\n> ```', '> ```\n> x\n> ```'],
    ['||hidden|| **b** _i_ __u__ ~~s~~', '||hidden|| **b** _i_ __u__ ~~s~~'],
  ])('%j reads %j', (written, source) => {
    expect(said(written).source).toBe(source)
  })

  it('only words that Discord took for it call everybody', () => {
    expect(mentionsOf(said('@everyone hi'))).toEqual([])
    const loud = message(created({ content: '@here hi `@everyone`', mention_everyone: true }))
    expect(mentionsOf(loud.doc)).toMatchObject([{ target: 'everyone', name: 'here' }])
  })

  it('a mention in code, in a quote or in a label is nobody called', () => {
    for (const text of [
      '`<@1>`',
      '```\n<@1>\n```',
      '> <@1>',
      '>>> a\n<@1>',
      '[<@1>](https://x.example)',
      '\\<@1>',
    ])
      expect(mentionsOf(said(text))).toEqual([])
  })

  it('every place in the tree says where it stands in the source', () => {
    const doc = said('a <@1> `c` [l](https://x.example)\n> q\n```\nx\n```')
    const at = ({ position }: { position?: Doc['position'] | Mention['position'] }) =>
      doc.source?.slice(position?.start.offset, position?.end.offset)
    expect(doc.children.map(at)).toEqual(['a @1 `c` [l](https://x.example)', '> q', '```\nx\n```'])
    const [paragraph] = doc.children
    expect(paragraph?.type === 'paragraph' && paragraph.children.map(at)).toEqual([
      'a ',
      '@1',
      ' ',
      '`c`',
      ' ',
      '[l](https://x.example)',
    ])
  })
})

describe('people', () => {
  it('are called as the server calls them, and by their other names', () => {
    const member = { nick: 'Bob' }
    const author = { ...ANN, global_name: 'Ann Lee' }
    expect(message(created({ author, member })).author).toEqual({
      id: ANN.id,
      name: 'Bob',
      kind: 'person',
      aliases: ['Ann Lee', 'ann'],
    })
  })

  it('dc-name-map-follows-rename: the newest name is the one that stands', () => {
    const mentions = [{ ...BEN, member: { nick: 'Joe' } }]
    expect(message(created({ content: `<@${BEN.id}>`, mentions })).doc.source).toBe('@Joe')
    expect(said(`<@${BEN.id}>`, { people: { [BEN.id]: { name: 'Joe' } } }).source).toBe('@Joe')
    expect(
      said('<@1>', { people: JSON.parse('{"__proto__":{"name":"x"}}') as NonNullable<Context['people']> })
        .source,
    ).toBe('@1')
  })

  it('own posts are known, webhooks of the same app among them', () => {
    const own = { author: { id: SELF.id, username: 'relay', bot: true } }
    const answer = { author: { id: '5', username: 'relay' }, webhook_id: '5', application_id: '5' }
    for (const d of [own, answer])
      expect(read(created(d, { applicationId: '5' }))).toMatchObject({
        kind: 'skipped',
        reason: 'own-message',
      })
    expect(read(created(answer, { applicationId: '6' }))).toMatchObject({ author: { kind: 'bot' } })
  })
})

describe('what is nothing', () => {
  it('a message that Discord blanked is no bare mention', () => {
    const blank = created(
      { content: '', mention_roles: ['900000000000000101'] },
      { content: false, ownRoles: ['900000000000000101'] },
    )
    expect(read(blank)).toMatchObject({ kind: 'skipped', reason: 'no-content', place: { chat: CHAN } })
    expect(read(blank).kind === 'skipped' && read(blank)).toMatchObject({
      detail: expect.stringContaining('Message Content'),
    })
    const edit = {
      ...blank,
      t: 'MESSAGE_UPDATE',
      d: { ...(blank.d as object), edited_timestamp: '2026-11-30T09:00:00.000000+00:00' },
    }
    expect(read(edit)).toMatchObject({ kind: 'skipped', reason: 'no-content' })
    expect(message(created({ content: `<@${SELF.id}>` })).doc.children).toHaveLength(1)
  })

  it('a preview after an edit is that edit', () => {
    const d = { ...(created({}).d as object), edited_timestamp: '2026-11-30T09:00:00.123000+00:00' }
    const edit = read({ t: 'MESSAGE_UPDATE', d })
    expect(edit).toMatchObject({ kind: 'edit', at: Date.UTC(2026, 10, 30, 9, 0, 0, 123) })
    expect(read({ t: 'MESSAGE_UPDATE', d: { ...d, embeds: [{}] } }).event).toBe(edit.event)
  })

  it('replies are told from what merely refers to something', () => {
    const reference = { message_id: '500000000000000000', channel_id: CHAN }
    expect(message(created({ type: 19, message_reference: reference })).replyTo).toEqual({
      id: reference.message_id,
    })
    for (const message_reference of [
      { ...reference, type: 1 },
      { ...reference, channel_id: '7' },
      { channel_id: CHAN },
    ])
      expect(message(created({ message_reference })).replyTo).toBeUndefined()
  })

  it('an id is digits, a name of an emoji one word', () => {
    for (const d of [{ id: '../1' }, { id: '' }, { id: 1 }, { channel_id: '1/2' }])
      expect(read(created(d))).toMatchObject({ kind: 'skipped', reason: 'malformed' })
    const emoji = { id: null, name: 'a\nb' }
    const d = { user_id: '1', channel_id: CHAN, guild_id: GUILD, message_id: '2', emoji }
    expect(read({ t: 'MESSAGE_REACTION_ADD', d })).toMatchObject({ reason: 'malformed' })
  })

  it('what nobody knows is skipped', () => {
    expect(read({ t: 'SOMETHING_NEW', d: { x: 1 } })).toMatchObject({ reason: 'unsupported-kind' })
    for (const raw of [null, 1, 'x', [], {}, { t: 'MESSAGE_CREATE' }, { t: 1, d: {} }])
      expect(read(raw)).toMatchObject({ kind: 'skipped', reason: 'malformed' })
  })
})

describe('commands', () => {
  const command = (data: object) =>
    message({
      t: 'INTERACTION_CREATE',
      d: {
        id: '500000000000000009',
        type: 2,
        channel_id: CHAN,
        guild_id: GUILD,
        member: { user: ANN },
        data,
      },
    })
  const text = (value: string) => ({ type: 1, name: 'golem', options: [{ type: 3, name: 'text', value }] })

  it.each([
    [text('why'), 'why', ''],
    [text('/status now'), 'status', 'now'],
    [text('what is this?'), 'ask', 'what is this?'],
    [{ type: 1, name: 'golem' }, 'help', ''],
    [{ type: 1, name: 'stop' }, 'stop', ''],
    [{ type: 1, name: 'golem', options: [{ type: 1, name: 'new', options: [] }] }, 'new', ''],
  ])('%j is %s', (data, name, source) => {
    const found = command(data)
    expect(found).toMatchObject({ command: { name }, id: 'command-500000000000000009', doc: { source } })
  })

  it('are no messages of the chat: their id is nothing that could be quoted', () => {
    expect(command(text('x')).id).not.toMatch(/^\d+$/)
    expect(parseDoc('').children).toEqual([])
  })
})

it('a file is found again by its name', () => {
  expect(sourceOf('1-2-3')).toEqual({ kind: 'attachment', channel: '1', message: '2', attachment: '3' })
  expect(sourceOf('sticker-7-4')).toEqual({ kind: 'sticker', sticker: '7', format: 4 })
  for (const id of ['1-2', '1-2-../3', 'sticker-7-9', '', '1-2-3-4']) expect(sourceOf(id)).toBeUndefined()
})
