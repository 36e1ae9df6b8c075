/** A daemon that is killed and started again on the same folder, and the people who use it meanwhile. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'dist/src/cli/main.js')
const INSTRUMENT = new URL('./instrument.mjs', import.meta.url).href
/** A step that has not come about after this long never will. */
const PATIENCE = 60_000
/** What a message's way leaves for later (rows to be deleted, marks) is done after this long. */
const LAGGARD = 2_000

export interface LocalMessage {
  id: string
  author: { id: string; name: string; kind: string }
  text: string | null
  silent?: boolean
  deleted?: boolean
  replyTo?: { id: string } | null
  buttons?: { label: string; value: string }[]
  reactions?: { emoji?: string; by?: unknown }[]
}

export class House {
  readonly folder = mkdtempSync(join(tmpdir(), 'golem-crash-'))
  readonly #trace = join(this.folder, 'trace')
  #child: ChildProcess | null = null
  #url: Promise<string> | null = null
  #closing = false
  /** How often the daemon died. */
  deaths = 0

  constructor(
    yaml: string,
    readonly target: string | null,
  ) {
    writeFileSync(join(this.folder, 'golem.yaml'), yaml)
    this.#start(target)
  }

  /** Every point that was passed, in the order in which it was. */
  get points(): string[] {
    return readFileSync(this.#trace, 'utf8').trim().split('\n')
  }

  #start(target: string | null): void {
    const child = spawn(
      process.execPath,
      [
        '--import',
        INSTRUMENT,
        MAIN,
        'start',
        '--config',
        join(this.folder, 'golem.yaml'),
        '--port',
        '0',
        '--json',
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          GOLEM_CRASH_AT: target ?? '',
          GOLEM_CRASH_TRACE: target === null ? this.#trace : '',
        },
      },
    )
    this.#child = child
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4_000)
    })
    this.#url = new Promise((resolve, reject) => {
      let text = ''
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        const end = text.indexOf('\n')
        if (end > 0) resolve((JSON.parse(text.slice(0, end)) as { url: string }).url)
      })
      child.once('close', (code, signal) => {
        if (signal === 'SIGKILL' && !this.#closing) {
          this.deaths++
          this.#start(null)
          this.#url?.then(resolve, reject)
        } else reject(new Error(`the daemon ended with ${code ?? signal}: ${errors}`))
      })
    })
    this.#url.catch(() => undefined)
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

  /** A person says something and tries until it is taken. The key makes trying again safe. */
  async say(text: string, key: string, author = 'Ann'): Promise<string> {
    const until = Date.now() + PATIENCE
    for (;;) {
      const response = await this.ask('/api/local/rooms/lobby/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ author, text }),
      })
      const body = (await response.json()) as { id?: string; error?: { id?: string; message: string } }
      if (response.ok && body.id !== undefined) return body.id
      if (Date.now() > until) throw new Error(`not taken: ${JSON.stringify(body)}`)
      await delay(20)
    }
  }

  async change(method: string, path: string, body: unknown): Promise<void> {
    await this.ask(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  async messages(): Promise<LocalMessage[]> {
    const response = await this.ask('/api/local/rooms/lobby/messages?limit=100')
    return ((await response.json()) as { messages: LocalMessage[] }).messages
  }

  async receipt(id: string): Promise<{ outcome: string; summary: string }> {
    const response = await this.ask(`/api/messages/${encodeURIComponent(`local:lobby:${id}`)}/receipt`)
    return (await response.json()) as { outcome: string; summary: string }
  }

  /** Waits until nothing runs, waits or is on its way: what is in the room then is what people see. */
  async quiet(): Promise<void> {
    await this.until(async () => {
      const { turns, operations } = (await (await this.ask('/api/queue')).json()) as {
        turns: unknown[]
        operations: unknown[]
      }
      return turns.length === 0 && operations.length === 0
    }, 'the daemon never came to rest')
  }

  async until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
    const until = Date.now() + PATIENCE
    while (!(await holds())) {
      if (Date.now() > until) throw new Error(otherwise)
      await delay(25)
    }
  }

  /**
   * Gives the planned death its time, for points that lie behind the answer. Runs differ a little (two commits of one
   * become one): a point that is not passed this time is no fault, and the matrix counts it.
   */
  async dead(): Promise<void> {
    const until = Date.now() + LAGGARD
    while (this.target !== null && this.deaths === 0 && Date.now() < until) await delay(25)
  }

  async close(): Promise<void> {
    this.#closing = true
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGKILL')
      await closed
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}
