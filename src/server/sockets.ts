/** The server's sockets and whether an answer is under way on each: for shutting down, and for answering garbage. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class Sockets {
  /** Answers under way, by socket. Pipelining can make it more than one. */
  readonly #busy = new Map<Duplex, number>()
  #closing = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#busy.set(socket, 0)
      socket.once('close', () => this.#busy.delete(socket))
      if (this.#closing) socket.destroy()
    })
    // First in line: the handler itself may answer at once.
    server.prependListener('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
      this.#count(socket, 1)
      if (this.#closing) outgoing.setHeader('connection', 'close')
      outgoing.once('close', () => {
        this.#count(socket, -1)
        if (this.#closing && !this.busy(socket)) socket.destroySoon()
      })
    })
  }

  busy(socket: Duplex): boolean {
    return (this.#busy.get(socket) ?? 0) > 0
  }

  /** Cuts those that wait for a request; the others follow when their answer is out. */
  drain(): void {
    this.#closing = true
    for (const [socket, answers] of this.#busy) if (answers === 0) socket.destroy()
  }

  /** Cuts them all. */
  destroy(): void {
    for (const socket of this.#busy.keys()) socket.destroy()
  }

  #count(socket: Duplex, change: number): void {
    const now = this.#busy.get(socket)
    if (now !== undefined) this.#busy.set(socket, now + change)
  }
}
