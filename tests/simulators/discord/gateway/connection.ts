/** One WebSocket of the gateway, and what it may say when. https://docs.discord.com/developers/events/gateway#connections */
import type { RawData, WebSocket } from 'ws'
import type { Fields } from '../world.js'
import type { Carrier, Session } from './session.js'

/** Larger payloads of a client end the connection: https://docs.discord.com/developers/events/gateway#sending-events */
const MOST_BYTES = 4_096
/** https://docs.discord.com/developers/events/gateway#rate-limiting: so many payloads a minute. */
const MOST_SENDS = 120
const MINUTE_MS = 60_000

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
export const CLOSE = {
  unknownError: 4000,
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSeq: 4007,
  rateLimited: 4008,
  sessionTimedOut: 4009,
  invalidShard: 4010,
  shardingRequired: 4011,
  invalidVersion: 4012,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const

export interface ConnectionHandlers {
  heartbeat(connection: Connection, seq: number | null): void
  identify(connection: Connection, data: Fields): void
  resume(connection: Connection, data: Fields): void
  requestMembers(session: Session, data: Fields): void
  closed(connection: Connection, code: number): void
}

export class Connection implements Carrier {
  session: Session | null = null
  /** When the last heartbeat came, or the connection began: real time. */
  lastBeat = Date.now()
  readonly #socket: WebSocket
  readonly #handlers: ConnectionHandlers
  #isMute = false
  #sent = 0
  #minute = Date.now()

  constructor(socket: WebSocket, handlers: ConnectionHandlers) {
    this.#socket = socket
    this.#handlers = handlers
    socket.on('message', (data, isBinary) => {
      if (!this.#isMute) this.#read(data, isBinary)
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', (code) => handlers.closed(this, code))
  }

  /** Half-open ones are there and silent. */
  get isMute(): boolean {
    return this.#isMute
  }

  /** @param lingers the client's close frame is not answered either */
  mute(lingers: boolean): void {
    this.#isMute = true
    if (lingers) this.#socket.pause()
  }

  send(frame: string): void {
    if (!this.#isMute && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame)
  }

  op(op: number, data: unknown = null): void {
    this.send(JSON.stringify({ t: null, s: null, op, d: data }))
  }

  close(code: number, reason: string): void {
    if (!this.#isMute) this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  #read(data: RawData, isBinary: boolean): void {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)
    if (bytes.length > MOST_BYTES || isBinary) {
      this.close(CLOSE.decodeError, 'Error while decoding payload.')
      return
    }
    let frame: unknown
    try {
      frame = JSON.parse(bytes.toString('utf8'))
    } catch {
      this.close(CLOSE.decodeError, 'Error while decoding payload.')
      return
    }
    const { op, d } = (typeof frame === 'object' && frame !== null ? frame : {}) as Fields
    // Discord counts heartbeats too; here they may be wanted often.
    if (op === 1 || this.#mayGoOn()) this.#act(op, d)
  }

  #mayGoOn(): boolean {
    const now = Date.now()
    if (now - this.#minute >= MINUTE_MS) {
      this.#minute = now
      this.#sent = 0
    }
    if (++this.#sent <= MOST_SENDS) return true
    this.close(CLOSE.rateLimited, 'You are being rate limited.')
    return false
  }

  #act(op: unknown, d: unknown): void {
    const data = (typeof d === 'object' && d !== null ? d : {}) as Fields
    const isKnown = this.session !== null
    if (op === 1) {
      this.lastBeat = Date.now()
      this.#handlers.heartbeat(this, typeof d === 'number' ? d : null)
    } else if (op === 2 || op === 6) {
      if (isKnown) this.close(CLOSE.alreadyAuthenticated, 'Already authenticated.')
      else if (op === 2) this.#handlers.identify(this, data)
      else this.#handlers.resume(this, data)
    } else if (op === 3 || op === 4 || op === 8 || op === 31) {
      if (this.session === null) this.close(CLOSE.notAuthenticated, 'Not authenticated.')
      else if (op === 8) this.#handlers.requestMembers(this.session, data)
    } else this.close(CLOSE.unknownOpcode, 'Unknown opcode.')
  }
}
