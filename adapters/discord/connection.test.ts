import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ConnectFailure, type Operation } from '../../src/messaging/contract.js'
import type { DiscordOptions } from '../../tests/simulators/discord/index.js'
import { collect, never, openWorld, partOf, partsOf, post, type World } from './harness.fixture.js'

let world: World
const open = async (options?: DiscordOptions, settings?: Record<string, unknown> | null): Promise<World> => {
  world = await openWorld(options, settings)
  return world
}
afterEach(() => world?.close())

const perform = (op: Operation, key = 'k1') => world.connection.perform(op, key, never())
const seen = () => world.sim.seen(world.chat)
const methods = (from = 0) => world.sim.calls.slice(from).map(({ method }) => method)
const heard = (count: number) =>
  world.sim.until(() => world.host.all('message').length >= count, `${count} messages are heard`)

describe('connecting', () => {
  it('says who it is and what it sees', async () => {
    const { host, sim } = await open()
    expect(host.self).toMatchObject({ id: sim.bot.id, name: 'Golem' })
    expect(host.states.at(-1)).toEqual({ phase: 'ready', sees: 'all' })
  })

  it('without the content of messages it sees what addresses it, and says what to switch on', async () => {
    const { host, sim, chat, ann } = await open({ granted: ['GuildMembers'] })
    const state = host.states.at(-1)
    expect(state).toMatchObject({ phase: 'ready', sees: 'addressed' })
    expect(JSON.stringify(state)).toContain('Message Content Intent')
    sim.say(chat, ann, 'not for you')
    sim.say(chat, ann, 'for you', { mention: true })
    await heard(1)
    expect(host.texts().join()).toContain('for you')
  })

  it('without the members names stay text but of those who speak, and it says so', async () => {
    const { host, sim, chat, ann } = await open({ granted: ['MessageContent'] })
    const state = host.states.at(-1)
    expect(state).toMatchObject({ phase: 'ready', sees: 'all' })
    expect(JSON.stringify(state)).toContain('Server Members Intent')
    expect((await collect(world.connection.members?.({ chat }))).map(({ name }) => name)).not.toContain('Ann')
    sim.say(chat, ann, 'hello')
    await heard(1)
    expect((await collect(world.connection.members?.({ chat }))).map(({ name }) => name)).toContain('Ann')
    expect(methods()).not.toContain('getMembers')
  })

  it('a token that is none is told with its cure, and never shown', async () => {
    await open({}, null)
    const token = 'MTAw.Nobody.a-token-of-nobody'
    const failed: unknown = await world.connect({ botToken: token }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ConnectFailure)
    expect((failed as ConnectFailure).cure).toContain('Reset Token')
    expect(world.host.phase).toBe('failed')
    expect(JSON.stringify([String(failed), world.host.lines])).not.toContain(token)
  })

  it('puts its commands into the menus once, and leaves others alone', async () => {
    const { sim } = await open()
    await sim.until(() => sim.discord.commands.length >= 2, 'commands are there')
    expect(sim.discord.commands.map(({ name }) => name).sort()).toEqual(['Why?', 'golem'])
    const writes = () => sim.calls.filter(({ method }) => /ommand/.test(method) && method !== 'getCommands')
    const before = writes().length
    await world.connection.close(sim.clock.now() + 500)
    const reads = sim.calls.filter(({ method }) => method === 'getCommands').length
    await world.connect()
    await sim.until(
      () => sim.calls.filter(({ method }) => method === 'getCommands').length > reads,
      'they are looked at',
    )
    expect(writes()).toHaveLength(before)
  })
})

describe('hearing', () => {
  it('dc-direct-message-needs-partials: the first word of somebody new, in a chat nobody knew', async () => {
    const { sim, host, ann } = await open()
    const dm = sim.dm(ann)
    sim.say(dm, ann, 'psst')
    await heard(1)
    expect(host.all('message')).toMatchObject([
      { chat: { kind: 'dm' }, place: { chat: dm }, author: { id: ann.id, name: 'Ann' } },
    ])
    expect(methods()).not.toContain('getChannel')
  })

  it('dc-thread-inherits-parent: what is said in a thread belongs to its channel, also in one that was archived', async () => {
    const { sim, host, chat, ann } = await open()
    const thread = sim.discord.thread(chat, ann, 'Plans')
    sim.say(chat, ann, 'inside', { thread })
    await heard(1)
    expect(host.all('message')[0]?.place).toEqual({ chat, thread })
    await world.connection.close(sim.clock.now() + 500)
    sim.expireSessions()
    sim.discord.archive(thread, true)
    await world.connect()
    sim.say(chat, ann, 'once more', { thread })
    await heard(2)
    expect(host.all('message').at(-1)?.place).toEqual({ chat, thread })
  })

  it('asks again for a channel it does not know, before it judges what was said there', async () => {
    const { sim, host, chat, ann } = await open()
    const thread = sim.discord.thread(chat, ann, 'Plans')
    await world.connection.close(sim.clock.now() + 500)
    sim.expireSessions()
    sim.discord.archive(thread, true)
    await world.connect()
    sim.fault({ method: 'getChannel', times: 2, do: { kind: 'status', status: 502 } })
    sim.say(chat, ann, 'where am I?', { thread })
    await world.passing(() => host.all('message').length === 1, 'it is heard', 100)
    expect(host.all('message')[0]?.place).toEqual({ chat, thread })
  })

  it('dc-name-map-follows-rename: the new name is the one that counts', async () => {
    const { sim, chat } = await open()
    const bob = sim.person('bob_example')
    sim.discord.join(bob)
    sim.discord.nickname(bob, 'Bob')
    const names = async () =>
      (await collect(world.connection.members?.({ chat }))).find(({ id }) => id === bob.id)
    await sim.until(() => world.sim.pending === 0, 'it is heard')
    expect((await names())?.name).toBe('Bob')
    sim.discord.nickname(bob, 'Joe')
    await sim.until(() => world.sim.pending === 0, 'it is heard')
    expect(await names()).toMatchObject({ name: 'Joe', aliases: ['bob_example'] })
    expect(JSON.stringify(await names())).not.toContain('"Bob"')
  })

  it('lists those who see a channel, and nobody else', async () => {
    const { sim, ann } = await open()
    const bob = sim.person('Bob')
    sim.discord.join(bob)
    const secret = sim.discord.channel('secret', { people: [ann], private: true })
    await sim.until(() => sim.pending === 0, 'it is heard')
    const names = (await collect(world.connection.members?.({ chat: secret }))).map(({ name }) => name)
    expect(names).toContain('Ann')
    expect(names).not.toContain('Bob')
  })
})

describe('saying', () => {
  it('dc-reply-target-deleted-multi-chunk: every part arrives, in order, without the quote', async () => {
    const { sim, chat, ann } = await open()
    const question = sim.say(chat, ann, 'a long story?')
    await heard(1)
    sim.delete(chat, question)
    const parts = partsOf('word '.repeat(700))
    expect(parts.length).toBeGreaterThan(1)
    for (const [at, part] of parts.entries())
      await perform(post(chat, 'x', { part, ...(at === 0 && { replyTo: question }) }), `k${at}`)
    const own = seen().filter(({ author }) => author.bot)
    expect(own).toHaveLength(parts.length)
    expect(own.map(({ replyTo }) => replyTo)).toEqual(parts.map(() => undefined))
    expect(
      own
        .map(({ text }) => text)
        .join(' ')
        .split(/\s+/)
        .filter(Boolean),
    ).toHaveLength(700)
  })

  it('dc-reply-target-deleted-multi-chunk: where Discord refuses the quote all the same, the core is told which', async () => {
    const { sim, chat } = await open()
    sim.fault({
      method: 'createMessage',
      times: 1,
      do: {
        kind: 'refuse',
        code: 50_035,
        description: 'message_reference: MESSAGE_REFERENCE_UNKNOWN_MESSAGE',
      },
    })
    await expect(perform(post(chat, 'x', { replyTo: '500000000000000001' }))).rejects.toMatchObject({
      failure: { kind: 'gone', what: 'target' },
    })
  })

  it('tells the one who asked, and nobody of a notice', async () => {
    const { sim, chat, ann } = await open()
    const question = sim.say(chat, ann, 'hm?')
    await perform(post(chat, 'answer', { replyTo: question }), 'a')
    await perform(post(chat, 'notice', { replyTo: question, silent: true }), 'b')
    const [answer, notice] = sim.calls.filter(({ method }) => method === 'createMessage')
    expect(answer?.params).toMatchObject({
      allowed_mentions: { parse: [], users: [], replied_user: true },
      message_reference: { message_id: question, fail_if_not_exists: false },
      enforce_nonce: true,
    })
    expect(notice?.params).toMatchObject({ allowed_mentions: { replied_user: false } })
    expect(String(answer?.params.nonce).length).toBeLessThanOrEqual(25)
  })

  it('opens a thread under the question where one is wanted', async () => {
    const { sim, chat, ann } = await open()
    const question = sim.say(chat, ann, 'a long one')
    await heard(1)
    const place = { chat, thread: question }
    const first = await perform(post(chat, 'first words', { place, replyTo: question }), 'a')
    await perform(post(chat, 'and more', { place }), 'b')
    expect(
      seen()
        .filter(({ thread }) => thread === question)
        .map(({ text }) => text),
    ).toEqual(['first words', 'and more'])
    expect(first.id).toBeDefined()
    expect(methods().filter((method) => method === 'startThreadFromMessage')).toHaveLength(1)
  })

  it('a person who takes no direct messages is forbidden, and so is a note to them', async () => {
    const { sim, chat, ann } = await open()
    sim.say(chat, ann, 'hello')
    await heard(1)
    sim.discord.closeDms(ann)
    await expect(perform(post(ann.id, 'hi'))).rejects.toMatchObject({ failure: { kind: 'forbidden' } })
    const whisper: Operation = { kind: 'whisper', place: { chat }, to: ann.id, part: partOf('hi') }
    await expect(perform(whisper)).rejects.toMatchObject({ failure: { kind: 'forbidden' } })
  })

  it('finds a doubtful post by what it says, and tells two of the same words apart', async () => {
    const { sim, chat, ann } = await open()
    const question = sim.say(chat, ann, 'twice?')
    await heard(1)
    const same = post(chat, 'the same', { replyTo: question })
    const { id: first } = await perform(same, 'first')
    sim.fault({ method: 'createMessage', times: 1, do: { kind: 'reset' } })
    await expect(perform(same, 'second')).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    sim.clock.advance(180_000)
    expect(await world.connection.settle?.(same, 'second')).toBe('not-sent')
    // In another life nothing is known of keys but what is read.
    await world.connection.close(sim.clock.now() + 500)
    await world.connect()
    expect(await world.connection.settle?.(same, 'first')).toMatchObject({ id: first })
    expect(await world.connection.settle?.(post(chat, 'never said', { replyTo: question }), 'x')).toBe(
      'not-sent',
    )
  })

  it('finds a doubtful file again', async () => {
    const { sim, chat, ann } = await open()
    const question = sim.say(chat, ann, 'the report?')
    const folder = await mkdtemp(join(tmpdir(), 'golem-upload-'))
    const path = join(folder, 'a.csv')
    await writeFile(path, 'a,b\n')
    const op: Operation = { kind: 'upload', place: { chat }, path, name: 'my report.csv', replyTo: question }
    sim.fault({ method: 'createMessage', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(perform(op)).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    sim.clock.advance(60_000)
    const own = seen().find(({ author }) => author.bot)
    expect(await world.connection.settle?.(op, 'k1')).toMatchObject({ id: own?.id })
    await rm(folder, { recursive: true })
  })
})

describe('reading back', () => {
  it('the first message of a thread is part of it, with the identity it came with', async () => {
    const { sim, host, chat, ann } = await open()
    const root = sim.say(chat, ann, 'the root')
    sim.say(chat, ann, 'inside', { thread: root })
    await heard(2)
    const read = await collect(world.connection.history?.({ chat, thread: root }, { limit: 10 }))
    const messages = read.filter((event) => event.kind === 'message')
    expect(messages.map(({ doc }) => doc.source)).toEqual(['the root', 'inside'])
    expect(messages.map(({ event }) => event)).toEqual(host.all('message').map(({ event }) => event))
  })

  it('goes through as many pages as it takes', async () => {
    const { sim, chat, ann } = await open()
    const ids = Array.from({ length: 230 }, (_, at) => sim.say(chat, ann, `m${at}`))
    const read = async (range: { after?: string; before?: string; limit: number }) =>
      (await collect(world.connection.history?.({ chat }, range))).flatMap((event) =>
        event.kind === 'message' ? event.id : [],
      )
    expect(await read({ after: ids[0] ?? '', limit: 220 })).toEqual(ids.slice(1, 221))
    expect(await read({ limit: 210 })).toEqual(ids.slice(20))
    expect(await read({ before: ids[150] ?? '', limit: 120 })).toEqual(ids.slice(30, 150))
    // A command is no message; its number says when it was.
    expect(await read({ after: `command-${ids[227]}`, limit: 50 })).toEqual(ids.slice(228))
  })
})

describe('downloading', () => {
  const file = { name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('hello') }

  it('reads the message again for an address that is still good', async () => {
    const { sim, host, chat, ann } = await open()
    sim.say(chat, ann, 'look', { files: [file] })
    await heard(1)
    const [ref] = host.all('message')[0]?.files ?? []
    if (ref === undefined) throw new Error('no file')
    sim.clock.advance(30 * 60 * 60_000)
    const stream = await world.connection.download(ref, 1_000)
    expect(await new Response(stream).text()).toBe('hello')
    const fetched = sim.calls.find(({ method }) => method === 'downloadFile')
    expect(JSON.stringify(fetched?.params ?? {})).not.toContain('Bot ')
    await expect(world.connection.download(ref, 3)).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'file' },
    })
    await expect(world.connection.download({ id: '../x', name: 'x' }, 3)).rejects.toMatchObject({
      failure: { kind: 'invalid' },
    })
    sim.delete(chat, host.all('message')[0]?.id ?? '')
    await expect(world.connection.download(ref, 1_000)).rejects.toMatchObject({ failure: { kind: 'gone' } })
  })
})
