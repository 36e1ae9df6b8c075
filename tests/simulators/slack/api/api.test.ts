/** The rules of the Web API, by bare requests. */
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

describe('tokens and scopes', () => {
  it('tells missing, wrong, revoked and the wrong kind of token apart', async () => {
    expect(await error('auth.test', {}, '')).toBe('not_authed')
    expect(await error('auth.test', {}, 'xoxb-wrong')).toBe('invalid_auth')
    expect(await error('chat.postMessage', {}, 'app')).toBe('not_allowed_token_type')
    expect(await error('apps.connections.open', {}, 'bot')).toBe('not_allowed_token_type')
    sim.revoke()
    expect(await error('auth.test')).toBe('token_revoked')
    expect(await error('apps.connections.open', {}, 'app')).toBe('invalid_auth')
    sim.restore()
    expect(await api(sim, 'auth.test')).toMatchObject({
      ok: true,
      user_id: sim.bot.id,
      bot_id: expect.stringMatching(/^B/),
    })
  })

  it('names the scope that is needed and those that are there', async () => {
    await open({ scopes: ['reactions:read'] })
    expect(await post({ text: 'x' })).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'chat:write',
      provided: 'reactions:read',
    })
  })

  it('asks the history scope of the very kind of chat', async () => {
    await open({ scopes: ['channels:history'] })
    expect((await api(sim, 'conversations.history', { channel: chat })).ok).toBe(true)
    expect(await api(sim, 'conversations.history', { channel: sim.dm(ann) })).toMatchObject({
      error: 'missing_scope',
      needed: 'im:history',
    })
  })

  it('knows no method that is none, nor one of the object itself', async () => {
    expect(await error('no.such')).toBe('unknown_method')
    expect(await error('constructor')).toBe('unknown_method')
  })

  it('never logs a token, and takes a form with a token in it', async () => {
    const { botToken } = sim.settings('socket') as { botToken: string }
    const response = await fetch(`${sim.url}/api/chat.postMessage`, {
      method: 'POST',
      body: new URLSearchParams({
        token: botToken,
        channel: chat,
        text: 'x',
        blocks: '[{"type":"divider"}]',
      }),
    })
    expect(await response.json()).toMatchObject({ ok: true })
    expect(sim.calls.at(-1)?.params).toEqual({ channel: chat, text: 'x', blocks: [{ type: 'divider' }] })
    expect(sim.recording()).not.toContain(botToken)
  })
})

describe('chat.postMessage', () => {
  it('keeps text as rich text, and says what was posted', async () => {
    const answer = await post({
      text: '*hi* <@U0> &amp;',
      metadata: { event_type: 'golem', event_payload: { key: 'k' } },
    })
    expect(answer).toMatchObject({
      ok: true,
      channel: chat,
      message: {
        bot_id: expect.any(String),
        app_id: expect.any(String),
        metadata: { event_payload: { key: 'k' } },
      },
    })
    expect(sim.seen(chat)[0]?.text).toBe('hi @U0 &')
  })

  it.each([
    [{ text: 'x'.repeat(40_001) }, 'msg_too_long'],
    [{}, 'no_text'],
    [{ blocks: [{ type: 'markdown', text: 'x'.repeat(12_001) }] }, 'msg_blocks_too_long'],
    [{ blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3_001) } }] }, 'invalid_blocks'],
    [
      {
        blocks: Array.from({ length: 5 }, () => ({
          type: 'section',
          text: { type: 'mrkdwn', text: 'x'.repeat(2_900) },
        })),
      },
      'msg_blocks_too_long',
    ],
    [{ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }, 'invalid_blocks'],
    [{ blocks: [{ type: 'nothing' }] }, 'invalid_blocks'],
    [{ blocks: '{' }, 'invalid_blocks_format'],
    [{ text: 'x', metadata: { event_type: '' } }, 'invalid_metadata_format'],
    [{ text: 'x', thread_ts: '1' }, 'invalid_thread_ts'],
    [{ text: 'x', channel: 'C0NONE' }, 'channel_not_found'],
    [
      {
        blocks: [
          {
            type: 'actions',
            elements: [{ type: 'button', text: { type: 'plain_text', text: 'x'.repeat(76) } }],
          },
        ],
      },
      'invalid_blocks',
    ],
    [{ markdown_text: 'x', text: 'y' }, 'markdown_text_conflict'],
  ])('refuses %#', async (args, code) => {
    expect((await post(args)).error).toBe(code)
    expect(sim.seen(chat)).toEqual([])
    expect(sim.calls.at(-1)).toMatchObject({ method: 'chat.postMessage', status: 200, effect: false })
  })

  it('accepts what is just short enough', async () => {
    expect((await post({ text: 'x'.repeat(40_000) })).ok).toBe(true)
    expect((await post({ blocks: [{ type: 'markdown', text: 'x'.repeat(12_000) }] })).ok).toBe(true)
  })

  it('goes to a person by their id', async () => {
    const answer = await post({ channel: ann.id, text: 'psst' })
    expect(answer.channel).toBe(sim.dm(ann))
    expect(sim.seen(sim.dm(ann))).toMatchObject([{ text: 'psst' }])
    expect((await post({ channel: sim.bot.id, text: 'x' })).error).toBe('cannot_dm_bot')
  })

  it('a reply to a reply stands in the thread; to what is gone, in the channel', async () => {
    const root = sim.say(chat, ann, 'root')
    const reply = sim.say(chat, ann, 'reply', { replyTo: root })
    await post({ text: 'in', thread_ts: reply })
    const gone = sim.say(chat, ann, 'gone')
    sim.delete(chat, gone)
    const answer = await post({ text: 'out', thread_ts: gone })
    expect(answer.message).not.toHaveProperty('thread_ts')
    expect(sim.seen(chat).map(({ text, thread }) => [text, thread])).toEqual([
      ['root', undefined],
      ['reply', root],
      ['in', root],
      ['out', undefined],
    ])
  })

  it('a deleted message with replies leaves a tombstone, and its thread goes on', async () => {
    const root = sim.say(chat, ann, 'root')
    sim.say(chat, ann, 'reply', { replyTo: root })
    sim.delete(chat, root)
    const answer = await post({ text: 'on', thread_ts: root })
    expect(answer.message).toMatchObject({ thread_ts: root })
    expect(sim.seen(chat)[0]).toMatchObject({ id: root, text: 'This message was deleted.' })
  })

  it('writes nowhere it may not: private and unjoined, archived', async () => {
    const secret = sim.slack.channel('secret', { private: true, joined: false, people: [ann] })
    expect((await post({ channel: secret, text: 'x' })).error).toBe('channel_not_found')
    const open = sim.slack.channel('open', { joined: false, people: [ann] })
    expect((await post({ channel: open, text: 'x' })).ok).toBe(true)
    sim.slack.archive(chat, ann)
    expect((await post({ text: 'x' })).error).toBe('is_archived')
    await sim.close()
    sim = await closing.slack({ scopes: ['chat:write', 'channels:read'] })
    const unjoined = sim.slack.channel('open', { joined: false })
    expect((await post({ channel: unjoined, text: 'x' })).error).toBe('not_in_channel')
  })

  it('speaks under another name where it may', async () => {
    await post({ text: 'x', username: 'Reviewer', icon_emoji: ':eyes:' })
    expect(sim.seen(chat)[0]?.author).toMatchObject({ name: 'Reviewer', bot: true, id: sim.bot.id })
  })
})

describe('edits, deletes, whispers, reactions', () => {
  it('changes only its own messages; an edit pages nobody', async () => {
    const theirs = sim.say(chat, ann, 'mine')
    expect(await error('chat.update', { channel: chat, ts: theirs, text: 'x' })).toBe('cant_update_message')
    expect(await error('chat.delete', { channel: chat, ts: theirs })).toBe('cant_delete_message')
    expect(await error('chat.update', { channel: chat, ts: '1.000000', text: 'x' })).toBe('message_not_found')
    const { ts } = await post({ text: 'one' })
    await api(sim, 'chat.update', { channel: chat, ts, text: `two <@${ann.id}>` })
    expect(sim.seen(chat)[1]).toMatchObject({ text: 'two @Ann', edited: true, pings: [] })
    expect(await error('chat.update', { channel: chat, ts, text: 'x'.repeat(4_001) })).toBe('msg_too_long')
    expect((await api(sim, 'chat.delete', { channel: chat, ts })).ok).toBe(true)
    expect(await error('chat.delete', { channel: chat, ts })).toBe('message_not_found')
  })

  it('whispers to somebody who is there', async () => {
    const { message_ts: id } = await api(sim, 'chat.postEphemeral', {
      channel: chat,
      user: ann.id,
      text: 'psst',
    })
    expect(sim.seen(chat)).toMatchObject([{ id, onlyFor: ann.id }])
    const bob = sim.person('Bob')
    expect(sim.seen(chat, bob)).toEqual([])
    expect(await error('chat.postEphemeral', { channel: chat, user: bob.id, text: 'x' })).toBe(
      'user_not_in_channel',
    )
    expect(await error('chat.update', { channel: chat, ts: id, text: 'x' })).toBe('message_not_found')
    expect((await api(sim, 'conversations.history', { channel: chat })).messages).toEqual([])
  })

  it('reacts once, by name', async () => {
    const ts = sim.say(chat, ann, 'x')
    const react = (name: string, method = 'reactions.add') =>
      api(sim, method, { channel: chat, timestamp: ts, name })
    expect((await react('eyes')).ok).toBe(true)
    expect((await react('eyes')).error).toBe('already_reacted')
    expect((await react('👀')).error).toBe('invalid_name')
    expect((await react('nosuchemoji')).error).toBe('invalid_name')
    expect(await api(sim, 'reactions.get', { channel: chat, timestamp: ts })).toMatchObject({
      message: { reactions: [{ name: 'eyes', users: [sim.bot.id], count: 1 }] },
    })
    expect((await react('eyes', 'reactions.remove')).ok).toBe(true)
    expect((await react('eyes', 'reactions.remove')).error).toBe('no_reaction')
  })

  it('links to a message', async () => {
    const root = sim.say(chat, ann, 'x')
    const reply = sim.say(chat, ann, 'y', { replyTo: root })
    const { permalink } = await api(sim, 'chat.getPermalink', { channel: chat, message_ts: reply })
    expect(permalink).toBe(
      `https://acme.slack.com/archives/${chat}/p${reply.replace('.', '')}?thread_ts=${root}&cid=${chat}`,
    )
  })
})

describe('limits', () => {
  it('one post a second in a channel, with a burst; whole seconds to wait; other channels go on', async () => {
    await open({ limits: 'enforced', clock: { manual: true, start: 1_700_000_000_000 } })
    for (let n = 0; n < 4; n++) expect((await post({ text: 'x' })).ok).toBe(true)
    expect(await post({ text: 'x' })).toEqual({
      ok: false,
      error: 'ratelimited',
      status: 429,
      retryAfter: '1',
    })
    expect((await post({ channel: sim.group('other', [ann]), text: 'x' })).ok).toBe(true)
    sim.clock.advance(1_000)
    expect((await post({ text: 'x' })).ok).toBe(true)
  })

  it('a method has its tier', async () => {
    await open({ limits: 'enforced', clock: { manual: true } })
    for (let n = 0; n < 20; n++) expect((await api(sim, 'users.list')).ok).toBe(true)
    expect(await api(sim, 'users.list')).toMatchObject({ status: 429, retryAfter: '3' })
    expect((await api(sim, 'users.info', { user: ann.id })).ok).toBe(true)
  })
})

describe('faults', () => {
  it('happen as the platform words them, in their scope and number', async () => {
    sim.fault({ method: 'chat.postMessage', times: 1, do: { kind: 'rate-limit', retryAfterMs: 1_200 } })
    expect(await post({ text: 'x' })).toMatchObject({ status: 429, retryAfter: '2' })
    sim.fault({ method: 'chat.postMessage', times: 1, do: { kind: 'refuse', code: 'restricted_action' } })
    expect((await post({ text: 'x' })).error).toBe('restricted_action')
    expect(sim.seen(chat)).toEqual([])
    expect((await post({ text: 'x' })).ok).toBe(true)
  })

  it('an effect without an answer is there, and told so in the log', async () => {
    sim.fault({ times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(post({ text: 'x' })).rejects.toThrow()
    expect(sim.seen(chat)).toHaveLength(1)
    expect(sim.calls.at(-1)).toMatchObject({ status: null, effect: true })
  })

  it('a chat given by a person is the direct chat', async () => {
    const im = sim.dm(ann)
    sim.fault({ chat: im, do: { kind: 'refuse', code: 'messages_tab_disabled' } })
    expect((await post({ channel: ann.id, text: 'x' })).error).toBe('messages_tab_disabled')
    expect((await post({ text: 'x' })).ok).toBe(true)
  })

  it('a revoked token is answered as one', async () => {
    sim.fault({ method: 'auth.test', times: 1, do: { kind: 'revoke' } })
    expect(await error('auth.test')).toBe('token_revoked')
    expect((await post({ text: 'x' })).error).toBe('token_revoked')
  })
})

describe('status line', () => {
  it('shows under a thread for two minutes', async () => {
    await open({ clock: { manual: true } })
    const ts = sim.say(chat, ann, 'x')
    await api(sim, 'assistant.threads.setStatus', { channel_id: chat, thread_ts: ts, status: 'is thinking' })
    expect(sim.status(chat, ts)).toBe('is thinking')
    sim.clock.advance(120_001)
    expect(sim.status(chat, ts)).toBe('')
  })

  it('ends with the answer in the thread', async () => {
    const ts = sim.say(chat, ann, 'x')
    await api(sim, 'assistant.threads.setStatus', { channel_id: chat, thread_ts: ts, status: 'is thinking' })
    await post({ text: 'done', thread_ts: ts })
    expect(sim.status(chat, ts)).toBe('')
  })
})
