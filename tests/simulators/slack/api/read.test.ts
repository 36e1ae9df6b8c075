/** What the Web API reads out: chats, people, files. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../kit/stage.js'
import { api, Closing } from '../bot.fixture.js'
import type { SlackOptions, SlackSimulator } from '../index.js'

const closing = new Closing()
let sim: SlackSimulator
let ann: Person
let chat: string

async function open(options: SlackOptions = {}): Promise<void> {
  sim = await closing.slack({ limits: 'off', ...options })
  ann = sim.person('Ann')
  chat = sim.group('dev', [ann])
}
beforeEach(() => open())
afterEach(() => closing.end())

const post = (args: Record<string, unknown>) => api(sim, 'chat.postMessage', { channel: chat, ...args })
const error = async (method: string, args: Record<string, unknown> = {}, token = 'bot') =>
  (await api(sim, method, args, token)).error

describe('conversations', () => {
  it('lists by page, public ones only unless asked', async () => {
    sim.dm(ann)
    sim.slack.channel('hidden', { private: true, joined: false })
    sim.slack.channel('team', { private: true })
    for (let n = 0; n < 4; n++) sim.slack.channel(`c${n}`, { joined: false })
    const first = await api(sim, 'conversations.list', { limit: 3 })
    const next = (first.response_metadata as { next_cursor: string }).next_cursor
    const second = await api(sim, 'conversations.list', { limit: 3, cursor: next })
    const names = [first, second].flatMap(({ channels }) =>
      (channels as { name: string }[]).map(({ name }) => name),
    )
    expect(names).toEqual(['dev', 'c0', 'c1', 'c2', 'c3'])
    expect(second.response_metadata).toEqual({ next_cursor: '' })
    expect(await error('conversations.list', { cursor: 'bad' })).toBe('invalid_cursor')
    const others = await api(sim, 'conversations.list', { types: 'private_channel,im' })
    expect((others.channels as { id: string }[]).length).toBe(2)
  })

  it('history is newest first, without replies, by bounds and pages; replies hold the root', async () => {
    const ids = ['a', 'b', 'c'].map((text) => sim.say(chat, ann, text))
    const reply = sim.say(chat, ann, 'r', { replyTo: ids[0] ?? '' })
    const both = sim.slack.say(chat, ann, 'shown', { replyTo: ids[0] ?? '', broadcast: true })
    const history = async (args: Record<string, unknown> = {}) => {
      const { messages } = await api(sim, 'conversations.history', { channel: chat, ...args })
      return (messages as { ts: string }[]).map(({ ts }) => ts)
    }
    expect(await history()).toEqual([both, ids[2], ids[1], ids[0]])
    expect(await history({ oldest: ids[0], latest: ids[2] })).toEqual([ids[1]])
    expect(await history({ oldest: ids[0], latest: ids[2], inclusive: true })).toEqual([
      ids[2],
      ids[1],
      ids[0],
    ])
    const page = await api(sim, 'conversations.history', { channel: chat, limit: 1 })
    expect(page).toMatchObject({ has_more: true })
    const thread = await api(sim, 'conversations.replies', { channel: chat, ts: ids[0] })
    expect((thread.messages as { ts: string }[]).map(({ ts }) => ts)).toEqual([ids[0], reply, both])
    expect((thread.messages as object[])[0]).toMatchObject({
      reply_count: 2,
      thread_ts: ids[0],
      latest_reply: both,
    })
    expect(await error('conversations.replies', { channel: chat, ts: '1.000000' })).toBe('thread_not_found')
  })

  it('gives metadata back when it is asked for', async () => {
    const metadata = { event_type: 'golem', event_payload: { key: 'k1' } }
    await post({ text: 'x', metadata })
    const plain = await api(sim, 'conversations.history', { channel: chat })
    const full = await api(sim, 'conversations.history', { channel: chat, include_all_metadata: true })
    expect((plain.messages as object[])[0]).not.toHaveProperty('metadata')
    expect((full.messages as object[])[0]).toMatchObject({ metadata })
  })

  it('joins public channels, and reads only where it is', async () => {
    const open = sim.slack.channel('open', { joined: false, people: [ann] })
    expect(await error('conversations.history', { channel: open })).toBe('not_in_channel')
    expect(await api(sim, 'conversations.join', { channel: open })).toMatchObject({
      ok: true,
      channel: { is_member: true },
    })
    expect(await api(sim, 'conversations.join', { channel: open })).toMatchObject({
      warning: 'already_in_channel',
    })
    expect((await api(sim, 'conversations.members', { channel: open })).members).toEqual([ann.id, sim.bot.id])
    expect(await error('conversations.join', { channel: sim.slack.channel('p', { private: true }) })).toBe(
      'method_not_supported_for_channel_type',
    )
  })
})

describe('people', () => {
  it('lists its own, and tells of others when asked', async () => {
    const eve = sim.slack.connectPerson('Guest Person')
    const guest = sim.slack.person({ name: 'Contractor', guest: 'single' })
    const { members } = await api(sim, 'users.list')
    const ids = (members as { id: string }[]).map(({ id }) => id)
    expect(ids).toContain(guest.id)
    expect(ids).not.toContain(eve.id)
    expect(await api(sim, 'users.info', { user: eve.id })).toMatchObject({
      user: {
        real_name: 'Guest Person',
        is_stranger: true,
        team_id: 'T0EXTERNAL',
        profile: { real_name: 'Guest Person' },
      },
    })
    expect(await api(sim, 'users.info', { user: guest.id })).toMatchObject({
      user: { is_restricted: true, is_ultra_restricted: true },
    })
    expect(await error('users.info', { user: 'U0NONE' })).toBe('user_not_found')
  })

  it('two people may have one name, never one handle', () => {
    const [a, b] = [sim.person('Sam Fox'), sim.person('Sam Fox')]
    expect([a.name, b.name]).toEqual(['Sam Fox', 'Sam Fox'])
    expect([a.username, b.username]).toEqual(['sam.fox', 'sam.fox2'])
  })

  it('knows bots, teams and groups', async () => {
    const { bot_id: bot } = await api(sim, 'auth.test')
    expect(await api(sim, 'bots.info', { bot })).toMatchObject({ bot: { user_id: sim.bot.id } })
    expect(await api(sim, 'team.info')).toMatchObject({ team: { name: 'Acme', domain: 'acme' } })
    const group = sim.slack.userGroup('ops', [ann])
    expect(await api(sim, 'usergroups.list', { include_users: true })).toMatchObject({
      usergroups: [{ id: group.id, users: [ann.id] }],
    })
    await post({ text: `<!subteam^${group.id}> <!here>` })
    expect(sim.seen(chat)[0]).toMatchObject({ text: '@ops @here', pings: [ann.id] })
  })
})

describe('files', () => {
  it('takes bytes only of the length that was said, and shares them once', async () => {
    const { upload_url: url, file_id: id } = await api(sim, 'files.getUploadURLExternal', {
      filename: 'a b.csv',
      length: 3,
    })
    const share = () =>
      api(sim, 'files.completeUploadExternal', { files: [{ id, title: 'T' }], channel_id: chat })
    expect((await fetch(String(url), { method: 'POST', body: 'four' })).status).toBe(400)
    expect((await share()).error).toBe('file_not_found')
    expect((await fetch(String(url), { method: 'POST', body: 'abc' })).status).toBe(200)
    expect((await share()).ok).toBe(true)
    expect((await share()).error).toBe('file_not_found')
    expect(sim.seen(chat)).toMatchObject([{ files: [{ name: 'a b.csv', bytes: 3 }] }])
  })

  it('gives a file to a token that may read it; else a page to sign in, not an error', async () => {
    sim.say(chat, ann, 'look', {
      files: [{ name: 'n.txt', mime: 'text/plain', bytes: Buffer.from('hello') }],
    })
    const { messages } = await api(sim, 'conversations.history', { channel: chat })
    const [{ files }] = messages as [{ files: [{ url_private: string }] }]
    const [{ url_private: url }] = files
    const { botToken } = sim.settings('socket') as { botToken: string }
    const headers = { authorization: `Bearer ${botToken}` }
    const good = await fetch(url, { headers })
    expect([good.headers.get('content-type'), await good.text()]).toEqual(['text/plain', 'hello'])
    const part = await fetch(url, { headers: { ...headers, range: 'bytes=1-2' } })
    expect([part.status, await part.text()]).toEqual([206, 'el'])
    const bad = await fetch(url)
    expect([bad.status, bad.redirected, bad.headers.get('content-type')]).toEqual([
      200,
      true,
      'text/html; charset=utf-8',
    ])
  })
})
