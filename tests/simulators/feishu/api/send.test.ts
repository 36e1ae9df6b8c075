/** Sending and replying, by bare calls. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../kit/stage.js'
import { api, Closing, card, clientOf, type Json, markdown } from '../bot.fixture.js'
import type { FeishuOptions, FeishuSimulator } from '../index.js'

const closing = new Closing()
afterEach(() => closing.end())

let sim: FeishuSimulator
let ann: Person
let chat: string

async function begin(options: FeishuOptions = {}): Promise<void> {
  sim = await closing.feishu({ clock: { manual: true, start: 1_700_000_000_000 }, ...options })
  ann = sim.person('Ann')
  chat = sim.group('team', [ann])
}
beforeEach(() => begin())

const text = (value: string) => JSON.stringify({ text: value })
const create = (more: Json = {}, type = 'chat_id') =>
  api(sim, 'POST', `/im/v1/messages?receive_id_type=${type}`, {
    receive_id: chat,
    msg_type: 'text',
    content: text('hello'),
    ...more,
  })
const reply = (id: string, more: Json = {}) =>
  api(sim, 'POST', `/im/v1/messages/${id}/reply`, { msg_type: 'text', content: text('re'), ...more })
const idOf = ({ body }: Awaited<ReturnType<typeof create>>): string => String(body.data?.message_id)

describe('create', () => {
  it('posts to a chat, and answers the message', async () => {
    const { status, body, headers } = await create({ content: text(`<at user_id="${ann.id}"></at> hi`) })
    expect(status).toBe(200)
    expect(headers['x-tt-logid']).toMatch(/^\d{14}[0-9A-F]{18}$/)
    expect(body).toMatchObject({
      code: 0,
      data: {
        message_id: expect.stringMatching(/^om_/),
        msg_type: 'text',
        chat_id: chat,
        sender: { id_type: 'app_id', sender_type: 'app' },
        body: { content: '{"text":"@_user_1 hi"}' },
        mentions: [{ key: '@_user_1', id: ann.id, id_type: 'open_id', name: 'Ann' }],
      },
    })
    expect(sim.seen(chat)).toMatchObject([{ text: '@Ann hi', pings: [ann.id] }])
  })

  it('posts to a person by any of their ids, always in the one direct chat', async () => {
    const { openId, unionId, email } = sim.feishu.idsOf(ann)
    for (const [type, id] of [
      ['open_id', openId],
      ['union_id', unionId],
      ['email', email],
    ] as const) {
      expect((await create({ receive_id: id }, type)).body.code).toBe(0)
    }
    expect(sim.seen(sim.dm(ann))).toHaveLength(3)
  })

  it('posts once for one uuid in an hour, and gives the message there is', async () => {
    const first = await create({ uuid: 'u1' })
    sim.clock.advance(3_599_000)
    expect(idOf(await create({ uuid: 'u1', content: text('other') }))).toBe(idOf(first))
    expect(sim.seen(chat)).toHaveLength(1)
    sim.clock.advance(2_000)
    expect(idOf(await create({ uuid: 'u1' }))).not.toBe(idOf(first))
    expect((await create({ uuid: 'x'.repeat(51) })).body.code).toBe(99992402)
  })

  it('posts once when an answer was lost on the way', async () => {
    sim.fault({ method: 'im.message.create', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(create({ uuid: 'u2' })).rejects.toThrow()
    expect(sim.seen(chat)).toHaveLength(1)
    expect((await create({ uuid: 'u2' })).body.code).toBe(0)
    expect(sim.seen(chat)).toHaveLength(1)
    expect(sim.calls.filter(({ method }) => method === 'im.message.create')).toMatchObject([
      { status: null, effect: true, chat },
      { status: 200, chat },
    ])
  })

  it.each<[string, Json, number, string?]>([
    ['a chat that is not there', { receive_id: 'oc_nowhere' }, 230001],
    ['a missing field', { msg_type: '' }, 99992402],
    ['an unknown type', { msg_type: 'hologram' }, 230001],
    ['a text that is no JSON', { content: 'hello' }, 230001],
    ['an empty text', { content: text('') }, 230001],
    ['a text of more than 150 KB', { content: text('汉'.repeat(51_200)) }, 230025],
    [
      'a card of more than 30 KB',
      { msg_type: 'interactive', content: card(markdown('汉'.repeat(10_300))) },
      230025,
    ],
    [
      'a card with a bad person',
      { msg_type: 'interactive', content: card(markdown('<at id=ou_x></at>')) },
      230099,
    ],
    ['rich text without a language', { msg_type: 'post', content: '{"title":"x"}' }, 230001],
    [
      'rich text with a tag nobody knows',
      { msg_type: 'post', content: '{"zh_cn":{"content":[[{"tag":"x"}]]}}' },
      230001,
    ],
    [
      'rich text with a bad address',
      { msg_type: 'post', content: '{"zh_cn":{"content":[[{"tag":"a","text":"a","href":"x"}]]}}' },
      230001,
    ],
    ['an image that is not there', { msg_type: 'image', content: '{"image_key":"img_x"}' }, 230001],
  ])('refuses %s', async (_, more, code) => {
    const { status, body } = await create(more)
    expect([status, body.code]).toEqual([400, code])
    expect(body).toMatchObject({ msg: expect.any(String), error: { log_id: expect.any(String) } })
    expect(sim.seen(chat)).toEqual([])
  })

  it('refuses chats that it is not in, that are no more, that are closed, and people it may not write to', async () => {
    const elsewhere = sim.feishu.group('elsewhere', { people: [ann], joined: false })
    expect((await create({ receive_id: elsewhere })).body.code).toBe(230002)
    const other = sim.feishu.app({ name: 'Other' })
    expect((await create({ receive_id: other.openId(ann) }, 'open_id')).body.code).toBe(99992361)
    sim.feishu.allow(chat, { speakers: 'only_owner' })
    expect((await create()).body.code).toBe(230018)
    sim.feishu.disband(chat)
    expect((await create()).body.code).toBe(232009)
    sim.feishu.resign(ann)
    expect((await create({ receive_id: ann.id }, 'open_id')).body.code).toBe(230013)
  })

  it('names everybody only where that is allowed', async () => {
    const all = { content: text('<at user_id="all"></at> hi') }
    expect((await create(all)).body.code).toBe(0)
    expect(sim.seen(chat)).toMatchObject([{ text: '@所有人 hi', pings: [ann.id] }])
    sim.feishu.allow(chat, { atAll: 'only_owner' })
    expect((await create(all)).body.code).toBe(230018)
  })

  it('shows a mention of nobody as it was written', async () => {
    await create({ content: text('<at user_id="ou_x">x</at>') })
    expect(sim.seen(chat)).toMatchObject([{ text: '<at user_id="ou_x">x</at>', pings: [] }])
  })

  it('takes rich text in the language of the tenant', async () => {
    const paragraph = (value: string) => ({ content: [[{ tag: 'md', text: value }]] })
    const content = JSON.stringify({ zh_cn: paragraph('**你好**'), en_us: paragraph('**hello**') })
    await create({ msg_type: 'post', content })
    expect(sim.seen(chat)).toMatchObject([{ text: '你好' }])
    await begin({ locale: 'en' })
    await create({ msg_type: 'post', content })
    expect(sim.seen(chat)).toMatchObject([{ text: 'hello' }])
  })
})

describe('reply', () => {
  it('quotes; a reply to a reply keeps the root', async () => {
    const root = sim.say(chat, ann, 'root')
    const first = await reply(root)
    expect(first.body.data).toMatchObject({ root_id: root, parent_id: root })
    expect(first.body.data).not.toHaveProperty('thread_id')
    const second = await reply(idOf(first))
    expect(second.body.data).toMatchObject({ root_id: root, parent_id: idOf(first) })
  })

  it('opens a topic when asked, and stays in one', async () => {
    const root = sim.say(chat, ann, 'root')
    const first = await reply(root, { reply_in_thread: true })
    const thread = first.body.data?.thread_id
    expect(thread).toMatch(/^omt_/)
    const second = await reply(idOf(first))
    expect(second.body.data).toMatchObject({ root_id: root, parent_id: root, thread_id: thread })
    expect(sim.seen(chat).map(({ thread }) => thread)).toEqual([thread, thread, thread])
  })

  it('is refused when the message was taken back, or is not there', async () => {
    const root = sim.say(chat, ann, 'root')
    sim.delete(chat, root)
    expect(await reply(root)).toMatchObject({
      status: 400,
      body: { code: 230011, msg: 'The message was withdrawn.' },
    })
    expect((await reply('om_nothing')).body.code).toBe(231003)
    expect((await reply('nonsense')).body.code).toBe(230001)
  })

  it('can be made to fail without a code, as has been seen', async () => {
    const root = sim.say(chat, ann, 'root')
    sim.fault({
      method: 'im.message.reply',
      times: 1,
      do: { kind: 'refuse', code: '', description: 'The message was withdrawn.' },
    })
    expect(await reply(root)).toMatchObject({ status: 400, body: { msg: 'The message was withdrawn.' } })
  })
})

describe('limits', () => {
  it('five a second in a chat, shared by its bots', async () => {
    const other = sim.feishu.app({ name: 'Other' })
    sim.feishu.add(chat, other.person)
    for (let n = 0; n < 5; n++) expect((await create()).body.code).toBe(0)
    expect((await create()).body.code).toBe(230020)
    const body = { receive_id: chat, msg_type: 'text', content: text('x') }
    expect((await api(other, 'POST', '/im/v1/messages?receive_id_type=chat_id', body)).body.code).toBe(230020)
    sim.clock.advance(1_000)
    expect((await create()).body.code).toBe(0)
  })

  it('fifty a second for a method, and it says when to come again', async () => {
    for (let n = 0; n < 50; n++) await api(sim, 'GET', '/bot/v3/info')
    const { status, body, headers } = await api(sim, 'GET', '/bot/v3/info')
    expect([status, body.code]).toEqual([429, 99991400])
    expect(headers['x-ogw-ratelimit-reset']).toBe('1')
  })

  it('on demand, to the second', async () => {
    sim.fault({ method: 'im.message.create', do: { kind: 'rate-limit', retryAfterMs: 7_000 } })
    const { status, headers } = await create()
    expect([status, headers['x-ogw-ratelimit-reset']]).toEqual([429, '7'])
  })
})

describe('cards for one person', () => {
  it('are seen by that person alone, and page nobody', async () => {
    const bob = sim.person('Bob')
    sim.feishu.add(chat, bob)
    const content = JSON.parse(card(markdown(`<at id=${ann.id}></at> psst`))) as Json
    const body = { chat_id: chat, open_id: ann.id, msg_type: 'interactive', card: content }
    const sent = await api(sim, 'POST', '/ephemeral/v1/send', body)
    expect(sim.seen(chat, ann).at(-1)).toMatchObject({ text: '@Ann psst', onlyFor: ann.id, pings: [] })
    expect(sim.seen(chat, bob).at(-1)?.text).not.toContain('psst')
    const away = { message_id: String(sent.body.data?.message_id) }
    expect((await api(sim, 'POST', '/ephemeral/v1/delete', away)).body.code).toBe(0)
    expect(sim.seen(chat, ann).at(-1)?.text).not.toContain('psst')
    const topics = sim.feishu.topicGroup('topics', [ann])
    expect((await api(sim, 'POST', '/ephemeral/v1/send', { ...body, chat_id: topics })).body.code).toBe(
      230018,
    )
  })
})

it('the SDK throws what the platform refuses, with its code', async () => {
  const asked = clientOf(sim).im.v1.message.create({
    params: { receive_id_type: 'chat_id' },
    data: { receive_id: 'oc_nowhere', msg_type: 'text', content: text('x') },
  })
  await expect(asked).rejects.toMatchObject({ response: { status: 400, data: { code: 230001 } } })
})
