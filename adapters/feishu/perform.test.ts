import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Doc, Operation, Part, Receipt } from '../../src/messaging/contract.js'
import type { Seen } from '../../tests/simulators/kit/stage.js'
import { key, never, openWorld, partOf, plainPart, post, type World } from './harness.fixture.js'
import feishu from './index.js'

let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})
const open = async (...args: Parameters<typeof openWorld>): Promise<World> => {
  world = await openWorld(...args)
  return world
}

const perform = ({ connection }: World, op: Operation, under = key()): Promise<Receipt> =>
  connection.perform(op, under, never())
const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'it succeeded',
    (error: { failure?: unknown }) => error.failure ?? error,
  )
const texts = ({ sim }: World, chat: string): string[] => sim.seen(chat).map(({ text }) => text)
const seen = ({ sim, chat }: World, id: string | undefined): Seen => {
  const found = sim.seen(chat).find((one) => one.id === id)
  if (found === undefined) throw new Error(`nobody sees ${id}`)
  return found
}
const sends = ({ sim }: World): { method: string; uuid: unknown; thread: unknown }[] =>
  sim.calls
    .filter(({ method }) => method === 'im.message.create' || method === 'im.message.reply')
    .map(({ method, params }) => ({ method, uuid: params.uuid, thread: params.reply_in_thread }))

/** A text that names somebody. */
function naming(id: string, name: string): Part {
  const mention = { type: 'mention' as const, target: 'user' as const, id, name }
  const done = { type: 'text' as const, value: ' 完成了' }
  const doc: Doc = { type: 'root', children: [{ type: 'paragraph', children: [mention, done] }] }
  return feishu.codec.write(doc, feishu.limits)[0] as Part
}

/** A topic in the group; its first message. */
function topicIn({ sim, chat, ann }: World): { root: string; thread: string; first: string } {
  const root = sim.say(chat, ann, 'a topic')
  const first = sim.say(chat, ann, 'in it', { thread: root })
  const thread = sim.seen(chat).find(({ id }) => id === root)?.thread
  if (thread === undefined) throw new Error('no topic')
  return { root, thread, first }
}

describe('every way by which messages are made', () => {
  it('fs-send-retry-keeps-idempotency-key: a send that Feishu took and nobody heard of stands once after the retry', async () => {
    const one = await open()
    const question = one.sim.say(one.chat, one.ann, 'done?')
    for (const op of [post(one.chat, '完成'), post(one.chat, 'yes', { replyTo: question })]) {
      const method = op.replyTo === undefined ? 'im.message.create' : 'im.message.reply'
      const undo = one.sim.fault({ method, times: 1, do: { kind: 'silent-success', how: 'cut' } })
      const under = key()
      expect(await failure(perform(one, op, under))).toEqual({ kind: 'ambiguous' })
      undo()
      const { id } = await perform(one, op, under)
      const standing = one.sim.seen(one.chat).filter(({ text }) => text === op.part.text)
      expect(standing.map((message) => message.id)).toEqual([id])
      const uuids = sends(one).map(({ uuid }) => uuid)
      expect(uuids.slice(-2)).toEqual([under, under])
    }
  })

  it('fs-outbound-every-send-path: carries the key of its operation, and pages whom it names', async () => {
    const one = await open()
    const { root, thread } = topicIn(one)
    await one.host.heard(root)
    const question = one.sim.say(one.chat, one.ann, 'who?')
    const part = naming(one.ann.id, 'Ann')
    const path = join(one.host.dataDir, 'report.csv')
    await writeFile(path, 'a,b\n')
    const ways: Operation[] = [
      { kind: 'post', place: { chat: one.chat }, part },
      { kind: 'post', place: { chat: one.chat }, part, replyTo: question },
      { kind: 'post', place: { chat: one.chat, thread }, part },
      { kind: 'post', place: { chat: one.chat, thread }, part, replyTo: root },
      { kind: 'post', place: { chat: one.ann.id }, part },
      { kind: 'upload', place: { chat: one.chat }, path, name: 'report.csv' },
      { kind: 'whisper', place: { chat: one.chat, thread }, to: one.ann.id, part },
    ]
    for (const op of ways) {
      const under = key()
      const { id } = await perform(one, op, under)
      expect(sends(one).at(-1)?.uuid, op.kind).toBe(under)
      if (op.kind === 'post' && op.place.chat === one.chat) {
        expect(seen(one, id).pings).toEqual([one.ann.id])
        expect(seen(one, id).thread).toBe(op.place.thread)
      }
    }
    const { id } = await perform(one, post(one.chat, 'working'))
    await perform(one, { kind: 'edit', place: { chat: one.chat }, id: id ?? '', part })
    expect(seen(one, id).text).toBe('@Ann 完成了')
  })

  it('tells a repetition nothing but the first', async () => {
    const one = await open()
    const under = key()
    const op = post(one.chat, 'once')
    expect(await perform(one, op, under)).toEqual(await perform(one, op, under))
  })
})

describe('what is quoted', () => {
  it.each(['text', 'card', 'file'])(
    'fs-trigger-withdrawn-no-code: a %s says that it is gone',
    async (form) => {
      const one = await open()
      const question = one.sim.say(one.chat, one.ann, 'what is the answer?')
      await one.host.heard(question)
      one.sim.delete(one.chat, question)
      const path = join(one.host.dataDir, 'answer.md')
      await writeFile(path, '42')
      const place = { chat: one.chat }
      const op: Operation =
        form === 'file'
          ? { kind: 'upload', place, path, name: 'answer.md', replyTo: question }
          : {
              kind: 'post',
              place,
              part: form === 'text' ? plainPart('答案是 42') : partOf('答案是 42'),
              replyTo: question,
            }
      expect(await failure(perform(one, op))).toEqual({ kind: 'gone', what: 'target' })
      const { replyTo: _, ...plain } = op
      const { id } = await perform(one, plain)
      expect(seen(one, id).replyTo).toBeUndefined()
    },
  )
})

describe('a topic', () => {
  it('is written into after a restart, by a message that is looked up once', async () => {
    const one = await open({}, null)
    const { thread, root } = topicIn(one)
    await one.connect()
    await one.host.heard(root)
    await one.connection.close(one.sim.clock.now() + 500)
    await one.connect()
    const place = { chat: one.chat, thread }
    for (const text of ['one', 'two']) {
      const { id } = await perform(one, { ...post(one.chat, text), place })
      expect(seen(one, id)).toMatchObject({ text, thread })
    }
    expect(one.sim.calls.filter(({ method }) => method === 'im.message.list')).toHaveLength(1)
  })

  it('is written into by another message where the first was withdrawn', async () => {
    const one = await open()
    const { thread, root, first } = topicIn(one)
    await one.host.heard(first)
    one.sim.delete(one.chat, root)
    await one.sim.until(() => one.sim.pending === 0, 'the recall is heard')
    const op = { ...post(one.chat, 'still here'), place: { chat: one.chat, thread } }
    const tried = await failure(perform(one, op))
    // What we had chosen ourselves is gone: that is no word about the topic.
    if (tried !== 'it succeeded') {
      expect(tried).toEqual({ kind: 'unreachable' })
      await perform(one, op)
    }
    expect(one.sim.seen(one.chat).find(({ text }) => text === 'still here')?.thread).toBe(thread)
  })

  it('that has nothing left in it is gone', async () => {
    const one = await open()
    const { thread, root, first } = topicIn(one)
    await one.host.heard(first)
    for (const id of [root, first]) one.sim.delete(one.chat, id)
    await one.sim.until(() => one.sim.pending === 0, 'the recalls are heard')
    const op = { ...post(one.chat, 'hello?'), place: { chat: one.chat, thread } }
    let tried = await failure(perform(one, op))
    if ((tried as { kind: string }).kind === 'unreachable') tried = await failure(perform(one, op))
    expect(tried).toEqual({ kind: 'gone', what: 'thread' })
  })
})

describe('an edit', () => {
  it('changes a card by a card and a text by a text, also after a restart', async () => {
    const one = await open()
    const { id: card = '' } = await perform(one, post(one.chat, 'a card'))
    const { id: text = '' } = await perform(one, { ...post(one.chat, 'x'), part: plainPart('a text') })
    const edit = (id: string, part: Part): Promise<Receipt> =>
      perform(one, { kind: 'edit', place: { chat: one.chat }, id, part })
    for (const life of [1, 2]) {
      await edit(card, partOf(`card ${life}`))
      await edit(card, plainPart(`card, plainly ${life} <at id=all>`))
      expect(seen(one, card).text).toBe(`card, plainly ${life} <at id=all>`)
      await edit(text, plainPart(`text ${life}`))
      expect(seen(one, text).text).toBe(`text ${life}`)
      expect(await failure(edit(text, partOf('**x**')))).toEqual({ kind: 'invalid', field: 'markup' })
      if (life === 1) {
        await one.connection.close(one.sim.clock.now() + 500)
        await one.connect()
      }
    }
  })

  it('puts buttons on, and takes them away', async () => {
    const one = await open()
    const buttons = [{ label: 'Stop', value: 'stop' }]
    const { id = '' } = await perform(one, post(one.chat, 'working', { buttons }))
    expect(seen(one, id).buttons).toEqual(buttons)
    await perform(one, { kind: 'edit', place: { chat: one.chat }, id, part: partOf('done') })
    expect(seen(one, id)).toMatchObject({ text: 'done', buttons: [] })
    const plain = await perform(one, { ...post(one.chat, 'x', { buttons }), part: plainPart('1 < 2, *so*') })
    expect(seen(one, plain.id)).toMatchObject({ buttons })
    expect(seen(one, plain.id).text).toContain('1 < 2, *so*')
  })
})

describe('a mark', () => {
  it('of an earlier life is taken away, and nobody else’s', async () => {
    const one = await open()
    const id = one.sim.say(one.chat, one.ann, 'do it')
    await perform(one, { kind: 'react', place: { chat: one.chat }, id, mark: 'received' })
    const [ours] = seen(one, id).reactions
    one.sim.react(one.chat, id, one.ann, ours?.emoji ?? '')
    await one.connection.close(one.sim.clock.now() + 500)
    await one.connect()
    await perform(one, { kind: 'react', place: { chat: one.chat }, id, mark: 'done' })
    const by = seen(one, id).reactions.map((reaction) => reaction.by)
    expect(by.filter((who) => who === one.sim.bot.id)).toHaveLength(1)
    expect(by.filter((who) => who === one.ann.id)).toHaveLength(1)
  })
})

describe('a file', () => {
  it('that is a picture is shown as one; what only says so is a file', async () => {
    const one = await open()
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const upload = async (name: string, bytes: Buffer | string): Promise<unknown> => {
      const path = join(one.host.dataDir, 'given')
      await writeFile(path, bytes)
      const { id } = await perform(one, { kind: 'upload', place: { chat: one.chat }, path, name })
      return (seen(one, id).raw as { type: string }).type
    }
    expect(await upload('chart.png', png)).toBe('image')
    expect(await upload('chart.png', 'no picture')).toBe('file')
    expect(await upload('a "b"\r\nx: y.pdf', '%PDF-1.4')).toBe('file')
    expect(seen(one, one.sim.seen(one.chat).at(-1)?.id).files[0]?.bytes).toBe(8)
  })

  it('that does not reach the store is no doubt: nobody has seen it', async () => {
    const one = await open()
    const path = join(one.host.dataDir, 'x.txt')
    await writeFile(path, 'x')
    one.sim.fault({ method: 'im.file.create', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    const op: Operation = { kind: 'upload', place: { chat: one.chat }, path, name: 'x.txt' }
    expect(await failure(perform(one, op))).toEqual({ kind: 'unreachable' })
    await perform(one, op)
    await writeFile(path, '')
    expect(await failure(perform(one, op))).toEqual({ kind: 'invalid', field: 'file' })
  })
})

describe('a private note', () => {
  it('is a card in the group that only one person sees, in a topic a message to them alone', async () => {
    const one = await open()
    const bob = one.sim.person('Bob')
    one.sim.feishu.add(one.chat, bob)
    const note: Operation = {
      kind: 'whisper',
      place: { chat: one.chat },
      to: one.ann.id,
      part: partOf('psst'),
    }
    await perform(one, note)
    expect(one.sim.seen(one.chat, one.ann).map(({ text }) => text)).toContain('psst')
    expect(one.sim.seen(one.chat, bob).map(({ text }) => text)).not.toContain('psst')
    const topics = one.sim.feishu.group('topics', { people: [one.ann], mode: 'topic' })
    await perform(one, { ...note, place: { chat: topics }, part: partOf('in private') })
    expect(texts(one, topics)).not.toContain('in private')
    expect(texts(one, one.sim.dm(one.ann))).toContain('in private')
  })
})

describe('the token', () => {
  it('that Feishu takes no more is replaced; the call is left to the core', async () => {
    const one = await open()
    one.sim.expireTokens()
    expect(await failure(perform(one, post(one.chat, 'one')))).toEqual({ kind: 'unreachable' })
    await perform(one, post(one.chat, 'one'))
    const asked = one.sim.calls.filter(({ method }) => method === 'auth.tenantAccessToken')
    expect(asked).toHaveLength(2)
  })

  it('is asked for once, however much is going on', async () => {
    const one = await open()
    one.sim.expireTokens()
    await Promise.all(Array.from({ length: 8 }, (_, at) => failure(perform(one, post(one.chat, `n${at}`)))))
    const asked = one.sim.calls.filter(({ method }) => method === 'auth.tenantAccessToken')
    expect(asked.length).toBeLessThanOrEqual(3)
  })
})
