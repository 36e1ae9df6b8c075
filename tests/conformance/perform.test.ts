/** What a connection does: everything it declares, visibly, in one request; and nothing else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Inbound, Member, Operation, OperationKind, Receipt } from '../../src/messaging/contract.js'
import type { Seen } from '../simulators/kit/stage.js'
import { squeezed } from './kit/normalise.js'
import { Session } from './kit/session.js'
import { where } from './kit/where.js'
import { SUBJECTS } from './platforms/index.js'

const ALL: readonly OperationKind[] = [
  'post',
  'edit',
  'delete',
  'react',
  'upload',
  'typing',
  'whisper',
  'draft',
]

describe.each(SUBJECTS)('a connection to $platform.id', (subject) => {
  const { can } = subject.platform
  const [way = 'inside'] = subject.ways
  let session: Session
  let folder: string
  let path: string
  beforeAll(async () => {
    session = await Session.open(subject, way)
    folder = await mkdtemp(join(tmpdir(), 'golem-conformance-file-'))
    path = join(folder, 'report.csv')
    await writeFile(path, 'a,b\n1,2\n')
  })
  afterAll(async () => {
    await session?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const declares = (kind: OperationKind) => can.operations.includes(kind)
  const place = () => ({ chat: session.chat })
  const find = async (id: string | undefined): Promise<Seen | undefined> =>
    (await session.scene.seen(session.chat)).find((one) => one.id === id)
  const see = async (id: string | undefined): Promise<Seen> => {
    const seen = await find(id)
    if (seen === undefined) throw new Error(`nobody sees ${id}`)
    return seen
  }

  /** Performs, and counts: at most one request, but for what the platform is excused for by name. */
  async function perform(op: Operation): Promise<Receipt> {
    let receipt: Receipt | undefined
    const requests = await session.requests(async () => {
      receipt = await session.perform(op)
    })
    const excused = subject.requests?.[op.kind]
    if (session.scene.network !== undefined) {
      expect(requests, `requests of one ${op.kind}`).toBeLessThanOrEqual(excused?.most ?? 1)
      expect(requests).toBeGreaterThanOrEqual(1)
    }
    if (receipt === undefined) throw new Error('no receipt')
    expect(Math.abs(receipt.at - session.clock.now())).toBeLessThan(60_000)
    return receipt
  }

  it('excuses more than one request by a reason only', () => {
    for (const { most, why } of Object.values(subject.requests ?? {})) {
      expect(most).toBeGreaterThan(1)
      expect(why.length).toBeGreaterThan(20)
    }
  })

  it('posts', async () => {
    const { id } = await perform({ kind: 'post', place: place(), part: session.part('**Hello** there') })
    const seen = await see(id)
    expect(seen.text).toBe('Hello there')
    expect(seen.author.bot).toBe(true)
    expect(seen.edited).toBe(false)
  })

  it('posts with a quote', async () => {
    const question = await session.say('why?')
    const { id } = await perform({
      kind: 'post',
      place: place(),
      part: session.part('because'),
      replyTo: question,
    })
    const seen = await see(id)
    expect(can.quoteOpensThread ? seen.thread : seen.replyTo).toBe(question)
  })

  it('posts all the same when the quoted message is gone, or says that it is', async () => {
    const question = await session.say('why?')
    await session.scene.delete(session.chat, question, session.person)
    const post: Operation = { kind: 'post', place: place(), part: session.part('still'), replyTo: question }
    try {
      const { id } = await perform(post)
      expect((await see(id)).text).toBe('still')
    } catch (error) {
      expect(error).toMatchObject({ failure: { kind: 'gone' } })
      expect((await session.scene.seen(session.chat)).map(({ text }) => text)).not.toContain('still')
    }
  })

  where(can.threads, 'posts into a thread', async () => {
    const inside = await session.world.thread?.(session.chat, session.people)
    if (inside === undefined) throw new Error('there is no thread')
    const { id } = await perform({ kind: 'post', place: inside, part: session.part('in the thread') })
    const seen = (await session.scene.seen(inside.chat)).find((one) => one.id === id)
    expect(seen).toMatchObject({ text: 'in the thread', thread: inside.thread })
  })

  where(subject.silent, 'posts without a sound', async () => {
    const { id } = await perform({ kind: 'post', place: place(), part: session.part('hush'), silent: true })
    expect((await see(id)).silent).toBe(true)
    const { id: loud } = await perform({ kind: 'post', place: place(), part: session.part('loud') })
    expect((await see(loud)).silent).toBe(false)
  })

  where(can.buttons, 'posts with buttons', async () => {
    const buttons = [
      { label: 'Yes & no', value: 'v'.repeat(32), style: 'primary' as const },
      { label: 'Stop', value: 'stop', style: 'danger' as const },
    ]
    const { id } = await perform({ kind: 'post', place: place(), part: session.part('Shall I?'), buttons })
    const seen = await see(id)
    expect(seen.buttons.map(({ label }) => label)).toEqual(['Yes & no', 'Stop'])
    expect(seen.text).toContain('Shall I?')
  })

  where(can.direct, "posts to a person's direct chat", async () => {
    const person = session.people[1] ?? session.person
    const chat = await session.scene.dm(person)
    await session.scene.say(chat, person, 'hello')
    await perform({ kind: 'post', place: { chat: person.id }, part: session.part('between us') })
    expect((await session.scene.seen(chat)).map(({ text }) => text)).toContain('between us')
  })

  where(declares('edit'), 'edits, and the same once more', async () => {
    const id = await session.post('working', {
      ...(can.buttons && { buttons: [{ label: 'Stop', value: 's' }] }),
    })
    const edit: Operation = { kind: 'edit', place: place(), id, part: session.part('**done**'), buttons: [] }
    await perform(edit)
    expect(await see(id)).toMatchObject({ text: 'done', buttons: [] })
    await perform(edit)
    expect((await see(id)).text).toBe('done')
  })

  where(declares('edit') && can.buttons, 'edits what stands on a button', async () => {
    const id = await session.post('ready?', { buttons: [{ label: 'Yes', value: 'y' }] })
    const buttons = [{ label: 'Again', value: 'a' }]
    await perform({ kind: 'edit', place: place(), id, part: session.part('ready now?'), buttons })
    const seen = await see(id)
    expect(seen.buttons.map(({ label }) => label)).toEqual(['Again'])
  })

  where(declares('delete'), 'deletes, and bears that it is gone already', async () => {
    const id = await session.post('a slip')
    await perform({ kind: 'delete', place: place(), id })
    expect(await find(id)).toBeUndefined()
    try {
      await perform({ kind: 'delete', place: place(), id })
    } catch (error) {
      expect(error).toMatchObject({ failure: { kind: 'gone', what: 'target' } })
    }
  })

  where(declares('react'), 'marks a message, one mark at a time', async () => {
    const id = await session.say('do it')
    const own = async () => (await see(id)).reactions.filter(({ by }) => by === session.scene.bot.id)
    const marks = new Set<string>()
    for (const mark of ['received', 'done', 'failed', 'stopped'] as const) {
      await perform({ kind: 'react', place: place(), id, mark })
      // Where a mark cannot be replaced, the earlier one is taken away behind the operation.
      await session.until(async () => (await own()).length === 1, `one mark, ${mark}`)
      const [first] = await own()
      expect(first, mark).toBeDefined()
      marks.add(first?.emoji ?? '')
    }
    expect(marks.size).toBe(4)
    await perform({ kind: 'react', place: place(), id, mark: 'stopped' })
    expect(await own()).toHaveLength(1)
  })

  where(declares('upload'), 'uploads a file', async () => {
    const question = await session.say('the report?')
    const name = 'report 报告.csv'
    await perform({ kind: 'upload', place: place(), path, name, replyTo: question })
    const seen = (await session.scene.seen(session.chat)).find(({ files }) => files.length > 0)
    // Some platforms write a name without its blanks.
    const files = seen?.files.map((file) => ({ ...file, name: file.name.replaceAll('_', ' ') }))
    expect(files).toEqual([{ name, bytes: 8 }])
    expect(seen?.author.bot).toBe(true)
    expect(can.quoteOpensThread ? seen?.thread : seen?.replyTo).toBe(question)
  })

  where(declares('upload'), 'uploads no file that is not there, and none that is too large', async () => {
    const missing = session.perform({ kind: 'upload', place: place(), path: join(folder, 'none'), name: 'x' })
    expect((await session.failure(missing)).failure).toEqual({ kind: 'invalid', field: 'file' })
  })

  where(declares('typing'), 'shows that it types, and leaves nothing behind', async () => {
    const before = await session.scene.seen(session.chat)
    await session.perform({ kind: 'typing', place: place(), on: true })
    await session.perform({ kind: 'typing', place: place(), on: false })
    expect(await session.scene.seen(session.chat)).toEqual(before)
  })

  where(
    declares('draft'),
    'shows an answer as it is written in a direct chat, and leaves no message',
    async () => {
      const [ann] = session.people
      if (ann === undefined) throw new Error('nobody is there')
      const direct = await session.scene.dm(ann)
      await session.scene.say(direct, ann, 'hello')
      const before = await session.scene.seen(direct)
      for (const text of ['Once', 'Once upon', 'Once upon a **time**'])
        await session.perform({ kind: 'draft', place: { chat: direct }, draft: 7, part: session.part(text) })
      expect(await session.scene.seen(direct)).toEqual(before)
      // In a group there is no such thing: it says so, and nothing is seen.
      const group = session.perform({ kind: 'draft', place: place(), draft: 8, part: session.part('x') })
      expect((await session.failure(group)).failure.kind).not.toBe('ambiguous')
    },
  )

  where(declares('whisper'), 'tells one person alone', async () => {
    const [ann, other] = session.people
    if (ann === undefined || other === undefined) throw new Error('nobody is there')
    const text = 'for your eyes only'
    // Where there are no such notes, it is the direct chat that the person has begun.
    const direct = await session.scene.dm(ann)
    await session.scene.say(direct, ann, 'hello')
    await perform({ kind: 'whisper', place: place(), to: ann.id, part: session.part(text) })
    const sees = async (viewer: typeof ann) => {
      const chats = [session.chat, ...(viewer === ann ? [direct] : [])]
      const all = await Promise.all(chats.map((chat) => session.scene.seen(chat, viewer)))
      return all.flat().map((one) => one.text)
    }
    await session.until(async () => (await sees(ann)).includes(text), 'the note is seen')
    expect(await sees(other)).not.toContain(text)
  })

  it('refuses what it does not declare, before any request', async () => {
    const id = await session.post('here')
    const part = session.part('x')
    const ops: Record<OperationKind, Operation> = {
      post: { kind: 'post', place: place(), part },
      edit: { kind: 'edit', place: place(), id, part },
      delete: { kind: 'delete', place: place(), id },
      react: { kind: 'react', place: place(), id, mark: 'done' },
      upload: { kind: 'upload', place: place(), path, name: 'x.csv' },
      typing: { kind: 'typing', place: place(), on: true },
      whisper: { kind: 'whisper', place: place(), to: session.person.id, part },
      draft: { kind: 'draft', place: place(), draft: 1, part },
    }
    for (const kind of ALL.filter((one) => !declares(one))) {
      const requests = await session.requests(async () => {
        const { failure } = await session.failure(session.perform(ops[kind]))
        expect(failure.kind, kind).toBe('invalid')
      })
      expect(requests, `requests of a refused ${kind}`).toBe(0)
    }
    const unheard = { kind: 'dance', place: place() } as never
    expect(await session.requests(() => session.failure(session.perform(unheard)))).toBe(0)
  })

  it('does not begin what nobody waits for any more', async () => {
    const post: Operation = { kind: 'post', place: place(), part: session.part('too late') }
    const requests = await session.requests(async () => {
      const { failure } = await session.failure(session.perform(post, AbortSignal.abort()))
      expect(failure.kind).toBe('unreachable')
    })
    expect(requests).toBe(0)
    expect((await session.scene.seen(session.chat)).map(({ text }) => text)).not.toContain('too late')
  })

  where(can.idempotentFor > 0, 'posts once for one key', async () => {
    const post: Operation = { kind: 'post', place: place(), part: session.part('once only') }
    const key = session.key()
    const first = await session.perform(post, undefined, key)
    expect(await session.perform(post, undefined, key)).toEqual(first)
    const texts = (await session.scene.seen(session.chat)).map(({ text }) => text)
    expect(texts.filter((text) => text === 'once only')).toHaveLength(1)
  })

  it('reads back what was said where it declares so, with the identity it came with', async () => {
    expect(session.connection.history !== undefined).toBe(can.history)
    if (session.connection.history === undefined) return
    const chat = await session.scene.group('Past', session.people)
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) {
      ids.push(await session.scene.say(chat, session.person, text))
      await session.heard(ids.at(-1) ?? '', 0, chat)
    }
    const { id: own = '' } = await session.perform({
      kind: 'post',
      place: { chat },
      part: session.part('four'),
    })
    ids.push(own)
    const read = async (range: { after?: string; before?: string; limit: number }) => {
      const found: Inbound[] = []
      for await (const event of session.connection.history?.({ chat }, range) ?? []) found.push(event)
      return found.filter((event) => event.kind === 'message').filter(({ id }) => ids.includes(id))
    }
    const all = await read({ limit: 30 })
    expect(all.map(({ id }) => id)).toEqual(ids)
    for (const message of all) {
      const live = session.host.find('message', message.id, chat)
      if (message.id === own) expect(message.author.kind).toBe('self')
      else expect(message.event).toBe(live?.event)
    }
    expect((await read({ limit: 30, after: ids[0] ?? '' })).map(({ id }) => id)).toEqual(ids.slice(1))
    expect((await read({ limit: 30, before: own })).map(({ id }) => id)).toEqual(ids.slice(0, 3))
    expect((await read({ limit: 2 })).map(({ id }) => id)).toEqual(ids.slice(2))
    const nowhere = session.connection.history({ chat: 'nowhere' }, { limit: 3 })[Symbol.asyncIterator]()
    expect((await session.failure(nowhere.next())).failure.kind).toMatch(/gone|forbidden|invalid/)
  })

  it('knows who is in a chat', async () => {
    if (session.connection.members === undefined) return
    for (const person of session.people) await session.say('here', person)
    const members: Member[] = []
    for await (const member of session.connection.members(place())) members.push(member)
    // Where a platform names some of them only, the core learns of the others when they speak.
    const named =
      subject.members === 'some'
        ? session.people.filter(({ id }) => members.some((one) => one.id === id))
        : session.people
    expect(members.length).toBeGreaterThan(0)
    for (const { id, name, username } of named) {
      const member = members.find((one) => one.id === id)
      expect(member, name).toBeDefined()
      const names = [member?.name, ...(member?.aliases ?? [])].map((one) => squeezed(one ?? ''))
      expect(names).toContain(squeezed(name))
      if (username !== undefined) expect(member?.aliases ?? []).toContain(username)
    }
    expect(new Set(members.map(({ id }) => id)).size).toBe(members.length)
  })
})
