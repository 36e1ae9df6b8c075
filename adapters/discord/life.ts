/**
 * One life of one shard: a manager of the SDK with one socket, from the attempt to open it to its end. The SDK would go
 * on by itself, at once and for ever, forgetting its session where the network failed; here a life ends with its socket,
 * and {@link import('./shard.js').Shard} decides what comes next. A life that is over gets no answer from here any more,
 * so the SDK's own attempt to connect again waits for one until it is forgotten.
 */
import type { WebSocketManager } from '@discordjs/ws'
import type { Clock } from '../../src/messaging/contract.js'
import type { Session, SessionInfo, Ticket } from './session.js'
import { fields, text } from './shape.js'

type Sdk = typeof import('@discordjs/ws')
type ManagerOptions = ConstructorParameters<Sdk['WebSocketManager']>[0]

/** Milliseconds: until a socket is there, until its HELLO, and from IDENTIFY to READY. */
const HANDSHAKE = 10_000
const HELLO = 15_000
const READY = 30_000
/** After so long without a sign a heartbeat is sent out of turn, … */
const QUIET = 15_000
/** … after so long the line may be dead, … */
const SILENT = 25_000
/** … and after so long it is, … */
const DEAD = 40_000
/** … if it had time to answer: so many milliseconds of this process, for a clock may be set. */
const ANSWERS_WITHIN = 1_000
/** Neither 1000 nor 1001: those would end the session. https://docs.discord.com/developers/events/gateway#initiating-a-disconnect */
const KEEPS_SESSION = 4_200

/** A dispatch of the gateway. */
export interface Dispatch {
  t: string
  d: unknown
}

export interface End {
  /** The gateway's close code; absent where this end closed it, or there never was a socket. */
  code?: number
  reason: string
  /** Nothing is wrong: Discord wants another connection. */
  polite: boolean
}

export interface LifeOptions {
  sdk: Sdk
  token: string
  intents: number
  session: Session
  shard: { id: number; count: number }
  /** Where to connect, and the address to resume at through the same way. */
  url: string
  through(address: string): string
  clock: Clock
  /** It hears. `isNew`: nothing of what was said before comes by it. */
  up(isNew: boolean): void
  dispatch(event: Dispatch, ticket: Ticket): void
  /** It may be dead; null: it is not. */
  silent(reason: string | null): void
}

export class Life {
  readonly ended: Promise<End>
  /** It was up. */
  wasUp = false
  readonly #options: LifeOptions
  readonly #manager: WebSocketManager
  #end: (end: End) => void = () => undefined
  #isOver = false
  #hadHello = false
  #lastError: string | null = null
  #lastSign: number
  #unguard: () => void = () => undefined

  constructor(options: LifeOptions) {
    this.#options = options
    this.#lastSign = options.clock.now()
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#manager = new options.sdk.WebSocketManager(this.#settings())
    this.#listen()
    this.#unguard = this.#guard()
    options.session.restart()
    this.#manager.connect().catch((error: unknown) => this.#over({ reason: reasonOf(error), polite: false }))
  }

  /** Ends it without ending the session. Resolves when the socket is closed. */
  async close(reason: string): Promise<void> {
    this.#over({ reason, polite: true })
    await this.#destroy()
  }

  #settings(): ManagerOptions {
    const { token, intents, session, shard, url, through } = this.#options
    const answer = {
      url,
      shards: shard.count,
      // Whether there may be a session more was looked at before: the SDK would refuse to resume one too.
      session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 86_400_000, max_concurrency: 1 },
    }
    return {
      token,
      intents,
      // All that the SDK asks of it is `GET /gateway/bot`.
      rest: { get: () => Promise.resolve(answer) } as unknown as ManagerOptions['rest'],
      shardCount: shard.count,
      shardIds: [shard.id],
      handshakeTimeout: HANDSHAKE,
      helloTimeout: HELLO,
      readyTimeout: READY,
      buildIdentifyThrottler: () => ({ waitForIdentify: () => Promise.resolve() }),
      retrieveSessionInfo: () => {
        if (this.#isOver) return new Promise<never>(() => undefined)
        const { info } = session
        return info === null ? null : { ...info, resumeURL: through(info.resumeURL) }
      },
      updateSessionInfo: (_, info) => this.#onSession(info),
    }
  }

  /** The SDK would move the sequence with every event that arrives, and forgets the session where it has no need to. */
  #onSession(info: SessionInfo | null): void {
    if (this.#isOver) return
    const { session, url } = this.#options
    if (info !== null) {
      if (info.sessionId === session.info?.sessionId) return
      session.begin({ ...info, resumeURL: text(info.resumeURL) ?? url })
    } else if (this.#hadHello) session.drop()
  }

  #listen(): void {
    const { session, dispatch } = this.#options
    const manager = this.#manager
    const sign = (): void => {
      this.#lastSign = this.#options.clock.now()
    }
    manager.on('hello', () => {
      this.#hadHello = true
      sign()
    })
    manager.on('heartbeat', sign)
    manager.on('ready', () => this.#up(true))
    manager.on('resumed', () => this.#up(false))
    manager.on('dispatch', ({ data }) => {
      if (this.#isOver) return
      sign()
      dispatch({ t: data.t, d: data.d }, session.receive(data.s))
    })
    manager.on('error', ({ error }) => {
      this.#lastError = reasonOf(error)
    })
    manager.on('closed', ({ code }) => {
      // The SDK closes with this code when Discord asks for another connection.
      const polite = code === KEEPS_SESSION
      const why = this.#lastError === null ? '' : `, ${this.#lastError}`
      const reason = code === 1006 ? `it broke${why}` : `code ${code}${why}`
      this.#over({ code, reason, polite })
    })
  }

  #up(isNew: boolean): void {
    if (this.#isOver) return
    this.wasUp = true
    this.#lastSign = this.#options.clock.now()
    this.#options.up(isNew)
  }

  /** Asks a quiet line, reports one that does not answer, ends one that is dead. */
  #guard(): () => void {
    const { clock, silent, session, shard } = this.#options
    let asked: number | undefined
    let isSilent = false
    let cancel: () => void
    const look = (): void => {
      const quiet = clock.now() - this.#lastSign
      if (quiet < QUIET) asked = undefined
      else if (asked === undefined && this.wasUp) {
        asked = performance.now()
        // https://docs.discord.com/developers/events/gateway#sending-heartbeats
        const beat = { op: 1, d: session.info?.sequence ?? null } as const
        void (async () => this.#manager.send(shard.id, beat as never))().catch(() => undefined)
      }
      if (this.wasUp && quiet >= SILENT !== isSilent) {
        isSilent = quiet >= SILENT
        silent(isSilent ? `Discord’s gateway has been silent for ${Math.round(quiet / 1_000)} s` : null)
      }
      if (quiet >= DEAD && asked !== undefined && performance.now() - asked >= ANSWERS_WITHIN) {
        this.#over({ reason: `no sign of life for ${Math.round(quiet / 1_000)} s`, polite: false })
        void this.#destroy()
        return
      }
      const next = [QUIET, SILENT, DEAD].find((limit) => limit > quiet)
      cancel = clock.at(next === undefined ? clock.now() + ANSWERS_WITHIN : this.#lastSign + next, look)
    }
    cancel = clock.at(clock.now() + QUIET, look)
    return () => cancel()
  }

  async #destroy(): Promise<void> {
    try {
      await this.#manager.destroy({ code: KEEPS_SESSION, reason: 'closing' })
    } catch {
      // It was being closed already.
    }
  }

  #over(end: End): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#unguard()
    this.#end(end)
  }
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : (text(fields(error).message) ?? String(error))
  return reason.replace(/\b[a-z]+:\/\/\S+/gi, '(address)').slice(0, 200)
}
