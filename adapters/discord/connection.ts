/** One connection: who it is, how it hears, what it does. */
import {
  type BotIdentity,
  type Closed,
  ConnectFailure,
  type Connection,
  type ConnectionState,
  type FileRef,
  type Host,
  type IdempotencyKey,
  type Inbound,
  type Member,
  type Millis,
  type Operation,
  type Place,
  type PlatformFailure,
  type Receipt,
} from '../../src/messaging/contract.js'
import { Api } from './api.js'
import { granted, INTENT, identify, type Me, noteOn } from './application.js'
import { registerCommands } from './commands.js'
import { Directory } from './directory.js'
import { download } from './download.js'
import { asFailure, CallFailed, connectFailure, cureOf } from './failures.js'
import { Gateway } from './gateway.js'
import { Intake } from './intake.js'
import { Interactions } from './interactions.js'
import { carryOut, type Desk } from './perform.js'
import { Reactions } from './reactions.js'
import { type Archive, Attempts, history, settle } from './read-back.js'
import { UNLISTED } from './session.js'
import type { DiscordSettings } from './settings.js'
import { hasFlag, idAt, snowflake } from './shape.js'
import { spokenSince } from './spoken.js'
import { Web } from './web.js'

/** The gateway may take its time (sessions are begun one in five seconds): posts go out meanwhile. Milliseconds. */
const PATIENCE = 10_000
/** Clocks differ, and what was said last may have overtaken what was lost. Milliseconds; what is known changes nothing. */
const OVERLAP = 120_000
/** Messages of a direct chat that are looked for before the first one that is heard. */
const MOST_EARLIER = 100

/** @throws ConnectFailure where only a person can help, else an error after which another try may succeed */
export async function connectDiscord(settings: DiscordSettings, host: Host): Promise<Connection> {
  host.state({ phase: 'connecting' })
  const web = await Web.open(settings)
  const api = new Api(web, settings.botToken)
  try {
    const me = await identify(api)
    host.identify(me.self)
    const connection = new DiscordConnection(settings, host, api, me)
    await connection.open()
    return connection
  } catch (error) {
    await web.close()
    const failure = connectFailure(error)
    if (failure instanceof ConnectFailure)
      host.state({ phase: 'failed', reason: failure.message, cure: failure.cure })
    throw failure
  }
}

class DiscordConnection implements Connection {
  readonly self: BotIdentity
  readonly done: Promise<Closed>
  readonly #desk: Desk
  readonly #archive: Archive
  readonly #intake: Intake
  readonly #gateway: Gateway
  readonly #attempts = new Attempts()
  #intents: number
  #end: (closed: Closed) => void = () => undefined
  #closing = false
  #shutting: Promise<void> | null = null
  #opened = false
  #trouble: string | null = null
  #told = ''

  constructor(
    private readonly settings: DiscordSettings,
    private readonly host: Host,
    private readonly api: Api,
    private readonly me: Me,
  ) {
    const { clock, log, dataDir } = host
    const { self, application } = me
    this.self = self
    this.#intents = me.intents
    this.done = new Promise((resolve) => {
      this.#end = resolve
    })
    const directory = new Directory({
      api,
      clock,
      log,
      selfId: self.id,
      members: () => hasFlag(this.#intents, INTENT.guildMembers),
    })
    const interactions = new Interactions(api, application, host)
    this.#intake = new Intake({
      host,
      self,
      application,
      directory,
      interactions,
      content: () => hasFlag(this.#intents, INTENT.messageContent),
      earlier: (channel, before) => this.#earlier(channel, before),
    })
    this.#desk = { api, directory, interactions, reactions: new Reactions(api), clock }
    this.#archive = { api, directory, interactions, intake: this.#intake, self, clock }
    this.#gateway = new Gateway({
      api,
      token: settings.botToken,
      proxy: settings.proxy,
      dataDir,
      connection: host.connection,
      owner: { application, apiUrl: settings.apiUrl },
      intents: me.intents,
      clock,
      log,
      dispatch: (event, ticket) => {
        if (event.t === 'READY') directory.begin()
        this.#intake.take(event, ticket)
      },
      trouble: (reason) => {
        this.#trouble = reason
        this.#report()
      },
      fatal: (reason, cure) => this.#fail(reason, cure),
      granted: async () => {
        const { intents } = await granted(api)
        this.#intents = intents
        return intents
      },
    })
  }

  /** Resolves when it hears, or after a while without: it goes on by itself then. */
  async open(): Promise<void> {
    const { interactions } = this.#desk
    await interactions.load()
    let cancel: () => void = () => undefined
    const patience = new Promise<void>((resolve) => {
      const { clock } = this.host
      cancel = clock.at(clock.now() + PATIENCE, resolve)
    })
    try {
      await Promise.race([this.#gateway.open().then(() => this.#hears()), patience])
    } catch (error) {
      await this.close(this.host.clock.now())
      throw error
    } finally {
      cancel()
    }
    if (!this.#opened)
      this.host.state({
        phase: 'degraded',
        reason: this.#trouble ?? 'the gateway of Discord has not answered yet',
      })
    if (this.settings.registerCommands) void registerCommands(this.api, this.me.application, this.host.log)
  }

  async perform(op: Operation, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
    const { clock } = this.host
    try {
      if (this.#closing) throw new CallFailed('unreachable', op.kind, 'the connection is closed')
      if (op.kind === 'post' || op.kind === 'upload') this.#attempts.begin(key, clock.now())
      const receipt = await carryOut(this.#desk, op, key, signal)
      this.#attempts.done(key, receipt.id)
      return receipt
    } catch (error) {
      this.#look(error)
      throw asFailure(error, op, clock.now())
    }
  }

  settle(op: Operation, key: IdempotencyKey): Promise<'not-sent' | 'unknown' | Receipt> {
    return settle(this.#archive, this.#attempts, op, key)
  }

  async *history(
    place: Place,
    range: { after?: string; before?: string; limit: number },
  ): AsyncIterable<Inbound> {
    try {
      yield* history(this.#archive, place, range)
    } catch (error) {
      throw this.#readFailure(error, place)
    }
  }

  /** After a session that could not be gone on with: where something was said that neither it nor this one heard. */
  async *missed(): AsyncIterable<{ place: Place; after: string }> {
    const { gap } = this.#gateway
    if (gap === null) return
    const after = idAt(gap - OVERLAP)
    try {
      for await (const place of spokenSince(this.api, after)) yield { place, after }
    } catch (error) {
      throw this.#readFailure(error, { chat: '' })
    }
    // All of it is the core's now.
    if (!this.#closing) this.#gateway.closeGap()
  }

  async *members(place: Place): AsyncIterable<Member> {
    try {
      const chat = snowflake(place.chat)
      if (chat !== undefined) yield* this.#desk.directory.members(chat)
    } catch (error) {
      throw this.#readFailure(error, place)
    }
  }

  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    return download(this.api, file, maxBytes, this.host.clock.now())
  }

  async close(deadline: Millis): Promise<void> {
    this.#closing = true
    this.#shutting ??= this.#shut(deadline)
    await this.#shutting
    this.#end({ reason: 'closed' })
  }

  async #shut(deadline: Millis): Promise<void> {
    const { directory, interactions } = this.#desk
    directory.close()
    // What is on its way to the core still moves the sequence on.
    const drained = this.#gateway.close().then(() => this.#intake.idle())
    await this.#until(deadline, drained)
    await Promise.all([this.#gateway.save(), this.#until(deadline, interactions.close())])
    await this.api.web.close()
  }

  #until(deadline: Millis, done: Promise<unknown>): Promise<void> {
    const { clock } = this.host
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel()
        this.#intake.close()
        resolve()
      }
      const cancel = clock.at(Math.max(deadline, clock.now()), finish)
      done.then(finish, finish)
    })
  }

  #earlier(chat: string, before: string): Promise<readonly Inbound[]> | null {
    const { clock, log } = this.host
    const { unlisted } = this.#gateway
    if (unlisted === null) return null
    const after = idAt(Math.max(unlisted - OVERLAP, clock.now() - UNLISTED))
    return (async () => {
      const found: Inbound[] = []
      try {
        for await (const event of history(this.#archive, { chat }, { after, before, limit: MOST_EARLIER }))
          if (event.kind === 'message' && event.author.kind !== 'self') found.push(event)
      } catch (error) {
        log.warn({ error: String(error) }, 'what was said before in a direct chat could not be read')
      }
      return found
    })()
  }

  #readFailure(error: unknown, place: Place): PlatformFailure {
    this.#look(error)
    return asFailure(error, { kind: 'typing', place, on: false }, this.host.clock.now())
  }

  /** A token that was taken away is of no use any more, whoever finds out. */
  #look(error: unknown): void {
    const cure = cureOf(error)
    if (cure !== undefined) this.#fail('Discord does not take the bot token any more.', cure)
  }

  #hears(): void {
    this.#opened = true
    this.#report()
  }

  #fail(reason: string, cure: string): void {
    if (this.#closing) return
    this.#closing = true
    this.host.state({ phase: 'failed', reason, cure })
    this.#intake.close()
    this.#shutting = this.#shut(this.host.clock.now() + PATIENCE).catch(() => undefined)
    this.#end({ reason, fatal: true, cure })
  }

  /** Says how things are, where that has changed. */
  #report(): void {
    if (this.#closing || !this.#opened) return
    const state = this.#state()
    const told = JSON.stringify(state)
    if (told === this.#told) return
    this.#told = told
    this.host.state(state)
  }

  #state(): ConnectionState {
    if (this.#trouble !== null) return { phase: 'degraded', reason: this.#trouble }
    const note = noteOn(this.#intents)
    const sees = hasFlag(this.#intents, INTENT.messageContent) ? 'all' : 'addressed'
    return { phase: 'ready', sees, ...(note !== undefined && { note }) }
  }
}
