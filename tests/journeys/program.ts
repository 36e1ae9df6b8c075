/** The built program as a user runs it: a process with arguments, two streams and an exit code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { PARTS, staleParts } from '../../scripts/lib/build.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'dist/golem/src/cli/main.js')
/** A bound for what hangs, in ms: nothing waits for it when all is well. */
export const PATIENCE = 20_000
/** A status post of a program that said "Well": what it has said so far may stand above by the time one looks. */
export const AT_WORK = /^(Well\s+\*?)?Working on it…\*?$/

const children = new Set<ChildProcess>()
const folders = new Set<string>()
/** Lines of logs that no outside fault explains: a stack, a promise nobody looked at. */
const complaints: string[] = []
const FAULT = /"stack"|\\n +at |^ +at |nobody (?:looked|caught)/

/** Whatever becomes of the tests: nothing that they started outlives them. */
process.on('exit', killAll)
afterAll(async () => {
  const ended = [...children].map((child) => new Promise((resolve) => child.once('close', resolve)))
  killAll()
  await Promise.all(ended)
  if (complaints.length > 0) throw new Error(`A log shows a fault of Golem itself:\n${complaints.join('\n')}`)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** A folder of one's own, removed when the tests of the file are over. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'golem-journey-'))
  folders.add(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

let isBuildChecked = false

/** Refuses to test a program that is older than its sources. */
function checkBuild(): void {
  if (isBuildChecked) return
  const server = PARTS.filter(({ name }) => name === 'server')
  if (staleParts(ROOT, server).length > 0)
    throw new Error('dist/ is missing or older than src/: run "npm run build", then the tests.')
  isBuildChecked = true
}

export interface Running {
  readonly child: ChildProcess
  readonly output: { stdout: string; stderr: string }
  readonly ended: Promise<Ended>
}

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface SpawnOptions {
  env?: Readonly<Record<string, string>>
  /** A program in front of it that runs it: `prlimit …`, `unshare …`. */
  through?: readonly string[]
}

/** Starts `golem ARGS`. The environment is a plain shell's, without colours and without Node's own options. */
export function spawnGolem(args: readonly string[], options: SpawnOptions = {}): Running {
  checkBuild()
  const [program = '', ...rest] = [...(options.through ?? []), process.execPath, MAIN, ...args]
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      ...options.env,
    },
  })
  children.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      children.delete(child)
      complaints.push(...output.stderr.split('\n').filter((line) => FAULT.test(line)))
      resolve({ code, signal, ...output })
    })
  })
  ended.catch(() => undefined)
  return { child, output, ended }
}

/** Runs `golem ARGS` to its end. */
export async function golem(args: readonly string[], options?: SpawnOptions): Promise<Ended> {
  const { child, ended } = spawnGolem(args, options)
  const bound = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
  try {
    return await ended
  } finally {
    clearTimeout(bound)
  }
}

/** How a start that cannot succeed ends: as a person reads it, and as a program does. */
export interface Refusal {
  code: number | null
  /** What stands on standard error. */
  text: string
  /** `code` and `message` of the line that `--json` prints. */
  error: { code: string; message: string }
}

/** Starts the daemon and expects it to end by itself: with a sentence on standard error, and for programs one line. */
export async function refusal(
  folder: string,
  options: SpawnOptions & { args?: readonly string[] } = {},
): Promise<Refusal> {
  const { args = ['--port', '0'], ...spawning } = options
  const ended = await golem(['start', '--config', join(folder, 'golem.yaml'), '--json', ...args], spawning)
  const line = JSON.parse(ended.stdout) as { event: string; code: string; message: string }
  if (line.event !== 'error' || ended.code === null)
    throw new Error(`The daemon did not refuse to start: ${JSON.stringify(ended)}`)
  return { code: ended.code, text: ended.stderr, error: { code: line.code, message: line.message } }
}
