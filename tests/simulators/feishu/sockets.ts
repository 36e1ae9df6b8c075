/**
 * The long connection. https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
 *
 * An endpoint gives an address; there the server sends data frames, each to be answered by the same frame with
 * `{code: 200}` in it. The client pings; the pong carries how it is to behave. At most 50 connections an app, each event
 * to one of them.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { type Fields, fieldsOf, parsed } from './fields.js'
import { CONTROL, DATA, decodeFrame, encodeFrame, type Frame, headerOf } from './frames.js'
import type { ClientConfig } from './options.js'

export const MOST_SOCKETS = 50
const SERVICE_ID = 33_554_678
/**
 * A client pings as soon as it is there. Nothing is sent before: the SDK listens only some moments after the handshake,
 * and what comes with it is lost. Whoever does not ping is taken to be there after so many real milliseconds.
 */
const GREETING_MS = 250

export interface SocketsOptions {
  appId: string
  fragmentBytes: number
  config: ClientConfig
  /** See the option of this name. */
  pushesAtHandshake: boolean
  /** A name for each frame sent, and for each connection. */
  id: (prefix: string) => string
  onOpen: () => void
  /** A connection is gone; what it did not acknowledge goes elsewhere. */
  onClose: (socket: WebSocket) => void
  /** @param data what the app answered a callback with */
  onAck: (frameId: string, code: number, data: unknown) => void
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #options: SocketsOptions
  readonly #tickets = new Set<string>()
  /** Every connection that has shown itself. */
  readonly #greeted = new Set<WebSocket>()
  /** Those of them that are heard and spoken to. */
  readonly #live = new Set<WebSocket>()
  /** Half-open ones: there, and silent. */
  readonly #mute = new Set<WebSocket>()
  #next = 0
  #sequence = 0n
  /** Frames that came and were none. */
  malformed = 0

  constructor(options: SocketsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#live.size
  }

  /** A path with a query for one connection. `service_id` must not come first: the SDK reads it from the whole address. */
  ticket(): string {
    const ticket = this.#options.id('ticket')
    this.#tickets.add(ticket)
    const { appId } = this.#options
    return `/ws/v2?fpid=493&aid=552564&device_id=${ticket.slice(-12)}&access_key=${ticket}&service_id=${SERVICE_ID}&app_id=${appId}`
  }

  /** Whether it gave out this ticket. */
  owns(ticket: string): boolean {
    return this.#tickets.has(ticket)
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ticket: string): void {
    this.#tickets.delete(ticket)
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

  /** Sends an event, in pieces where it is large. Returns the id that its acknowledgement will carry. */
  send(socket: WebSocket, body: Fields): string {
    const frameId = this.#options.id('frame')
    const payload = Buffer.from(JSON.stringify(body))
    const size = this.#options.fragmentBytes
    const sum = Math.max(1, Math.ceil(payload.length / size))
    for (let seq = 0; seq < sum; seq++) {
      const headers = [
        { key: 'type', value: 'event' },
        { key: 'message_id', value: frameId },
        { key: 'trace_id', value: frameId },
        { key: 'sum', value: String(sum) },
        { key: 'seq', value: String(seq) },
      ]
      this.#write(socket, DATA, headers, payload.subarray(seq * size, (seq + 1) * size))
    }
    return frameId
  }

  /** Sends bytes as they are to every connection: what no frame should look like. */
  garble(bytes: Uint8Array): void {
    for (const socket of this.#live) socket.send(bytes)
  }

  cut(how: 'close' | 'half-open'): void {
    for (const socket of this.#live) {
      if (how === 'close') socket.terminate()
      else this.#mute.add(socket)
    }
    this.#live.clear()
  }

  close(): void {
    for (const socket of [...this.#live, ...this.#mute]) socket.terminate()
    this.#server.close()
  }

  #greet(socket: WebSocket): void {
    const timer = setTimeout(() => this.#welcome(socket), GREETING_MS)
    socket.on('message', (data, isBinary) => {
      if (this.#mute.has(socket)) return
      if (isBinary) this.#read(socket, data as Buffer)
      this.#welcome(socket)
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(timer)
      this.#greeted.delete(socket)
      this.#live.delete(socket)
      this.#mute.delete(socket)
      this.#options.onClose(socket)
    })
    if (this.#options.pushesAtHandshake) this.#welcome(socket)
  }

  #welcome(socket: WebSocket): void {
    if (this.#greeted.has(socket) || socket.readyState !== WebSocket.OPEN) return
    this.#greeted.add(socket)
    this.#live.add(socket)
    this.#options.onOpen()
  }

  #read(socket: WebSocket, data: Buffer): void {
    let frame: Frame
    try {
      frame = decodeFrame(data)
    } catch {
      this.malformed++
      return
    }
    if (frame.method === CONTROL) {
      if (headerOf(frame, 'type') !== 'ping') return
      const config = Buffer.from(JSON.stringify(this.#options.config))
      this.#write(socket, CONTROL, [{ key: 'type', value: 'pong' }], config)
      return
    }
    const id = headerOf(frame, 'message_id')
    const answer = fieldsOf(parsed(frame.payload.toString('utf8')))
    if (id === undefined || typeof answer.code !== 'number') return
    const told = typeof answer.data === 'string' ? answer.data : ''
    this.#options.onAck(id, answer.code, parsed(Buffer.from(told, 'base64').toString('utf8')))
  }

  #write(socket: WebSocket, method: number, headers: Frame['headers'], payload: Buffer): void {
    if (this.#mute.has(socket) || socket.readyState !== WebSocket.OPEN) return
    this.#sequence++
    const frame = {
      seqId: this.#sequence,
      logId: this.#sequence,
      service: SERVICE_ID,
      method,
      headers,
      payload,
    }
    socket.send(encodeFrame(frame))
  }
}
