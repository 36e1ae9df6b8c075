import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** A checkout in small: the real scripts, a compiler that writes a daemon, packages that are already there. */
let root = ''
const write = (name: string, content: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), content)
}

const DAEMON = `
if (process.argv.includes('--fail')) process.exitCode = 3
if (process.argv.includes('--serve')) {
  const alive = setInterval(() => {}, 1000)
  process.once('SIGTERM', () => { console.log('stopped'); clearInterval(alive); process.exitCode = 5 })
}
console.log(JSON.stringify({ event: 'ready', pid: process.pid, args: process.argv.slice(1) }))
`
const COMPILER = `
import fs from 'node:fs'
fs.mkdirSync('dist/golem/src/cli', { recursive: true })
fs.writeFileSync('dist/golem/src/cli/main.js', ${JSON.stringify(DAEMON)})
`

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'golem-start-'))
  cpSync('scripts/lib', join(root, 'scripts/lib'), { recursive: true })
  cpSync('scripts/start.mjs', join(root, 'scripts/start.mjs'))
  write('package.json', '{"type":"module"}')
  write('package-lock.json', '{"packages":{}}')
  write('node_modules/.package-lock.json', '{"packages":{}}')
  write('scripts/lib/compile.mjs', COMPILER)
  write('src/cli/main.ts', 'export {}')
})
afterEach(() => rmSync(root, { recursive: true }))

interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs `scripts/start.mjs`; calls `ready` with its process id when its first line is out. */
function start(args: readonly string[], ready?: (pid: number) => void): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...args], { cwd: tmpdir() })
  return ending(child, ready)
}

function ending(
  child: ChildProcessWithoutNullStreams,
  ready: (pid: number) => void = () => {},
): Promise<Ended> {
  const ended: Ended = { code: null, out: '', err: '' }
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (ended.out === '' && child.pid !== undefined) ready(child.pid)
      ended.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      ended.err += text
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...ended, code }))
  })
}

const argsOf = ({ out }: Ended): string[] => JSON.parse(out).args

test('builds once, keeps stdout for the daemon, and starts the demo', async () => {
  const first = await start(['--port', '0', '--json'])
  expect(first.err).toMatch(/^golem: building the server \.\.\.\ngolem: built in .* s\n$/)
  expect(argsOf(first)).toEqual([
    join(root, 'dist/golem/src/cli/main.js'),
    'start',
    '--config',
    join(root, 'golem.demo.yaml'),
    '--port',
    '0',
    '--json',
  ])
  expect(first.code).toBe(0)
  const second = await start([])
  expect(second.err).toBe('')
  expect(second.out.split('\n')).toHaveLength(2)
})

test('prefers golem.yaml, and the config that the person names', async () => {
  write('golem.yaml', '')
  expect(argsOf(await start([]))).toContain(join(root, 'golem.yaml'))
  expect(argsOf(await start(['--config', 'mine.yaml']))).not.toContain(join(root, 'golem.yaml'))
  expect(argsOf(await start(['--config=mine.yaml']))).not.toContain(join(root, 'golem.yaml'))
})

test("passes the daemon's exit code on", async () => {
  expect((await start(['--fail'])).code).toBe(3)
})

test('a signal reaches the daemon, which ends in its own way', async () => {
  const ended = await start(['--serve'], (pid) => process.kill(pid, 'SIGTERM'))
  expect(ended.out).toContain('stopped')
  expect(ended.code).toBe(5)
})

test('a signal for npm reaches the daemon, and npm ends with its exit code', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  write('package.json', JSON.stringify({ type: 'module', scripts: { start: scripts.start } }))
  const npm = spawn('npm', ['start', '--silent', '--', '--serve'], { cwd: root })
  const ended = await ending(npm, (pid) => process.kill(pid, 'SIGTERM'))
  expect(ended.out).toContain('stopped')
  expect(ended.code).toBe(5)
})

test('sources that do not compile: the reason, one sentence, exit code 1', async () => {
  write('scripts/lib/compile.mjs', "console.log('main.ts(1,1): error'); process.exit(2)")
  const ended = await start([])
  expect(ended.code).toBe(1)
  expect(ended.out).toBe('')
  expect(ended.err).toContain('main.ts(1,1): error\ngolem: the server could not be built')
})

test('starts at the same time build once', async () => {
  const both = await Promise.all([start([]), start([])])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  const built = both
    .map(({ err }) => err)
    .join('')
    .match(/building the server/g)
  expect(built).toHaveLength(1)
  expect(existsSync(join(root, '.cache/setup.lock'))).toBe(false)
})
