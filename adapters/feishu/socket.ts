/**
 * The long connection, supervised. One client of the SDK a life, its own reconnecting off: it waits up to half a minute
 * before the first try and two between others, counts its tries (seven) and then stays away, and tells nobody that a
 * socket ended. Here a life ends, for whatever reason, and the next one begins. Where the connection is, is asked by us:
 * through our proxy, in our time, and with its refusals understood.
 *
 * The SDK acknowledges an event when its handler is done, with 500 where that threw: so nothing is acknowledged before
 * the core has it. What is not comes again, after 15 s, 5 min, 1 h and 6 h.
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
 */
import type { WSClient } from '@larksuiteoapi/node-sdk'
import type { Clock, Logger, Millis } from '../../src/messaging/contract.js'
import { reasonOf } from '../http.js'
import type { Api } from './api.js'
import { CallFailed, cureOf } from './failures.js'
import { type Line, lineTo } from './line.js'
import { type Fields, number } from './shape.js'

/** A socket that is not open after this never will be. */
const OPENS_WITHIN: Millis = 15_000
/** Seconds within which the SDK wants to hear something behind a ping of its own. */
const PONG_SECONDS = 10
/** Milliseconds without a sign behind a ping, after which the line counts as dead. */
const PONG: Millis = 12_000
/** It must have had this much of the process's own time as well: a clock may be set. */
const ANSWERS_WITHIN = 1_000
const PING: Millis = 120_000
const BACKOFF_FIRST: Millis = 500
const BACKOFF_MOST: Millis = 60_000
/** A life this long was a good one. */
const STEADY: Millis = 30_000

export interface SocketOptions {
  appId: string
  appSecret: string
  origin: string
  api: Api
  clock: Clock
  log: Logger
  /** Resolves when the event is durable, with what Feishu is answered. */
  take(body: Fields): Promise<object | undefined>
  /** Null: it hears. Else why it does not. */
  trouble(reason: string | null): void
  /** Nothing will be heard any more until a person acts. */
  fatal(reason: string, cure: string): void
}

interface Life {
  client: WSClient
  line: Line
  /** Settles when the connection under it is gone. */
  ended: Promise<string>
  end(reason: string): void
  since: Millis
}

export class Socket {
  #life: Life | null = null
  #closed = false
  #wake: (() => void) | null = null
  #loop: Promise<void> = Promise.resolve()
  readonly #abort = new AbortController()

  constructor(private readonly options: SocketOptions) {}

  /** The first life. Rejects where it does not come about; then nothing goes on. */
  async open(): Promise<void> {
    const life = await this.#begin()
    this.#loop = this.#live(life)
  }

  /** Resolves when the socket is closed or the deadline has come. */
  async close(deadline: Millis): Promise<void> {
    this.#closed = true
    this.#abort.abort()
    this.#wake?.()
    const life = this.#life
    if (life !== null) {
      // The SDK writes an acknowledgement a few turns behind its handler.
      await new Promise((resolve) => setImmediate(resolve))
      life.client.close()
      const { clock } = this.options
      const cancel = clock.at(Math.max(deadline, clock.now()), () => life.end('closed'))
      await life.ended
      cancel()
      life.line.cut()
    }
    await this.#loop
  }

  async #live(first: Life): Promise<void> {
    const { clock, log, trouble } = this.options
    let failures = 0
    let life: Life | null = first
    while (life !== null) {
      const reason = await life.ended
      this.#life = null
      if (this.#closed) return
      if (clock.now() - life.since > STEADY) failures = 0
      trouble(`the long connection to Feishu ended (${reason}); connecting again`)
      log.info({ reason }, 'the long connection to Feishu ended')
      await this.#sleep(backoff(failures++))
      life = await this.#another(failures)
    }
  }

  /** The next life, however many tries it takes; null where there is none any more. */
  async #another(failures: number): Promise<Life | null> {
    for (let tries = failures; !this.#closed; tries++) {
      try {
        this.options.api.renew()
        const life = await this.#begin()
        this.options.trouble(null)
        return life
      } catch (error) {
        if (this.#closed || this.#isFatal(error)) return null
        const failed = error instanceof CallFailed ? error : null
        const reason = failed?.message ?? reasonOf(error)
        this.options.trouble(`Feishu’s long connection cannot be opened (${reason}); trying again`)
        await this.#sleep(Math.max(backoff(tries), failed?.details.waitMs ?? 0))
      }
    }
    return null
  }

  #isFatal(error: unknown): boolean {
    if (!(error instanceof CallFailed)) return false
    const cure = cureOf(error)
    if (cure === undefined) return false
    this.options.fatal(`Feishu refuses the long connection: ${error.message}`, cure)
    return true
  }

  async #begin(): Promise<Life> {
    const { api, clock } = this.options
    const { url, config } = await api.endpoint(this.#abort.signal)
    const sdk = await import('./sdk.js')
    let end: (reason: string) => void = () => undefined
    const ended = new Promise<string>((resolve) => {
      end = resolve
    })
    const pings = seconds(config.PingInterval, PING)
    const guard = new Guard(clock, pings, (reason) => end(reason))
    const line = await lineTo(url, api.proxy, {
      sign: () => guard.sign(),
      ended: () => end('closed by Feishu'),
    })
    let opened: () => void = () => undefined
    const ready = new Promise<void>((resolve) => {
      opened = resolve
    })
    const client = this.#client(sdk, { url, pings, line, opened, failed: end })
    const life: Life = { client, line, ended, end, since: clock.now() }
    void ended.then(() => {
      guard.close()
      client.close({ force: true })
      line.cut()
    })
    await this.#started(sdk, life, ready)
    this.#life = life
    if (this.#closed) end('closed')
    return life
  }

  #client(
    sdk: typeof import('./sdk.js'),
    made: { url: string; pings: Millis; line: Line; opened(): void; failed(reason: string): void },
  ): WSClient {
    const { appId, appSecret, origin } = this.options
    // What the SDK would ask for is known already. It reconnects never, so its counts mean nothing.
    const config = {
      PingInterval: made.pings / 1_000,
      ReconnectCount: 0,
      ReconnectInterval: 1,
      ReconnectNonce: 0,
    }
    const answer = { code: 0, msg: 'ok', data: { URL: made.url, ClientConfig: config } }
    return new sdk.WSClient({
      appId,
      appSecret,
      domain: origin,
      agent: made.line.agent,
      httpInstance: { request: async () => answer } as never,
      autoReconnect: false,
      wsConfig: { pingTimeout: PONG_SECONDS },
      // 0, "fatal", would count as unset. The SDK's lines hold payloads, and its address a ticket.
      loggerLevel: sdk.LoggerLevel.error,
      logger: SILENT,
      onReady: made.opened,
      onError: (error) => made.failed(reasonOf(error)),
    })
  }

  /** Starts it; whichever comes first: that it is open, its end, or the end of patience. */
  async #started(sdk: typeof import('./sdk.js'), life: Life, ready: Promise<void>): Promise<void> {
    const { clock, log, take } = this.options
    const dispatcher = new sdk.EventDispatcher({ loggerLevel: sdk.LoggerLevel.error, logger: SILENT })
    // Every event comes through here, as Feishu sent it; by name the SDK would pass over those nobody registered.
    dispatcher.invoke = async (body: Fields) => {
      try {
        return await take(body)
      } catch (error) {
        log.warn({ error: reasonOf(error) }, 'an event of Feishu could not be stored; it will come again')
        throw error
      }
    }
    let cancel: () => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      cancel = clock.at(clock.now() + OPENS_WITHIN, () => reject(new Error('it did not open in time')))
    })
    const gone = life.ended.then((reason) => {
      throw new Error(reason)
    })
    gone.catch(() => undefined)
    try {
      void life.client.start({ eventDispatcher: dispatcher })
      await Promise.race([ready, late, gone])
      // An App ID of another form than the SDK knows is a line in its log, and no connection.
      if (life.client.getConnectionStatus().state !== 'connected') throw new Error('it is not connected')
    } catch (error) {
      life.end('not started')
      throw new CallFailed('unreachable', 'the long connection', { cause: error, said: reasonOf(error) })
    } finally {
      cancel()
    }
  }

  #sleep(ms: Millis): Promise<void> {
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

/**
 * A line that is open and dead: no byte came although the SDK must have asked. It asks at every interval; so whatever
 * is silent for one interval and a pong's time is gone.
 */
class Guard {
  #lastSign: Millis
  #lastRun = performance.now()
  #cancel: () => void = () => undefined

  constructor(
    private readonly clock: Clock,
    private readonly pings: Millis,
    private readonly dead: (reason: string) => void,
  ) {
    this.#lastSign = clock.now()
    this.#look()
  }

  sign(): void {
    this.#lastSign = this.clock.now()
    this.#lastRun = performance.now()
  }

  close(): void {
    this.#cancel()
    this.#cancel = () => undefined
  }

  #look(): void {
    const { clock, pings } = this
    const most = pings + PONG
    const quiet = clock.now() - this.#lastSign
    const ran = performance.now() - this.#lastRun
    if (quiet >= most && ran >= pings + ANSWERS_WITHIN) {
      this.dead(`no sign of life for ${Math.round(quiet / 1_000)} s`)
      return
    }
    const next = quiet < most ? this.#lastSign + most : clock.now() + Math.min(pings, PONG)
    this.#cancel = clock.at(next, () => this.#look())
  }
}

function seconds(value: unknown, otherwise: Millis): Millis {
  const given = number(value)
  return given === undefined || given <= 0 ? otherwise : Math.min(given * 1_000, 10 * 60_000)
}

function backoff(failures: number): Millis {
  const wait = Math.min(BACKOFF_FIRST * 2 ** Math.min(failures, 10), BACKOFF_MOST)
  return Math.round(wait * (0.75 + Math.random() / 2))
}

const SILENT = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
}
