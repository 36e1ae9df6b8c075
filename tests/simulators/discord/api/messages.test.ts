/** Posting and its rules, by bare calls: what each field may hold, whom a post pages, what is refused and how. */
import { afterEach, describe, expect, it } from 'vitest'
import { api, Closing } from '../bot.fixture.js'
import type { DiscordOptions, DiscordSimulator } from '../index.js'

const closing = new Closing()
afterEach(() => closing.end())

async function world(options: DiscordOptions = {}) {
  const sim = await closing.discord({ limits: 'off', ...options })
  const [ann, bob] = [sim.person('Ann'), sim.person('Bob')]
  const chat = sim.group('general', [ann, bob])
  const post = (body: unknown, where = chat) => api(sim, 'POST', `/channels/${where}/messages`, body)
  return { sim, ann, bob, chat, post }
}

const codes = (sim: DiscordSimulator) => sim.calls.map(({ method, status }) => [method, status])

describe('a post', () => {
  it('is trimmed, counted in code points, and may not be empty', async () => {
    const { sim, chat, post } = await world()
    expect((await post({ content: '  hi \n' })).body.content).toBe('hi')
    expect((await post({ content: '😀'.repeat(2_000) })).status).toBe(200)
    const long = await post({ content: 'x'.repeat(2_001) })
    expect(long).toMatchObject({
      status: 400,
      body: {
        code: 50035,
        message: 'Invalid Form Body',
        errors: {
          content: {
            _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }],
          },
        },
      },
    })
    expect((await post({ content: ' ' })).body).toMatchObject({ code: 50006 })
    expect(sim.seen(chat)).toHaveLength(2)
  })

  it('with a nonce that is enforced is made once, for some minutes', async () => {
    const { sim, chat, post } = await world()
    const body = { content: 'once', nonce: 'abc', enforce_nonce: true }
    const [one, other] = [await post(body), await post({ ...body, content: 'twice' })]
    expect(other.body).toMatchObject({ id: one.body.id, content: 'once', nonce: 'abc' })
    expect(sim.calls.map(({ effect }) => effect)).toEqual([true, false])
    expect((await post({ content: 'not enforced', nonce: 'abc' })).body.id).not.toBe(one.body.id)
    sim.clock.advance(6 * 60_000)
    expect((await post(body)).body.id).not.toBe(one.body.id)
    expect(sim.seen(chat)).toHaveLength(3)
    expect((await post({ content: 'x', nonce: 'n'.repeat(26) })).body.code).toBe(50035)
    // Not kept: whoever reads the history does not find it.
    const { body: read } = await api(sim, 'GET', `/channels/${chat}/messages/${String(one.body.id)}`)
    expect(read).not.toHaveProperty('nonce')
  })

  it('replies, and fails when the message is gone unless it is told not to', async () => {
    const { sim, ann, chat, post } = await world()
    const id = sim.say(chat, ann, 'question')
    const reply = await post({ content: 'answer', message_reference: { message_id: id } })
    expect(reply.body).toMatchObject({ type: 19, referenced_message: { id, content: 'question' } })
    sim.delete(chat, id)
    const gone = await post({ content: 'late', message_reference: { message_id: id } })
    expect(gone.body).toMatchObject({
      code: 50035,
      errors: { message_reference: { _errors: [{ code: 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE' }] } },
    })
    const plain = await post({
      content: 'late',
      message_reference: { message_id: id, fail_if_not_exists: false },
    })
    expect(plain).toMatchObject({ status: 200, body: { type: 0 } })
    expect(sim.seen(chat).map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['answer', id],
      ['late', undefined],
    ])
  })

  it('may be silent, and without previews', async () => {
    const { sim, chat, post } = await world()
    const embeds = [{ title: 'Preview', url: 'https://x.example' }]
    await post({ content: 'shh', embeds, flags: (1 << 12) | (1 << 2) })
    await post({ content: 'loud', embeds })
    expect(sim.seen(chat).map(({ silent, text, links }) => [silent, text, links.length])).toEqual([
      [true, 'shh', 0],
      [false, 'loud\nPreview', 1],
    ])
  })

  it('forwards', async () => {
    const { sim, ann, chat, post } = await world()
    const other = sim.group('other', [ann])
    const id = sim.say(chat, ann, 'the **news**')
    const forward = await post({ message_reference: { type: 1, message_id: id, channel_id: chat } }, other)
    expect(forward.body).toMatchObject({
      type: 0,
      content: '',
      message_reference: { type: 1, message_id: id },
      message_snapshots: [{ message: { content: 'the **news**' } }],
    })
    expect(sim.seen(other)[0]?.text).toBe('the news')
  })
})

describe('whom a post pages', () => {
  it.each([
    ['everybody it names when nothing is said', undefined, ['Ann', 'Bob']],
    ['nobody', { parse: [] }, []],
    ['those on the list', { parse: [], users: ['Ann'] }, ['Ann']],
    ['people, but not everyone', { parse: ['users'] }, ['Ann']],
    ['everyone', { parse: ['everyone'] }, ['Ann', 'Bob']],
  ])('%s', async (_, allowed, expected) => {
    const { sim, ann, bob, chat, post } = await world()
    const names = new Map([ann, bob].map((one) => [one.name, one.id]))
    const list = (allowed as { users?: string[] } | undefined)?.users?.map((name) => names.get(name))
    await post({
      content: `@everyone <@${ann.id}> \`<@${bob.id}>\``,
      ...(allowed !== undefined && {
        allowed_mentions: { ...allowed, ...(list !== undefined && { users: list }) },
      }),
    })
    expect(sim.seen(chat)[0]?.pings).toEqual(expected.map((name) => names.get(name)))
  })

  it('the person replied to only where that is said', async () => {
    const { sim, ann, chat, post } = await world()
    const message_reference = { message_id: sim.say(chat, ann, 'question') }
    await post({ content: 'a', message_reference })
    await post({ content: 'b', message_reference, allowed_mentions: { parse: [] } })
    await post({ content: 'c', message_reference, allowed_mentions: { parse: [], replied_user: true } })
    expect(
      sim
        .seen(chat)
        .slice(1)
        .map(({ pings }) => pings),
    ).toEqual([[ann.id], [], [ann.id]])
  })

  it('a role by its list; everyone only with the permission; nobody by an edit', async () => {
    const { sim, ann, bob, chat, post } = await world()
    const role = sim.discord.role('oncall', { people: [bob] })
    await post({ content: `<@&${role}>`, allowed_mentions: { parse: [], roles: [role] } })
    sim.discord.permit(chat, { deny: ['MentionEveryone'] })
    await post({ content: '@everyone @here' })
    const { body } = await post({ content: 'plain' })
    await api(sim, 'PATCH', `/channels/${chat}/messages/${String(body.id)}`, { content: `<@${ann.id}>` })
    expect(sim.seen(chat).map(({ text, pings }) => [text, pings])).toEqual([
      ['@oncall', [bob.id]],
      ['@everyone @here', []],
      ['@Ann', []],
    ])
  })

  it('is refused when it contradicts itself', async () => {
    const { post, ann } = await world()
    const both = await post({ content: 'x', allowed_mentions: { parse: ['users'], users: [ann.id] } })
    expect(JSON.stringify(both.body)).toContain('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE')
    const many = await post({
      content: 'x',
      allowed_mentions: { users: Array.from({ length: 101 }, () => ann.id) },
    })
    expect(many.body.code).toBe(50035)
  })
})

describe('refusals', () => {
  it('say where and why', async () => {
    const { sim, ann, chat, post } = await world()
    const secret = sim.discord.channel('secret', { people: [ann], joined: false })
    const quiet = sim.group('quiet', [ann])
    sim.discord.permit(quiet, { deny: ['SendMessages'] })
    const forum = sim.discord.channel('forum', { kind: 'forum' })
    const own = String((await post({ content: 'mine' })).body.id)
    const theirs = sim.say(chat, ann, 'theirs')
    const M = `/channels/${chat}/messages`
    const cases: [method: string, path: string, body: unknown, status: number, code: number][] = [
      ['POST', '/channels/1/messages', { content: 'x' }, 404, 10003],
      ['POST', '/channels/abc/messages', { content: 'x' }, 400, 50035],
      ['POST', `/channels/${secret}/messages`, { content: 'x' }, 403, 50001],
      ['POST', `/channels/${quiet}/messages`, { content: 'x' }, 403, 50013],
      ['POST', `/channels/${forum}/messages`, { content: 'x' }, 400, 40058],
      ['PATCH', `${M}/1`, { content: 'x' }, 404, 10008],
      ['PATCH', `${M}/${theirs}`, { content: 'x' }, 403, 50005],
      ['DELETE', `${M}/${theirs}`, undefined, 403, 50013],
      ['PATCH', `${M}/${own}`, { content: '' }, 400, 50006],
      ['PUT', `${M}/${own}/reactions/nothing/@me`, undefined, 400, 10014],
      ['PUT', `${M}/1/reactions/%F0%9F%91%8D/@me`, undefined, 404, 10008],
      ['GET', `${M}?limit=101`, undefined, 400, 50035],
      ['GET', '/guilds/1', undefined, 404, 10004],
      ['GET', '/nowhere', undefined, 404, 0],
    ]
    for (const [method, path, body, status, code] of cases) {
      const refused = await api(sim, method, path, body)
      expect([path, refused.status, refused.body.code]).toEqual([path, status, code])
    }
    expect((await api(sim, 'GET', '/users/@me', undefined, 'wrong')).body).toEqual({
      message: '401: Unauthorized',
      code: 0,
    })
  })

  it('of components name the place', async () => {
    const { post } = await world()
    const row = (...components: unknown[]) => ({ content: 'x', components: [{ type: 1, components }] })
    const button = (more: object) => ({ type: 2, style: 1, label: 'Yes', custom_id: 'a', ...more })
    const bad = [
      row(button({ custom_id: 'a'.repeat(101) })),
      row(button({ label: 'l'.repeat(81) })),
      row(button({}), button({})),
      row(...Array.from({ length: 6 }, (_, at) => button({ custom_id: `${at}` }))),
      {
        content: 'x',
        components: Array.from({ length: 6 }, (_, at) => row(button({ custom_id: `${at}` })).components[0]),
      },
      row(button({ custom_id: undefined })),
      { content: 'x', components: [button({})] },
    ]
    for (const body of bad) {
      const { body: answer } = await post(body)
      expect(answer).toMatchObject({ code: 50035, errors: { components: expect.anything() } })
    }
    expect((await post(row(button({ custom_id: 'a'.repeat(100) })))).status).toBe(200)
  })

  it('in a direct chat: people may be closed to the bot', async () => {
    const { sim, ann, post } = await world()
    const { body } = await api(sim, 'POST', '/users/@me/channels', { recipient_id: ann.id })
    expect(body.id).toBe(sim.dm(ann))
    sim.discord.closeDms(ann)
    expect((await post({ content: 'x' }, sim.dm(ann))).body.code).toBe(50007)
    sim.discord.closeDms(ann, false)
    expect((await post({ content: 'x' }, sim.dm(ann))).status).toBe(200)
  })
})

it('reactions are put and taken, once each, custom ones too', async () => {
  const { sim, ann, chat } = await world()
  const id = sim.say(chat, ann, 'nice')
  const party = sim.discord.emoji('party').slice(2, -1)
  const at = (emoji: string) => `/channels/${chat}/messages/${id}/reactions/${encodeURIComponent(emoji)}/@me`
  for (const emoji of ['👍', '👍', party]) expect((await api(sim, 'PUT', at(emoji))).status).toBe(204)
  sim.react(chat, id, ann, '👍')
  expect(sim.seen(chat)[0]?.reactions).toEqual([
    { emoji: '👍', by: sim.bot.id },
    { emoji: '👍', by: ann.id },
    { emoji: ':party:', by: sim.bot.id },
  ])
  expect((await api(sim, 'DELETE', at('👍'))).status).toBe(204)
  expect(sim.seen(chat)[0]?.reactions.map(({ by }) => by)).toEqual([ann.id, sim.bot.id])
})

it('faults meet calls by their name, and do what they say', async () => {
  const { sim, chat, post } = await world()
  sim.fault({
    method: 'createMessage',
    times: 1,
    do: { kind: 'refuse', code: 50035, description: 'content: BASE_TYPE_BAD' },
  })
  expect(await post({ content: 'x' })).toMatchObject({ status: 400, body: { errors: { content: {} } } })
  sim.fault({
    method: 'createMessage',
    times: 1,
    do: { kind: 'rate-limit', retryAfterMs: 1_500, scope: 'account' },
  })
  expect(await post({ content: 'x' })).toMatchObject({
    status: 429,
    body: { retry_after: 1.5, global: true },
  })
  expect((await post({ content: 'x' })).headers.get('x-ratelimit-scope')).toBe('global')
  sim.clock.advance(1_500)
  sim.fault({ method: 'createMessage', times: 1, do: { kind: 'silent-success', how: 'cut' } })
  await expect(post({ content: 'heard', nonce: '1', enforce_nonce: true })).rejects.toThrow()
  expect((await post({ content: 'heard', nonce: '1', enforce_nonce: true })).status).toBe(200)
  expect(sim.seen(chat).map(({ text }) => text)).toEqual(['heard'])
  expect(codes(sim).map(([, status]) => status)).toEqual([400, 429, 429, null, 200])
  sim.fault({ method: 'createMessage', times: 1, do: { kind: 'revoke' } })
  expect((await post({ content: 'x' })).status).toBe(401)
  expect(sim.recording()).not.toContain('Simulated.BotTokenInABox')
})
