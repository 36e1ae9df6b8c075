/**
 * Golem's tools for sessions that live on. A session is told of a tool server once, a turn's token is good for one turn:
 * here each session has an address and a key of its own, which lead to the tools of the turn that runs on it, and nowhere
 * between turns.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TurnInput } from '../../../messaging/engine.js'

type Tools = NonNullable<TurnInput['mcp']>

/** A session's way to the tools. */
export interface RelaySeat {
  /** As `session/new` wants it. */
  server: { type: 'http'; name: string; url: string; headers: { name: string; value: string }[] }
  /** The turn that runs now; null: none. */
  lend(tools: Tools | null): void
  close(): void
}

/** What of a request and an answer goes on its way. */
const PASSED = ['content-type', 'content-length', 'accept', 'mcp-protocol-version', 'mcp-session-id', 'allow']

export class McpRelay {
  readonly #seats = new Map<string, { tools: Tools | null }>()
  #server: Promise<Server> | undefined
  #closed = false

  /** @throws Error when no port is free */
  async open(): Promise<RelaySeat> {
    this.#server ??= this.#listen()
    const server = await this.#server
    const key = randomBytes(24).toString('base64url')
    const seat: { tools: Tools | null } = { tools: null }
    this.#seats.set(hash(key), seat)
    const { port } = server.address() as AddressInfo
    return {
      server: {
        type: 'http',
        name: 'golem',
        url: `http://127.0.0.1:${port}/mcp`,
        headers: [{ name: 'Authorization', value: `Bearer ${key}` }],
      },
      lend: (tools) => {
        seat.tools = tools
      },
      close: () => this.#seats.delete(hash(key)),
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#seats.clear()
    const server = await this.#server?.catch(() => undefined)
    if (server === undefined) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  #listen(): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer((incoming, response) => this.#pass(incoming, response))
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => {
        // It keeps no daemon alive.
        server.unref()
        if (this.#closed) server.close()
        resolve(server)
      })
    })
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const key = /^bearer +(\S+) *$/i.exec(incoming.headers.authorization ?? '')?.[1]
    const tools = key === undefined ? undefined : this.#seats.get(hash(key))?.tools
    if (tools === undefined) refuse(response, 401, 'This key belongs to no session.')
    else if (tools === null) refuse(response, 503, 'No turn runs in this session.')
    else pass(incoming, response, tools)
  }
}

function pass(incoming: IncomingMessage, response: ServerResponse, { url, token }: Tools): void {
  const headers = { ...picked(incoming.headers), authorization: `Bearer ${token}` }
  const onward = request(url, { method: incoming.method, headers })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, picked(answer.headers))
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  onward.on('error', () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502, 'The tools cannot be reached.')
  })
  response.on('close', () => onward.destroy())
  incoming.on('error', () => onward.destroy())
  incoming.pipe(onward)
}

function picked(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

function hash(key: string): string {
  return createHash('sha256').update(key).digest('base64')
}
