/** Reading: tokens, history, chats, people, files. */
import { createReadStream, mkdtempSync, type ReadStream, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../kit/stage.js'
import { api, Closing, card, clientOf, markdown, newToken, send } from '../bot.fixture.js'
import type { FeishuOptions, FeishuSimulator } from '../index.js'
import { SCOPES } from '../options.js'

const closing = new Closing()
afterEach(() => closing.end())

/** The SDK names a part of a form by the path of a stream. */
function onDisk(name: string, bytes: Buffer): ReadStream {
  const folder = mkdtempSync(join(tmpdir(), 'feishu-'))
  closing.add(folder, () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), bytes)
  return createReadStream(join(folder, name))
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
let sim: FeishuSimulator
let ann: Person
let chat: string

async function begin(options: FeishuOptions = {}): Promise<void> {
  sim = await closing.feishu({ clock: { manual: true, start: 1_700_000_000_000 }, ...options })
  ann = sim.person('Ann')
  chat = sim.group('team', [ann])
}
beforeEach(() => begin())

describe('tokens', () => {
  const path = '/open-apis/auth/v3/tenant_access_token/internal'

  it('are good for two hours', async () => {
    const { appId, appSecret } = sim.settings('socket') as Record<string, string>
    const { body } = await send(`${sim.url}${path}`, 'POST', { app_id: appId, app_secret: appSecret })
    expect(body).toMatchObject({ code: 0, expire: 7200 })
    const token = String(body.tenant_access_token)
    expect((await api(sim, 'GET', '/bot/v3/info', undefined, token)).body.code).toBe(0)
    sim.clock.advance(7_200_000)
    expect((await api(sim, 'GET', '/bot/v3/info', undefined, token)).body.code).toBe(99991663)
  })

  it('are not given for a wrong secret or an unknown app', async () => {
    const { appId } = sim.settings('socket') as Record<string, string>
    const ask = async (id: string, secret: string) =>
      (await send(`${sim.url}${path}`, 'POST', { app_id: id, app_secret: secret })).body.code
    expect(await ask(appId ?? '', 'wrong')).toBe(10014)
    expect(await ask('cli_nobody', 'wrong')).toBe(10003)
  })

  it('are missed, and refused when they are none, or were taken away', async () => {
    const { status, body } = await send(`${sim.url}/open-apis/bot/v3/info`, 'GET')
    expect([status, body.code]).toEqual([400, 99991661])
    expect((await api(sim, 'GET', '/bot/v3/info', undefined, 't-wrong')).body.code).toBe(99991663)
    const token = await newToken(sim)
    sim.fault({ times: 1, do: { kind: 'revoke' } })
    expect((await api(sim, 'GET', '/bot/v3/info', undefined, token)).body.code).toBe(99991663)
    expect(await newToken(sim)).toBe('undefined')
    sim.restore()
    expect((await api(sim, 'GET', '/bot/v3/info')).body.code).toBe(0)
  })

  it('show in no call and in no recording', async () => {
    const token = await newToken(sim)
    await api(sim, 'GET', '/bot/v3/info', undefined, token)
    const { appSecret } = sim.settings('socket') as Record<string, string>
    for (const text of [JSON.stringify(sim.calls), sim.recording()]) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(appSecret)
    }
  })

  it('go with scopes', async () => {
    await begin({ scopes: SCOPES.filter((scope) => !scope.startsWith('im:chat')) })
    const { status, body } = await api(sim, 'GET', `/im/v1/chats/${chat}/members`)
    expect([status, body.code]).toEqual([400, 99991672])
    expect(body.error).toMatchObject({
      permission_violations: expect.arrayContaining([{ type: 'action_scope_required', subject: 'im:chat' }]),
    })
    const all = (await api(sim, 'GET', '/application/v6/scopes')).body.data?.scopes
    expect(all).toContainEqual({ scope_name: 'im:chat', grant_status: 2 })
    expect(all).toContainEqual({ scope_name: 'im:message', grant_status: 1 })
  })
})

describe('history', () => {
  const list = async (query: string) => {
    const { body } = await api(sim, 'GET', `/im/v1/messages?${query}`)
    return { ...body, items: (body.data?.items ?? []) as Record<string, unknown>[] }
  }

  it('gives a chat page by page, in either order, within times', async () => {
    const ids = Array.from({ length: 5 }, (_, n) => {
      sim.clock.advance(1_000)
      return sim.say(chat, ann, `m${n}`)
    })
    const container = `container_id_type=chat&container_id=${chat}`
    const first = await list(`${container}&page_size=2`)
    expect(first.items.map(({ message_id }) => message_id)).toEqual(ids.slice(0, 2))
    const next = await list(`${container}&page_size=2&page_token=${String(first.data?.page_token)}`)
    expect(next.items.map(({ message_id }) => message_id)).toEqual(ids.slice(2, 4))
    const newest = await list(`${container}&sort_type=ByCreateTimeDesc&page_size=1`)
    expect(newest.items).toMatchObject([{ message_id: ids[4], body: { content: '{"text":"m4"}' } }])
    const some = await list(`${container}&start_time=1700000002&end_time=1700000003`)
    expect(some.items.map(({ message_id }) => message_id)).toEqual(ids.slice(1, 3))
    expect((await list(`${container}&page_size=51`)).code).toBe(230001)
  })

  it('gives of topics the first message, and all by the topic', async () => {
    const topics = sim.feishu.topicGroup('topics', [ann])
    const root = sim.say(topics, ann, 'root')
    const thread = sim.feishu.topic(topics, root)
    const answer = sim.say(topics, ann, 'answer', { thread })
    const byChat = await list(`container_id_type=chat&container_id=${topics}`)
    expect(byChat.items).toMatchObject([{ message_id: root, thread_id: thread }])
    const byThread = await list(`container_id_type=thread&container_id=${thread}`)
    expect(byThread.items.map(({ message_id }) => message_id)).toEqual([root, answer])
  })

  it('tells what was taken back, and not what a card holds', async () => {
    const gone = sim.say(chat, ann, 'oops')
    sim.delete(chat, gone)
    const content = card(markdown('secret words'))
    const body = { receive_id: chat, msg_type: 'interactive', content }
    const sent = await api(sim, 'POST', '/im/v1/messages?receive_id_type=chat_id', body)
    const { items } = await list(`container_id_type=chat&container_id=${chat}`)
    expect(items).toMatchObject([{ deleted: true, body: { content: 'This message was recalled' } }, {}])
    expect(JSON.stringify(items)).not.toContain('secret words')
    const id = String(sent.body.data?.message_id)
    const whole = await api(sim, 'GET', `/im/v1/messages/${id}?card_msg_content_type=user_card_content`)
    expect(JSON.stringify(whole.body)).toContain('secret words')
  })

  it('of groups needs the scope to read all of them', async () => {
    await begin({ sees: 'addressed' })
    expect((await list(`container_id_type=chat&container_id=${chat}`)).code).toBe(230027)
    expect((await list(`container_id_type=chat&container_id=${sim.dm(ann)}`)).code).toBe(0)
  })

  it('is that of chats the bot is in', async () => {
    const id = sim.say(chat, ann, 'x')
    sim.feishu.remove(chat, sim.bot)
    expect((await list(`container_id_type=chat&container_id=${chat}`)).code).toBe(230002)
    expect((await api(sim, 'GET', `/im/v1/messages/${id}`)).body.code).toBe(230002)
  })

  it('gives a merged forward with all that is in it', async () => {
    const [one, two] = [sim.say(chat, ann, 'one'), sim.say(chat, ann, 'two')]
    const id = sim.feishu.forward(chat, ann, [one, two])
    const { body } = await api(sim, 'GET', `/im/v1/messages/${id}`)
    expect(body.data?.items).toMatchObject([
      { message_id: id, msg_type: 'merge_forward', body: { content: 'Merged and Forwarded Message' } },
      { upper_message_id: id, body: { content: '{"text":"one"}' } },
      { upper_message_id: id, body: { content: '{"text":"two"}' } },
    ])
    expect(sim.seen(chat).at(-1)?.text).toBe('Ann: one\nAnn: two')
  })
})

describe('chats and people', () => {
  it('a chat, its people page by page, and the chats there are', async () => {
    const bob = sim.person('Bob')
    sim.feishu.add(chat, bob)
    const got = await api(sim, 'GET', `/im/v1/chats/${chat}`)
    expect(got.body.data).toMatchObject({ name: 'team', chat_mode: 'group', user_count: '2', bot_count: '1' })
    const first = await api(sim, 'GET', `/im/v1/chats/${chat}/members?page_size=1`)
    expect(first.body.data).toMatchObject({
      items: [{ member_id: ann.id, name: 'Ann' }],
      has_more: true,
      member_total: 2,
    })
    const token = encodeURIComponent(String(first.body.data?.page_token))
    const next = await api(sim, 'GET', `/im/v1/chats/${chat}/members?page_size=1&page_token=${token}`)
    expect(next.body.data).toMatchObject({ items: [{ member_id: bob.id }], has_more: false })
    sim.dm(ann)
    const all = await api(sim, 'GET', '/im/v1/chats')
    expect(all.body.data?.items).toMatchObject([{ chat_id: chat }])
  })

  it('are refused where the bot is not, and where there is no chat', async () => {
    expect((await api(sim, 'GET', '/im/v1/chats/oc_nowhere')).body.code).toBe(232006)
    sim.feishu.remove(chat, sim.bot)
    expect((await api(sim, 'GET', `/im/v1/chats/${chat}/members`)).body.code).toBe(232011)
  })

  it('the bot itself, beside `data`', async () => {
    const { body } = await api(sim, 'GET', '/bot/v3/info')
    expect(body).toMatchObject({ code: 0, bot: { app_name: 'Golem', open_id: sim.bot.id } })
    expect(body).not.toHaveProperty('data')
  })

  it('people by their id, of the company alone, with names where that is granted', async () => {
    const name = async (person: Person) => (await api(sim, 'GET', `/contact/v3/users/${person.id}`)).body
    expect((await name(ann)).data).toMatchObject({ user: { open_id: ann.id, name: 'Ann', user_id: '' } })
    expect((await name(sim.feishu.externalPerson('Guest'))).code).toBe(41050)
    const bob = sim.person('Bob')
    const many = await api(sim, 'GET', `/contact/v3/users/batch?user_ids=${ann.id}&user_ids=${bob.id}`)
    expect(many.body.data?.items).toMatchObject([{ name: 'Ann' }, { name: 'Bob' }])
    sim.grant(SCOPES.filter((scope) => scope !== 'contact:user.base:readonly'))
    expect((await name(ann)).data?.user).not.toHaveProperty('name')
  })
})

describe('files', () => {
  it('go up by a form and are sent by their key, with the SDK', async () => {
    const client = clientOf(sim)
    const image = await client.im.v1.image.create({
      data: { image_type: 'message', image: onDisk('a.png', PNG) },
    })
    const file = await client.im.v1.file.create({
      data: { file_type: 'stream', file_name: '报告.txt', file: onDisk('a.txt', Buffer.from('words')) },
    })
    for (const [msg_type, content] of [
      ['image', { image_key: image?.image_key }],
      ['file', { file_key: file?.file_key }],
    ] as const) {
      const data = { receive_id: chat, msg_type, content: JSON.stringify(content) }
      await client.im.v1.message.create({ params: { receive_id_type: 'chat_id' }, data })
    }
    expect(sim.seen(chat).map(({ files }) => files)).toMatchObject([
      [{ bytes: 8 }],
      [{ name: '报告.txt', bytes: 5 }],
    ])
  })

  it('come down by the message they are in', async () => {
    const bytes = Buffer.from('the words')
    const id = sim.say(chat, ann, '', { files: [{ name: 'a.txt', mime: 'text/plain', bytes }] })
    const { body } = await api(sim, 'GET', `/im/v1/messages/${id}`)
    const [item] = (body.data?.items ?? []) as { body: { content: string } }[]
    const { file_key } = JSON.parse(item?.body.content ?? '') as { file_key: string }
    const got = await clientOf(sim).im.v1.messageResource.get({
      path: { message_id: id, file_key },
      params: { type: 'file' },
    })
    const chunks: Buffer[] = []
    for await (const chunk of got.getReadableStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks)).toEqual(bytes)
    const get = async (query: string, of = id) =>
      (await api(sim, 'GET', `/im/v1/messages/${of}/resources/${file_key}${query}`)).body.code
    expect(await get('')).toBe(234001)
    expect(await get('?type=image')).toBe(234003)
    expect(await get('?type=file', sim.say(chat, ann, 'another'))).toBe(234003)
  })

  it('are refused when they are empty, no image, or of another app', async () => {
    const form = async (path: string, fields: Record<string, string | Blob>) => {
      const data = new FormData()
      for (const [name, value] of Object.entries(fields)) data.append(name, value)
      const headers = { authorization: `Bearer ${await newToken(sim)}` }
      const answer = await fetch(`${sim.url}/open-apis${path}`, { method: 'POST', headers, body: data })
      return ((await answer.json()) as { code: number }).code
    }
    const image = (bytes: string) => ({ image_type: 'message', image: new Blob([bytes]) })
    expect(await form('/im/v1/images', image(''))).toBe(234010)
    expect(await form('/im/v1/images', image('words'))).toBe(234011)
    expect(await form('/im/v1/files', { file_type: 'mp3', file_name: 'x', file: new Blob(['x']) })).toBe(
      234001,
    )
    expect(await form('/im/v1/files', { file_type: 'stream', file: new Blob(['x']) })).toBe(234001)
    const other = sim.feishu.app({ name: 'Other' })
    sim.feishu.add(chat, other.person)
    const made = await clientOf(other).im.v1.file.create({
      data: {
        file_type: 'opus',
        file_name: 'a.opus',
        file: onDisk('a.opus', Buffer.from('x')),
        duration: 100,
      },
    })
    const data = { receive_id: chat, content: JSON.stringify({ file_key: made?.file_key }) }
    const path = '/im/v1/messages?receive_id_type=chat_id'
    expect((await api(sim, 'POST', path, { ...data, msg_type: 'audio' })).body.code).toBe(230017)
    expect((await api(other, 'POST', path, { ...data, msg_type: 'file' })).body.code).toBe(230055)
    expect((await api(other, 'POST', path, { ...data, msg_type: 'audio' })).body.code).toBe(0)
  })
})
