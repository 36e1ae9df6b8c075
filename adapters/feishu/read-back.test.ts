import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Inbound, Operation, Receipt } from '../../src/messaging/contract.js'
import { key, never, openWorld, plainPart, post, textOf, type World } from './harness.fixture.js'

let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})
const open = async (...args: Parameters<typeof openWorld>): Promise<World> => {
  world = await openWorld(...args)
  return world
}
const HOUR = 3_600_000

/** A send that Feishu took, or did not, and nobody heard of. */
async function lost(one: World, op: Operation, arrives: boolean): Promise<string> {
  const quotes = 'replyTo' in op && op.replyTo !== undefined
  const undo = one.sim.fault({
    method: quotes || op.place.thread !== undefined ? 'im.message.reply' : 'im.message.create',
    times: 1,
    do: arrives ? { kind: 'silent-success', how: 'cut' } : { kind: 'reset' },
  })
  const under = key()
  await one.connection.perform(op, under, never()).catch(() => undefined)
  undo()
  one.sim.clock.advance(HOUR)
  return under
}
const settled = (one: World, op: Operation, under: string): Promise<Receipt | 'not-sent' | 'unknown'> =>
  one.connection.settle?.(op, under) ?? Promise.resolve('unknown')
async function restart(one: World): Promise<void> {
  await one.connection.close(one.sim.clock.now() + 500)
  await one.connect()
}

describe('a doubtful post', () => {
  it.each(['card', 'text'])(
    'that is a %s and stands there is found, with and without a restart',
    async (form) => {
      const one = await open()
      const question = one.sim.say(one.chat, one.ann, 'what?')
      await one.host.heard(question)
      const text = '**42**, because\n\n- a\n- `b < c`'
      const op = {
        ...post(one.chat, text, { replyTo: question }),
        ...(form === 'text' && { part: plainPart('42, because <b>') }),
      }
      const under = await lost(one, op, true)
      const { id } = one.sim.seen(one.chat).at(-1) ?? {}
      expect(await settled(one, op, under)).toMatchObject({ id })
      await restart(one)
      expect(await settled(one, op, under)).toMatchObject({ id })
    },
  )

  it('that does not stand there was not sent', async () => {
    const one = await open()
    const question = one.sim.say(one.chat, one.ann, 'what?')
    await one.host.heard(question)
    for (const op of [post(one.chat, 'answer', { replyTo: question }), post(one.chat, 'answer')]) {
      const under = await lost(one, op, false)
      await one.connection.perform(post(one.chat, 'another', { replyTo: question }), key(), never())
      expect(await settled(one, op, under)).toBe('not-sent')
    }
  })

  it('is not taken for another one of the same words', async () => {
    const one = await open()
    const op = post(one.chat, 'ok')
    await one.connection.perform(op, key(), never())
    const under = await lost(one, op, false)
    expect(await settled(one, op, under)).toBe('not-sent')
  })

  it('that answers nothing is not known any more after a restart', async () => {
    const one = await open()
    const op = post(one.chat, 'ok')
    const under = await lost(one, op, true)
    await restart(one)
    expect(await settled(one, op, under)).toBe('unknown')
  })

  it('in a topic, to a person, and with a file, is found as well', async () => {
    const one = await open()
    const root = one.sim.say(one.chat, one.ann, 'a topic')
    one.sim.say(one.chat, one.ann, 'in it', { thread: root })
    const thread = one.sim.seen(one.chat)[0]?.thread ?? ''
    const place = { chat: one.chat, thread }
    await one.host.until(() => one.host.all('message').length === 2)
    const inTopic = post(one.chat, 'in the topic', { place })
    const under = await lost(one, inTopic, true)
    expect(await settled(one, inTopic, under)).toMatchObject({ id: one.sim.seen(one.chat).at(-1)?.id })

    const direct = one.sim.dm(one.ann)
    await one.host.heard(one.sim.say(direct, one.ann, 'psst'))
    const told = post(one.ann.id, 'between us')
    const toldUnder = await lost(one, told, true)
    expect(await settled(one, told, toldUnder)).toMatchObject({ id: one.sim.seen(direct).at(-1)?.id })

    const path = join(one.host.dataDir, 'a.md')
    await writeFile(path, 'x')
    const upload: Operation = { kind: 'upload', place: { chat: one.chat }, path, name: 'a.md' }
    const uploadUnder = await lost(one, upload, true)
    expect(await settled(one, upload, uploadUnder)).toMatchObject({ id: one.sim.seen(one.chat).at(-1)?.id })
  })

  it('that may not be looked for is unknown; that cannot be looked for now is looked for later', async () => {
    const one = await open()
    const op = post(one.chat, 'ok')
    const under = await lost(one, op, true)
    one.sim.fault({ method: 'im.message.list', times: 1, do: { kind: 'refuse', code: 230027 } })
    expect(await settled(one, op, under)).toBe('unknown')
    one.sim.fault({ method: 'im.message.list', times: 1, do: { kind: 'rate-limit', retryAfterMs: 9_000 } })
    await expect(settled(one, op, under)).rejects.toMatchObject({ failure: { kind: 'rate-limited' } })
    one.sim.fault({ method: 'im.message.list', times: 1, do: { kind: 'status', status: 502 } })
    await expect(settled(one, op, under)).rejects.toMatchObject({ failure: { kind: 'unreachable' } })
    expect(await settled(one, op, under)).toMatchObject({ id: expect.any(String) })
  })
})

describe('what was said before', () => {
  const read = async (
    one: World,
    ...[place, range]: Parameters<NonNullable<World['connection']['history']>>
  ) => {
    const found: Inbound[] = []
    for await (const event of one.connection.history?.(place, range) ?? []) found.push(event)
    return found.map(textOf)
  }

  it('comes in its order over many pages, a topic’s own with its first message', async () => {
    const one = await open({}, null)
    const ids = Array.from({ length: 130 }, (_, at) => one.sim.say(one.chat, one.ann, `n${at}`))
    const root = one.sim.say(one.chat, one.ann, 'the root')
    one.sim.say(one.chat, one.ann, 'inside', { thread: root })
    const thread = one.sim.seen(one.chat).find(({ id }) => id === root)?.thread ?? ''
    await one.connect()
    const place = { chat: one.chat }
    expect(await read(one, place, { limit: 3 })).toEqual(['n128', 'n129', 'the root'])
    expect(await read(one, place, { limit: 2, after: ids[9] ?? '' })).toEqual(['n10', 'n11'])
    expect((await read(one, place, { limit: 500 })).length).toBe(131)
    expect(await read(one, { chat: one.chat, thread }, { limit: 9 })).toEqual(['the root', 'inside'])
    expect(await read(one, { chat: one.chat, thread }, { limit: 9, after: root })).toEqual(['inside'])
  })

  it('leaves out what was withdrawn, and goes on behind it all the same', async () => {
    const one = await open()
    const ids = ['a', 'b', 'c'].map((text) => one.sim.say(one.chat, one.ann, text))
    one.sim.delete(one.chat, ids[1] ?? '')
    expect(await read(one, { chat: one.chat }, { limit: 9 })).toEqual(['a', 'c'])
    expect(await read(one, { chat: one.chat }, { limit: 9, after: ids[1] ?? '' })).toEqual(['c'])
  })

  it('of a group is refused without the scope for it', async () => {
    const one = await open({ sees: 'addressed' })
    await expect(read(one, { chat: one.chat }, { limit: 3 })).rejects.toMatchObject({
      failure: { kind: 'forbidden' },
    })
  })
})
