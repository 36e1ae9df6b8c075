/**
 * The HTTP server of the daemon. Never listens beyond this machine without a token, never dies of a request, and
 * answers every one of them, good or bad.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock, Millis } from '../messaging/ambient.js'
import { createRedactor } from '../messaging/redact.js'
import { hostGuard, isLoopback, urlOf } from './address.js'
import { Doorkeeper } from './auth.js'
import { errorBody, HttpError, INTERNAL, ServerError } from './error.js'
import { checkRequest } from './guard.js'
import { securityHeaders } from './headers.js'
import type { ServerOptions, Timeouts } from './options.js'
import { Sockets } from './sockets.js'
import { OpenStreams } from './streams.js'

const SECOND = 1_000

const TIMEOUTS: Timeouts = {
  headers: 10 * SECOND,
  request: 120 * SECOND,
  idle: 10 * SECOND,
  every: 2 * SECOND,
}

/** Connections at a time; more are refused by the kernel's queue rather than by running out of memory. */
const CONNECTIONS = 2_000

export type { ServerOptions, Timeouts } from './options.js'

export interface RunningServer {
  /** For a browser on this machine. */
  url: string
  port: number
  /** Takes no new request, ends streams of events, waits for the answers under way, cuts what is left at the deadline. */
  close(deadline: Millis): Promise<void>
}

/** Throws {@link ServerError} for settings under which nothing may listen. */
function checkSettings({ host, token }: ServerOptions): void {
  if (token !== null && (token.trim() === '' || /^\$\{\w*\}$/.test(token) || /\s/.test(token)))
    throw new ServerError(
      'bad-token',
      'gateway.token in golem.yaml is empty, holds blanks or names a variable that was not resolved; set it to a long random word, e.g. the output of "openssl rand -hex 24".',
    )
  if (token === null && !isLoopback(host))
    throw new ServerError(
      'open-to-network',
      `Golem will not listen on ${host} without a token, because anybody on the network could use its agents; set gateway.token in golem.yaml, or gateway.host to 127.0.0.1.`,
    )
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ServerError {
  const cause = { cause: error }
  switch (error.code) {
    case 'EADDRINUSE':
      return new ServerError(
        'port-in-use',
        `Port ${port} on ${host} is in use by another program (another Golem?); stop it, or choose another with --port or gateway.port (0 takes a free one).`,
        cause,
      )
    case 'EACCES':
      return new ServerError(
        'port-forbidden',
        `This user may not listen on port ${port}; choose one above 1023 with --port or gateway.port.`,
        cause,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ServerError(
        'host-unknown',
        `This machine has no address ${host}; set gateway.host to 127.0.0.1 (this machine only) or 0.0.0.0 (all its addresses).`,
        cause,
      )
    case 'ERR_SOCKET_BAD_PORT':
      return new ServerError('port-invalid', `${port} is no port; choose one from 0 to 65535.`, cause)
    default:
      return new ServerError(
        'listen',
        `Golem cannot listen on ${host}, port ${port}: ${error.message}.`,
        cause,
      )
  }
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port))
    server.once('error', failed)
    try {
      server.listen({ host, port }, () => {
        server.off('error', failed)
        resolve()
      })
    } catch (error) {
      reject(listenError(error as NodeJS.ErrnoException, host, port))
    }
  })
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new ServerError('listen', `Golem got no port on ${host}; choose another with --port.`)
  return address
}

/** Answers before there is a request that could be routed. */
function plainAnswer(outgoing: ServerResponse, error: HttpError): void {
  outgoing.writeHead(error.status, {
    ...Object.fromEntries(securityHeaders('/api/')),
    'content-type': 'application/json',
    'cache-control': 'no-store',
    connection: 'close',
    ...error.headers,
  })
  outgoing.end(JSON.stringify(errorBody(error.code, error.message)))
}

const PARSE_ERRORS: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError(431, 'headers-too-large', 'The headers are larger than 16 kB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError(408, 'timeout', 'The request took too long to arrive.'),
}
const MALFORMED = new HttpError(400, 'bad-request', 'That is not HTTP.')

/** What the parser choked on gets an answer too, unless another one is half-way through the same socket. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, speaking: boolean): void {
  if (!socket.writable || speaking || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { status, code, message } = PARSE_ERRORS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify(errorBody(code, message))
  const head = `HTTP/1.1 ${status} ${code}\r\ncontent-type: application/json\r\nconnection: close\r\n`
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** The first call makes it, also for all that come while it is made; one that failed is tried again by the next. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}

/**
 * Listens. What answers (the router, the web-standard requests) is loaded by the first request: a daemon that nobody
 * looks at does not hold it.
 *
 * @throws ServerError
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkSettings(options)
  const { host, token, clock, log } = options
  const redactor = createRedactor([...options.secrets, ...(token === null ? [] : [token])])
  const doorkeeper = new Doorkeeper(token, clock)
  const streams = new OpenStreams()
  const listener = once(async () => {
    const { createListener } = await import('./listener.js')
    return createListener(options, { doorkeeper, streams, redactor })
  })

  const ours = hostGuard(host, options.hosts ?? [])
  let cure = ''
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const server = createServer(
    {
      // Refused below, with a sentence.
      requireHostHeader: false,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.idle,
      connectionsCheckingInterval: timeouts.every,
    },
    (incoming, outgoing) => {
      try {
        checkRequest(incoming, ours, cure)
      } catch (error) {
        plainAnswer(outgoing, error instanceof HttpError ? error : INTERNAL)
        return
      }
      listener().then(
        (route) => route(incoming, outgoing),
        (error: unknown) => {
          log.error({ error: redactor.value(error) }, 'the HTTP application could not be loaded')
          plainAnswer(outgoing, INTERNAL)
        },
      )
    },
  )
  server.maxConnections = CONNECTIONS
  const sockets = new Sockets(server)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    answerClientError(error, socket, sockets.speaking(socket)),
  )
  server.on('checkExpectation', (_incoming, outgoing: ServerResponse) =>
    plainAnswer(
      outgoing,
      new HttpError(417, 'expectation-failed', 'Only "Expect: 100-continue" is understood.'),
    ),
  )
  server.on('connect', (_incoming: IncomingMessage, socket: Duplex) =>
    answerClientError(new Error('CONNECT'), socket, false),
  )

  const { port } = await listen(server, host, options.port)
  const url = urlOf(host, port)
  cure = `open it at ${url}${(options.hosts ?? []).length === 0 ? '' : ', or add the name to gateway.hosts in golem.yaml'}`
  doorkeeper.bindTo(port)
  server.on('error', (error) =>
    log.error({ error: redactor.value(error) }, 'the HTTP server reported an error'),
  )
  if (token !== null && token.length < 16 && !isLoopback(host))
    log.warn(
      { host },
      'gateway.token is shorter than 16 characters and can be guessed; use "openssl rand -hex 24"',
    )

  let closing: Promise<void> | null = null
  return {
    url,
    port,
    close(deadline) {
      closing ??= closeServer(server, sockets, streams, clock, deadline)
      return closing
    },
  }
}

function closeServer(
  server: Server,
  sockets: Sockets,
  streams: OpenStreams,
  clock: Clock,
  deadline: Millis,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = clock.at(deadline, () => sockets.destroy())
    server.close(() => {
      cut()
      resolve()
    })
    streams.endAll()
    sockets.drain()
  })
}
