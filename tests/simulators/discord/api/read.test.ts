/** What a bot may read, and how much it may ask. */
import { afterEach, expect, it } from 'vitest'
import { api, Closing } from '../bot.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

const ids = (body: unknown) => (body as { id: string }[]).map(({ id }) => id)

it('history comes newest first, before, after and around a message', async () => {
  const sim = await closing.discord({ limits: 'off' })
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  const all = Array.from({ length: 10 }, (_, at) => sim.say(chat, ann, `message ${at}`))
  const newest = [...all].reverse()
  const read = async (query: string) =>
    ids((await api(sim, 'GET', `/channels/${chat}/messages${query}`)).body)
  expect(await read('')).toEqual(newest)
  expect(await read('?limit=3')).toEqual(newest.slice(0, 3))
  expect(await read(`?after=${all[4]}&limit=2`)).toEqual([all[6], all[5]])
  expect(await read(`?before=${all[4]}&limit=2`)).toEqual([all[3], all[2]])
  expect(await read(`?around=${all[4]}&limit=3`)).toEqual([all[5], all[4], all[3]])
  sim.discord.permit(chat, { deny: ['ReadMessageHistory'] })
  expect(await read('')).toEqual([])
})

it('without the intent in the portal, contents are blank by HTTP too, and members are not listed', async () => {
  const sim = await closing.discord({ granted: [] })
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  sim.say(chat, ann, 'plain')
  sim.say(chat, ann, 'named', { mention: true })
  const { body } = await api(sim, 'GET', `/channels/${chat}/messages`)
  expect((body as unknown as { content: string }[]).map(({ content }) => content)).toEqual([
    `<@${sim.bot.id}> named`,
    '',
  ])
  const members = `/guilds/${sim.discord.guild}/members`
  expect((await api(sim, 'GET', `${members}?limit=10`)).body).toMatchObject({ code: 50001 })
  expect((await api(sim, 'GET', '/applications/@me')).body.flags).toBe(0)
  sim.discord.grant(['GuildMembers'])
  expect((await api(sim, 'GET', '/applications/@me')).body.flags).toBe(1 << 15)
  const { body: list } = await api(sim, 'GET', `${members}?limit=10`)
  expect(
    (list as unknown as { user: { global_name: string | null } }[]).map(({ user }) => user.global_name),
  ).toContain('Ann')
  const { body: found } = await api(sim, 'GET', `${members}/search?query=an&limit=5`)
  expect(found).toMatchObject([{ user: { id: ann.id, username: 'ann' }, nick: null }])
})

it('guilds, channels, roles and people', async () => {
  const sim = await closing.discord({ limits: 'off' })
  const ann = sim.person('Ann')
  const chat = sim.group('general', [ann])
  sim.discord.nickname(ann, 'Annie')
  const guild = `/guilds/${sim.discord.guild}`
  expect((await api(sim, 'GET', guild)).body).toMatchObject({ name: 'Acme' })
  expect(ids((await api(sim, 'GET', `${guild}/channels`)).body)).toEqual([chat])
  expect((await api(sim, 'GET', `${guild}/roles`)).body).toMatchObject([
    { id: sim.discord.guild, name: '@everyone' },
    { id: sim.discord.botRole(), name: 'Golem', managed: true, tags: { bot_id: sim.bot.id } },
  ])
  expect((await api(sim, 'GET', `${guild}/members/${ann.id}`)).body).toMatchObject({ nick: 'Annie' })
  expect((await api(sim, 'GET', `/users/${ann.id}`)).body).toMatchObject({ global_name: 'Ann' })
  expect((await api(sim, 'GET', '/gateway/bot')).body).toMatchObject({
    url: `${sim.url.replace('http', 'ws')}/gateway`,
    shards: 1,
    session_start_limit: { total: 1_000, remaining: 1_000, max_concurrency: 1 },
  })
})

it('five posts in five seconds a channel, each told how many are left', async () => {
  const sim = await closing.discord({ clock: { manual: true } })
  const ann = sim.person('Ann')
  const [chat, other] = [sim.group('general', [ann]), sim.group('other', [ann])]
  const post = (where: string) => api(sim, 'POST', `/channels/${where}/messages`, { content: 'x' })
  for (const left of [4, 3, 2, 1, 0]) {
    const { status, headers } = await post(chat)
    expect([status, headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-limit')]).toEqual([
      200,
      `${left}`,
      '5',
    ])
  }
  const limited = await post(chat)
  expect(limited).toMatchObject({ status: 429, body: { retry_after: 5, global: false } })
  expect(limited.headers.get('retry-after')).toBe('5')
  expect(limited.headers.get('x-ratelimit-scope')).toBe('user')
  expect((await post(other)).status).toBe(200)
  sim.clock.advance(5_000)
  expect((await post(chat)).status).toBe(200)
})

it('fifty requests a second of the whole bot', async () => {
  const sim = await closing.discord({ clock: { manual: true } })
  const asked = await Promise.all(Array.from({ length: 55 }, () => api(sim, 'GET', `/users/${sim.bot.id}`)))
  const limited = asked.filter(({ status }) => status === 429)
  expect(limited).toHaveLength(5)
  expect(limited[0]?.body.global).toBe(true)
  expect(limited[0]?.headers.get('x-ratelimit-global')).toBe('true')
})
