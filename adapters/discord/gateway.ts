/**
 * The gateway: as many shards as Discord wants, each with a session that outlives this process, and the limits on
 * beginning new ones. https://docs.discord.com/developers/events/gateway
 */
import { type Clock, ConnectFailure, type Logger, type Millis } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { CallFailed } from './failures.js'
import type { Dispatch } from './life.js'
import { type Owner, Session, type Ticket } from './session.js'
import { fields, number, text } from './shape.js'
import { NotYet, Shard, type ShardHost } from './shard.js'
import { Tunnel } from './tunnel.js'

/** "identify requests per 5 seconds": https://docs.discord.com/developers/events/gateway#session-start-limit-object */
const IDENTIFY = 5_000
/** Past this many, a person has a look before Discord resets the token. */
const SPARE_SESSIONS = 2
const MOST_SHARDS = 64
const FRESH = 5_000

export interface GatewayOptions {
  api: Api
  token: string
  proxy?: string | undefined
  dataDir: string
  connection: string
  owner: Omit<Owner, 'intents'>
  intents: number
  clock: Clock
  log: Logger
  dispatch(event: Dispatch, ticket: Ticket): void
  /** Null: every shard hears. Else why one does not. */
  trouble(reason: string | null): void
  fatal(reason: string, cure: string): void
  /** The intents that are granted now; asked when Discord refused those that were. */
  granted(): Promise<number>
}

/** https://docs.discord.com/developers/events/gateway#get-gateway-bot */
interface About {
  url: string
  shards: number
  /** Sessions that may still begin, and when there are more. */
  remaining: number
  resetAfter: Millis
  /** How many may begin at the same time. */
  at: number
}

export class Gateway {
  readonly #options: GatewayOptions
  readonly #sessions = new Map<number, Session>()
  #shards: Shard[] = []
  #intents: number
  #tunnel: Tunnel | null = null
  #closed = false
  /** Shards that have not been up yet. */
  readonly #awaited = new Set<number>()
  #opened: () => void = () => undefined
  #refused: (error: Error) => void = () => undefined
  /** Shards that do not hear, and why. */
  readonly #troubles = new Map<number, string>()
  /** When the next session of each kind may begin. */
  readonly #mayIdentifyAt = new Map<number, Millis>()
  readonly #waits = new Set<() => void>()
  #told: { when: Millis; about: About } | null = null

  constructor(options: GatewayOptions) {
    this.#options = options
    this.#intents = options.intents
  }

  /** Dispatches that the core does not have yet. */
  get waiting(): number {
    let count = 0
    for (const session of this.#sessions.values()) count += session.waiting
    return count
  }

  /** Since when something may have been said that no session heard. */
  get gap(): Millis | null {
    const gaps = [...this.#sessions.values()].flatMap(({ gap }) => gap ?? [])
    return gaps.length === 0 ? null : Math.min(...gaps)
  }

  /** The same of direct chats, which belong to the first shard. */
  get unlisted(): Millis | null {
    return this.#sessions.get(0)?.unlisted ?? null
  }

  /** What was said in the gap will be read, whatever happens. */
  closeGap(): void {
    for (const session of this.#sessions.values()) if (session.gap !== null) session.closeGap()
  }

  /** Begins. Resolves when every shard hears; rejects where none can until a person acts. It goes on by itself. */
  async open(): Promise<void> {
    const { proxy, log } = this.#options
    const sdk = await import('@discordjs/ws')
    if (proxy !== undefined) this.#tunnel = await Tunnel.open(proxy, log)
    const count = await this.#shardCount()
    const host = this.#host(sdk)
    for (let id = 0; id < count; id++) {
      const session = await this.#session(id)
      if (session.info !== null && session.info.shardCount !== count) session.drop()
      this.#awaited.add(id)
      this.#shards.push(new Shard(id, count, session, host))
    }
    if (this.#closed) return
    await new Promise<void>((resolve, reject) => {
      this.#opened = resolve
      this.#refused = reject
      for (const shard of this.#shards) shard.start()
    })
  }

  /** Resolves when its sockets are closed and its sessions written. */
  async close(): Promise<void> {
    this.#closed = true
    for (const wake of this.#waits) wake()
    await Promise.all(this.#shards.map((shard) => shard.close()))
    this.#tunnel?.close()
  }

  /** To be called last: what is settled by then is remembered. */
  async save(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()))
  }

  #host(sdk: ShardHost['sdk']): ShardHost {
    const { token, clock, log, dispatch } = this.#options
    return {
      sdk,
      token,
      clock,
      log,
      dispatch,
      intents: () => this.#intents,
      through: (address) => this.#tunnel?.through(address) ?? address,
      begin: (shard) => this.#begin(shard),
      up: (shard) => {
        this.#awaited.delete(shard)
        this.#note(shard, null)
        if (this.#awaited.size === 0) this.#opened()
      },
      trouble: (shard, reason) => this.#note(shard, reason),
      disallowed: () => this.#disallowed(),
      fatal: (reason, cure) => {
        if (this.#closed) return
        this.#refused(new ConnectFailure(reason, cure))
        this.#options.fatal(reason, cure)
      },
    }
  }

  async #session(id: number): Promise<Session> {
    const { connection, dataDir, owner, clock } = this.#options
    const session = new Session(dataDir, connection, id, { ...owner, intents: this.#intents }, () =>
      clock.now(),
    )
    await session.load()
    this.#sessions.set(id, session)
    return session
  }

  /** A saved session tells how many there were; else Discord says how many it wants. */
  async #shardCount(): Promise<number> {
    const saved = (await this.#session(0)).info?.shardCount
    if (saved !== undefined) return saved
    const { shards } = await this.#about().catch((error: unknown) => {
      if (error instanceof CallFailed && error.details.status === 401) throw error
      return { shards: 1 }
    })
    return Math.max(1, Math.min(shards, MOST_SHARDS))
  }

  async #about(): Promise<About> {
    const { api, clock } = this.#options
    // Asked for the number of shards a moment ago; each session that was begun since is one less.
    if (this.#told !== null && clock.now() - this.#told.when < FRESH) return this.#told.about
    const answer = await api.get(['gateway', 'bot'])
    const limit = fields(answer.session_start_limit)
    const url = text(answer.url)
    if (url === undefined)
      throw new CallFailed('unanswered', 'GET gateway/bot', 'the answer names no address')
    const about = {
      url,
      shards: number(answer.shards) ?? 1,
      remaining: number(limit.remaining) ?? Number.POSITIVE_INFINITY,
      resetAfter: number(limit.reset_after) ?? 0,
      at: Math.max(1, number(limit.max_concurrency) ?? 1),
    }
    this.#told = { when: clock.now(), about }
    return about
  }

  async #begin(shard: number): Promise<string> {
    const { clock } = this.#options
    const about = await this.#about()
    const { url, remaining, resetAfter, at } = about
    // "If you exceed this limit, your bot's token is reset."
    if (remaining < SPARE_SESSIONS) {
      const until = new Date(clock.now() + resetAfter).toISOString()
      throw new NotYet(`Discord lets this bot begin no more sessions until ${until}`, resetAfter)
    }
    about.remaining--
    const kind = shard % at
    const next = Math.max(this.#mayIdentifyAt.get(kind) ?? 0, clock.now())
    this.#mayIdentifyAt.set(kind, next + IDENTIFY)
    await this.#until(next)
    return url
  }

  async #disallowed(): Promise<boolean> {
    const { granted, owner } = this.#options
    const intents = await granted()
    if (intents === this.#intents) return false
    this.#intents = intents
    for (const session of this.#sessions.values()) session.rebind({ ...owner, intents })
    return true
  }

  #note(shard: number, reason: string | null): void {
    if (reason === null) this.#troubles.delete(shard)
    else this.#troubles.set(shard, reason)
    const [first] = this.#troubles.values()
    this.#options.trouble(first ?? null)
  }

  #until(when: Millis): Promise<void> {
    const { clock } = this.#options
    if (when <= clock.now() || this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        this.#waits.delete(wake)
        resolve()
      }
      const cancel = clock.at(when, wake)
      this.#waits.add(wake)
    })
  }
}
