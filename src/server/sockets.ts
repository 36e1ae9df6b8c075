/** The server's sockets and whether an answer is under way on each: for shutting down, and for answering garbage. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class Sockets {
  /** Answers under way, by socket. Pipelining can make it more than one. */
  readonly #answers = new Map<Duplex, Set<ServerResponse>>()
  #closing = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#answers.set(socket, new Set())
      socket.once('close', () => this.#answers.delete(socket))
      if (this.#closing) socket.destroy()
    })
    // First in line: the handler itself may answer at once.
    server.prependListener('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
      const answers = this.#answers.get(socket)
      answers?.add(outgoing)
      if (this.#closing) outgoing.setHeader('connection', 'close')
      outgoing.once('close', () => {
        answers?.delete(outgoing)
        if (this.#closing && answers?.size === 0) socket.destroySoon()
      })
    })
  }

  /** Whether bytes of an answer have gone out that is not finished: nothing else may be written then. */
  speaking(socket: Duplex): boolean {
    return [...(this.#answers.get(socket) ?? [])].some(({ headersSent }) => headersSent)
  }

  /** Cuts those that wait for a request; the others follow when their answer is out. */
  drain(): void {
    this.#closing = true
    for (const [socket, answers] of this.#answers) if (answers.size === 0) socket.destroy()
  }

  /** Cuts them all. */
  destroy(): void {
    for (const socket of this.#answers.keys()) socket.destroy()
  }
}
