import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectLocal } from './connection.js'
import { openDb } from './db.js'
import { openInline, TestHost } from './harness.fixture.js'
import type { In, LogEvent } from './protocol.js'
import { localSettings } from './settings.js'
import { openDatabase } from './store/schema.js'
import { Store } from './store/store.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-local-db-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const say = (text: string, at = 1): In<'say'> => ({
  room: 'lobby',
  author: { id: 'Alice', name: 'Alice', kind: 'person' },
  text,
  mentions: [],
  files: [],
  at,
})

describe('the thread of the store', () => {
  it('keeps order, tells changes before it answers, and ends when it is closed', async () => {
    const host = new TestHost(dir)
    const db = await openDb(join(dir, 'local.db'), (module, data) => host.thread(module, data))
    const events: LogEvent[] = []
    const order: string[] = []
    db.onEvents = (some) => {
      events.push(...some)
      order.push(`events ${some.length}`)
    }
    db.onDeliveries = (some) => order.push(`deliveries ${some.length}`)
    const said = await Promise.all(Array.from({ length: 20 }, (_, i) => db.call('say', say(`m${i}`))))
    order.push('answered')
    expect(said.map(({ message }) => message.id)).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)))
    // The room and twenty messages: one commit.
    expect(order).toEqual(['events 21', 'deliveries 20', 'answered'])
    await expect(db.call('room', { id: 'none' })).rejects.toMatchObject({
      name: 'Refused',
      code: 'unknown-room',
    })
    const last = db.call('say', say('last'))
    await db.close()
    expect((await last).message.id).toBe('21')
    expect(await db.gone).toBeNull()
    await expect(db.call('rooms', {})).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('is safe on the disk: full synchronous commits, and a deletion overwrites', async () => {
    const file = join(dir, 'local.db')
    const db = openDatabase(file, () => 'b')
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
    expect(Number(db.pragma('secure_delete', { simple: true }))).toBe(2)
    db.close()
    const again = openDatabase(file, () => 'other')
    expect(again.prepare('select value from meta').pluck().get()).toBe('b')
    again.close()
  })
})

describe('a batch', () => {
  it('undoes the step that is refused, and keeps the others', () => {
    const store = new Store(openDatabase(join(dir, 'x.db'), () => 'b'))
    const { replies, events, deliveries } = store.run([
      { id: 1, name: 'say', input: say('one') },
      { id: 2, name: 'say', input: { ...say('two'), room: 'other', replyTo: '99' } },
      { id: 3, name: 'say', input: say('three') },
    ])
    expect(replies.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(events.map(({ type, room }) => `${type} ${room}`)).toEqual([
      'room lobby',
      'message lobby',
      'message lobby',
    ])
    expect(deliveries).toHaveLength(2)
    store.close()
  })

  it('fails one step alone when SQLite refuses what it holds', () => {
    const store = new Store(openDatabase(join(dir, 'x.db'), () => 'b'))
    const { replies } = store.run([
      { id: 1, name: 'say', input: say('one') },
      { id: 2, name: 'say', input: { ...say('two'), at: null } },
    ])
    expect(replies).toMatchObject([{ ok: true }, { ok: false, failed: 'SQLITE_CONSTRAINT_NOTNULL' }])
    store.close()
  })

  it('on a full disk claims nothing, and works again when there is space', () => {
    const db = openDatabase(join(dir, 'x.db'), () => 'b')
    const store = new Store(db)
    store.run([{ id: 1, name: 'say', input: say('one') }])
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
    const full = store.run([
      { id: 2, name: 'say', input: say('small') },
      { id: 3, name: 'say', input: say('x'.repeat(30_000)) },
    ])
    const claimed = full.replies.filter(({ ok }) => ok).length
    db.pragma('max_page_count = 1000000')
    const page = store.run([{ id: 4, name: 'messages', input: { room: 'lobby', limit: 10 } }])
    const reply = page.replies[0]
    const found = reply?.ok === true ? (reply.output as { messages: unknown[] }).messages.length : 0
    expect(found).toBe(1 + claimed)
    expect(full.replies[1]).toMatchObject({ ok: false, failed: 'SQLITE_FULL' })
    expect(full.deliveries).toHaveLength(claimed)
    expect(store.run([{ id: 5, name: 'say', input: say('again') }]).replies).toMatchObject([{ ok: true }])
    store.close()
  })
})

describe('starting', () => {
  const inline: typeof openDb = (file) => openInline(file)
  const connect = (host: TestHost, open = inline) => connectLocal(localSettings.parse({}), host, open)

  it.each([
    ['a file that is no database', async (file: string) => writeFile(file, 'x'.repeat(5_000)), /is damaged/],
    [
      'a folder where the file should be',
      async (file: string) => {
        const { mkdir } = await import('node:fs/promises')
        await mkdir(file)
      },
      /cannot be opened for writing/,
    ],
    [
      'tables of a newer version',
      async (file: string) => {
        const db = new Database(file)
        db.pragma('user_version = 99')
        db.close()
      },
      /newer Golem/,
    ],
  ])('with %s says so and how to cure it', async (_, prepare, sentence) => {
    await prepare(join(dir, 'local.db'))
    const host = new TestHost(dir)
    await expect(connect(host)).rejects.toThrow(sentence)
    expect(host.states.at(-1)).toMatchObject({ phase: 'failed', cure: expect.any(String) })
    await expect(connect(new TestHost(dir), openDb)).rejects.toThrow(sentence)
  })

  it('in a folder that cannot be made says so', async () => {
    await writeFile(join(dir, 'file'), '')
    await expect(connect(new TestHost(join(dir, 'file', 'x')))).rejects.toThrow(
      /cannot be opened for writing \(ENOTDIR\)/,
    )
  })

  it('with a damaged page says so at the latest when it is read', async () => {
    const first = await connect(new TestHost(dir))
    await first.close(0)
    await chmod(join(dir, 'local.db'), 0o600)
    const { open } = await import('node:fs/promises')
    const handle = await open(join(dir, 'local.db'), 'r+')
    await handle.write(Buffer.alloc(4_096 * 4, 0xff), 0, 4_096 * 4, 4_096)
    await handle.close()
    await expect(connect(new TestHost(dir))).rejects.toThrow(/damaged|malformed/)
  })

  it('settles `done` when its thread dies', async () => {
    const db = await openInline(join(dir, 'local.db'))
    const host = new TestHost(dir)
    const connection = await connectLocal(localSettings.parse({}), host, async () => db)
    const body = JSON.stringify({ author: 'Alice', text: 'x' })
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    const say = () => connection.serve?.(new Request('http://x/api/local', init), 'rooms/lobby/messages')
    host.refuse = 'no'
    expect((await say())?.status).toBe(503)
    expect(host.clock.pending).toBe(1)
    const { StoreFailed } = await import('./protocol.js')
    const { Client } = await import('./db.js')
    if (!(db instanceof Client)) throw new Error('another client than expected')
    db.ended(new StoreFailed('WORKER', 'the thread of the local rooms died: out of memory'))
    expect(await connection.done).toEqual({ reason: 'the thread of the local rooms died: out of memory' })
    expect(host.clock.pending).toBe(0)
    const answer = await say()
    expect(answer?.status).toBe(503)
    expect(await answer?.json()).toMatchObject({ error: { code: 'storage' } })
    const { perform } = connection
    const op = { kind: 'react', place: { chat: 'lobby' }, id: '1', mark: 'done' } as const
    await expect(perform.call(connection, op, 'k', new AbortController().signal)).rejects.toMatchObject({
      failure: { kind: 'ambiguous' },
    })
  })
})
