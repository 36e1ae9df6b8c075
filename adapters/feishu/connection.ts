/** One connection: who it is, how it hears, what it does. */
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
import { refuse } from '../webhook.js'
import { Api } from './api.js'
import { Directory } from './directory.js'
import { download } from './download.js'
import { asFailure, CallFailed, connectFailure, cureOf, isFatal } from './failures.js'
import { type Archive, history } from './history.js'
import { Intake } from './intake.js'
import { Messages } from './messages.js'
import { carryOut, type Desk } from './perform.js'
import { Reactions } from './reactions.js'
import { isHopeless, settle } from './read-back.js'
import { Bounded, Remembered } from './remembered.js'
import { type FeishuSettings, originOf } from './settings.js'
import { type Fields, fields, list, nativeId, text } from './shape.js'
import { Sight, scopesOf } from './sight.js'
import { Socket } from './socket.js'
import { Topics } from './topics.js'
import { serveWebhook } from './webhook.js'

const MOST_ATTEMPTS = 10_000

/** @throws ConnectFailure where only a person can help, else an error after which another try may succeed */
export async function connectFeishu(settings: FeishuSettings, host: Host): Promise<Connection> {
  host.state({ phase: 'connecting' })
  const { appId, appSecret, domain, proxy } = settings
  const api = await Api.open({ appId, appSecret, origin: originOf(domain), proxy, clock: host.clock })
  try {
    const self = await identify(api, host)
    const scopes = await scopesOf(api)
    const connection = new FeishuConnection(settings, host, api, self, scopes)
    host.identify(self)
    await connection.open()
    return connection
  } catch (error) {
    await api.close()
    const failure = connectFailure(error)
    if (failure instanceof ConnectFailure)
      host.state({ phase: 'failed', reason: failure.message, cure: failure.cure })
    throw failure
  }
}

/** https://open.feishu.cn/document/ukTMukTMukTM/uAjMxEjLwITMx4CMyETM: beside `code`, not under `data`. */
async function identify(api: Api, host: Host): Promise<BotIdentity> {
  const bot = fields((await api.call('GET', 'bot/v3/info')).bot)
  const id = nativeId(bot.open_id)
  if (id === undefined) {
    throw new ConnectFailure(
      'The app has no bot.',
      'Add the feature "Bot" to the app under "Add Features", and publish a version.',
    )
  }
  const called = text(bot.app_name)
  return { id, name: host.name, ...(called !== undefined && called !== host.name && { aliases: [called] }) }
}

class FeishuConnection implements Connection {
  readonly done: Promise<Closed>
  readonly serve?: (request: Request, path: string) => Promise<Response>
  readonly #desk: Desk
  readonly #archive: Archive
  readonly #intake: Intake
  readonly #sight: Sight
  readonly #socket: Socket | null
  /** When an operation was first tried, and what became of it: for settling it. */
  readonly #attempts = new Bounded<Millis>(MOST_ATTEMPTS)
  readonly #made = new Bounded<IdempotencyKey>(MOST_ATTEMPTS)
  #end: (closed: Closed) => void = () => undefined
  #closing = false

  constructor(
    settings: FeishuSettings,
    private readonly host: Host,
    private readonly api: Api,
    readonly self: BotIdentity,
    scopes: ReadonlySet<string> | null,
  ) {
    const { clock, log } = host
    const { appId, webhook } = settings
    this.done = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#sight = new Sight(scopes, (state) => {
      if (!this.#closing) host.state(state)
    })
    const remembered = new Remembered()
    const messages = new Messages(api, remembered)
    const directory = new Directory(api, clock, log, self.id)
    this.#archive = { api, directory, messages, self, appId }
    this.#desk = {
      api,
      topics: new Topics(api, remembered),
      reactions: new Reactions(api, appId),
      remembered,
      isDirect: (chat) => directory.isDirect(chat),
      now: () => clock.now(),
    }
    const heard = (type: string | undefined, event: Fields): void => this.#heard(type, event)
    this.#intake = new Intake({ host, self, appId, directory, messages, heard })
    this.#socket = webhook === undefined ? this.#line(settings) : null
    if (webhook !== undefined) this.serve = this.#server(webhook)
  }

  async open(): Promise<void> {
    if (this.#sight.isMute) {
      throw new ConnectFailure(
        'The bot may not post: the scope im:message:send_as_bot is missing.',
        'Add it under "Permissions & Scopes" and publish a version of the app.',
      )
    }
    await this.#socket?.open()
    this.#sight.tell()
  }

  async perform(op: Operation, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
    const { clock } = this.host
    try {
      if (this.#closing || signal.aborted) throw new CallFailed('unreachable', 'a closed connection')
      if (this.#attempts.get(key) === undefined) this.#attempts.set(key, clock.now())
      const receipt = await carryOut(this.#desk, op, key, signal)
      if (receipt.id !== undefined && receipt.id !== ('id' in op ? op.id : undefined))
        this.#made.set(receipt.id, key)
      return receipt
    } catch (error) {
      if (isFatal(error)) this.#fail(`Feishu refused: ${error.message}`, cureOf(error) ?? '')
      throw asFailure(error, op, clock.now())
    }
  }

  async settle(op: Operation, key: IdempotencyKey): Promise<'not-sent' | 'unknown' | Receipt> {
    const { clock } = this.host
    try {
      return await settle({
        archive: this.#archive,
        clock,
        op,
        attempted: this.#attempts.get(key),
        isAnothers: (id) => (this.#made.get(id) ?? key) !== key,
        directChat: (person) => this.#intake.directChat(person),
      })
    } catch (error) {
      const failure = this.#readFailure(error, op.place)
      if (isHopeless(failure)) return 'unknown'
      throw failure
    }
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
    try {
      yield* this.#archive.directory.members(place.chat)
    } catch (error) {
      throw this.#readFailure(error, place)
    }
  }

  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    return download(this.api, file, maxBytes, this.host.clock.now())
  }

  async close(deadline: Millis): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    // What is on its way to the core is still acknowledged.
    await this.#until(deadline, this.#intake.idle())
    await this.#socket?.close(deadline)
    await this.api.close()
    this.#end({ reason: 'closed' })
  }

  #line(settings: FeishuSettings): Socket {
    const { clock, log } = this.host
    return new Socket({
      appId: settings.appId,
      appSecret: settings.appSecret,
      origin: originOf(settings.domain),
      api: this.api,
      clock,
      log,
      take: (body) => this.#intake.take(body),
      trouble: (reason) => this.#sight.trouble(reason),
      fatal: (reason, cure) => this.#fail(reason, cure),
    })
  }

  #server(webhook: { encryptKey: string; verificationToken: string }): NonNullable<Connection['serve']> {
    const { clock, log } = this.host
    const refusals = new Refusals(clock, log, 'Feishu')
    const take = (body: Fields): Promise<object | undefined> => this.#intake.take(body)
    return async (request) => {
      if (!this.#closing) return serveWebhook({ ...webhook, clock, log, refusals, take }, request)
      return refuse(503, 'closing', 'Golem is being stopped: nothing was stored', { 'retry-after': '5' })
    }
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

  #readFailure(error: unknown, place: Place): PlatformFailure {
    if (isFatal(error)) this.#fail(`Feishu refused: ${error.message}`, cureOf(error) ?? '')
    // Nothing was changed by asking: there is no doubt about it.
    const asked =
      error instanceof CallFailed && error.code === 'unanswered'
        ? new CallFailed('unreachable', error.call, { ...error.details, cause: error })
        : error
    return asFailure(asked, { kind: 'typing', place, on: false }, this.host.clock.now())
  }

  #heard(type: string | undefined, event: Fields): void {
    if (type !== 'im.message.receive_v1') return
    const message = fields(event.message)
    if (message.chat_type === 'group' && list(message.mentions).length === 0) this.#sight.sawUnaddressed()
  }

  #fail(reason: string, cure: string): void {
    if (this.#closing) return
    this.#closing = true
    this.host.state({ phase: 'failed', reason, cure })
    const { clock } = this.host
    void Promise.resolve(this.#socket?.close(clock.now()))
      .catch(() => undefined)
      .then(() => this.api.close())
    this.#end({ reason, fatal: true, cure })
  }
}
