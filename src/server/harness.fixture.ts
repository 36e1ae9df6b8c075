/** A server over a store with realistic content, for this folder's tests. */
import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { GroupMemory } from '../memory/group.js'
import type { Clock, Logger } from '../messaging/ambient.js'
import { type ReceiptView, type RoomMessage, receiptSchema } from '../messaging/views.js'
import { type RunningServer, type ServerOptions, startServer } from './server.js'

export const TOKEN = 'correct-horse-battery-staple'
export const NOW = Date.UTC(2026, 2, 1, 10, 0, 0)

const kindSchema = z.object({ name: z.string(), receipt: receiptSchema })

/** One receipt of every kind. */
export async function receipts(): Promise<Record<string, ReceiptView>> {
  const file = await readFile(new URL('../messaging/explain.fixtures.jsonl', import.meta.url), 'utf8')
  const kinds = file
    .trim()
    .split('\n')
    .map((line) => kindSchema.parse(JSON.parse(line)))
  return Object.fromEntries(kinds.map(({ name, receipt }) => [name, receipt]))
}

export class FakeClock implements Clock {
  #now = NOW
  #waiting: { when: number; run: () => void }[] = []
  now(): number {
    return this.#now
  }
  at(when: number, run: () => void): () => void {
    const entry = { when, run }
    this.#waiting.push(entry)
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== entry)
    }
  }
  forward(ms: number): void {
    this.#now += ms
    const due = this.#waiting.filter(({ when }) => when <= this.#now)
    this.#waiting = this.#waiting.filter(({ when }) => when > this.#now)
    for (const { run } of due) run()
  }
}

export interface Line {
  level: string
  fields: object
  message: string
}
export function recordingLog(): Logger & { lines: Line[] } {
  const lines: Line[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message })
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

export async function fakeStore(): Promise<ServerOptions['store']> {
  const all = Object.values(await receipts())
  const lines: RoomMessage[] = all.map(({ message, outcome }) => ({
    id: message.id,
    reference: message.reference,
    native: message.native,
    conversation: message.conversation,
    thread: null,
    author: message.author,
    kind: message.author.kind === 'agent' ? 'agent' : 'person',
    text: message.text,
    at: message.at,
    replyTo: null,
    editedAt: message.editedAt,
    deletedAt: message.deletedAt,
    outcome,
  }))
  return {
    async receipt(reference) {
      if (reference === 'last') return all.at(-1) ?? null
      return (
        all.find(({ message }) => message.reference === reference || String(message.id) === reference) ?? null
      )
    },
    async rooms() {
      return [
        {
          key: 'local:lobby',
          connection: 'local',
          kind: 'group',
          title: 'Lobby',
          policy: 'mention-only',
          policyNote: null,
          members: ['Golem', 'Reviewer'],
          messages: lines.length,
          lastAt: NOW,
          running: 1,
          waiting: 1,
          quiet: false,
        },
      ]
    },
    async roomMessages(chatKey, { before, after, limit }) {
      if (chatKey !== 'local:lobby') return null
      const some = lines.filter(
        ({ id }) => (before === undefined || id < before) && (after === undefined || id > after),
      )
      return after === undefined ? some.slice(-limit) : some.slice(0, limit)
    },
    async queue() {
      return {
        turns: [
          {
            turn: 7,
            conversation: 'local:lobby',
            agent: 'Golem',
            kind: 'message',
            state: 'running',
            position: 0,
            since: NOW,
            requester: 'Ann',
            waitsFor: [],
          },
        ],
        operations: [
          {
            operation: 16,
            chatKey: 'local:lobby',
            kind: 'post',
            state: 'ambiguous',
            attempts: 1,
            since: NOW,
            failure: 'the connection broke while posting',
          },
        ],
      }
    },
    async factsOf(chatKey) {
      const fact = { text: 'The demo is on Friday', by: 'Ann', at: NOW } as const
      return chatKey === 'local:lobby' ? [{ ...fact, audience: 'chat' }] : []
    },
    async approvals() {
      return [
        {
          id: 3,
          turn: 7,
          chatKey: 'local:lobby',
          conversation: 'local:lobby',
          kind: 'permission',
          agent: 'Golem',
          text: 'Run `make deploy`?',
          options: ['Allow', 'Reject'],
          code: '4F2K',
          state: 'open',
          requester: { id: 'ann', name: 'Ann' },
          approvers: ['ann'],
          parked: false,
          createdAt: NOW,
          expiresAt: NOW + 86_400_000,
          settledAt: null,
          choice: null,
          by: null,
          how: null,
          usedAt: null,
        },
      ]
    },
    async status() {
      return {
        rooms: 1,
        messages: lines.length,
        turns: { settled: 4, queued: 1 },
        operations: { sent: 5 },
        asks: 0,
        schedules: 0,
        nextSchedule: null,
        usage: { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 },
        moved: [],
        schema: 1,
        bytes: 40_960,
      }
    },
  }
}

export interface Harness {
  server: RunningServer
  clock: FakeClock
  log: ReturnType<typeof recordingLog>
  close(): Promise<void>
  get(path: string, init?: RequestInit): Promise<Response>
}

export async function start(changes: Partial<ServerOptions> = {}): Promise<Harness> {
  const clock = new FakeClock()
  const log = recordingLog()
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    secrets: ['xoxb-very-secret-value'],
    version: '0.1.0',
    store: await fakeStore(),
    memory: new GroupMemory({
      memoryDir: mkdtempSync(join(tmpdir(), 'golem-web-memory-')),
      language: 'en',
      clock,
      log,
    }),
    storeHealth: () => ({ ok: true }),
    connections: () => [{ id: 'local', state: { phase: 'ready', sees: 'all' } }],
    serve: async () => null,
    webRoot: mkdtempSync(join(tmpdir(), 'golem-web-')),
    clock,
    log,
    ...changes,
  })
  return {
    server,
    clock,
    log,
    get: (path, init) => fetch(`${server.url}${path}`, { redirect: 'manual', ...init }),
    async close() {
      const closed = server.close(clock.now())
      clock.forward(1)
      await closed
    },
  }
}

/** Sends bytes as they are and gives back all that comes until the other side closes. */
export async function raw(port: number, text: string, more?: (socket: Socket) => void): Promise<string> {
  return await new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text)
      more?.(socket)
    })
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(answer))
  })
}

/** One raw request after which the server closes. */
export const request = (target: string, headers = 'Host: 127.0.0.1', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`

/** Sends one raw request, then asks for health: the daemon must have answered and must still be alive. */
export async function survives(golem: Harness, text: string): Promise<string> {
  const answer = await raw(golem.server.port, text)
  const { status } = await golem.get('/health')
  if (status !== 200) throw new Error(`after that request, health answered ${status}`)
  return answer
}
