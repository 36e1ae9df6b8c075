import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ConnectFailure, type Inbound, type Member, type Operation } from '../../src/messaging/contract.js'
import type { SlackOptions } from '../../tests/simulators/slack/index.js'
import { never, openWorld, partOf, post, type World } from './harness.fixture.js'

let world: World
const open = async (options?: SlackOptions, settings?: Record<string, unknown> | null): Promise<World> => {
  world = await openWorld(options, settings)
  return world
}
afterEach(() => world?.close())

const perform = (op: Operation, key = 'k1') => world.connection.perform(op, key, never())
const seen = () => world.sim.seen(world.chat)
const methods = (from = 0) => world.sim.calls.slice(from).map(({ method }) => method)
const collect = async <T>(items: AsyncIterable<T> | undefined): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items ?? []) all.push(item)
  return all
}

describe('connecting', () => {
  it('says who it is and what it sees', async () => {
    const { host, sim } = await open()
    expect(host.self).toMatchObject({ id: sim.bot.id, name: 'Golem' })
    expect(host.states.at(-1)).toEqual({ phase: 'ready', sees: 'all' })
  })

  it('without the history scopes it sees what addresses it, and says what to add', async () => {
    const { host } = await open({ scopes: ['chat:write', 'app_mentions:read', 'im:history', 'users:read'] })
    expect(host.states.at(-1)).toMatchObject({ phase: 'ready', sees: 'addressed' })
    expect(JSON.stringify(host.states.at(-1))).toContain('channels:history')
  })

  it.each([
    ['a wrong token', { botToken: 'xoxb-nobody' }, 'invalid_auth'],
    ['a wrong app token', { appToken: 'xapp-nobody' }, 'invalid_auth'],
  ])('%s is told with its cure', async (_, settings, code) => {
    await open({}, null)
    const failed = await world.connect(settings).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failed).toBeInstanceOf(ConnectFailure)
    expect(String(failed)).toContain(code)
    expect((failed as ConnectFailure).cure).toMatch(/xoxb|xapp|api\.slack\.com/)
    expect(world.host.phase).toBe('failed')
    expect(String(failed)).not.toContain('nobody')
  })

  it('a scope without which nothing can be said is told', async () => {
    await open({ scopes: ['app_mentions:read'] }, null)
    await expect(world.connect()).rejects.toMatchObject({ cure: expect.stringContaining('chat:write') })
  })
})

describe('hearing', () => {
  it('a mention, with names, once although it comes as two events', async () => {
    const { sim, host, chat, ann } = await open()
    sim.say(chat, ann, 'what is up?', { mention: true })
    await sim.until(() => sim.acknowledged.length >= 2, 'both are acknowledged')
    expect(host.all('message')).toMatchObject([
      { author: { name: 'Ann', kind: 'person' }, chat: { kind: 'group', title: 'general' } },
    ])
  })

  it('sl-connect-member-has-a-name: asked for on a miss, fallen back on the id', async () => {
    const { sim, host } = await open()
    const guest = sim.slack.connectPerson('Guest Person')
    const chat = sim.slack.channel('shared', { people: [guest], shared: true })
    sim.say(chat, guest, 'hi')
    await sim.until(() => host.all('message').length === 1, 'it is heard')
    expect(host.all('message')[0]?.author).toMatchObject({ name: 'Guest Person', outside: true })
    sim.fault({ method: 'users.info', do: { kind: 'refuse', code: 'user_not_found' } })
    const stranger = sim.slack.connectPerson('Nobody')
    const other = sim.slack.channel('shared2', { people: [stranger], shared: true })
    sim.say(other, stranger, 'hi')
    await sim.until(() => host.all('message').length === 2, 'it is heard')
    const { author } = host.all('message')[1] ?? {}
    expect(author).toMatchObject({ id: stranger.id, outside: true })
    expect(author?.name).not.toMatch(/undefined|null|^$/)
  })

  it('asks for a name once, and follows changes of it', async () => {
    const { sim, host, chat, ann } = await open()
    for (const text of ['one', 'two', 'three']) sim.say(chat, ann, text)
    await sim.until(() => host.all('message').length === 3, 'all are heard')
    expect(host.all('message').map(({ doc }) => doc.source)).toEqual(['one', 'two', 'three'])
    expect(methods().filter((method) => method === 'users.info')).toHaveLength(1)
    sim.slack.renamePerson(ann, 'Anna')
    sim.say(chat, ann, 'four')
    await sim.until(() => host.all('message').length === 4, 'it is heard')
    expect(host.all('message')[3]?.author.name).toBe('Anna')
    expect(methods().filter((method) => method === 'users.info')).toHaveLength(1)
  })

  it('what cannot be stored is not acknowledged, comes again, and is heard once', async () => {
    const { sim, host, chat, ann } = await open()
    host.refuse = 1
    sim.say(chat, ann, 'keep this')
    await sim.until(() => sim.acknowledged.length >= 1, 'it is acknowledged in the end')
    expect(host.offered).toHaveLength(2)
    expect(host.all('message')).toHaveLength(1)
  })

  it('presses, commands and the shortcut', async () => {
    const { sim, host, chat, ann } = await open()
    const { id = '' } = await perform(post(chat, 'Shall I?', { buttons: [{ label: 'Yes', value: 'y:1' }] }))
    sim.press(chat, id, ann, 'y:1')
    sim.slack.slash(chat, ann, '/golem', 'why')
    const said = sim.say(chat, ann, 'about this')
    sim.slack.shortcut(ann, 'golem_why', { chat, id: said })
    await sim.until(() => host.all('press').length === 1 && host.all('message').length === 3, 'all are heard')
    expect(host.all('press')).toMatchObject([{ id, value: 'y:1', author: { name: 'Ann' } }])
    expect(host.all('message').flatMap(({ command }) => command ?? [])).toEqual([
      { name: 'why' },
      { name: 'why' },
    ])
    expect(host.all('message').find(({ replyTo }) => replyTo !== undefined)?.replyTo?.id).toBe(said)
  })
})

describe('performing', () => {
  it('a post quotes by its thread, mentions natively, pages nobody else, shows no previews', async () => {
    const { sim, chat, ann } = await open()
    const question = sim.say(chat, ann, 'why?')
    const part = partOf('because <!channel> @here')
    const receipt = await perform({ ...post(chat, 'x', { replyTo: question }), part })
    const made = seen().find(({ id }) => id === receipt.id)
    expect(made).toMatchObject({ text: 'because <!channel> @here', thread: question, pings: [] })
    const { params } = sim.calls.find(({ method }) => method === 'chat.postMessage') ?? {}
    expect(JSON.stringify(params)).toMatch(/"unfurl_links":"?false/)
    expect(JSON.stringify(params)).not.toContain('"k1"')
  })

  it('sl-reply-stays-in-thread: an answer goes to the root of its thread', async () => {
    const { sim, chat, ann, host } = await open()
    const root = sim.say(chat, ann, 'start', { mention: true })
    const reply = sim.say(chat, ann, 'go on', { mention: true, thread: root })
    await sim.until(() => host.all('message').length === 2, 'both are heard')
    for (const { place, id } of host.all('message'))
      await perform(post(chat, 'ok', { place, replyTo: id }), id)
    const threads = sim.calls
      .filter(({ method }) => method === 'chat.postMessage')
      .map(({ params }) => params.thread_ts)
    expect(threads).toEqual([root, root])
    expect(host.all('message')[1]?.id).toBe(reply)
  })

  it('a persona only with the scope for it', async () => {
    const { chat } = await open()
    await perform(post(chat, 'hi', { agent: 'Reviewer' }))
    expect(world.sim.calls.at(-1)?.params.username).toBe('Reviewer')
    await world.close()
    await open({ scopes: ['chat:write', 'channels:history', 'groups:history', 'users:read'] })
    await perform(post(world.chat, 'hi', { agent: 'Reviewer' }))
    expect(world.sim.calls.at(-1)?.params.username).toBeUndefined()
  })

  it('one mark at a time: the new one, then the old one away; a repetition changes nothing', async () => {
    const { sim, chat, ann } = await open()
    const id = sim.say(chat, ann, 'do it')
    const react = (mark: 'received' | 'done'): Operation => ({ kind: 'react', place: { chat }, id, mark })
    const marks = () =>
      seen()
        .find((one) => one.id === id)
        ?.reactions.map(({ emoji }) => emoji)
    let from = sim.calls.length
    await perform(react('received'))
    expect(methods(from).filter((method) => method.startsWith('reactions'))).toEqual(['reactions.add'])
    from = sim.calls.length
    await perform(react('done'))
    await perform(react('done'))
    expect(marks()).toEqual(['✅'])
    expect(methods(from).filter((method) => method.startsWith('reactions'))).toEqual([
      'reactions.add',
      'reactions.remove',
      'reactions.add',
    ])
  })

  it('after a restart the mark of reception is still taken away', async () => {
    const { sim, chat, ann, connection } = await open()
    const id = sim.say(chat, ann, 'do it')
    await perform({ kind: 'react', place: { chat }, id, mark: 'received' })
    await connection.close(sim.clock.now() + 1_000)
    await world.connect()
    await perform({ kind: 'react', place: { chat }, id, mark: 'stopped' })
    expect(seen().find((one) => one.id === id)?.reactions).toHaveLength(1)
  })

  it('typing is a status in a thread, and nothing elsewhere', async () => {
    const { sim, chat, ann } = await open()
    const root = sim.say(chat, ann, 'start')
    await perform({ kind: 'typing', place: { chat, thread: root }, on: true })
    expect(sim.status(chat, root)).toBe('is thinking…')
    await perform({ kind: 'typing', place: { chat, thread: root }, on: false })
    expect(sim.status(chat, root)).toBe('')
    const from = sim.calls.length
    await perform({ kind: 'typing', place: { chat }, on: true })
    expect(methods(from)).toEqual([])
  })

  it('a whisper is seen by one', async () => {
    const { sim, chat, ann } = await open()
    const bob = sim.person('Bob')
    await perform({ kind: 'whisper', place: { chat }, to: ann.id, part: partOf('psst') })
    expect(sim.seen(chat, ann).map(({ text }) => text)).toContain('psst')
    expect(sim.seen(chat, bob).map(({ text }) => text)).not.toContain('psst')
  })

  it('429 is told to the millisecond, and the next call goes out all the same', async () => {
    const { sim, chat } = await open({ clock: { manual: true, start: 1_700_000_000_000 } })
    sim.fault({ times: 1, method: 'chat.postMessage', do: { kind: 'rate-limit', retryAfterMs: 7_000 } })
    await expect(perform(post(chat, 'x'))).rejects.toMatchObject({
      failure: { kind: 'rate-limited', retryAt: 1_700_000_007_000, scope: 'chat' },
    })
    await perform(post(chat, 'y'))
  })

  it('a token that is revoked ends the connection, with the cure', async () => {
    const { sim, chat, connection, host } = await open()
    sim.revoke('bot')
    await expect(perform(post(chat, 'x'))).rejects.toMatchObject({ failure: { kind: 'unauthorized' } })
    expect(await connection.done).toMatchObject({ fatal: true, cure: expect.stringContaining('install') })
    expect(host.phase).toBe('failed')
  })
})

describe('settling', () => {
  it('a post that nobody heard of is found by its key, another one is not', async () => {
    const { sim, chat, ann, connection } = await open()
    const question = sim.say(chat, ann, 'why?')
    const op = post(chat, 'because', { replyTo: question })
    sim.fault({ method: 'chat.postMessage', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(perform(op, 'doubtful')).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    sim.clock.advance(3_000)
    const made = seen().find(({ text }) => text === 'because')
    expect(await connection.settle?.(op, 'doubtful')).toMatchObject({ id: made?.id })
    expect(await connection.settle?.(op, 'another')).toBe('not-sent')
  })

  it('and is found by a machine whose clock is an hour ahead of Slack', async () => {
    const { sim, chat, ann, host } = await open({}, null)
    const ahead = 3_600_000
    Reflect.set(host, 'clock', {
      now: () => sim.clock.now() + ahead,
      at: (when: number, run: () => void) => sim.clock.at(when - ahead, run),
    })
    await world.connect()
    const op = post(chat, 'because', { replyTo: sim.say(chat, ann, 'why?') })
    sim.fault({ method: 'chat.postMessage', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(perform(op, 'doubtful')).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    sim.clock.advance(3_000)
    expect(await world.connection.settle?.(op, 'doubtful')).toMatchObject({ id: expect.any(String) })
  })

  it('in a life that did not see the attempt as well, in the channel itself', async () => {
    const { sim, chat, connection } = await open()
    const { id } = await perform(post(chat, 'first'), 'one')
    await connection.close(sim.clock.now() + 1_000)
    await world.connect()
    expect(await world.connection.settle?.(post(chat, 'first'), 'one')).toMatchObject({ id })
    expect(await world.connection.settle?.(post(chat, 'first'), 'two')).toBe('not-sent')
    sim.fault({ method: 'conversations.history', do: { kind: 'status', status: 503 } })
    expect(await world.connection.settle?.(post(chat, 'first'), 'one')).toBe('unknown')
  })

  it('what reaches no end of the past is unknown, not unsent', async () => {
    const { sim, chat, ann } = await open()
    for (let count = 0; count < 2_100; count++) sim.say(chat, ann, `line ${count}`)
    expect(await world.connection.settle?.(post(chat, 'x'), 'gone')).toBe('unknown')
  }, 30_000)
})

describe('files', () => {
  it('uploads in three requests, of which only the last is seen, and settles a doubtful one', async () => {
    const { sim, chat, ann, connection } = await open()
    const folder = await mkdtemp(join(tmpdir(), 'golem-slack-file-'))
    const path = join(folder, 'a.csv')
    await writeFile(path, 'a,b\n1,2\n')
    const question = sim.say(chat, ann, 'the numbers?')
    const op: Operation = { kind: 'upload', place: { chat }, path, name: 'a.csv', replyTo: question }
    const from = sim.calls.length
    await perform(op, 'u1')
    expect(methods(from).filter((method) => method.startsWith('files.'))).toEqual([
      'files.getUploadURLExternal',
      'files.upload',
      'files.completeUploadExternal',
    ])
    expect(seen().filter(({ files }) => files.length > 0)).toMatchObject([
      { thread: question, files: [{ name: 'a.csv', bytes: 8 }] },
    ])
    sim.fault({ method: 'files.getUploadURLExternal', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(perform(op, 'u2')).rejects.toMatchObject({ failure: { kind: 'unreachable' } })
    expect(await connection.settle?.(op, 'u2')).toBe('not-sent')
    sim.fault({
      method: 'files.completeUploadExternal',
      times: 1,
      do: { kind: 'silent-success', how: 'cut' },
    })
    await expect(perform(op, 'u3')).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    await connection.close(sim.clock.now() + 1_000)
    await world.connect()
    expect(await world.connection.settle?.(op, 'u3')).toMatchObject({ at: expect.any(Number) })
    expect(await world.connection.settle?.(op, 'u4')).toBe('not-sent')
    await rm(folder, { recursive: true })
  })

  it('downloads with the token from Slack alone, not more than is wanted', async () => {
    const { sim, chat, ann, host, connection } = await open()
    sim.say(chat, ann, 'see', { files: [{ name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('hello') }] })
    await sim.until(() => host.all('message').length === 1, 'it is heard')
    const [file] = host.all('message')[0]?.files ?? []
    if (file === undefined) throw new Error('no file')
    const stream = await connection.download(file, 100)
    expect(await new Response(stream).text()).toBe('hello')
    await expect(connection.download(file, 3)).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'file' },
    })
    await expect(connection.download({ id: 'F0NOWHERE', name: 'x' }, 3)).rejects.toMatchObject({
      failure: { kind: 'gone' },
    })
  })
})

describe('reading back', () => {
  it('history: oldest first, pages, threads with their root, own posts as self', async () => {
    const { sim, chat, ann, connection } = await open()
    const ids = Array.from({ length: 250 }, (_, at) => sim.say(chat, ann, `line ${at}`))
    const root = ids[249] ?? ''
    await perform(post(chat, 'an answer', { replyTo: root }))
    const all = await collect(connection.history?.({ chat }, { limit: 230 }))
    expect(all.map((event) => ('id' in event ? event.id : ''))).toEqual(ids.slice(20))
    const before = await collect(connection.history?.({ chat }, { before: ids[3] ?? '', limit: 2 }))
    expect(before.map((event) => ('id' in event ? event.id : ''))).toEqual([ids[1], ids[2]])
    const after = await collect(connection.history?.({ chat }, { after: ids[10] ?? '', limit: 2 }))
    expect(after.map((event) => ('id' in event ? event.id : ''))).toEqual([ids[11], ids[12]])
    const thread = (await collect(connection.history?.({ chat, thread: root }, { limit: 5 }))) as Inbound[]
    expect(thread.map(({ author }) => author.kind)).toEqual(['person', 'self'])
  })

  it('members, many by list, with the names people call them by', async () => {
    const { sim, connection } = await open()
    const people = Array.from({ length: 30 }, (_, at) => sim.person(`Person ${at}`))
    const chat = sim.group('many', people)
    const members: Member[] = await collect(connection.members?.({ chat }))
    expect(members).toHaveLength(31)
    expect(members.find(({ id }) => id === sim.bot.id)?.kind).toBe('self')
    expect(members.find(({ id }) => id === people[0]?.id)).toMatchObject({ name: 'Person 0' })
    expect(methods().filter((method) => method === 'users.info').length).toBeLessThan(3)
  })
})

describe('being there', () => {
  it('joins public channels and follows new ones, when asked to', async () => {
    const { sim, ann } = await open({}, null)
    const old = sim.slack.channel('old', { people: [ann], joined: false })
    const hidden = sim.slack.channel('hidden', { people: [ann], joined: false, private: true })
    await world.connect({ joinPublicChannels: true })
    const isIn = (chat: string) =>
      sim
        .chats()
        .find(({ id }) => id === chat)
        ?.members.some(({ id }) => id === sim.bot.id)
    await sim.until(() => isIn(old) === true, 'the old one is joined')
    const fresh = sim.slack.createChannel('fresh', ann)
    await sim.until(() => isIn(fresh) === true, 'the new one is joined')
    expect(isIn(hidden)).toBe(false)
  })

  it('says which scope joining wants', async () => {
    await open({ scopes: ['chat:write', 'channels:history', 'groups:history', 'channels:read'] }, null)
    world.sim.slack.channel('old', { people: [world.ann], joined: false })
    await world.connect({ joinPublicChannels: true })
    await world.host.until(() => JSON.stringify(world.host.states.at(-1)).includes('channels:join'))
    expect(world.host.phase).toBe('ready')
  })
})
