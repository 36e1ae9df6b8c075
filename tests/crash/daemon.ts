/** A daemon that is killed and started again on the same folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The built modules, not the bundle that is made of them: the instrument wraps the adapter of the platform under test. */
const MAIN = join(ROOT, 'dist/src/cli/main.js')
const INSTRUMENT = new URL('./instrument/index.mjs', import.meta.url).href
/** A step that has not come about after this long never will: longer than the longest time-out of a platform (60 s). */
export const PATIENCE = 100_000
/** What a message's way leaves for later (rows to be deleted, marks) is done after this long. */
const LAGGARD = 2_000
/** A daemon that is not healthy after so long is taken as it is. */
const RETURN = 5_000
/** Longest wait between two looks, in milliseconds. */
const SELDOM = 250
/** Below the ports that systems give to outgoing connections: nobody takes one while the daemon is dead. */
const PORTS = { from: 20_000, count: 12_000 }

export interface DaemonOptions {
  platform: string
  /** Point at which it dies; null writes the points down instead. */
  target: string | null
  /** How long it stays away after its death, by its own clock, in milliseconds. */
  away: number
  /** What the instrument is told in every life, e.g. a mutation. */
  env?: Readonly<Record<string, string>>
  /** What the instrument is told in the first life only. */
  firstEnv?: Readonly<Record<string, string>>
  /** A tracer that writes to this file, and the daemon's program under it. */
  under?: (file: string) => readonly string[]
}

/** Of a receipt, what is asked of it here. */
interface Receipt {
  outcome: string
  turns: { operations: { role: string; state: string; failure: string | null }[] }[]
}

/** No run of a scenario takes so long, in milliseconds. */
const CLAIM = 60 * 60_000
/** Numbers of points in each life are its own. */
const POINTS_OF_A_LIFE = 10_000
/** Characters of a daemon's log that are kept. */
const LOG = 12_000

/** What `/health` says of a connection, as far as it matters here. */
interface Connected {
  phase: string
  catchingUp: boolean
}

export class Daemon {
  readonly folder = mkdtempSync(join(tmpdir(), 'golem-crash-'))
  readonly port: number
  readonly options: DaemonOptions
  readonly #trace = join(this.folder, 'trace')
  readonly #mutated = join(this.folder, 'mutated')
  readonly #calls = join(this.folder, 'calls')
  #child: ChildProcess | null = null
  #url: Promise<string> | null = null
  #closing = false
  /** It is told to end, and starts again. */
  #restarting = false
  #lives = 0
  /** How often it died at its point. */
  deaths = 0
  /** Called after each death, when it lives again. */
  onReturn: () => void = () => undefined

  #log = ''

  private constructor(port: number, options: DaemonOptions) {
    this.port = port
    this.options = options
  }

  /** A daemon with an address, not started yet. */
  static async make(options: DaemonOptions): Promise<Daemon> {
    for (;;) {
      const port = PORTS.from + Math.floor(Math.random() * PORTS.count)
      if (reserve(port) && (await isFree(port))) return new Daemon(port, options)
    }
  }

  /** The last of what it logged, over its lives. */
  get log(): string {
    return this.#log
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Every point that was passed, in the order in which it was. */
  get points(): string[] {
    return existsSync(this.#trace) ? readFileSync(this.#trace, 'utf8').trim().split('\n') : []
  }

  /** What the tracer has written. */
  get calls(): string {
    return existsSync(this.#calls) ? readFileSync(this.#calls, 'utf8') : ''
  }

  /** How many of its changes the chosen mutation has made. */
  get mutated(): number {
    return existsSync(this.#mutated)
      ? new Set(readFileSync(this.#mutated, 'utf8').trim().split('\n')).size
      : 0
  }

  start(yaml: string): void {
    writeFileSync(join(this.folder, 'golem.yaml'), yaml)
    this.#start(this.options.target)
  }

  #start(target: string | null): void {
    const { platform, away, env, firstEnv } = this.options
    const under = this.options.under?.(this.#calls) ?? []
    const isFirst = this.deaths === 0
    const args = [
      ...['--import', INSTRUMENT, MAIN, 'start', '--config', join(this.folder, 'golem.yaml')],
      ...['--port', String(this.port), '--json'],
    ]
    const [program = '', ...before] = [...under, process.execPath]
    const child = spawn(program, [...before, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        ...env,
        ...(isFirst ? firstEnv : {}),
        GOLEM_CRASH_PLATFORM: platform,
        GOLEM_CRASH_AT: target ?? '',
        GOLEM_CRASH_TRACE: this.options.target === null ? this.#trace : '',
        GOLEM_CRASH_MUTATED: this.#mutated,
        GOLEM_CRASH_FROM: String(this.#lives++ * POINTS_OF_A_LIFE),
        GOLEM_CRASH_AWAY: isFirst ? '0' : String(away),
      },
    })
    this.#child = child
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString()).slice(-LOG)
    })
    this.#url = new Promise((resolve, reject) => {
      let text = ''
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        const end = text.indexOf('\n')
        const { url } = end < 0 ? {} : (JSON.parse(text.slice(0, end)) as { url?: string })
        if (url !== undefined) resolve(url)
        else if (end >= 0) reject(new Error(`the daemon did not start: ${text}`))
      })
      child.once('close', (code, signal) => {
        if (signal === 'SIGKILL' && !this.#closing) {
          this.deaths++
          this.#start(null)
          this.#url?.then((url) => {
            resolve(url)
            void this.#returned()
          }, reject)
        } else if (this.#restarting && !this.#closing) {
          this.#restarting = false
          this.#start(this.deaths === 0 ? this.options.target : null)
          this.#url?.then(resolve, reject)
        } else reject(new Error(`the daemon ended with ${code ?? signal}: ${this.#log.slice(-4_000)}`))
      })
    })
    this.#url.catch(() => undefined)
  }

  /** What is delivered again only once must find it connected. */
  async #returned(): Promise<void> {
    try {
      await this.until(async () => (await this.ask('/health')).ok, 'it never became healthy', RETURN)
    } catch {
      // Whoever waits for it to come to rest will say what is wrong.
    }
    this.onReturn()
  }

  /** Ends it as an operator does, and starts it again. Resolves when it answers. */
  async restart(): Promise<void> {
    await this.up()
    this.#restarting = true
    const { pid } = this.#child ?? {}
    this.#child?.kill('SIGTERM')
    await this.until(() => this.#child?.pid !== pid, 'it was not started again')
    await this.up()
  }

  /** Resolves when the daemon that lives now, or its next life, answers, and hears what is said. */
  async up(): Promise<void> {
    await this.until(async () => this.#isConnected(await this.health()), 'the daemon never connected')
  }

  async health(): Promise<readonly Connected[]> {
    return (await this.get<{ connections: readonly Connected[] }>('/health')).connections
  }

  #isConnected(connections: readonly Connected[]): boolean {
    return connections.every(({ phase }) => phase !== 'connecting')
  }

  /** Asks the daemon that lives now; one that dies meanwhile is asked again in its next life. */
  async ask(path: string, init?: RequestInit): Promise<Response> {
    const until = Date.now() + PATIENCE
    for (;;) {
      const asked = this.#child
      try {
        return await fetch(`${await this.#url}${path}`, { ...init, signal: AbortSignal.timeout(10_000) })
      } catch (error) {
        if (Date.now() > until || (asked === this.#child && this.#child?.exitCode !== null)) throw error
        await delay(20)
      }
    }
  }

  async get<Body>(path: string): Promise<Body> {
    return (await (await this.ask(path)).json()) as Body
  }

  /** @param key of the message: `connection:chat:id` */
  receipt(key: string): Promise<Receipt> {
    return this.get(`/api/messages/${encodeURIComponent(key)}/receipt`)
  }

  /** Nothing runs, waits or is on its way, and all that was said in its absence has been read. */
  async isIdle(): Promise<boolean> {
    const connections = await this.health()
    if (!this.#isConnected(connections) || connections.some(({ catchingUp }) => catchingUp)) return false
    const { turns, operations } = await this.get<{ turns: unknown[]; operations: unknown[] }>('/api/queue')
    return turns.length === 0 && operations.length === 0
  }

  async until(holds: () => boolean | Promise<boolean>, otherwise: string, ms = PATIENCE): Promise<void> {
    const until = Date.now() + ms
    // What takes its time is asked for less and less often: asking is work, too.
    for (let wait = 20; !(await holds()); wait = Math.min(wait * 1.2, SELDOM)) {
      if (Date.now() > until) throw new Error(otherwise)
      await delay(wait)
    }
  }

  /**
   * Gives the planned death its time, for points that lie behind the answer. Runs differ a little (two commits of one
   * become one): a point that is not passed this time is no fault, and the matrix counts it.
   */
  async dead(): Promise<void> {
    const until = Date.now() + LAGGARD
    while (this.options.target !== null && this.deaths === 0 && Date.now() < until) await delay(25)
  }

  /** Ends it for good. Its folder stays. */
  async stop(): Promise<void> {
    this.#closing = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    const tracees = this.options.under === undefined ? [] : childrenOf(child.pid ?? 0)
    // A tracer ends with what it traces, and has written everything down by then.
    if (tracees.length > 0) for (const pid of tracees) process.kill(pid, 'SIGKILL')
    else child.kill('SIGKILL')
    await closed
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(claimOf(this.port), { recursive: true, force: true })
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}

function claimOf(port: number): string {
  return join(tmpdir(), `golem-crash-port-${port}`)
}

/** Also while its daemon is dead a port is somebody's, whichever process plays there. A claim of a lost run ends by itself. */
function reserve(port: number): boolean {
  const claim = claimOf(port)
  const made = statSync(claim, { throwIfNoEntry: false })
  if (made !== undefined && Date.now() - made.mtimeMs > CLAIM) rmSync(claim, { recursive: true, force: true })
  try {
    mkdirSync(claim)
    return true
  } catch {
    return false
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
