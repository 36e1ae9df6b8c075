/**
 * One shard, supervised: a life of its socket ends, for whatever reason, and the next one begins. It goes on in its
 * session as long as Discord has it; else it begins another one, and says that something may have been missed.
 */
import type { Clock, Logger, Millis } from '../../src/messaging/contract.js'
import { CallFailed, cureOf, FATAL_CLOSES } from './failures.js'
import { type End, Life, type LifeOptions } from './life.js'
import type { Session } from './session.js'

const BACKOFF_FIRST = 500
const BACKOFF_MOST = 60_000
/** A life this long was a good one. */
const STEADY = 30_000
/** The session is over: "Invalid seq", "Session timed out". */
const ENDS_SESSION: ReadonlySet<number> = new Set([4_007, 4_009])
const DISALLOWED_INTENTS = 4_014

/** Not now: Discord has named a time. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
  constructor(
    message: string,
    readonly waitMs: Millis,
  ) {
    super(message)
  }
}

/** What a shard asks of the gateway it is part of. */
export interface ShardHost extends Pick<LifeOptions, 'sdk' | 'token' | 'through' | 'dispatch'> {
  readonly clock: Clock
  readonly log: Logger
  intents(): number
  /** Where a new session is begun, when it may be. @throws NotYet, CallFailed */
  begin(shard: number): Promise<string>
  /** It hears again. */
  up(shard: number): void
  /** It does not hear, and why; null: it does after all. */
  trouble(shard: number, reason: string | null): void
  /** Close code 4014. True: there are other intents to ask for. */
  disallowed(): Promise<boolean>
  /** Nothing will be heard any more until a person acts. */
  fatal(reason: string, cure: string): void
}

export class Shard {
  #life: Life | null = null
  #closed = false
  #wake: () => void = () => undefined
  #loop: Promise<void> = Promise.resolve()

  constructor(
    private readonly id: number,
    private readonly count: number,
    private readonly session: Session,
    private readonly host: ShardHost,
  ) {}

  start(): void {
    this.#loop = this.#run()
  }

  /** Resolves when its socket is closed. The session stays good. */
  async close(): Promise<void> {
    this.#closed = true
    this.#wake()
    await this.#life?.close('closing')
    await this.#loop
  }

  async #run(): Promise<void> {
    const { clock, log, trouble } = this.host
    let failures = 0
    for (let wait = 0; !this.#closed; failures++) {
      await this.#sleep(wait)
      if (this.#closed) return
      const since = clock.now()
      const hadSession = this.session.info !== null
      const { end, waitMs = 0, wasUp } = await this.#attempt()
      if (this.#closed) return
      if (wasUp && clock.now() - since > STEADY) failures = 0
      if (end.code !== undefined && ENDS_SESSION.has(end.code)) this.session.drop()
      if (await this.#isFatal(end)) return
      const lost = hadSession && this.session.info === null
      // A socket that was told to go is followed at once; one that broke, nearly so.
      wait = end.polite && failures === 0 ? 0 : Math.max(backoff(failures), waitMs)
      if (lost)
        trouble(this.id, 'Discord has ended the session; a new one is begun, and what was missed is read')
      else if (!end.polite)
        trouble(this.id, `the gateway of Discord is not connected (${end.reason}); trying again`)
      log.info({ shard: this.id, reason: end.reason, wait }, 'the socket to Discord’s gateway ended')
    }
  }

  async #attempt(): Promise<{ end: End; waitMs?: number; wasUp: boolean }> {
    try {
      const life = await this.#begin()
      const end = await life.ended
      this.#life = null
      return { end, wasUp: life.wasUp }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const cure = cureOf(error)
      if (cure !== undefined) this.#fatal('Discord does not take the bot token.', cure)
      const waitMs =
        error instanceof NotYet
          ? error.waitMs
          : error instanceof CallFailed
            ? (error.details.retryAfter ?? 0)
            : 0
      return { end: { reason, polite: false }, waitMs, wasUp: false }
    }
  }

  async #begin(): Promise<Life> {
    const { host, session, id, count } = this
    const { sdk, token, clock, through, dispatch } = host
    // A session that is resumed asks nothing of Discord first.
    const address = session.info?.resumeURL ?? (await host.begin(id))
    if (this.#closed) throw new Error('closing')
    if (session.info === null) session.expect()
    if (!/^wss?:$/.test(new URL(address).protocol))
      throw new Error('the gateway’s address is none of a socket')
    const life = new Life({
      sdk,
      token,
      intents: host.intents(),
      session,
      shard: { id, count },
      url: through(address),
      through,
      clock,
      dispatch,
      up: () => host.up(id),
      silent: (reason) => host.trouble(id, reason),
    })
    this.#life = life
    if (this.#closed) void life.close('closing')
    return life
  }

  async #isFatal({ code }: End): Promise<boolean> {
    if (this.#closed) return true
    const fatal = code === undefined ? undefined : FATAL_CLOSES[code]
    if (fatal === undefined) return false
    if (code === DISALLOWED_INTENTS && (await this.host.disallowed().catch(() => false))) return false
    this.#fatal(fatal.reason, fatal.cure)
    return true
  }

  #fatal(reason: string, cure: string): void {
    this.#closed = true
    this.host.fatal(reason, cure)
  }

  #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#closed) return Promise.resolve()
    const { clock } = this.host
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

function backoff(failures: number): number {
  const wait = Math.min(BACKOFF_FIRST * 2 ** Math.min(failures, 10), BACKOFF_MOST)
  return Math.round(wait * (0.75 + Math.random() / 2))
}
