/**
 * Socket Mode, supervised. One client of the SDK a life: its own reconnecting is off, because there a revoked token is
 * an unhandled rejection (which ends the process), a `start()` whose `hello` never comes is waited for for ever, and
 * every polite `disconnect` costs five seconds. Here a life ends, for whatever reason, and the next one begins.
 *
 * An envelope is acknowledged when the core has it, and only then. One that is not comes again: by Slack's retries, at
 * first at once, then after a minute and five. https://docs.slack.dev/apis/events-api/using-socket-mode
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { SocketModeClient } from '@slack/socket-mode'
import type { WebSocket } from 'undici'
import type { Clock, Logger, Millis } from '../../src/messaging/contract.js'
import { dispatcherOf } from '../http.js'
import { CallFailed, cureOf } from './failures.js'
import { fields, text } from './shape.js'
import { silentLogger, type Web } from './web.js'

/** A `hello` that has not come after this never will. */
const HELLO = 15_000
/** The SDK pings every five seconds and Slack does too: after this long without a sign the line is asked once more, … */
const QUIET = 15_000
/** … after this long it may be dead, … */
const SILENT = 20_000
/** … and after this long it is, … */
const DEAD = 45_000
/** … if it had time to answer: so many milliseconds of this process, for a clock may be set. */
const ANSWERS_WITHIN = 1_000
const BACKOFF_FIRST = 500
const BACKOFF_MOST = 60_000
/** A life this long was a good one. */
const STEADY = 30_000

export interface SocketOptions {
  appToken: string
  web: Web
  clock: Clock
  log: Logger
  /** Resolves when the payload is durable. */
  take(body: unknown): Promise<void>
  /** Null: it hears. Else why it does not. */
  trouble(reason: string | null): void
  /** Nothing will be heard any more until a person acts. */
  fatal(reason: string, cure: string): void
}

interface Life {
  client: SocketModeClient
  /** Settles when the socket is gone. */
  ended: Promise<string>
  end(reason: string): void
  lastSign: Millis
  /** It was told to go, or is being closed: no trouble. */
  polite: boolean
}

export class Socket {
  #life: Life | null = null
  #closed = false
  #wake: (() => void) | null = null
  #loop: Promise<void> = Promise.resolve()

  constructor(private readonly options: SocketOptions) {}

  /** The first life. Rejects where it does not come about; then nothing goes on. */
  async open(): Promise<void> {
    const life = await this.#begin()
    this.#loop = this.#live(life)
  }

  /** Resolves when the socket is closed or the deadline has come. */
  async close(deadline: Millis): Promise<void> {
    this.#closed = true
    this.#wake?.()
    const life = this.#life
    if (life !== null) {
      life.polite = true
      void life.client.disconnect().catch(() => undefined)
      const { clock } = this.options
      const cancel = clock.at(Math.max(deadline, clock.now()), () => life.end('closed'))
      await life.ended
      cancel()
    }
    await this.#loop
  }

  async #live(first: Life): Promise<void> {
    const { clock, log, trouble } = this.options
    let wait = 0
    let failures = 0
    for (let life: Life | null = first; ; ) {
      if (life !== null) {
        const since = clock.now()
        const reason = await life.ended
        this.#life = null
        if (this.#closed) return
        const polite = life.polite
        life = null
        if (clock.now() - since > STEADY) failures = 0
        // A socket that was told to go is followed at once; one that broke, nearly so.
        wait = polite && failures === 0 ? 0 : backoff(failures)
        if (!polite) trouble(`the socket to Slack ended (${reason}); connecting again`)
        log.info({ reason, wait }, 'the socket to Slack ended')
      }
      failures++
      await this.#sleep(wait)
      if (this.#closed) return
      try {
        life = await this.#begin()
        trouble(null)
      } catch (error) {
        if (this.#closed) return
        if (this.#isFatal(error)) return
        const reason = error instanceof Error ? error.message : String(error)
        trouble(`Slack’s socket cannot be opened (${reason}); trying again`)
        const asked = error instanceof CallFailed ? (error.details.retryAfterMs ?? 0) : 0
        wait = Math.max(backoff(failures), asked)
      }
    }
  }

  #isFatal(error: unknown): boolean {
    if (!(error instanceof CallFailed)) return false
    const cure = cureOf(error)
    if (cure === undefined) return false
    this.options.fatal(`Slack refuses the socket: ${error.message}`, cure)
    return true
  }

  async #begin(): Promise<Life> {
    const { clock } = this.options
    const sdk = await import('@slack/socket-mode')
    const undici = await import('undici')
    const dispatcher = dispatcherOf(undici, this.options.web.proxy)
    let ending: (reason: string) => void = () => undefined
    const ended = new Promise<string>((resolve) => {
      ending = resolve
    })
    const client = this.#client(sdk, undici, dispatcher)
    const life: Life = { client, ended, end: ending, lastSign: clock.now(), polite: false }
    const unwatch = this.#watch(life, undici.ping)
    void ended.then(() => {
      unwatch()
      void dispatcher.destroy()
    })
    this.#life = life
    this.#listen(life)
    try {
      await this.#started(life)
    } catch (error) {
      life.polite = true
      void client.disconnect().catch(() => undefined)
      life.end('not started')
      this.#life = null
      throw error
    }
    if (this.#closed) {
      void client.disconnect().catch(() => undefined)
      life.end('closed')
    }
    return life
  }

  #client(
    sdk: typeof import('@slack/socket-mode'),
    undici: typeof import('undici'),
    dispatcher: import('undici').Dispatcher,
  ): SocketModeClient {
    const { appToken, web } = this.options
    const send = (url: unknown, init: unknown): Promise<unknown> =>
      undici.fetch(url as string, { ...(init as object), dispatcher } as never)
    return new sdk.SocketModeClient({
      appToken,
      autoReconnectEnabled: false,
      logger: silentLogger,
      // Unset, the SDK makes a dispatcher whose socket it can destroy; a proxy needs one of its own.
      ...(web.proxy !== undefined && { dispatcher }),
      // The SDK writes into what it is given: nothing here is used twice.
      clientOptions: {
        slackApiUrl: web.apiUrl,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        timeout: HELLO,
        fetch: send as typeof fetch,
      },
    })
  }

  /** Starts it; whichever comes first: its `hello`, its end, or the end of patience. */
  async #started(life: Life): Promise<void> {
    const { clock, web } = this.options
    let cancel: () => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      cancel = clock.at(clock.now() + HELLO, () => reject(new CallFailed('no_hello', 'Socket Mode')))
    })
    const gone = life.ended.then((reason) => {
      throw new CallFailed('ended_before_hello', 'Socket Mode', { cause: new Error(reason) })
    })
    gone.catch(() => undefined)
    try {
      await Promise.race([life.client.start(), late, gone])
    } catch (error) {
      // `start()` rejects with nothing at all where the socket ended.
      throw error === undefined
        ? new CallFailed('ended_before_hello', 'Socket Mode')
        : web.failed('apps.connections.open', error)
    } finally {
      cancel()
    }
  }

  #listen(life: Life): void {
    const { client } = life
    const { log, clock } = this.options
    // The SDK's own listener is async and trusts what it reads: an envelope without an event would be an unhandled
    // rejection.
    const [sdkListener] = client.listeners('ws_message') as ((
      data: unknown,
      binary: boolean,
    ) => Promise<void>)[]
    client.removeAllListeners('ws_message')
    client.on('ws_message', (data: unknown, binary: boolean) => {
      life.lastSign = clock.now()
      if (typeof data === 'string' && data.includes('"disconnect"')) this.#noteGoodbye(life, data)
      sdkListener?.(data, binary).catch((error: unknown) =>
        log.warn({ error: String(error) }, 'a frame of Slack’s socket could not be read'),
      )
    })
    client.on('slack_event', (envelope: { ack(): Promise<void>; body: unknown; envelope_id?: string }) => {
      void this.#take(envelope)
    })
    client.on('disconnected', () => life.end(life.polite ? 'asked to' : 'closed by Slack'))
    client.on('error', (error: unknown) =>
      log.debug({ error: reasonOf(error) }, 'Slack’s socket reports an error'),
    )
  }

  /** `{"type":"disconnect","reason":"refresh_requested"}`: another socket is wanted, nothing is wrong. */
  #noteGoodbye(life: Life, data: string): void {
    try {
      const frame = fields(JSON.parse(data))
      if (frame.type !== 'disconnect') return
      life.polite = text(frame.reason) !== 'link_disabled'
    } catch {
      // No JSON: the SDK ignores it.
    }
  }

  async #take(envelope: { ack(): Promise<void>; body: unknown }): Promise<void> {
    const { log, take } = this.options
    try {
      await take(envelope.body)
    } catch (error) {
      // Not acknowledged: Slack delivers it again.
      log.warn({ error: reasonOf(error) }, 'an event of Slack could not be stored; it will come again')
      return
    }
    // A socket that ended meanwhile takes no acknowledgement: the event comes again and is known.
    await envelope.ack().catch((error: unknown) => log.debug({ error: reasonOf(error) }, 'not acknowledged'))
  }

  /** Signs of life are frames of any kind, the answers to our pings among them: an open socket alone is none. */
  #watch(life: Life, ping: typeof import('undici').ping): () => void {
    const { clock } = this.options
    let address: string | undefined
    let socket: WebSocket | undefined
    life.client.on('authenticated', (answer: unknown) => {
      address = text(fields(answer).url)
    })
    // What undici tells of every socket in this process.
    const sign = (message: unknown): void => {
      const { websocket } = message as { websocket?: WebSocket }
      if (address === undefined || websocket === undefined || !sameSocket(websocket.url, address)) return
      socket = websocket
      life.lastSign = clock.now()
    }
    for (const channel of SIGNS) subscribe(channel, sign)
    const ask = (): void => {
      try {
        if (socket !== undefined) ping(socket, Buffer.from('golem'))
      } catch {
        // It is closing: its end is on the way.
      }
    }
    const unguard = this.#guard(life, ask)
    return () => {
      unguard()
      for (const channel of SIGNS) unsubscribe(channel, sign)
    }
  }

  /** Asks a quiet line, reports one that does not answer, ends one that is dead. */
  #guard(life: Life, ask: () => void): () => void {
    const { clock, trouble } = this.options
    let asked: number | undefined
    let silent = false
    let cancel: () => void
    const look = (): void => {
      const quiet = clock.now() - life.lastSign
      if (quiet < QUIET) asked = undefined
      else if (asked === undefined) {
        asked = performance.now()
        ask()
      }
      if (quiet >= SILENT !== silent && this.#life === life && !this.#closed) {
        silent = quiet >= SILENT
        trouble(silent ? `Slack’s socket has been silent for ${Math.round(quiet / 1_000)} s` : null)
      }
      if (quiet >= DEAD && asked !== undefined && performance.now() - asked >= ANSWERS_WITHIN) {
        void life.client.disconnect().catch(() => undefined)
        life.end(`no sign of life for ${Math.round(quiet / 1_000)} s`)
        return
      }
      const next = [QUIET, SILENT, DEAD].find((limit) => limit > quiet)
      cancel = clock.at(next === undefined ? clock.now() + ANSWERS_WITHIN : life.lastSign + next, look)
    }
    cancel = clock.at(clock.now() + QUIET, look)
    return () => cancel()
  }

  #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#closed) return Promise.resolve()
    const { clock } = this.options
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

const SIGNS = ['undici:websocket:open', 'undici:websocket:ping', 'undici:websocket:pong']

function sameSocket(a: string, b: string): boolean {
  try {
    return new URL(a).href === new URL(b).href
  } catch {
    return false
  }
}

function backoff(failures: number): number {
  const wait = Math.min(BACKOFF_FIRST * 2 ** Math.min(failures, 10), BACKOFF_MOST)
  return Math.round(wait * (0.75 + Math.random() / 2))
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  return reason.replace(/\b[a-z]+:\/\/\S+/gi, '(address)').slice(0, 200)
}
