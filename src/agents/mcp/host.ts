/**
 * The tools of a turn for programs that speak MCP: streamable HTTP, stateless, behind a token that is the turn's own. A
 * token is good while its turn runs and for its tools alone; only its hash is kept, and only in memory.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Logger } from '../../messaging/ambient.js'
import type { TurnTools } from './turn-tools.js'

/** Every token begins so: redaction knows them by it. */
export const TOKEN_PREFIX = 'gmcp_'
/** Requests of one turn that are worked on at the same time. */
export const REQUESTS_AT_ONCE = 32

/** One turn's way in. */
export interface McpSeat {
  url: string
  token: string
  /** The turn is over: the token is good for nothing, and what is still being answered ends. */
  close(): void
}

export interface McpHost {
  /** null while nothing is served. */
  open(tools: TurnTools): McpSeat | null
}

interface Open {
  tools: TurnTools
  /** Ends the answers under way. */
  ends: Set<() => void>
}

export class McpHub implements McpHost {
  readonly #log: Logger
  readonly #open = new Map<string, Open>()
  #url: string | null = null

  constructor(log: Logger) {
    this.#log = log
  }

  /** @param url where `handle` answers; null when programs on this machine cannot reach it */
  listen(url: string | null): void {
    this.#url = url
  }

  open(tools: TurnTools): McpSeat | null {
    const url = this.#url
    if (url === null) return null
    const token = `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`
    const key = hash(token)
    const seat: Open = { tools, ends: new Set() }
    this.#open.set(key, seat)
    return {
      url,
      token,
      close: () => {
        this.#open.delete(key)
        for (const end of seat.ends) end()
      },
    }
  }

  /** Answers one request. Never rejects for what a client does wrong. */
  async handle(request: Request): Promise<Response> {
    const token = /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    // Found by its hash: how long it takes says nothing about the token.
    const seat = token === undefined ? undefined : this.#open.get(hash(token))
    if (seat === undefined)
      return refusal(401, -32_001, 'This token is none of a running turn.', {
        'www-authenticate': 'Bearer realm="golem turn"',
      })
    // Stateless: nothing is pushed, and there is no session to end.
    if (request.method !== 'POST') return refusal(405, -32_000, 'Only POST is answered.', { allow: 'POST' })
    if (seat.ends.size >= REQUESTS_AT_ONCE)
      return refusal(429, -32_000, `At most ${REQUESTS_AT_ONCE} requests of a turn at the same time.`)
    const { serveMcp } = await import('./serve.js')
    return serveMcp(request, seat.tools, seat.ends, this.#log)
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

function refusal(status: number, code: number, message: string, headers: Record<string, string> = {}) {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}
