/** How a connection lives and ends: what was not taken comes again, what it began is finished, and it harms no other. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type Closed, ConnectFailure } from '../../src/messaging/contract.js'
import { quiet } from './kit/quiet.js'
import { Session } from './kit/session.js'
import { where } from './kit/where.js'
import { SUBJECTS } from './platforms/index.js'

/** Sockets, servers and timers that keep a process alive. */
function openThings(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(?:TCP|TLS|Pipe|Timeout)/.test(kind)).length
}

/** The files of a folder, each with its size and time. */
async function contents(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort()
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)))
  return names.map((name, at) => `${name} ${found[at]?.size} ${found[at]?.mtimeMs}`)
}

const CASES = SUBJECTS.flatMap((subject) =>
  subject.ways.map((way) => ({ subject, way, id: subject.platform.id })),
)

describe.each(CASES)('the connection of $id by $way', ({ subject, way }) => {
  const remote = way !== 'inside'
  const open: Session[] = []
  const session = async (connect = true): Promise<Session> => {
    const opened = await Session.open(subject, way, undefined, connect)
    open.push(opened)
    return opened
  }
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })

  it('acknowledges nothing that is not durable', async () => {
    const one = await session()
    await one.say('first')
    await quiet(one)
    // Some acknowledge by and by.
    await one.until(() => (one.scene.network?.pending ?? 0) === 0, 'all of it is acknowledged')
    const before = one.scene.acknowledged.length
    one.host.hold()
    const id = await one.scene.say(one.chat, one.person, 'second')
    await one.until(() => one.host.offered.some((event) => 'id' in event && event.id === id), 'it is offered')
    await quiet(one)
    expect(one.scene.acknowledged.length).toBe(before)
    one.host.release()
    await one.until(() => one.scene.acknowledged.length > before, 'it is acknowledged')
    expect(one.host.find('message', id, one.chat)).toBeDefined()
  })

  it('brings again what the core could not take, in its order', async () => {
    const one = await session()
    one.host.refuse = 3
    const ids: string[] = []
    for (const text of ['a', 'b', 'c']) ids.push(await one.scene.say(one.chat, one.person, text))
    for (const id of ids) await one.heard(id, 1_000)
    const heard = one.host.all('message').filter(({ id }) => ids.includes(id))
    expect(heard.map(({ id }) => id)).toEqual(ids)
    expect(one.host.refuse).toBe(0)
  })

  it('brings to the next life what the last one did not take', async () => {
    const one = await session()
    one.host.hold()
    const id = await one.scene.say(one.chat, one.person, 'kept')
    await one.until(() => one.host.offered.some((event) => 'id' in event && event.id === id), 'it is offered')
    one.host.refuse = 1_000
    one.host.release()
    await one.disconnect(0)
    one.host.refuse = 0
    await one.connect()
    await one.heard(id, 1_000)
  })

  it('hears two accounts in one process each by itself', async () => {
    const [left, right] = [await session(), await session()]
    const id = await left.say('to the left')
    const other = await right.say('to the right')
    expect(left.host.find('message', id, left.chat)).toBeDefined()
    expect(right.host.find('message', other, right.chat)).toBeDefined()
    const texts = (one: Session) =>
      JSON.stringify(one.host.accepted.map((event) => ('doc' in event ? event.doc : '')))
    expect(texts(left)).not.toContain('to the right')
    expect(texts(right)).not.toContain('to the left')
  })

  it('ends when it is told to: nothing half done, nothing heard afterwards, no timer left', async () => {
    const one = await session()
    await one.say('hello')
    const part = one.part('the last word')
    const { postMethod } = subject
    if (postMethod !== undefined)
      one.scene.network?.fault({ method: postMethod, times: 1, do: { kind: 'delay', ms: 150 } })
    const performing = one.perform({ kind: 'post', place: { chat: one.chat }, part }).then(
      () => 'sent',
      (error: unknown) => (error as { failure?: { kind: string } }).failure?.kind,
    )
    await one.disconnect()
    expect(['sent', 'unreachable', 'ambiguous']).toContain(await performing)
    const closed = await one.connection.done
    expect(closed.fatal ?? false).toBe(false)
    const offered = one.host.offered.length
    if (remote) await one.scene.say(one.chat, one.person, 'is anybody there?')
    await quiet(one)
    expect(one.host.offered.length).toBe(offered)
    expect(one.host.clock.waiting).toBe(0)
    await one.disconnect()
    const late = one.perform({ kind: 'post', place: { chat: one.chat }, part })
    expect((await one.failure(late)).failure.kind).toBe('unreachable')
  })

  it('leaves nothing open: the process could end, and its folder stays as it is', async () => {
    const before = openThings()
    const one = await session()
    await one.say('hello')
    await one.post('hi')
    await one.disconnect()
    const written = await contents(one.host.dataDir)
    await quiet(one)
    expect(await contents(one.host.dataDir)).toEqual(written)
    await one.close()
    await one.until(() => openThings() <= before, 'sockets and timers are gone')
  })

  it('ends in time while the core takes nothing', async () => {
    const one = await session()
    one.host.hold()
    await one.scene.say(one.chat, one.person, 'stuck')
    await one.until(() => one.host.offered.length > 0, 'it is offered')
    const before = one.scene.acknowledged.length
    let ended = false
    void one.disconnect(2_000).then(() => {
      ended = true
    })
    await one.until(() => ended, 'the connection is closed', 100)
    expect(one.scene.acknowledged.length).toBe(before)
  })

  for (const refused of subject.refused ?? []) {
    if (refused.ways?.includes(way) === false) continue
    it(`is not made with ${refused.name}, and says what to do`, async () => {
      const one = await session(false)
      const error = await one.connect(refused.settings).then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(ConnectFailure)
      const { message, cure } = error as ConnectFailure
      expect(message.length).toBeGreaterThan(10)
      expect(cure.length).toBeGreaterThan(10)
      const shown = inspect([error, one.host.logged, one.host.states], { depth: 12 })
      for (const secret of one.secrets(refused.settings)) expect(shown).not.toContain(secret)
      expect(one.host.offered).toEqual([])
      expect(one.host.clock.waiting).toBe(0)
    })
  }

  where(remote, 'ends for good when its token is taken away, and says what to do', async () => {
    const [one, other] = [await session(), await session()]
    one.scene.network?.fault({ do: { kind: 'revoke' } })
    const failing = one.perform({ kind: 'post', place: { chat: one.chat }, part: one.part('hello?') })
    expect((await one.failure(failing)).failure.kind).toBe('unauthorized')
    let closed: Closed | undefined
    void one.connection.done.then((how) => {
      closed = how
    })
    one.scene.network?.cut('close')
    await one.until(() => closed !== undefined, 'the connection has ended', 1_000)
    expect(closed).toMatchObject({
      fatal: true,
      reason: expect.any(String),
      cure: expect.stringMatching(/\w{3}/),
    })
    // The other account does not notice.
    await other.say('still here')
    await other.post('me too')
  })

  where(remote, 'comes back after its line was cut, and misses nothing', async () => {
    const one = await session()
    await one.say('before')
    one.scene.network?.cut('close')
    const id = await one.scene.say(one.chat, one.person, 'meanwhile')
    await one.stays(() => one.host.find('message', id, one.chat) !== undefined, 'it is heard', 500)
    const after = await one.scene.say(one.chat, one.person, 'after')
    await one.stays(() => one.host.find('message', after, one.chat) !== undefined, 'it is heard', 500)
  })

  where(remote, 'notices a line that is open and dead', async () => {
    const one = await session()
    await one.say('before')
    one.scene.network?.cut('half-open')
    const id = await one.scene.say(one.chat, one.person, 'into the void')
    await one.stays(() => one.host.find('message', id, one.chat) !== undefined, 'it is heard', 1_000)
  })

  where(remote, 'outlives answers of a platform that is ill', async () => {
    const one = await session()
    await one.say('before')
    const undo = one.scene.network?.fault({ times: 3, do: { kind: 'status', status: 502, body: '<html>' } })
    one.scene.network?.cut('close')
    const id = await one.scene.say(one.chat, one.person, 'meanwhile')
    await one.stays(() => one.host.find('message', id, one.chat) !== undefined, 'it is heard', 1_000)
    undo?.()
  })
})
