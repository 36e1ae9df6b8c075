import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Operation,
  type Part,
  PlatformFailure,
  type Post,
  type Receipt,
} from '../../src/messaging/contract.js'
import { Rooms, settled } from './harness.fixture.js'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})
afterEach(() => rooms.dispose())

const signal = new AbortController().signal
const place = { chat: 'lobby' }
const part = (text: string, mentions: { id: string; name: string }[] = []): Part => ({
  text,
  body: { text, mentions },
  mentions: mentions.map(({ id }) => id),
})
const post = (text: string, more: Partial<Post> = {}): Post => ({
  kind: 'post',
  place,
  part: part(text),
  ...more,
})
let keys = 0
const perform = (op: Operation, key = `key-${++keys}`): Promise<Receipt> =>
  rooms.connection.perform(op, key, signal)
const failure = async (op: Operation) => {
  try {
    await perform(op)
  } catch (error) {
    expect(error).toBeInstanceOf(PlatformFailure)
    return (error as PlatformFailure).failure
  }
  throw new Error('it did not fail')
}
const view = async (id: string | undefined) => (await rooms.call('GET', `rooms/lobby/messages/${id}`)).body

describe('a post', () => {
  it('quotes, speaks as its agent, carries buttons and mentions', async () => {
    const question = await rooms.say('why?')
    const receipt = await perform(
      post('because @Alice', {
        part: part('because @Alice', [{ id: 'Alice', name: 'Alice' }]),
        replyTo: question,
        agent: 'Reviewer',
        silent: true,
        buttons: [{ label: 'Retry', value: 'r1', style: 'primary' }],
      }),
    )
    expect(receipt.at).toBe(rooms.host.clock.now())
    expect(await view(receipt.id)).toMatchObject({
      author: { id: '@golem', name: 'Golem', kind: 'self' },
      agent: 'Reviewer',
      text: 'because @Alice',
      mentions: [{ id: 'Alice', name: 'Alice' }],
      silent: true,
      replyTo: { id: question, excerpt: 'why?' },
      buttons: [{ label: 'Retry', value: 'r1', style: 'primary' }],
    })
    expect(rooms.host.offered).toHaveLength(1)
  })

  it('is made once for one key, also in another life', async () => {
    const first = await perform(post('once'), 'k')
    rooms.host.clock.advance(1_000)
    expect(await perform(post('once'), 'k')).toEqual(first)
    await rooms.connect()
    expect(await perform(post('once'), 'k')).toEqual(first)
    const { body } = await rooms.call('GET', 'rooms/lobby/messages')
    expect(body.messages).toHaveLength(1)
  })

  it('at the same time with the same key is still one', async () => {
    const receipts = await Promise.all([1, 2, 3].map(() => perform(post('once'), 'k')))
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(1)
  })

  it('is found again by its key', async () => {
    const op = post('x')
    expect(await rooms.connection.settle?.(op, 'k')).toBe('not-sent')
    const receipt = await perform(op, 'k')
    expect(await rooms.connection.settle?.(op, 'k')).toEqual(receipt)
    expect(await rooms.connection.settle?.({ kind: 'delete', place, id: '1' }, 'k')).toBe('not-sent')
  })

  it('stands without its quote when the quoted message is nowhere', async () => {
    const { id } = await perform(post('still said', { replyTo: '999' }))
    expect((await view(id)).replyTo).toBeUndefined()
  })

  it('goes into its thread', async () => {
    const root = await rooms.say('root')
    const { id } = await perform(post('in thread', { place: { chat: 'lobby', thread: root } }))
    expect(await view(id)).toMatchObject({ thread: root })
  })

  it('fails with a reason', async () => {
    expect(await failure(post('x', { place: { chat: 'nowhere' } }))).toEqual({ kind: 'gone', what: 'chat' })
    expect(await failure(post('x', { place: { chat: 'lobby', thread: '99' } }))).toEqual({
      kind: 'gone',
      what: 'target',
    })
    expect(await failure(post('x'.repeat(8_001)))).toEqual({ kind: 'invalid', field: 'length' })
    expect(await failure(post('', { part: { text: '', body: null, mentions: [] } }))).toMatchObject({
      kind: 'invalid',
    })
    await rooms.call('PATCH', 'rooms/lobby', { archived: true })
    expect(await failure(post('x'))).toEqual({ kind: 'forbidden' })
  })

  it('is not begun after its time, and given up when it takes too long', async () => {
    const abort = new AbortController()
    const slow = rooms.connection.perform(post('x'), 'k', abort.signal)
    abort.abort()
    await expect(slow).rejects.toMatchObject({ failure: { kind: 'ambiguous' } })
    await expect(rooms.connection.perform(post('x'), 'k2', abort.signal)).rejects.toMatchObject({
      failure: { kind: 'unreachable' },
    })
    await settled()
    expect(await rooms.connection.settle?.(post('x'), 'k')).toMatchObject({ id: '1' })
    expect(await rooms.connection.settle?.(post('x'), 'k2')).toBe('not-sent')
  })

  it('of a kind that only a newer Golem knows is refused', async () => {
    expect(await failure({ kind: 'dance', place } as never)).toEqual({ kind: 'invalid', field: 'other' })
  })

  it('is unreachable after the connection was closed', async () => {
    await rooms.connection.close(0)
    expect(await failure(post('x'))).toEqual({ kind: 'unreachable' })
  })
})

describe('editing and deleting', () => {
  it('changes text, buttons and agent; the same again changes nothing', async () => {
    const { id = '' } = await perform(post('working…', { buttons: [{ label: 'Stop', value: 's' }] }))
    const edit: Operation = { kind: 'edit', place, id, part: part('done') }
    await perform(edit)
    const after = await view(id)
    expect(after).toMatchObject({ text: 'done', buttons: [], edited: expect.any(Number) })
    rooms.host.clock.advance(5_000)
    await perform(edit)
    expect(await view(id)).toEqual(after)
  })

  it('deletes, twice if need be', async () => {
    const { id = '' } = await perform(post('gone soon'))
    await perform({ kind: 'delete', place, id })
    await perform({ kind: 'delete', place, id })
    expect(await view(id)).toMatchObject({ deleted: true, text: '' })
    expect(await failure({ kind: 'edit', place, id, part: part('x') })).toEqual({
      kind: 'gone',
      what: 'target',
    })
    expect(await failure({ kind: 'delete', place, id: '99' })).toEqual({ kind: 'gone', what: 'target' })
  })

  it('leaves what people said alone', async () => {
    const id = await rooms.say('mine')
    expect(await failure({ kind: 'edit', place, id, part: part('x') })).toEqual({ kind: 'forbidden' })
    expect(await failure({ kind: 'delete', place, id })).toEqual({ kind: 'forbidden' })
  })
})

describe('the mark of the bot', () => {
  it('takes the place of the one before, and leaves those of people', async () => {
    const id = await rooms.say('do it')
    await rooms.call('PUT', `rooms/lobby/messages/${id}/reactions/${encodeURIComponent('👀')}`, {
      author: 'Bob',
    })
    for (const mark of ['received', 'received', 'done'] as const)
      await perform({ kind: 'react', place, id, mark })
    const { reactions } = await view(id)
    expect(reactions).toEqual([
      { emoji: '👀', people: [{ id: 'Bob', name: 'Bob' }] },
      { emoji: '✅', people: [{ id: '@golem', name: 'Golem' }] },
    ])
    await rooms.call('DELETE', `rooms/lobby/messages/${id}?author=Alice`)
    expect(await failure({ kind: 'react', place, id, mark: 'done' })).toEqual({
      kind: 'gone',
      what: 'target',
    })
  })
})

describe('a press', () => {
  it('reaches the core with who pressed what where', async () => {
    const { id = '' } = await perform(post('ok?', { buttons: [{ label: 'Yes', value: 'token' }] }))
    const press = (value: string) =>
      rooms.call('POST', `rooms/lobby/messages/${id}/press`, { author: { id: 'u1', name: 'Ann' }, value })
    expect((await press('token')).body).toEqual({ id, value: 'token' })
    expect((await press('other')).status).toBe(409)
    await perform({ kind: 'edit', place, id, part: part('Ann said yes') })
    expect((await press('token')).status).toBe(409)
    expect(rooms.host.accepted).toMatchObject([
      { kind: 'press', id, value: 'token', author: { id: 'u1', name: 'Ann' }, place },
    ])
  })
})

describe('an upload', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'golem-upload-'))
    path = join(folder, 'report.csv')
    await writeFile(path, 'a,b\n1,2\n')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is a message with its file, once for one key', async () => {
    const op: Operation = { kind: 'upload', place, path, name: '../../re"port.csv', agent: 'Reviewer' }
    const first = await perform(op, 'u')
    await writeFile(path, 'changed since')
    expect(await perform(op, 'u')).toEqual(first)
    const { files, agent } = await view(first.id)
    expect(agent).toBe('Reviewer')
    expect(files).toMatchObject([{ name: 're port.csv', mime: 'text/csv', bytes: 8 }])
    const response = await rooms.raw('GET', `files/${files[0].id}`)
    expect(await response.text()).toBe('a,b\n1,2\n')
    const stream = await rooms.connection.download({ id: files[0].id, name: 'x' }, 100)
    expect(await new Response(stream).text()).toBe('a,b\n1,2\n')
  })

  it('loses its bytes with its message', async () => {
    const { id = '' } = await perform({ kind: 'upload', place, path, name: 'r.csv' }, 'u')
    const [file] = (await view(id)).files
    await perform({ kind: 'delete', place, id })
    expect((await rooms.raw('GET', `files/${file.id}`)).status).toBe(404)
    expect(await readdir(join(rooms.dir, 'local-files'))).toEqual([])
    await perform({ kind: 'upload', place, path, name: 'r.csv' }, 'u')
    expect(await readdir(join(rooms.dir, 'local-files'))).toEqual([])
  })

  it('fails with a reason, and leaves nothing behind', async () => {
    const upload = (more: object): Operation => ({ kind: 'upload', place, path, name: 'x', ...more })
    expect(await failure(upload({ path: join(folder, 'none') }))).toEqual({ kind: 'invalid', field: 'file' })
    expect(await failure(upload({ path: folder }))).toEqual({ kind: 'invalid', field: 'file' })
    expect(await failure(upload({ place: { chat: 'nowhere' } }))).toEqual({ kind: 'gone', what: 'chat' })
    await writeFile(path, Buffer.alloc(20 * 1024 * 1024 + 1))
    expect(await failure(upload({}))).toEqual({ kind: 'invalid', field: 'file' })
    expect(await readdir(join(rooms.dir, 'local-files'))).toEqual([])
  })
})

describe('reading back', () => {
  const ids = async (range: { after?: string; before?: string; limit: number }, thread?: string) => {
    const found: string[] = []
    const at = { chat: 'lobby', ...(thread !== undefined && { thread }) }
    for await (const event of rooms.connection.history?.(at, range) ?? []) {
      if (event.kind === 'message') found.push(`${event.id} ${event.author.kind}`)
    }
    return found
  }

  it('gives history oldest first, with the bot and without what was deleted', async () => {
    await rooms.say('one')
    await perform(post('two', { agent: 'Reviewer' }))
    const third = await rooms.say('three')
    await rooms.say('four')
    await rooms.say('in a thread', { thread: '1' })
    await rooms.call('DELETE', `rooms/lobby/messages/${third}?author=Alice`)
    expect(await ids({ limit: 10 })).toEqual(['1 person', '2 self', '4 person'])
    expect(await ids({ limit: 1 })).toEqual(['4 person'])
    expect(await ids({ after: '1', limit: 1 })).toEqual(['2 self'])
    expect(await ids({ before: '4', limit: 1 })).toEqual(['2 self'])
    expect(await ids({ limit: 10 }, '1')).toEqual(['1 person', '5 person'])
  })

  it('gives an old message the identity it came with', async () => {
    await rooms.say('one')
    const [event] = rooms.host.accepted
    for await (const old of rooms.connection.history?.(place, { limit: 1 }) ?? []) expect(old).toEqual(event)
  })

  it('knows who is in a room, and which rooms there are', async () => {
    await rooms.say('hi', { author: { id: 'u1', name: 'Ann' } })
    await rooms.say('hi', { author: { id: 'u1', name: 'Anna' } })
    await perform(post('hello'))
    const members = []
    for await (const member of rooms.connection.members?.(place) ?? []) members.push(member)
    expect(members).toEqual([
      { id: 'u1', name: 'Anna', kind: 'person', outside: false },
      { id: '@golem', name: 'Golem', kind: 'self', outside: false },
    ])
    const nowhere = rooms.connection.members?.({ chat: 'nowhere' })[Symbol.asyncIterator]()
    await expect(nowhere?.next()).rejects.toMatchObject({ failure: { kind: 'gone', what: 'chat' } })
  })

  it('refuses a download that is too large, or of nothing', async () => {
    const response = await rooms.raw('POST', 'rooms/lobby/files?name=a.txt', { body: 'x'.repeat(100) })
    const file = (await response.json()) as { id: string; name: string }
    await expect(rooms.connection.download(file, 99)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(rooms.connection.download({ id: 'f'.repeat(32), name: 'x' }, 99)).rejects.toMatchObject({
      failure: { kind: 'gone', what: 'target' },
    })
  })
})
