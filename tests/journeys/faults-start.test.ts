/** Starts that the machine forbids: ports, folders, files. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon } from './daemon.js'
import { makeFolder, refusal } from './program.js'

const YAML = 'name: Golem\n'
const isRoot = process.getuid?.() === 0
const can = (...command: string[]): boolean => {
  try {
    execFileSync(command[0] ?? '', command.slice(1), { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
/** Another user than root, without root's rights. */
const NOBODY = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--inh-caps=-all',
  '--bounding-set=-all',
]
const plainUser = isRoot ? (can(...NOBODY, 'true') ? NOBODY : null) : []
const mayMount = isRoot && canMount()
const firstFreePort = Number(read('/proc/sys/net/ipv4/ip_unprivileged_port_start') ?? '1024')

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function canMount(): boolean {
  const folder = makeFolder()
  if (!can('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder)) return false
  return can('umount', folder)
}

describe.concurrent('a port', () => {
  it('that another program has: which one, and how to take another', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const folder = makeFolder({ 'golem.yaml': YAML })
    try {
      const { code, text, error } = await refusal(folder, { args: ['--port', String(port)] })
      expect(code).toBe(5)
      expect(error.code).toBe('port-in-use')
      expect(text).toBe(
        `golem: Port ${port} on 127.0.0.1 is in use by another program (another Golem?); stop it, or choose another with --port or gateway.port (0 takes a free one).\n`,
      )
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it.skipIf(plainUser === null || firstFreePort <= 80)(
    'that this user may not have (skipped where every user may listen on port 80, or where no other user can be taken on)',
    async () => {
      const folder = makeFolder({ 'golem.yaml': YAML })
      if (isRoot) chownSync(folder, 65534, 65534)
      const { code, text, error } = await refusal(folder, {
        args: ['--port', '80'],
        through: plainUser ?? [],
      })
      expect(code).toBe(5)
      expect(error.code).toBe('port-forbidden')
      expect(text).toBe(
        'golem: This user may not listen on port 80; choose one above 1023 with --port or gateway.port.\n',
      )
    },
  )

  it('of an address that this machine does not have', async () => {
    const folder = makeFolder({ 'golem.yaml': YAML })
    const yaml = 'gateway: { host: 203.0.113.7, token: a-long-random-word-of-letters }\n'
    writeFileSync(join(folder, 'golem.yaml'), yaml)
    expect(await refusal(folder, {})).toMatchObject({
      code: 5,
      error: { code: 'host-unknown', message: expect.stringContaining('set gateway.host to 127.0.0.1') },
    })
  })
})

describe.concurrent('a data folder', () => {
  it('that another daemon has: its process is named, and it goes on undisturbed', async () => {
    const daemon = await Daemon.start(YAML)
    const { code, text, error } = await refusal(daemon.folder)
    expect(code).toBe(4)
    expect(error.code).toBe('in-use')
    expect(text).toBe(
      `golem: The data folder ${daemon.folder}/.golem is in use by another golem (process ${daemon.pid}). Stop it, or give this one a dataDir of its own.\n`,
    )
    expect(await daemon.ask('@Golem hello')).toHaveLength(1)
    await daemon.kill('SIGTERM')
  })

  it('after a daemon that was killed is free at once', async () => {
    const daemon = await Daemon.start(YAML)
    await daemon.restart('SIGKILL')
    expect(await daemon.ask('@Golem hello')).toHaveLength(1)
    await daemon.kill('SIGTERM')
  })

  it.each([
    [
      'dataDir: notes\n',
      'FOLDER/notes cannot be made, because a file stands where a folder should be (EEXIST). Move that file away, or set dataDir in golem.yaml.',
    ],
    [
      'dataDir: notes/data\n',
      'FOLDER/notes/data cannot be made, because a file stands where a folder should be (ENOTDIR). Move that file away, or set dataDir in golem.yaml.',
    ],
    [
      'memoryDir: notes\n',
      'The memory folder FOLDER/notes/groups cannot be used: FOLDER/notes is a file. Give the user that runs Golem a folder it may write there, or set memoryDir in golem.yaml to another one.',
    ],
  ])('where a file stands (%j)', async (yaml, sentence) => {
    const folder = makeFolder({ 'golem.yaml': yaml, notes: '' })
    const { code, text, error } = await refusal(folder, {})
    expect(code).toBe(4)
    expect(error.code).toBe('read-only')
    expect(text).toBe(`golem: ${sentence.replaceAll('FOLDER', folder)}\n`)
  })

  it.skipIf(plainUser === null)(
    'that this user may not write (skipped where no other user can be taken on)',
    async () => {
      const folder = makeFolder({ 'golem.yaml': YAML })
      chmodSync(folder, 0o755)
      mkdirSync(join(folder, '.golem'), { mode: 0o555 })
      const { code, text, error } = await refusal(folder, { through: plainUser ?? [] })
      expect(code).toBe(4)
      expect(error.code).toBe('read-only')
      expect(text).toMatch(/Give this user write access to its folder/)
    },
  )

  it.skipIf(!mayMount)(
    'on a disk that is mounted read-only (skipped where this user may not mount)',
    async () => {
      const folder = makeFolder({ 'golem.yaml': YAML })
      execFileSync('mount', ['--bind', folder, folder])
      try {
        execFileSync('mount', ['-o', 'remount,ro,bind', folder])
        const { code, text, error } = await refusal(folder)
        expect(code).toBe(4)
        expect(error.code).toBe('read-only')
        expect(text).toContain(folder)
      } finally {
        execFileSync('umount', [folder])
      }
    },
  )
})

describe.concurrent('a damaged file', () => {
  let whole: string
  beforeAll(async () => {
    const daemon = await Daemon.start(YAML)
    for (let i = 0; i < 3; i++) await daemon.ask(`@Golem hello ${i}`)
    await daemon.kill('SIGTERM')
    whole = daemon.folder
  })

  const overwrite = (file: string, at: number, bytes: Buffer) => {
    const handle = openSync(file, 'r+')
    writeSync(handle, bytes, 0, bytes.length, at)
  }
  const half = (file: string) => Math.floor(statSync(file).size / 8192) * 4096
  const header = (file: string) => overwrite(file, 0, Buffer.alloc(100, 0x5a))
  const page = (file: string) => overwrite(file, half(file), Buffer.alloc(4096, 0x5a))
  const cut = (file: string) => truncateSync(file, half(file))
  const NEXT = 'Nothing was changed. Move it aside and restore a backup, or start with a new dataDir.'
  const ROOMS = 'stop Golem and put a backup in its place, or move it away to begin with empty rooms'

  it.each([
    ['golem.db', 'its header', header, NEXT],
    ['golem.db', 'a page in its middle', page, NEXT],
    ['golem.db', 'half of it missing', cut, NEXT],
    ['local.db', 'its header', header, ROOMS],
    ['local.db', 'half of it missing', cut, ROOMS],
  ])('%s, %s: which file, and what to do; nothing is changed', async (name, _, damage, cure) => {
    const folder = makeFolder()
    cpSync(whole, folder, { recursive: true })
    const file = join(folder, '.golem', name)
    damage(file)
    const before = readFileSync(file)
    const { code, text, error } = await refusal(folder, {})
    expect(code).toBe(4)
    expect(error.code).toBe('corrupt')
    expect(error.message).toContain(`${file} is damaged (`)
    expect(error.message).toContain(cure)
    expect(error.message).not.toContain('\n')
    expect(text.trim().split('\n').at(-1)).toBe(`golem: ${error.message}`)
    expect(text).not.toMatch(/\n\s+at /)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('moved away, the start goes well', async () => {
    const folder = makeFolder()
    cpSync(whole, folder, { recursive: true })
    for (const name of ['golem.db', 'local.db']) rmSync(join(folder, '.golem', name))
    const daemon = await Daemon.start(YAML, { folder })
    expect(await daemon.ask('@Golem hello')).toHaveLength(1)
    await daemon.kill('SIGTERM')
  })

  it('a database of a newer Golem is left alone', async () => {
    const folder = makeFolder()
    cpSync(whole, folder, { recursive: true })
    const version = Buffer.alloc(4)
    version.writeUInt32BE(9_999)
    overwrite(join(folder, '.golem/golem.db'), 60, version)
    expect(await refusal(folder, {})).toMatchObject({
      code: 4,
      error: {
        code: 'newer',
        message: expect.stringContaining('Start the newer Golem, or use another dataDir.'),
      },
    })
  })
})
