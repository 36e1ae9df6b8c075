/** A full disk, at the start and while the daemon works: nothing that was accepted is lost or answered twice. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent, QUICK, until } from './daemon.js'
import { golem, makeFolder, refusal } from './program.js'

const can = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const mayMount = mountSmall(makeFolder(), true)
const mayLimit = can('prlimit', '--version')

/** A disk of 4 MB at this folder. */
function mountSmall(folder: string, onlyToSee = false): boolean {
  if (process.getuid?.() !== 0) return false
  if (!can('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder)) return false
  if (onlyToSee) execFileSync('umount', [folder])
  return true
}

/** What was said, and what the sender was told. */
interface Try {
  key: string
  status: number
  id: string | undefined
  message: string | undefined
}

class Crowd {
  readonly tries: Try[] = []

  constructor(readonly daemon: Daemon) {}

  async say(text: string): Promise<Try> {
    const key = `k${this.tries.length}`
    const answer = await this.daemon.request('POST', '/api/local/rooms/lobby/messages', {
      author: `P${this.tries.length}`,
      text: `@Golem do say ${key} ${text}`,
      key,
    })
    const body = answer.body as { id?: string; error?: { message: string } }
    const one = { key, status: answer.status, id: body.id, message: body.error?.message }
    this.tries.push(one)
    return one
  }

  /** Every message that has an id is answered once, with its own words; the others are nowhere. */
  async check(): Promise<void> {
    await this.daemon.quiet()
    const messages = await this.daemon.messages()
    for (const { key, id } of this.tries) {
      const answers = messages.filter(
        ({ author, text }) => author.kind === 'self' && text.startsWith(`${key} `),
      )
      expect(`${key}: ${answers.length}`).toBe(`${key}: ${id === undefined ? 0 : 1}`)
    }
  }
}

async function fullAndFree(daemon: Daemon, fill: () => void, free: () => void): Promise<void> {
  const crowd = new Crowd(daemon)
  const go = join(daemon.folder, 'work', 'go.txt')
  expect(await crowd.say('before')).toMatchObject({ status: 201 })
  await daemon.quiet()
  const atWork = await daemon.say('@Golem do wait go.txt', { room: 'work' })
  await until(() => existsSync(`${go}.started`), 'not at work')

  fill()
  const refused = [await crowd.say('x'.repeat(20_000)), await crowd.say('y'.repeat(20_000))]
  for (const { status, message } of refused) {
    expect(status).toBe(503)
    expect(message).toMatch(
      /free some space|free space and health|will be delivered as soon as Golem can take it/,
    )
    expect(message?.split('\n')).toHaveLength(1)
  }
  const health = await daemon.health()
  expect(health.status).toBe('degraded')
  expect(JSON.stringify(health)).toMatch(/free some space|free space and health/i)
  // What people may read is still there to be read.
  expect(await daemon.run('status')).toMatchObject({ code: 0 })
  // An agent that finishes now cannot be heard yet.
  writeFileSync(go, '')
  await until(() => daemon.alive, 'the daemon died')
  await crowd.say('z'.repeat(20_000))

  free()
  await until(async () => (await daemon.health()).status === 'ok', 'health did not recover')
  expect(await crowd.say('after')).toMatchObject({ status: 201 })
  await crowd.check()
  await daemon.quiet()
  expect((await daemon.answers(atWork, 'work')).map(({ text }) => text)).toEqual(['go.txt is there'])
  await daemon.restart('SIGTERM')
  await crowd.check()
  expect(daemon.log).not.toMatch(/\\n\s+at |"stack"|nobody/)
}

const YAML = (folder: string, dataDir: string) => `name: Golem
${QUICK}dataDir: ${dataDir}
rooms: { "*": { workingFolder: ${join(folder, 'work')} } }
agents:
${programAgent('Golem', 'obeys', 'role: orchestrator, effects: none')}`

describe.skipIf(!mayMount)('a small disk (skipped where this user may not mount one)', () => {
  const disk = makeFolder()
  const folder = makeFolder({ 'work/readme': '' })
  beforeAll(() => void mountSmall(disk))
  afterAll(() => {
    execFileSync('umount', ['-l', disk])
  })
  const filler = join(disk, 'filler')
  const fill = () => {
    try {
      writeFileSync(filler, Buffer.alloc(5_000_000))
    } catch {
      // That is what it is for.
    }
  }

  it('that is full ends the start with 4 and the cure', async () => {
    fill()
    writeFileSync(join(folder, 'golem.yaml'), YAML(folder, join(disk, 'data')))
    const { code, text, error } = await refusal(folder)
    expect(code).toBe(4)
    expect(error.code).toBe('full')
    expect(text).toMatch(
      /^golem: The disk that holds \S+ is full\. Free some space; nothing that was accepted is lost\.\n$/,
    )
    rmSync(filler)
  })

  it('that fills up at work refuses in a sentence, and goes on when there is space', async () => {
    const daemon = await Daemon.start(YAML(folder, join(disk, 'data')), { folder })
    await fullAndFree(daemon, fill, () => rmSync(filler))
    await daemon.kill('SIGTERM')
  })
})

describe
  .skipIf(!mayLimit)
  .concurrent('a limit on the size of files (skipped where there is no prlimit)', () => {
    it('ends the start with 4 and the cure', async () => {
      const folder = makeFolder({ 'golem.yaml': 'name: Golem\n' })
      const { code, text, error } = await refusal(folder, { through: ['prlimit', '--fsize=4096'] })
      expect(code).toBe(4)
      expect(error.code).toBe('full')
      expect(text).toMatch(/^golem: .*(free space and health|Free some space)[^\n]*\n$/i)
    })

    it('that comes at work refuses in a sentence, and goes on when it is lifted', async () => {
      const folder = makeFolder({ 'work/readme': '' })
      const daemon = await Daemon.start(YAML(folder, '.golem'), { folder })
      const limit = (soft: string) =>
        execFileSync('prlimit', ['--pid', String(daemon.pid), `--fsize=${soft}:unlimited`])
      await fullAndFree(
        daemon,
        () => limit('4096'),
        () => limit('unlimited'),
      )
      await daemon.kill('SIGTERM')
    })
  })

describe.skipIf(!mayLimit).concurrent('a limit that leaves room for the rooms and none for the core', () => {
  it('keeps what people said, says so, and answers it once, also when it is killed meanwhile', async () => {
    const folder = makeFolder({ 'work/readme': '' })
    const daemon = await Daemon.start(YAML(folder, '.golem'), { folder })
    const size = (name: string) => statSync(join(folder, '.golem', name)).size
    await daemon.ask('@Golem do say first')
    expect(size('local.db-wal') + 100_000).toBeLessThan(size('golem.db-wal'))
    execFileSync('prlimit', ['--pid', String(daemon.pid), `--fsize=${size('golem.db-wal')}:unlimited`])
    const crowd = new Crowd(daemon)
    for (let i = 0; i < 3; i++) {
      const { status, message, id } = await crowd.say('meanwhile')
      expect(status).toBe(503)
      expect(id).toBeDefined()
      expect(message).toMatch(
        /^the message is stored as \d+ and will be delivered as soon as Golem can take it \(GET \/health says what keeps it\): do not send it again$/,
      )
    }
    const health = await daemon.health()
    expect(health).toMatchObject({ status: 'degraded', store: { writable: false } })
    expect(health.store.reason).toContain(
      "Check the disk's free space and health; nothing that was accepted is lost.",
    )
    await daemon.restart('SIGKILL')
    await crowd.check()
    expect((await daemon.health()).status).toBe('ok')
    await daemon.kill('SIGTERM')
  })
})

describe.skipIf(!existsSync('/dev/full')).concurrent('output that goes nowhere', () => {
  const toFull = ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh']

  it('a log on a full disk does not end the daemon', async () => {
    const daemon = await Daemon.start(YAML(makeFolder({ 'work/readme': '' }), '.golem'), {
      through: toFull,
      env: { GOLEM_LOG: 'debug' },
    })
    expect(await daemon.ask('@Golem do say hello')).toMatchObject([{ text: 'hello' }])
    expect(await daemon.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  })

  it('an error that nobody can read keeps its exit code', async () => {
    const folder = makeFolder({ 'golem.yaml': 'nmae: x\n' })
    const ended = await golem(['start', '--config', join(folder, 'golem.yaml')], { through: toFull })
    expect(ended.code).toBe(3)
  })
})
