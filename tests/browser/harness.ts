/** The real daemon, a real browser, and a line between them that can be cut. */
import { statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { findChromium, NO_CHROMIUM } from '../../scripts/lib/chromium.mjs'
import { filesBelow } from '../../scripts/lib/files.mjs'
import { type Gateway, startGateway } from '../../src/gateway.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** A bound for what hangs, in ms; nothing waits for it when all is well. */
export const PATIENCE = 15_000

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

const CONFIG = `
name: Golem
channels:
  local:
    rooms:
      - { id: lobby, title: Lobby }
      - { id: release, title: Release }
agents:
  - { name: Golem, role: orchestrator, engine: offline }
  - { name: Librarian, role: finds answers, engine: offline }
  - name: Turtle
    role: takes its time
    engine: command
    command: [node, agents/turtle.mjs]
`

/** Reads its turn, says one word, and thinks until it is stopped. */
const TURTLE = `
process.stdin.once('data', () => process.stdout.write(JSON.stringify({ type: 'text', text: 'Well' }) + '\\n'))
setInterval(() => {}, 1_000)
`

export interface Daemon {
  readonly url: string
  /** Stops it and starts it again: same folder, same port. */
  restart(): Promise<void>
  /** Says something as a person, past the page. Resolves with its id. */
  say(text: string, room?: string, author?: string): Promise<string>
  close(): Promise<void>
}

/** Refuses to test a page that is older than its sources. */
function checkBuild(): void {
  const built = statSync(join(ROOT, 'dist/web/index.html'), { throwIfNoEntry: false })
  const newer = filesBelow(ROOT, ['web']).find(
    (file) => !file.endsWith('.test.ts') && statSync(join(ROOT, file)).mtimeMs > (built?.mtimeMs ?? 0),
  )
  if (newer !== undefined)
    throw new Error(`The built console is older than ${newer}: run "npm run build", then the tests.`)
}

/** Starts a daemon with a folder of its own. `extra` is added to its golem.yaml. */
export async function startDaemon(extra = ''): Promise<Daemon> {
  checkBuild()
  const folder = await mkdtemp(join(tmpdir(), 'golem-browser-'))
  const configFile = join(folder, 'golem.yaml')
  const script = join(folder, 'turtle.mjs')
  await writeFile(script, TURTLE)
  await writeFile(configFile, CONFIG.replace('agents/turtle.mjs', JSON.stringify(script)) + extra)
  const start = (port: number): Promise<Gateway> => startGateway({ configFile, port, log: SILENT })
  let gateway = await start(0)
  const { port, url } = gateway
  return {
    url,
    async restart() {
      await gateway.close(Date.now() + 1_000)
      gateway = await start(port)
    },
    async say(text, room = 'lobby', author = 'Bob') {
      const response = await fetch(`${url}/api/local/rooms/${room}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ author, text }),
      })
      const answer = (await response.json()) as { id?: string }
      if (response.status !== 201 || answer.id === undefined)
        throw new Error(`${response.status} ${JSON.stringify(answer)}`)
      return answer.id
    },
    async close() {
      await gateway.close(Date.now() + 1_000)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A wire between the browser and the daemon. */
export class Wire {
  readonly #sockets = new Set<Socket>()
  #cut = false

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(target: string): Promise<Wire> {
    const port = Number(new URL(target).port)
    const server = createServer((near) => wire.#join(near, port))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const wire = new Wire(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return wire
  }

  #join(near: Socket, port: number): void {
    if (this.#cut) {
      near.destroy()
      return
    }
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }

  cut(): void {
    this.#cut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#cut = false
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

/** A browser with a profile of its own. */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error(NO_CHROMIUM)
  return chromium.launch({ executablePath, args: FLAGS })
}

export interface Visit {
  page: Page
  /** What the page complained about: errors, and what the content policy refused. */
  complaints: string[]
  box: Locator
  messages: Locator
  /** The message with this text; not a quote of it. */
  message(text: string): Locator
  /** Types it and presses Enter. */
  say(text: string): Promise<void>
}

/** Opens the console as somebody who was never there. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  speaker = 'Alice',
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(PATIENCE)
  const person = JSON.stringify({ id: speaker, name: speaker })
  await context.addInitScript(
    `localStorage.getItem('golem.speaker') ?? localStorage.setItem('golem.speaker', ${JSON.stringify(person)})`,
  )
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (line) => {
    if (line.type() === 'error' && !/Failed to load resource/.test(line.text())) complaints.push(line.text())
  })
  await page.goto(url)
  const box = page.getByRole('combobox', { name: /^Message / })
  const messages = page.locator('.message[data-id]')
  return {
    page,
    complaints,
    box,
    messages,
    message: (text) => messages.filter({ has: page.locator('.prose', { hasText: text }) }).last(),
    async say(text) {
      await box.fill(text)
      await box.press('Enter')
    },
  }
}
