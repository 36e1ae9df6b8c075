import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Owner, Session } from './session.js'

const OWNER: Owner = { application: '1', intents: 513, apiUrl: 'https://discord.com/api' }
const INFO = {
  sessionId: 'abc',
  resumeURL: 'wss://gateway.example',
  sequence: 1,
  shardId: 0,
  shardCount: 1,
}

/** A folder that cannot be: nothing depends on what is written. */
const NOWHERE = '/dev/null/nowhere'

let folder: string
let time = 1_000
const now = (): number => time
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'golem-session-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const opened = async (owner = OWNER, shard = 0): Promise<Session> => {
  const session = new Session(folder, 'discord', shard, owner, now)
  await session.load()
  return session
}

describe('the sequence', () => {
  it('is the last one up to which everything is stored, whatever the order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }).chain((count) => {
          const all = Array.from({ length: count }, (_, at) => at + 2)
          return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: 0 }))
        }),
        ([all, settled]) => {
          const session = new Session(NOWHERE, 'discord', 0, OWNER, now)
          session.begin(INFO)
          const tickets = new Map(all.map((sequence) => [sequence, session.receive(sequence)]))
          const done = new Set<number>()
          for (const sequence of settled) {
            tickets.get(sequence)?.settle()
            tickets.get(sequence)?.settle()
            done.add(sequence)
            const missing = all.find((one) => !done.has(one))
            expect(session.info?.sequence).toBe(missing === undefined ? all.at(-1) : missing - 1)
          }
          expect(session.waiting).toBe(all.filter((one) => one > (session.info?.sequence ?? 0)).length)
        },
      ),
    )
  })

  it('is not moved by what an earlier connection still had in hand', () => {
    const session = new Session(NOWHERE, 'discord', 0, OWNER, now)
    session.begin(INFO)
    session.receive(2).settle()
    const late = session.receive(3)
    session.restart()
    const again = session.receive(3)
    session.receive(4).settle()
    late.settle()
    expect(session.info?.sequence).toBe(2)
    again.settle()
    expect(session.info?.sequence).toBe(4)
  })

  it('never goes back', () => {
    const session = new Session(NOWHERE, 'discord', 0, OWNER, now)
    session.begin({ ...INFO, sequence: 10 })
    session.receive(4).settle()
    expect(session.info?.sequence).toBe(10)
  })

  it('names a dispatch the same when it is replayed', () => {
    const session = new Session(NOWHERE, 'discord', 0, OWNER, now)
    session.begin(INFO)
    const first = session.receive(7).delivery
    session.restart()
    expect(session.receive(7).delivery).toBe(first)
    session.begin({ ...INFO, sessionId: 'other' })
    expect(session.receive(7).delivery).not.toBe(first)
  })
})

describe('the file', () => {
  it('lets the next life go on where this one was', async () => {
    const session = await opened()
    session.begin(INFO)
    session.receive(2).settle()
    session.receive(3)
    session.receive(4).settle()
    await session.close()
    expect((await opened()).info).toEqual({ ...INFO, sequence: 2 })
    expect(await readdir(folder)).toEqual(['discord-session-0.json'])
  })

  it.each([
    ['another app', { ...OWNER, application: '2' }],
    ['other intents', { ...OWNER, intents: 1 }],
    ['another Discord', { ...OWNER, apiUrl: 'http://127.0.0.1:1/api' }],
  ])('is of no use to %s', async (_, owner) => {
    const session = await opened()
    session.begin(INFO)
    await session.close()
    expect((await opened(owner)).info).toBeNull()
  })

  it('is of no use to another shard, or where it was dropped', async () => {
    const session = await opened()
    session.begin(INFO)
    await session.close()
    const saved = await readFile(join(folder, 'discord-session-0.json'), 'utf8')
    await writeFile(join(folder, 'discord-session-1.json'), saved)
    expect((await opened(OWNER, 1)).info).toBeNull()
    const next = await opened()
    next.drop()
    await next.close()
    expect((await opened()).info).toBeNull()
  })

  it.each(['', '{', '[]', 'null', '{"session":{"sessionId":3}}', '{"session":{}}'])(
    'that holds %j is none',
    async (written) => {
      await writeFile(join(folder, 'discord-session-0.json'), written)
      expect((await opened()).info).toBeNull()
    },
  )

  it('of a new session is there before anything is said in it', async () => {
    const session = await opened()
    session.begin(INFO)
    const saved: unknown = JSON.parse(readFileSync(join(folder, 'discord-session-0.json'), 'utf8'))
    expect(saved).toMatchObject({ session: INFO })
    await session.close()
  })

  it('is never an older one again, whatever was being written', async () => {
    const session = await opened()
    session.begin(INFO)
    // Each of these is written by and by, and the new session at once.
    for (let round = 0; round < 20; round++) {
      session.receive(round + 2).settle()
      await new Promise((resolve) => setImmediate(resolve))
      session.begin({ ...INFO, sessionId: `s${round}` })
      for (let look = 0; look < 5; look++) {
        await new Promise((resolve) => setImmediate(resolve))
        const saved: unknown = JSON.parse(readFileSync(join(folder, 'discord-session-0.json'), 'utf8'))
        expect(saved).toMatchObject({ session: { sessionId: `s${round}` } })
      }
    }
    await session.close()
  })

  it('is one for each account', async () => {
    const session = await opened()
    session.begin(INFO)
    await session.close()
    const other = new Session(folder, 'discord.acme', 0, OWNER, now)
    await other.load()
    expect(other.info).toBeNull()
  })

  it('is left alone after the end', async () => {
    const session = await opened()
    session.begin(INFO)
    const ticket = session.receive(2)
    await session.close()
    ticket.settle()
    await session.close()
    expect((await opened()).info?.sequence).toBe(1)
  })
})

describe('a gap', () => {
  const begun = async (): Promise<Session> => {
    const session = await opened()
    session.expect()
    session.begin(INFO)
    return session
  }

  it('is left between two sessions, from what was heard last to whenever it is read', async () => {
    time = 1_000
    const first = await begun()
    first.closeGap()
    time = 5_000
    const tickets = [first.receive(2), first.receive(3)]
    time = 9_000
    for (const ticket of tickets) ticket.settle()
    first.drop()
    first.begin({ ...INFO, sessionId: 'next' })
    expect(first.gap).toBe(5_000)
    first.receive(2).settle()
    await first.close()
    const second = await opened()
    expect(second).toMatchObject({ gap: 5_000, info: { sessionId: 'next', sequence: 2 } })
    second.closeGap()
    await second.close()
    expect(await opened()).toMatchObject({ gap: null, info: { sessionId: 'next' } })
  })

  it('begins with the first session that is asked for: its READY may never be read', async () => {
    time = 2_000
    const session = await opened()
    session.expect()
    const next = await opened()
    time = 70_000
    next.expect()
    next.begin(INFO)
    expect(next.gap).toBe(2_000)
    await Promise.all([session.close(), next.close()])
  })

  it('is none where what is heard is not stored yet: that is redelivered, or part of the gap', async () => {
    time = 1_000
    const session = await begun()
    session.closeGap()
    time = 5_000
    session.receive(2)
    time = 6_000
    session.receive(3).settle()
    session.drop()
    session.begin({ ...INFO, sessionId: 'next' })
    expect(session.gap).toBe(1_000)
    await session.close()
  })

  it('of another application, or another Discord, is nobody’s', async () => {
    const session = await begun()
    await session.close()
    for (const owner of [
      { ...OWNER, application: '2' },
      { ...OWNER, apiUrl: 'http://127.0.0.1:1/api' },
    ])
      expect((await opened(owner)).gap).toBeNull()
    // With other intents it is the same bot.
    expect((await opened({ ...OWNER, intents: 1 })).gap).not.toBeNull()
  })
})
