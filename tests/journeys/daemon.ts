/** The daemon as a child process, and the people in its rooms, who know nothing of it but its HTTP API. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import type { localSchemas } from '../../adapters/local/schemas.js'
import type { QueueView, ReceiptView } from '../../src/messaging/views.js'
import type { Health } from '../../src/server/health.js'
import {
  type Ended,
  golem,
  makeFolder,
  PATIENCE,
  type Running,
  type SpawnOptions,
  spawnGolem,
} from './program.js'

export type Message = z.output<typeof localSchemas.LocalMessage>
export type Person = string | { id: string; name: string; kind?: 'bot' }

/** Rooms that answer at once: nobody waits for the rest of a sentence. */
export const QUICK = 'groupChat: { debounce: 50ms }\n'
export const TEAM = `name: Golem
agents:
  - { name: Golem, role: orchestrator, engine: offline }
  - { name: Librarian, role: "finds answers in the skills and documents, explains how Golem works, quotes its sources", aliases: [Docs], engine: offline }
  - { name: Scribe, role: "keeps notes, summarises conversations, remembers decisions", engine: offline }
`

/** golem.yaml's lines for an agent that is one of the small programs in tests/fixtures/agents. */
export function programAgent(name: string, script: string, more = ''): string {
  const path = new URL(`../fixtures/agents/${script}.mjs`, import.meta.url).pathname
  const extra = more === '' ? '' : `, ${more}`
  return `  - { name: ${name}, engine: command, command: ${JSON.stringify([process.execPath, path])}${extra} }\n`
}

export interface DaemonOptions extends SpawnOptions {
  /** Further files of its folder. */
  files?: Readonly<Record<string, string>>
  /** A folder that is there already. */
  folder?: string
}

export interface Said {
  room?: string
  author?: Person
  thread?: string
  replyTo?: string
  files?: string[]
  key?: string
}

export class Daemon {
  readonly folder: string
  #running: Running
  #url = ''
  readonly #spawning: SpawnOptions
  /** Standard error of its earlier lives. */
  #before = ''

  private constructor(folder: string, spawning: SpawnOptions) {
    this.folder = folder
    this.#spawning = spawning
    this.#running = this.#spawn()
  }

  static async start(yaml: string, options: DaemonOptions = {}): Promise<Daemon> {
    const { files = {}, folder = makeFolder(files), ...spawning } = options
    writeFileSync(join(folder, 'golem.yaml'), yaml)
    const daemon = new Daemon(folder, spawning)
    await daemon.#ready()
    return daemon
  }

  #spawn(): Running {
    return spawnGolem(['start', '--config', this.#config, '--port', '0', '--json'], this.#spawning)
  }

  get #config(): string {
    return join(this.folder, 'golem.yaml')
  }

  async #ready(): Promise<void> {
    const { output, ended } = this.#running
    let end: Ended | undefined
    void ended.then((it) => {
      end = it
    })
    await until(() => output.stdout.includes('\n') || end !== undefined, 'the daemon did not become ready')
    const line = JSON.parse(output.stdout) as { event: string; url: string; pid: number }
    if (line.event !== 'ready') throw new Error(`The daemon did not start: ${output.stdout}${output.stderr}`)
    this.#url = line.url
  }

  get url(): string {
    return this.#url
  }

  get pid(): number {
    return this.#running.child.pid ?? 0
  }

  get alive(): boolean {
    const { exitCode, signalCode } = this.#running.child
    return exitCode === null && signalCode === null
  }

  /** All that it has logged, over all its lives. */
  get log(): string {
    return this.#before + this.#running.output.stderr
  }

  /** Lines of the log at `warn` and above, without their times. */
  get warnings(): { level: string; msg: string }[] {
    return this.log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { level: string; msg: string })
      .filter(({ level }) => level === 'warn' || level === 'error')
  }

  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.#running.child.kill(signal)
    const end = await this.#running.ended
    this.#before += end.stderr
    end.stderr = ''
    this.#running.output.stderr = ''
    return end
  }

  /** Its next life, on the same folder. */
  async again(yaml?: string): Promise<void> {
    if (yaml !== undefined) writeFileSync(this.#config, yaml)
    this.#running = this.#spawn()
    await this.#ready()
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.kill(signal)
    await this.again()
  }

  /** Another command of the program, on this daemon's folder. */
  run(...args: string[]): Promise<Ended> {
    return golem([...args, '--config', this.#config])
  }

  // ---- people ---------------------------------------------------------------------------------------------------

  async request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }

  async #must<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.request(method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }

  /** Resolves with the message's id, once Golem has it. */
  async say(text: string, said: Said = {}): Promise<string> {
    const { room = 'lobby', author = 'Ann', ...more } = said
    const body = { author, text, ...more }
    return (await this.#must<{ id: string }>('POST', `/api/local/rooms/${room}/messages`, body)).id
  }

  /** Says it and waits for the room to come to rest. Resolves with the answers that quote it. */
  async ask(text: string, said: Said = {}): Promise<Message[]> {
    const id = await this.say(text, said)
    await this.quiet(said.room ?? 'lobby')
    return this.answers(id, said.room)
  }

  async edit(id: string, text: string, author: Person = 'Ann', room = 'lobby'): Promise<void> {
    await this.#must('PATCH', `/api/local/rooms/${room}/messages/${id}`, { author, text })
  }

  async remove(id: string, author: Person = 'Ann', room = 'lobby'): Promise<void> {
    await this.#must('DELETE', `/api/local/rooms/${room}/messages/${id}`, { author })
  }

  async press(message: Message, label: string, author: Person = 'Ann'): Promise<void> {
    const button = message.buttons.find((one) => one.label === label)
    if (button === undefined) throw new Error(`${JSON.stringify(message)} has no button ${label}`)
    await this.#must('POST', `/api/local/rooms/${message.room}/messages/${message.id}/press`, {
      author,
      value: button.value,
    })
  }

  async upload(name: string, bytes: string, room = 'lobby'): Promise<string> {
    const response = await fetch(
      `${this.#url}/api/local/rooms/${room}/files?name=${encodeURIComponent(name)}`,
      {
        method: 'POST',
        body: bytes,
      },
    )
    if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { id: string }).id
  }

  async download(url: string): Promise<string> {
    const response = await fetch(new URL(url, this.#url))
    if (!response.ok) throw new Error(`download: ${response.status} ${await response.text()}`)
    return response.text()
  }

  async messages(room = 'lobby'): Promise<Message[]> {
    const path = `/api/local/rooms/${room}/messages?limit=200`
    return (await this.#must<{ messages: Message[] }>('GET', path)).messages
  }

  async message(id: string, room = 'lobby'): Promise<Message> {
    return this.#must('GET', `/api/local/rooms/${room}/messages/${id}`)
  }

  /** What Golem has said to this message, and people can still see. */
  async answers(id: string, room = 'lobby'): Promise<Message[]> {
    return (await this.messages(room)).filter(
      (message) => message.author.kind === 'self' && !message.deleted && message.replyTo?.id === id,
    )
  }

  /** Texts of a room as people see them, `name: text`. */
  async talk(room = 'lobby'): Promise<string[]> {
    return (await this.messages(room))
      .filter((message) => !message.deleted)
      .map(({ author, agent, text }) => `${agent ?? author.name}: ${text}`)
  }

  receipt(id: string, room = 'lobby'): Promise<ReceiptView> {
    return this.#must('GET', `/api/messages/${encodeURIComponent(`local:${room}:${id}`)}/receipt`)
  }

  queue(): Promise<QueueView> {
    return this.#must('GET', '/api/queue')
  }

  async health(): Promise<Health> {
    return (await this.request('GET', '/health')).body as Health
  }

  /** Waits until nothing runs, waits or is on its way, here or in one room: what is there then is what people see. */
  quiet(room?: string): Promise<void> {
    return this.quietAt(room === undefined ? undefined : `local:${room}`)
  }

  /** The same for a chat of any platform, by its key. */
  quietAt(chat?: string): Promise<void> {
    const here = (key: string) => chat === undefined || key === chat || key.startsWith(`${chat}:`)
    let left: readonly (readonly unknown[])[] = []
    return until(
      async () => {
        const { turns, operations } = await this.queue()
        left = [
          turns.filter(({ conversation }) => here(conversation)),
          operations.filter(({ chatKey }) => here(chatKey)),
        ]
        return left.every((rows) => rows.length === 0)
      },
      () => `the daemon never came to rest: ${JSON.stringify(left)}`,
    )
  }

  // ---- its folder -----------------------------------------------------------------------------------------------

  /** A file of its folder; undefined while there is none. */
  file(path: string): string | undefined {
    const file = join(this.folder, path)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }

  memory(room = 'lobby'): string | undefined {
    return this.file(`memory/groups/local-${room}.md`)
  }

  list(path: string): string[] {
    const folder = join(this.folder, path)
    return existsSync(folder) ? readdirSync(folder) : []
  }
}

/** Waits for something that comes about outside of this process. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  otherwise: string | (() => string),
): Promise<void> {
  const bound = Date.now() + PATIENCE
  while (!(await holds())) {
    if (Date.now() > bound) throw new Error(typeof otherwise === 'string' ? otherwise : otherwise())
    await delay(15)
  }
}
