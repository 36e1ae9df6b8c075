/**
 * The agent that the SDK opens its WebSocket by: through a proxy where there is one, and with an eye on the connection
 * under it. The SDK tells nobody when its socket ends, nor whether anything comes over it.
 */
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import type { HttpsProxyAgent as Tunnel } from 'https-proxy-agent'

export interface Line {
  agent: HttpAgent
  /** Ends it now. */
  cut(): void
}

export interface LineEvents {
  /** Bytes came. */
  sign(): void
  ended(): void
}

/** @param url of the WebSocket: `ws:` or `wss:` */
export async function lineTo(url: string, proxy: string | undefined, events: LineEvents): Promise<Line> {
  const sockets = new Set<Duplex>()
  const watch = (socket: Duplex): void => {
    sockets.add(socket)
    socket.on('data', () => events.sign())
    holdFirst(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      events.ended()
    })
    // Whoever opened it hears of errors; without a listener of ours a late one would end the process.
    socket.on('error', () => undefined)
  }
  const agent = await agentFor(url, proxy, watch)
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
    agent.destroy()
  }
  return { agent, cut }
}

/**
 * The SDK listens to its socket some turns after that is open. What Feishu sends along with the handshake, and that is
 * whatever waited for a connection, would be read and heard by nobody, and come again after minutes or an hour. So
 * whoever begins to read waits for the next turn of the loop.
 */
function holdFirst(socket: Duplex): void {
  socket.on('newListener', (event) => {
    // Both Node and `ws` listen for `end` right behind `data`, which made it flow.
    if (event !== 'end') return
    socket.pause()
    setImmediate(() => socket.resume())
  })
}

async function agentFor(
  url: string,
  proxy: string | undefined,
  watch: (socket: Duplex) => void,
): Promise<HttpAgent> {
  if (proxy !== undefined) {
    const { HttpsProxyAgent } = await import('https-proxy-agent')
    class Watched extends HttpsProxyAgent<string> {
      override async connect(...asked: Parameters<Tunnel<string>['connect']>) {
        const socket = await super.connect(...asked)
        watch(socket)
        return socket
      }
    }
    return new Watched(proxy)
  }
  const Base = /^wss:|^https:/i.test(url) ? HttpsAgent : HttpAgent
  class Watched extends Base {
    override createConnection(
      options: ClientRequestArgs,
      callback?: (error: Error | null, socket: Duplex) => void,
    ): Duplex | null | undefined {
      const socket = super.createConnection(options, callback)
      if (socket) watch(socket)
      return socket
    }
  }
  return new Watched()
}
