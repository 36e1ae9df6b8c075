/** One connection: who it is, how it hears, what it does. */
import { join } from 'node:path'
import {
  type BotIdentity,
  type Closed,
  ConnectFailure,
  type Connection,
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
import { Refusals } from '../refusals.js'
import { Channels } from './channels.js'
import { Directory } from './directory.js'
import { download } from './download.js'
import { asFailure, CallFailed, connectFailure, cureOf, isFatal } from './failures.js'
import { Intake } from './intake.js'
import { LIMITS } from './limits.js'
import { Marks } from './marks.js'
import { carryOut, type Desk } from './perform.js'
import { type Archive, history, settle } from './read-back.js'
import type { SlackSettings } from './settings.js'
import { type Fields, fields, list, nativeId, text } from './shape.js'
import { Socket } from './socket.js'
import { Uploader } from './upload.js'
import { Web } from './web.js'
import { serveWebhook } from './webhook.js'

/** Scopes without which some conversation is read only where the bot is mentioned. */
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']

/** @throws ConnectFailure where only a person can help, else an error after which another try may succeed */
export async function connectSlack(settings: SlackSettings, host: Host): Promise<Connection> {
  host.state({ phase: 'connecting' })
  const web = await Web.open(settings.botToken, settings)
  try {
    const me = await identify(web, host)
    const connection = new SlackConnection(settings, host, web, me)
    host.identify(me.self)
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

interface Me {
  self: BotIdentity
  bot: { botId?: string; appId?: string }
  team: { id?: string | undefined; enterprise?: string | undefined }
  scopes: ReadonlySet<string> | null
}

/** https://docs.slack.dev/reference/methods/auth.test; the scopes come in a header of every answer. */
async function identify(web: Web, host: Host): Promise<Me> {
  const answer = await web.call('auth.test')
  const id = nativeId(answer.user_id)
  if (id === undefined) throw new CallFailed('unanswered', 'auth.test')
  const botId = nativeId(answer.bot_id)
  if (botId === undefined) {
    throw new ConnectFailure(
      'Slack refused: the token is a person’s, not a bot’s.',
      'Take the Bot User OAuth Token (xoxb-…) of "Install App" and set it as botToken.',
    )
  }
  const named = list(fields(answer.response_metadata).scopes).filter((scope) => typeof scope === 'string')
  const scopes = named.length === 0 ? null : new Set(named.map((scope) => scope.trim()))
  if (scopes !== null && !scopes.has('chat:write')) {
    throw new ConnectFailure(
      'The bot may not post: the scope chat:write is missing.',
      'Add chat:write under "OAuth & Permissions" and install the app again.',
    )
  }
  const handle = text(answer.user)
  return {
    // A post under another name is known by the app's `B…` alone.
    self: {
      id,
      name: host.name,
      aliases: [botId, ...(handle !== undefined && handle !== host.name ? [handle] : [])],
    },
    bot: { botId, ...(nativeId(answer.app_id) !== undefined && { appId: String(answer.app_id) }) },
    team: { id: nativeId(answer.team_id), enterprise: nativeId(answer.enterprise_id) },
    scopes,
  }
}

class SlackConnection implements Connection {
  readonly self: BotIdentity
  readonly done: Promise<Closed>
  readonly serve?: (request: Request, path: string) => Promise<Response>
  readonly #desk: Desk
  readonly #archive: Archive
  readonly #intake: Intake
  readonly #channels: Channels
  readonly #socket: Socket | null
  /** When an operation was first tried, for settling it. */
  readonly #attempts = new Map<string, number>()
  #end: (closed: Closed) => void = () => undefined
  #closing = false
  #socketTrouble: string | null = null
  #joinTrouble: string | null = null

  constructor(
    private readonly settings: SlackSettings,
    private readonly host: Host,
    private readonly web: Web,
    private readonly me: Me,
  ) {
    const { clock, log } = host
    const { self, bot } = me
    this.self = self
    this.done = new Promise((resolve) => {
      this.#end = resolve
    })
    const directory = new Directory(web, clock, log, me.team, me.scopes, self.id)
    this.#archive = { web, directory, self, bot, clock }
    this.#desk = {
      web,
      marks: new Marks(web),
      uploader: new Uploader(
        web,
        clock,
        join(host.dataDir, `${host.connection}-uploads.jsonl`),
        LIMITS.files.maxBytes,
      ),
      scopes: me.scopes,
      status: true,
      now: () => clock.now(),
    }
    this.#channels = new Channels(web, clock, log, (sentence) => {
      this.#joinTrouble = sentence
      this.#report()
    })
    this.#intake = new Intake({ host, self, bot, directory, heard: (event) => this.#heard(event) })
    const { appToken, signingSecret } = settings
    const take = (body: unknown): Promise<void> => this.#intake.take(body)
    this.#socket =
      appToken === undefined
        ? null
        : new Socket({
            appToken,
            web,
            clock,
            log,
            take,
            trouble: (reason) => this.#onSocket(reason),
            fatal: (reason, cure) => this.#fail(reason, cure),
          })
    if (signingSecret !== undefined) {
      const refusals = new Refusals(clock, log, 'Slack')
      this.serve = async (request) => {
        if (!this.#closing) return serveWebhook({ signingSecret, clock, log, refusals, take }, request)
        const message = 'Golem is being stopped: nothing was stored'
        return Response.json(
          { error: { code: 'closing', message } },
          { status: 503, headers: { 'retry-after': '5' } },
        )
      }
    }
  }

  async open(): Promise<void> {
    await this.#socket?.open()
    this.#report()
    if (this.settings.joinPublicChannels) void this.#channels.joinAll()
  }

  async perform(op: Operation, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
    const { clock } = this.host
    try {
      if (this.#closing) throw new CallFailed('unreachable', 'a closed connection')
      if (op.kind === 'post' || op.kind === 'upload') this.#remember(key)
      return await carryOut(this.#desk, op, key, signal)
    } catch (error) {
      if (isFatal(error)) this.#fail(`Slack refused: ${error.message}`, cureOf(error) ?? '')
      throw asFailure(error, op, clock.now())
    }
  }

  settle(op: Operation, key: IdempotencyKey): Promise<'not-sent' | 'unknown' | Receipt> {
    return settle(this.#archive, this.#desk.uploader, op, key, this.#attempts.get(key))
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

  async *members(place: Place): AsyncIterable<Member> {
    const { directory, web } = this.#archive
    try {
      let cursor: string | undefined
      do {
        const answer = await web.call('conversations.members', {
          channel: place.chat,
          limit: 200,
          ...(cursor !== undefined && { cursor }),
        })
        const ids = list(answer.members).flatMap((id) => nativeId(id) ?? [])
        yield* await directory.members(ids)
        cursor = text(fields(answer.response_metadata).next_cursor)
      } while (cursor !== undefined)
    } catch (error) {
      throw this.#readFailure(error, place)
    }
  }

  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    return download(this.web, file, maxBytes, this.host.clock.now())
  }

  async close(deadline: Millis): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    this.#channels.close()
    // What is on its way to the core is still acknowledged.
    await this.#until(deadline, this.#intake.idle())
    await this.#socket?.close(deadline)
    await this.web.close()
    this.#end({ reason: 'closed' })
  }

  #until(deadline: Millis, done: Promise<unknown>): Promise<void> {
    const { clock } = this.host
    return new Promise((resolve) => {
      const cancel = clock.at(Math.max(deadline, clock.now()), resolve)
      void done.finally(() => {
        cancel()
        resolve()
      })
    })
  }

  #remember(key: IdempotencyKey): void {
    if (this.#attempts.has(key)) return
    this.#attempts.set(key, this.host.clock.now())
    if (this.#attempts.size > 10_000) {
      const oldest = this.#attempts.keys().next().value
      if (oldest !== undefined) this.#attempts.delete(oldest)
    }
  }

  #readFailure(error: unknown, place: Place): PlatformFailure {
    return asFailure(error, { kind: 'typing', place, on: false }, this.host.clock.now())
  }

  #heard(event: Fields): void {
    switch (event.type) {
      case 'channel_created':
      case 'channel_unarchive':
        if (this.settings.joinPublicChannels)
          this.#channels.join(nativeId(fields(event.channel).id) ?? nativeId(event.channel))
        break
      case 'tokens_revoked':
        if (list(fields(event.tokens).bot).length > 0) this.#uninstalled()
        break
      case 'app_uninstalled':
        this.#uninstalled()
        break
    }
  }

  #uninstalled(): void {
    const gone = new CallFailed('app_uninstalled', 'the app')
    this.#fail('The app was removed from the workspace, or its token revoked.', cureOf(gone) ?? '')
  }

  #onSocket(reason: string | null): void {
    this.#socketTrouble = reason
    this.#report()
  }

  #fail(reason: string, cure: string): void {
    if (this.#closing) return
    this.#closing = true
    this.host.state({ phase: 'failed', reason, cure })
    this.#channels.close()
    const { clock } = this.host
    void Promise.resolve(this.#socket?.close(clock.now()))
      .catch(() => undefined)
      .then(() => this.web.close())
    this.#end({ reason, fatal: true, cure })
  }

  #report(): void {
    if (this.#closing) return
    if (this.#socketTrouble !== null) {
      this.host.state({ phase: 'degraded', reason: this.#socketTrouble })
      return
    }
    const { scopes } = this.me
    const missing = scopes === null ? [] : HISTORY.filter((scope) => !scopes.has(scope))
    const notes = [
      ...(missing.length === 0
        ? []
        : [
            `Without the scopes ${missing.join(', ')} only messages that mention the bot are heard: add them under "OAuth & Permissions", the message.* events under "Event Subscriptions", and install the app again.`,
          ]),
      ...(this.#joinTrouble === null ? [] : [this.#joinTrouble]),
    ]
    this.host.state({
      phase: 'ready',
      sees: missing.some((scope) => scope === 'channels:history' || scope === 'groups:history')
        ? 'addressed'
        : 'all',
      ...(notes.length > 0 && { note: notes.join(' ') }),
    })
  }
}
