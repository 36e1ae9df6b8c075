/**
 * The gateway's socket through an HTTP proxy. `@discordjs/ws` has no setting for one: it is given an address on this
 * machine instead, and what it says there goes on through the proxy, byte by byte. Only who knows a random path gets in.
 */
import { randomBytes } from 'node:crypto'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../src/messaging/contract.js'

/** The proxy and Discord have so long to let a socket through. Milliseconds. */
const PATIENCE = 10_000
const MOST_TARGETS = 100

type Agent = import('node:http').Agent

export class Tunnel {
  /** Random path -> where it leads. */
  readonly #targets = new Map<string, URL>()
  readonly #sockets = new Set<Duplex>()

  private constructor(
    private readonly server: Server,
    private readonly agent: Agent,
    private readonly log: Logger,
  ) {}

  static async open(proxy: string, log: Logger): Promise<Tunnel> {
    const { HttpsProxyAgent } = await import('https-proxy-agent')
    const server = createServer((_, response) => {
      response.writeHead(404).end()
    })
    const tunnel = new Tunnel(server, new HttpsProxyAgent(proxy), log)
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      tunnel.#pass(request, socket, head),
    )
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    server.unref()
    return tunnel
  }

  /** The address to connect to instead of this one. */
  through(address: string): string {
    const target = new URL(address)
    const { port } = this.server.address() as AddressInfo
    for (const [path, known] of this.#targets)
      if (known.href === target.href) return `ws://127.0.0.1:${port}/${path}`
    const path = randomBytes(16).toString('hex')
    this.#targets.set(path, target)
    for (const oldest of this.#targets.keys()) {
      if (this.#targets.size <= MOST_TARGETS) break
      this.#targets.delete(oldest)
    }
    return `ws://127.0.0.1:${port}/${path}`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.server.close()
    this.agent.destroy()
  }

  #pass(incoming: IncomingMessage, near: Duplex, head: Buffer): void {
    const [, path = '', query = ''] = /^\/([0-9a-f]+)(?:\?(.*))?$/.exec(incoming.url ?? '') ?? []
    const target = this.#targets.get(path)
    if (target === undefined) {
      near.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
      return
    }
    this.#keep(near)
    const refuse = (reason: string): void => {
      this.log.debug({ reason }, 'the proxy did not let the gateway’s socket through')
      near.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n')
    }
    const send = target.protocol === 'wss:' ? httpsRequest : httpRequest
    const far = send(addressOf(target, query), {
      agent: this.agent,
      headers: { ...incoming.headers, host: target.host },
      timeout: PATIENCE,
    })
    far.once('timeout', () => far.destroy(new Error('it took too long')))
    far.once('error', (error: NodeJS.ErrnoException) => refuse(error.code ?? 'no connection'))
    far.once('response', (answer) => {
      answer.resume()
      refuse(`status ${answer.statusCode}`)
    })
    far.once('upgrade', (answer, socket, rest) => {
      socket.setTimeout(0)
      this.#keep(socket)
      near.write(headOf(answer))
      if (rest.length > 0) near.write(rest)
      if (head.length > 0) socket.write(head)
      near.pipe(socket).pipe(near)
      near.once('close', () => socket.destroy())
      socket.once('close', () => near.destroy())
    })
    far.end()
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
}

function addressOf(target: URL, query: string): URL {
  const url = new URL(target.href.replace(/^ws/, 'http'))
  url.search = query
  return url
}

/** The answer's head, as it came. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
