/** One bot account on Telegram: what comes in by polling or webhook, and what goes out. */
import { Readable } from 'node:stream'
import {
  type BotIdentity,
  type Closed,
  ConnectFailure,
  type Connection,
  type FileRef,
  type Host,
  type IdempotencyKey,
  type Member,
  type Millis,
  type Operation,
  type Place,
  PlatformFailure,
  type Receipt,
} from '../../src/messaging/contract.js'
import { type Api, ApiError, isUnauthorized, openApi } from './api.js'
import { setCommands } from './commands.js'
import { asFailure } from './failures.js'
import { fetchFile } from './files.js'
import { Intake } from './intake.js'
import { OffsetFile } from './offset.js'
import { Performer } from './perform.js'
import { Poller, revoked } from './poll.js'
import { Presses } from './presses.js'
import { type Dict, dict, dicts, id, text } from './raw.js'
import { userAuthor } from './read-people.js'
import { placed } from './request.js'
import type { TelegramSettings } from './settings.js'
import { Sight } from './sight.js'
import { receive } from './webhook.js'
import { setWebhook, WebhookWatch } from './webhook-watch.js'

/**
 * Connects.
 *
 * @throws ConnectFailure when Telegram refuses the token or the webhook's address
 */
export async function connectTelegram(settings: TelegramSettings, host: Host): Promise<Connection> {
  host.state({ phase: 'connecting' })
  const api = await openApi(settings, host.clock)
  try {
    const me = await identityOf(api)
    host.identify(me.self)
    if (settings.webhook !== undefined) await setWebhook(api, settings.webhook)
    return new TelegramConnection(api, host, settings, me)
  } catch (error) {
    api.close()
    if (error instanceof ConnectFailure)
      host.state({ phase: 'failed', reason: error.message, cure: error.cure })
    throw error
  }
}

interface Me {
  self: BotIdentity
  readsAll: boolean
}

async function identityOf(api: Api): Promise<Me> {
  let me: Dict | undefined
  try {
    me = dict(await api.call('getMe'))
  } catch (error) {
    if (!(error instanceof ApiError) || !isUnauthorized(error)) throw error
    const { reason, cure } = revoked(error.message)
    throw new ConnectFailure(reason, cure ?? '', { cause: error })
  }
  const own = id(me?.id)
  const username = text(me?.username)
  if (me === undefined || own === undefined) throw new Error('getMe: the answer names no bot')
  const self = {
    id: own,
    name: text(me.first_name) ?? username ?? own,
    ...(username !== undefined && { aliases: [username] }),
  }
  return { self, readsAll: me.can_read_all_group_messages === true }
}

class TelegramConnection implements Connection {
  readonly self: BotIdentity
  readonly done: Promise<Closed>
  readonly #api: Api
  readonly #host: Host
  readonly #performer: Performer
  readonly #intake: Intake
  readonly #sight: Sight
  readonly #secret: string | null
  readonly #poller: Poller | null
  readonly #offset: OffsetFile | null
  readonly #watch: WebhookWatch | null
  #end: (closed: Closed) => void = () => undefined
  #closing = false
  #taking = 0
  #idle: (() => void) | null = null

  constructor(api: Api, host: Host, settings: TelegramSettings, { self, readsAll }: Me) {
    this.self = self
    this.#api = api
    this.#host = host
    this.done = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#sight = new Sight(readsAll, (state) => host.state(state))
    const presses = new Presses()
    this.#performer = new Performer({
      api,
      clock: host.clock,
      presses,
      moved: (from, to) => this.#moved(from, to),
      unauthorized: () => this.#end(revoked('it was refused while posting')),
    })
    this.#intake = new Intake({
      host,
      self,
      api,
      presses,
      accepted: (_, update) => this.#sight.learn(update),
    })
    const { clock, log } = host
    const trouble = (reason: string | null) => this.#sight.trouble(reason)
    this.#secret = settings.webhook?.secret ?? null
    if (settings.webhook === undefined) {
      const offset = new OffsetFile(host.dataDir, self.id)
      this.#offset = offset
      this.#poller = new Poller({
        api,
        clock,
        log,
        offset,
        take: (update) => this.#intake.take(update),
        trouble,
      })
      void this.#poller.done.then((closed) => this.#end(closed))
      this.#watch = null
    } else {
      this.#poller = null
      this.#offset = null
      this.#watch = new WebhookWatch({
        api,
        clock,
        url: settings.webhook.url,
        trouble,
        gone: (closed) => this.#end(closed),
      })
    }
    this.#sight.tell()
    setCommands(api).catch((error: unknown) => {
      log.debug({ connection: host.connection, error: String(error) }, 'the command menu could not be set')
    })
  }

  async perform(op: Operation, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
    if (this.#closing) {
      const what = `${op.kind} in the Telegram chat ${op.place.chat}`
      throw new PlatformFailure({ kind: 'unreachable' }, `${what}: the connection is closed`)
    }
    return this.#performer.perform(op, key, signal)
  }

  /** A bot is told of the administrators only; everybody else is known by what they say. */
  async *members(place: Place): AsyncIterable<Member> {
    let found: unknown
    try {
      const { chat_id } = placed({ chat: place.chat })
      found = await this.#api.call('getChatAdministrators', { chat_id })
    } catch (error) {
      // "there are no administrators in the private chat"
      if (error instanceof ApiError && /no administrators/i.test(error.description)) return
      throw asFailure(error, { kind: 'typing', place, on: false }, this.#host.clock)
    }
    for (const admin of dicts(found)) {
      const user = dict(admin.user)
      const member = user === undefined ? null : userAuthor(user, this.self)
      if (member !== null) yield member
    }
  }

  async download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    return Readable.toWeb(
      await fetchFile(this.#api, this.#host.clock, file, maxBytes),
    ) as ReadableStream<Uint8Array>
  }

  async serve(request: Request, path: string): Promise<Response> {
    const secret = this.#secret
    if (secret === null) {
      const message = 'This connection polls; it takes no webhooks.'
      return Response.json({ error: { code: 'not-found', message } }, { status: 404 })
    }
    if (this.#closing) {
      const message = 'Golem is being stopped: nothing was stored; deliver it again.'
      return Response.json(
        { error: { code: 'closing', message } },
        { status: 503, headers: { 'retry-after': '5' } },
      )
    }
    return receive(request, path, { secret, take: (update) => this.#counted(update) })
  }

  async close(deadline: Millis): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    this.#watch?.stop()
    const { clock } = this.#host
    const drained = Promise.all([this.#poller?.stop(), this.#drained()])
    let cancel = () => {}
    const late = new Promise<void>((resolve) => {
      cancel = clock.at(deadline, resolve)
    })
    await Promise.race([drained, late])
    cancel()
    await this.#offset?.close()
    this.#api.close()
    this.#end({ reason: 'closed' })
  }

  async #counted(update: Dict): Promise<void> {
    this.#taking++
    try {
      await this.#intake.take(update)
    } finally {
      this.#taking--
      if (this.#taking === 0) this.#idle?.()
    }
  }

  #drained(): Promise<void> {
    if (this.#taking === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }

  /** Learnt from a refusal: the core hears of it as if Telegram's own notice had come, and under the same key. */
  async #moved(from: string, to: string): Promise<void> {
    const host = this.#host
    const author = { id: this.self.id, name: this.self.name, kind: 'self' as const }
    const at = host.clock.now()
    try {
      await host.accept({
        kind: 'change',
        event: `moved:${from}:${to}`,
        at,
        place: { chat: from },
        author,
        movedTo: to,
      })
    } catch (error) {
      host.log.warn(
        { error: String(error) },
        `the move of the chat ${from} could not be stored; it is told again`,
      )
    }
  }
}
