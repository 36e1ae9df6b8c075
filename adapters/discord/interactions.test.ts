import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../src/messaging/contract.js'
import type { DiscordOptions } from '../../tests/simulators/discord/index.js'
import { never, openWorld, partOf, post, type World } from './harness.fixture.js'

let world: World
const open = async (options?: DiscordOptions, settings?: Record<string, unknown> | null): Promise<World> => {
  world = await openWorld(options, settings)
  await world.sim.until(() => world.sim.discord.commands.length >= 2, 'the commands are there')
  return world
}
afterEach(() => world?.close())

const perform = (op: Operation, key = 'k1') => world.connection.perform(op, key, never())
const seen = (viewer = world.ann) => world.sim.seen(world.chat, viewer)
const own = (viewer = world.ann) => seen(viewer).filter(({ author }) => author.bot)
const calls = (method: string) => world.sim.calls.filter((call) => call.method === method)
const whisper = (to: string, text: string): Operation => ({
  kind: 'whisper',
  place: { chat: world.chat },
  to,
  part: partOf(text),
})
/** Gives a command and waits until it is deferred; the id under which the core knows it. */
const command = async (name: string, options: Record<string, unknown> = {}): Promise<string> => {
  const before = calls('createInteractionResponse').length
  world.sim.discord.slash(world.chat, world.ann, name, options)
  await world.sim.until(() => calls('createInteractionResponse').length > before, 'it is acknowledged')
  await world.sim.until(() => world.host.all('message').length > 0, 'it is heard')
  return world.host.all('message').at(-1)?.id ?? ''
}

describe('a press', () => {
  const button = async (): Promise<string> => {
    const buttons = [{ label: 'Yes', value: 'y' }]
    return (await perform(post(world.chat, 'Shall I?', { buttons }))).id ?? ''
  }

  it('is acknowledged when it is stored, and not before', async () => {
    const { sim, host, chat, ann } = await open()
    const id = await button()
    let release: () => void = () => undefined
    host.held = new Promise((resolve) => {
      release = resolve
    })
    sim.press(chat, id, ann, 'y')
    await host.until(() => host.offered.some(({ kind }) => kind === 'press'))
    expect(calls('createInteractionResponse')).toHaveLength(0)
    host.held = null
    release()
    await sim.until(() => calls('createInteractionResponse').length === 1, 'it is acknowledged')
    sim.clock.advance(5_000)
    expect(sim.discord.failed).toEqual([])
    expect(host.all('press')).toMatchObject([{ id, value: 'y', author: { id: ann.id } }])
  })

  it('shows its person a note that nobody else sees, also after it was acknowledged', async () => {
    const { sim, chat, ann } = await open()
    const bob = sim.person('Bob')
    sim.discord.join(bob)
    const id = await button()
    sim.press(chat, id, ann, 'y')
    await sim.until(() => calls('createInteractionResponse').length === 1, 'it is acknowledged')
    await perform(whisper(ann.id, 'just for you'))
    expect(own(ann).map(({ text }) => text)).toContain('just for you')
    expect(own(bob).map(({ text }) => text)).not.toContain('just for you')
    // Somebody who did not press is told in their direct chat.
    await perform(whisper(bob.id, 'and you'))
    expect(own(bob).map(({ text }) => text)).not.toContain('and you')
    expect(sim.seen(sim.dm(bob)).map(({ text }) => text)).toEqual(['and you'])
  })

  it('a note that comes first is its answer', async () => {
    const { sim, host, chat, ann } = await open()
    const id = await button()
    const told = host.until(() => host.offered.some(({ kind }) => kind === 'press'))
    let release: () => void = () => undefined
    host.held = new Promise((resolve) => {
      release = resolve
    })
    sim.press(chat, id, ann, 'y')
    await told
    await perform(whisper(ann.id, 'not valid any more'))
    host.held = null
    release()
    await sim.until(() => host.all('press').length === 1, 'it is stored')
    expect(own().map(({ text }) => text)).toContain('not valid any more')
    expect(calls('createInteractionResponse')).toHaveLength(1)
    expect(calls('createFollowup')).toHaveLength(0)
  })

  it('whose token has expired is answered in the direct chat', async () => {
    const { sim, chat, ann } = await open()
    const id = await button()
    sim.press(chat, id, ann, 'y')
    await sim.until(() => calls('createInteractionResponse').length === 1, 'it is acknowledged')
    sim.clock.advance(16 * 60_000)
    await perform(whisper(ann.id, 'late'))
    expect(sim.seen(sim.dm(ann)).map(({ text }) => text)).toEqual(['late'])
  })
})

describe('a command', () => {
  it('whose answer is there before it is acknowledged is answered in its place, not in front of all', async () => {
    const { sim, host, chat, ann } = await open()
    let release: () => void = () => undefined
    host.held = new Promise((resolve) => {
      release = resolve
    })
    sim.discord.slash(chat, ann, 'golem why')
    await host.until(() => host.offered.some(({ kind }) => kind === 'message'))
    const heard = host.offered.find(({ kind }) => kind === 'message')
    const replyTo = heard?.kind === 'message' ? heard.id : ''
    await perform(post(chat, 'because', { replyTo }))
    host.held = null
    release()
    await sim.until(() => host.all('message').length === 1, 'it is stored')
    expect(own().map(({ text, onlyFor }) => [text, onlyFor])).toEqual([['because', ann.id]])
    expect(calls('createInteractionResponse')).toHaveLength(1)
    expect(calls('createMessage')).toHaveLength(0)
  })

  it('waits visibly, and its answer takes that place', async () => {
    const { sim, chat } = await open()
    const replyTo = await command('golem ask', { question: 'why is it slow?' })
    expect(world.host.all('message').at(-1)).toMatchObject({ command: { name: 'ask' } })
    expect(own()).toHaveLength(1)
    const { id } = await perform(post(chat, 'because', { replyTo }))
    expect(own().map((one) => [one.id, one.text])).toEqual([[id, 'because']])
    expect(calls('createMessage')).toHaveLength(0)
    // What follows quotes the answer: the command itself is no message.
    await perform(post(chat, 'and one more', { replyTo }), 'k2')
    expect(own().at(-1)).toMatchObject({ text: 'and one more', replyTo: id })
    sim.clock.advance(20 * 60_000)
    expect(own()).toHaveLength(2)
  })

  it('about somebody’s own affairs is answered for them alone', async () => {
    const { sim, chat } = await open()
    const bob = sim.person('Bob')
    sim.discord.join(bob)
    const replyTo = await command('golem why')
    const { id = '' } = await perform(post(chat, 'because of the gates', { replyTo, silent: true }))
    expect(own().map(({ text }) => text)).toEqual(['because of the gates'])
    expect(own(bob)).toEqual([])
    // It can be changed and taken back as long as the token lives.
    await perform({ kind: 'edit', place: { chat }, id, part: partOf('or not') })
    expect(own().map(({ text }) => text)).toEqual(['or not'])
    await perform({ kind: 'delete', place: { chat }, id })
    expect(own()).toEqual([])
  })

  it('from the menu of a message knows which one', async () => {
    const { sim, chat, ann } = await open()
    const asked = sim.say(chat, ann, 'about this')
    sim.discord.messageCommand(chat, asked, ann, 'Why?')
    await sim.until(() => world.host.all('message').length === 2, 'it is heard')
    expect(world.host.all('message').at(-1)).toMatchObject({
      command: { name: 'why' },
      replyTo: { id: asked, text: 'about this' },
    })
  })

  it('keeps its place while a status post stands beside it', async () => {
    const { sim, chat } = await open()
    const replyTo = await command('golem ask', { question: 'a long one' })
    const buttons = [{ label: 'Stop', value: 's' }]
    const status = await perform(post(chat, 'working…', { replyTo, silent: true, buttons }), 'status')
    const answer = await perform(post(chat, 'done', { replyTo }), 'answer')
    await perform({ kind: 'delete', place: { chat }, id: status.id ?? '' })
    expect(own().map((one) => [one.id, one.text])).toEqual([[answer.id, 'done']])
    expect(sim.discord.failed).toEqual([])
  })

  it.each([
    ['arrived, and nobody said so', { kind: 'silent-success', how: 'cut' }],
    ['never arrived', { kind: 'reset' }],
    ['met a proxy in trouble', { kind: 'status', status: 502 }],
  ] as const)('whose first word %s is answered in its place all the same', async (_, fault) => {
    const { sim, chat, ann } = await open()
    sim.fault({ method: 'createInteractionResponse', times: 1, do: fault })
    sim.discord.slash(chat, ann, 'golem ask', { question: 'x' })
    await sim.until(() => calls('createInteractionResponse').length === 2, 'it is said again')
    const replyTo = world.host.all('message').at(-1)?.id ?? ''
    await perform(post(chat, 'because', { replyTo }))
    expect(own().map(({ text }) => text)).toEqual(['because'])
    expect(calls('createMessage')).toHaveLength(0)
  })

  it('a note that arrived, and nobody said so, is shown once', async () => {
    const { sim, host, chat, ann } = await open()
    let release: () => void = () => undefined
    host.held = new Promise((resolve) => {
      release = resolve
    })
    sim.fault({ method: 'createInteractionResponse', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    sim.discord.slash(chat, ann, 'golem why')
    await host.until(() => host.offered.some(({ kind }) => kind === 'message'))
    await perform(whisper(ann.id, 'just for you'))
    host.held = null
    release()
    await sim.until(() => sim.pending === 0, 'it is acknowledged')
    expect(own().map(({ text }) => text)).toEqual(['just for you'])
    expect(sim.seen(sim.dm(ann))).toEqual([])
  })

  it('that nobody answers stops waiting when its status post goes, or in the end', async () => {
    const { sim, chat } = await open()
    const replyTo = await command('golem ask', { question: 'x' })
    const buttons = [{ label: 'Stop', value: 's' }]
    const status = await perform(post(chat, 'working…', { replyTo, silent: true, buttons }), 'status')
    await perform({ kind: 'delete', place: { chat }, id: status.id ?? '' })
    await sim.until(() => own().length === 0, 'nothing is left')
    await command('golem ask', { question: 'y' })
    expect(own()).toHaveLength(1)
    sim.clock.advance(14 * 60_000)
    expect(own()).toHaveLength(1)
    sim.clock.advance(45_000)
    await sim.until(() => own().length === 0, 'nothing is left')
  })

  it('is answered in its place by the next life of the process too, and settled by saying it again', async () => {
    const { sim, chat } = await open()
    const replyTo = await command('golem ask', { question: 'x' })
    const answer = post(chat, 'after the restart', { replyTo })
    await world.connection.close(sim.clock.now() + 500)
    const kept = await readFile(join(world.host.dataDir, 'discord-interactions.json'), 'utf8')
    expect(kept).toContain(replyTo)
    await world.connect()
    sim.fault({ method: 'editOriginalResponse', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(perform(answer)).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    expect(await world.connection.settle?.(answer, 'k1')).toBe('not-sent')
    const { id } = await perform(answer)
    expect(own().map((one) => [one.id, one.text])).toEqual([[id, 'after the restart']])
  })

  it('whose token has expired is answered as an ordinary post', async () => {
    const { sim, chat } = await open()
    const replyTo = await command('golem ask', { question: 'x' })
    sim.clock.advance(14.75 * 60_000)
    await sim.until(() => own().length === 0, 'nothing waits any more')
    await perform(post(chat, 'late, but here', { replyTo }))
    expect(own().map(({ text }) => text)).toEqual(['late, but here'])
  })

  it('that comes once more after it was answered is left alone', async () => {
    const { sim, chat } = await open()
    const replyTo = await command('golem ask', { question: 'x' })
    await perform(post(chat, 'answered', { replyTo }))
    await sim.until(() => sim.pending === 0, 'it is acknowledged')
    const offered = world.host.offered.length
    sim.redeliver(1)
    await world.passing(() => world.host.offered.length > offered, 'it is replayed', 0)
    sim.clock.advance(20 * 60_000)
    await sim.until(() => sim.pending === 0, 'it is acknowledged')
    expect(own().map(({ text }) => text)).toEqual(['answered'])
  })

  it('cannot be marked, and that is no failure', async () => {
    const { chat } = await open()
    const id = await command('golem ask', { question: 'x' })
    await perform({ kind: 'react', place: { chat }, id, mark: 'received' })
    expect(calls('createReaction')).toHaveLength(0)
  })
})
