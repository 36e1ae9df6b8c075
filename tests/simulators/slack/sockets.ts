/**
 * Socket Mode. https://docs.slack.dev/apis/events-api/using-socket-mode
 *
 * `apps.connections.open` gives an address that is good for one connection. The first frame is `hello`; each envelope
 * is to be acknowledged by its id; either side pings. At most ten connections an app, each event to one of them.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import type { VirtualClock } from '../kit/clock.js'
import type { Fields } from './text/rich.js'

const MOST_SOCKETS = 10
/** Between the warning and the end of a connection. */
const WARNING_MS = 10_000
const TICKET_MS = 30_000

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets'

export interface SocketsOptions {
  clock: VirtualClock
  appId: string
  pingMs: number
  /** See the option of this name. */
  lingers: boolean
  /** A connection is there and has been greeted. */
  onOpen: () => void
  /** A connection is gone; what it did not acknowledge goes elsewhere. */
  onClose: (socket: WebSocket) => void
  onAck: (envelope: string, payload: unknown) => void
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false, perMessageDeflate: false })
  readonly #options: SocketsOptions
  readonly #tickets = new Map<string, number>()
  readonly #live = new Set<WebSocket>()
  /** Half-open ones: there, and silent. */
  readonly #mute = new Set<WebSocket>()
  #count = 0
  #next = 0
  readonly #pings: NodeJS.Timeout

  constructor(options: SocketsOptions) {
    this.#options = options
    this.#pings = setInterval(() => this.#ping(), options.pingMs)
    this.#pings.unref()
  }

  /** Connections that were greeted and live. */
  get count(): number {
    return this.#live.size
  }

  /** A path with a query for one connection, within 30 s. */
  ticket(): string {
    const ticket = `ticket-${++this.#count}`
    this.#tickets.set(ticket, this.#options.clock.now() + TICKET_MS)
    return `/link/?ticket=${ticket}&app_id=${this.#options.appId}`
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const ticket = url.searchParams.get('ticket') ?? ''
    const until = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    if (!url.pathname.startsWith('/link') || until === undefined || until < this.#options.clock.now()) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    if (this.#options.lingers) Object.assign(socket, { end: () => socket })
    this.#server.handleUpgrade(request, socket, head, (connection) => this.#greet(connection))
  }

  /** One of the connections in turn. With none that lives, a half-open one swallows it, as from outside they look alike. */
  pick(): WebSocket | undefined {
    const live = [...this.#live].filter(({ readyState }) => readyState === WebSocket.OPEN)
    const sockets = live.length > 0 ? live : [...this.#mute]
    return sockets[this.#next++ % Math.max(1, sockets.length)]
  }

  /** Whether somebody is likely to read what is sent. */
  isLive(socket: WebSocket): boolean {
    return this.#live.has(socket)
  }

  send(socket: WebSocket, frame: Fields): void {
    if (!this.#mute.has(socket) && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }

  /** Tells every connection to go. With a warning it ends 10 s later, else when the client closes it. */
  disconnect(reason: DisconnectReason): void {
    for (const socket of [...this.#live]) {
      this.send(socket, { type: 'disconnect', reason, debug_info: { host: 'applink-simulator' } })
      this.#options.clock.after(WARNING_MS, () => socket.close())
    }
  }

  cut(how: 'close' | 'half-open'): void {
    for (const socket of [...this.#live]) {
      if (how === 'close') {
        socket.terminate()
        continue
      }
      this.#live.delete(socket)
      this.#mute.add(socket)
    }
  }

  close(): void {
    clearInterval(this.#pings)
    for (const socket of [...this.#live, ...this.#mute]) socket.terminate()
    this.#server.close()
  }

  #greet(socket: WebSocket): void {
    if (this.#live.size >= MOST_SOCKETS) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }))
      socket.close()
      return
    }
    this.#live.add(socket)
    socket.on('ping', (data) => {
      if (!this.#mute.has(socket)) socket.pong(data)
    })
    socket.on('message', (data) => {
      if (!this.#mute.has(socket)) this.#read(String(data))
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#live.delete(socket)
      this.#mute.delete(socket)
      this.#options.onClose(socket)
    })
    this.send(socket, {
      type: 'hello',
      num_connections: this.#live.size,
      debug_info: { host: 'applink-simulator', build_number: 1, approximate_connection_time: 18060 },
      connection_info: { app_id: this.#options.appId },
    })
    socket.ping('Ping from applink-simulator')
    this.#options.onOpen()
  }

  #read(text: string): void {
    let frame: unknown
    try {
      frame = JSON.parse(text)
    } catch {
      return
    }
    if (typeof frame !== 'object' || frame === null) return
    const { envelope_id: envelope, payload } = frame as Fields
    if (typeof envelope === 'string') this.#options.onAck(envelope, payload)
  }

  #ping(): void {
    for (const socket of this.#live) {
      if (socket.readyState === WebSocket.OPEN) socket.ping('Ping from applink-simulator')
    }
  }
}
