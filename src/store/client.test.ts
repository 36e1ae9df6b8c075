/** The store as the daemon has it: a thread, a file, one owner. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { message, policy, SELF, T0 } from '../../tests/support/policy.js'
import { CAN } from '../../tests/support/room.js'
import type { AcceptItem } from '../messaging/store.js'
import { type OpenOptions, type OpenStore, openStore } from './client.js'
import { DATABASE } from './open.js'
import { openReader } from './reader.js'

const opened: OpenStore[] = []
const folders: string[] = []
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'golem-store-'))
  folders.push(path)
  return path
}
async function open(dataDir: string, change: Partial<OpenOptions> = {}): Promise<OpenStore> {
  const store = await openStore({
    dataDir,
    policy: policy(),
    boot: `boot-${opened.length}`,
    now: T0,
    ...change,
  })
  opened.push(store)
  return store
}
const say = (text: string, id: string): AcceptItem => ({
  connection: 'local',
  self: SELF,
  can: CAN,
  event: message(text, { id }),
  receivedAt: T0,
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true })
})

describe('commands', () => {
  it('of one tick share one commit, in their order', async () => {
    const dataDir = folder()
    const store = await open(dataDir)
    const all = Array.from({ length: 300 }, (_, index) => store.accept(say('hi', `m${index}`)))
    await all[0]
    const reader = openReader(dataDir)
    // Whoever hears of the first finds all of them on the disk.
    expect((await reader.status()).messages).toBe(300)
    await reader.close()
    const ids = (await Promise.all(all)).map((result) => result.message)
    expect(ids).toEqual(ids.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
  })

  it('accepted and claimed in one tick: the claim sees what was accepted', async () => {
    const store = await open(folder())
    const accepted = store.accept(say('@Golem hi', 'q'))
    const claimed = store.claimTurns({ now: T0, max: 5 })
    await accepted
    expect((await claimed).turns).toHaveLength(1)
  })

  it('one that fails takes no other with it', async () => {
    const store = await open(folder())
    const broken = { ...say('hi', 'b'), event: { ...message('hi', { id: 'b' }), doc: null as never } }
    const results = await Promise.allSettled([
      store.accept(say('one', '1')),
      store.accept(broken),
      store.accept(say('two', '2')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: { name: 'StoreError', code: 'failed' } })
    expect((await store.status()).messages).toBe(2)
    // It was not half stored: given again, whole, it is new.
    expect((await store.accept(say('hi', 'b'))).status).toBe('new')
    expect(store.trouble).toBeNull()
  })

  it('that come before the end are carried out, those after it are refused', async () => {
    const dataDir = folder()
    const store = await open(dataDir)
    const all = Array.from({ length: 1_200 }, (_, index) => store.accept(say('hi', `m${index}`)))
    const closed = store.close()
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set(['new']))
    await closed
    await expect(store.accept(say('late', 'late'))).rejects.toMatchObject({ code: 'closed' })
    await store.close()
    expect(store.trouble).toBeNull()
    const again = await open(dataDir)
    expect((await again.status()).messages).toBe(1_200)
  })
})

describe('a full disk', () => {
  it('refuses what it cannot take, stores nothing by halves, and takes it later', async () => {
    const dataDir = folder()
    const first = await open(dataDir)
    const pages = (await first.status()).bytes / 4_096
    await first.close()
    const small = await open(dataDir, { maxPages: pages + 24 })
    const texts = Array.from({ length: 40 }, (_, index) => say('x'.repeat(8_000), `m${index}`))
    const results = await Promise.allSettled(texts.map((item) => small.accept(item)))
    const refused = results.flatMap((result, index) => (result.status === 'rejected' ? [index] : []))
    expect(refused.length).toBeGreaterThan(0)
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'full', message: expect.stringMatching(/disk.*full/) })
    expect(small.trouble).toMatch(/full/)
    // What was not refused is there, what was refused is not.
    const taken = results.length - refused.length
    expect((await small.status()).messages).toBe(taken)
    // A read is no sign of health.
    expect(small.trouble).toMatch(/full/)
    await small.close()

    const roomy = await open(dataDir)
    const again = await Promise.all(texts.map((item) => roomy.accept(item)))
    expect(again.flatMap(({ status }, index) => (status === 'new' ? [index] : []))).toEqual(refused)
    expect(roomy.trouble).toBeNull()
    const database = new Database(join(dataDir, DATABASE), { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.prepare('SELECT count(*) AS n FROM events').get()).toEqual({ n: texts.length })
    database.close()
  })

  it('works again in the same life, once there is room', async () => {
    const dataDir = folder()
    const first = await open(dataDir)
    const pages = (await first.status()).bytes / 4_096
    await first.close()
    const store = await open(dataDir, { maxPages: pages + 8 })
    await expect(store.accept(say('x'.repeat(200_000), 'big'))).rejects.toMatchObject({ code: 'full' })
    expect(store.trouble).not.toBeNull()
    await expect(store.accept(say('small', 'small'))).resolves.toMatchObject({ status: 'new' })
    expect(store.trouble).toBeNull()
  })
})

describe('a data folder', () => {
  it('with a damaged database is refused, and left as it was', async () => {
    const dataDir = folder()
    const file = join(dataDir, DATABASE)
    writeFileSync(file, 'this is no database, and has never been one. '.repeat(200))
    const before = readFileSync(file)
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(/damaged.*Move it aside/),
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('with a page that was torn is refused', async () => {
    const dataDir = folder()
    const store = await open(dataDir)
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => store.accept(say(`line ${n} ${'x'.repeat(300)}`, `m${n}`))),
    )
    await store.close()
    const file = join(dataDir, DATABASE)
    const bytes = readFileSync(file)
    for (let page = 8; page < statSync(file).size / 4_096; page += 3)
      bytes.fill(0xa5, page * 4_096, page * 4_096 + 512)
    writeFileSync(file, bytes)
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('of a newer Golem is refused, by the daemon and by readers', async () => {
    const dataDir = folder()
    const store = await open(dataDir)
    await store.close()
    const database = new Database(join(dataDir, DATABASE))
    database.pragma('user_version = 99')
    database.close()
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringMatching(/schema 99/),
    })
    expect(() => openReader(dataDir)).toThrow(/schema 99/)
  })

  it('of an older Golem is brought up to date, with all that is in it', async () => {
    const { MIGRATIONS } = await import('./migrations.js')
    const dataDir = folder()
    const database = new Database(join(dataDir, DATABASE))
    database.exec(MIGRATIONS[0] ?? '')
    database.pragma('user_version = 1')
    database
      .prepare(
        "INSERT INTO chats (key, connection, native, kind, created_at, last_at) VALUES ('local:old', 'local', 'old', 'group', 1, 1)",
      )
      .run()
    database.close()
    const store = await open(dataDir)
    expect((await store.rooms()).map(({ key }) => key)).toEqual(['local:old'])
    expect((await store.status()).schema).toBe(MIGRATIONS.length)
    await store.accept(say('@Golem hi', 'q'))
    expect((await store.claimTurns({ now: T0, max: 1 })).turns).toHaveLength(1)
  })

  it('that is a file is refused with a cure', async () => {
    const path = join(folder(), 'file')
    writeFileSync(path, '')
    await expect(open(join(path, 'data'))).rejects.toMatchObject({
      code: 'read-only',
      message: expect.stringMatching(/dataDir/),
    })
  })

  it('has one owner at a time', async () => {
    const dataDir = folder()
    const first = await open(dataDir)
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'in-use',
      message: expect.stringMatching(new RegExp(`in use by another golem \\(process ${process.pid}\\)`)),
    })
    await first.accept(say('hi', 'm'))
    await first.close()
    const second = await open(dataDir)
    expect((await second.status()).messages).toBe(1)
  })

  it('is free again when its owner is killed', async () => {
    const dataDir = folder()
    const script = `
      const { openStore } = await import(${JSON.stringify(new URL('./client.ts', import.meta.url).href)})
      const { policy } = await import(${JSON.stringify(new URL('../../tests/support/policy.ts', import.meta.url).href)})
      await openStore({ dataDir: ${JSON.stringify(dataDir)}, policy: policy(), boot: 'other', now: 0 })
      console.log('open')
      setInterval(() => undefined, 1_000)
    `
    const program = join(folder(), 'owner.mjs')
    writeFileSync(program, script)
    const owner = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(owner, 'exit')
    try {
      await Promise.race([once(owner.stdout, 'data'), ended])
      await expect(open(dataDir)).rejects.toMatchObject({
        code: 'in-use',
        message: expect.stringContaining(`process ${owner.pid}`),
      })
    } finally {
      owner.kill('SIGKILL')
      await ended
    }
    expect((await open(dataDir)).trouble).toBeNull()
  })

  it('keeps its process until the store is closed, whatever was still under way', async () => {
    const dataDir = folder()
    const program = join(dataDir, 'closes.mjs')
    writeFileSync(
      program,
      `const { openStore } = await import(${JSON.stringify(new URL('./client.ts', import.meta.url).href)})
       const store = await openStore({ dataDir: ${JSON.stringify(dataDir)}, policy: ${JSON.stringify(policy())}, boot: 'child', now: ${T0} })
       void store.claimTurns({ now: ${T0}, max: 1 })
       await store.close()
       console.log('closed')`,
    )
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number]
    expect({ code, said: said.trim() }).toEqual({ code: 0, said: 'closed' })
  })

  it('tells what an earlier life left half done', async () => {
    const dataDir = folder()
    const first = await open(dataDir)
    await first.accept(say('@Golem hi', 'q'))
    await first.claimTurns({ now: T0, max: 1 })
    await first.close()
    const second = await open(dataDir)
    expect(second.recovered).toEqual({ requeued: 1, interrupted: 0, ambiguous: 0 })
  })
})

describe('guests of the thread', () => {
  const guest = (source: string): URL => {
    const path = join(folder(), 'guest.mjs')
    writeFileSync(path, source)
    return pathToFileURL(path)
  }

  it('run beside the store, each with its own port and data', async () => {
    const store = await open(folder())
    const url = guest(
      'export default (port, data) => port.on("message", (said) => port.postMessage({ said, data }))',
    )
    const port = store.thread(url, { file: 'x' })
    port.postMessage('hello')
    const [[answer]] = await Promise.all([once(port, 'message'), store.accept(say('hi', 'm'))])
    expect(answer).toEqual({ said: 'hello', data: { file: 'x' } })
    port.close()
  })

  it.each([
    ['throws at once', 'export default () => { throw new Error("no") }'],
    ['cannot be loaded', 'this is no JavaScript'],
    ['exports nothing', 'export const a = 1'],
  ])('one that %s loses its port, and the store goes on', async (_, source) => {
    const store = await open(folder())
    const port = store.thread(guest(source), null)
    await once(port, 'close')
    expect((await store.accept(say('hi', 'm'))).status).toBe('new')
  })

  it('one that brings the thread down is told: nothing hangs, and health says so', async () => {
    const store = await open(folder())
    store.thread(guest('export default () => { setImmediate(() => { throw new Error("boom") }) }'), null)
    // Whatever is asked for now is answered, with what happened.
    for (let tries = 0; store.trouble === null && tries < 1_000; tries++)
      await store.status().catch((error: unknown) => expect(error).toMatchObject({ name: 'StoreError' }))
    expect(store.trouble).toMatch(/boom/)
    await expect(store.accept(say('hi', 'm'))).rejects.toMatchObject({ code: 'closed' })
  })
})
