/** A Feishu tenant in a box. */
import { VirtualClock } from '../kit/clock.js'
import { Control } from '../kit/control.js'
import { Changes } from '../kit/events.js'
import type { FaultRule } from '../kit/faults.js'
import { replay } from '../kit/recorder.js'
import { SimulatorServer } from '../kit/server.js'
import type { Call, Person, Said, Seen, Simulator, StageChat } from '../kit/stage.js'
import { OpenApi, rateLimited, refused } from './api/index.js'
import { extras } from './control.js'
import type { Dispatcher, Outgoing } from './dispatch.js'
import { encrypt, signed } from './envelope.js'
import { type Fields, fieldsOf, parsed, textOf } from './fields.js'
import { type Hub, WORDS } from './hub.js'
import { type AppOptions, type FeishuOptions, SCOPES, scopesOf } from './options.js'
import { type FeishuApp, People } from './people.js'
import { Routes } from './routes.js'
import { Runtime } from './runtime.js'
import { seenIn } from './seen.js'
import { type App, World } from './world.js'

export class FeishuSimulator implements Simulator {
  readonly platform = 'feishu'
  readonly clock: VirtualClock
  readonly bot: Person
  /** People, chats and what they do, by the words that only Feishu has. */
  readonly feishu: People
  readonly #hub: Hub
  readonly #changes = new Changes()
  readonly #runtimes = new Map<string, Runtime>()
  readonly #main: Runtime
  readonly #routes: Routes
  #server: SimulatorServer | undefined

  private constructor(options: FeishuOptions) {
    this.clock = new VirtualClock(options.clock)
    const world = new World(options.session)
    const { events, encryptKey } = options
    const app = newApp(world, {
      name: options.bot ?? 'Golem',
      scopes: [...scopesOf(options)],
      ...(events !== undefined && { events }),
      ...(encryptKey !== undefined && { encryptKey }),
    })
    this.#hub = this.#makeHub(options, world, app)
    this.#main = this.#start(app)
    this.bot = { id: world.openId(app.appId, app.appId), name: app.name }
    this.feishu = new People(this.#hub, (more) => this.#addApp(more))
    this.#routes = new Routes({
      hub: this.#hub,
      api: new OpenApi(this.#hub, this.#runtimes),
      runtimes: this.#runtimes,
      control: new Control(this, extras(this)),
    })
  }

  /** @throws the listener's error, e.g. `EADDRINUSE` */
  static async start(options: FeishuOptions = {}): Promise<FeishuSimulator> {
    const simulator = new FeishuSimulator(options)
    simulator.#server = await SimulatorServer.start({
      ...(options.port !== undefined && { port: options.port }),
      handle: (request) => simulator.#routes.serve(request),
      upgrade: (request, socket, head) => simulator.#routes.upgrade(request, socket, head),
    })
    return simulator
  }

  #makeHub(options: FeishuOptions, world: World, main: App): Hub {
    const url = (): string => this.url
    return {
      world,
      main,
      clock: this.clock,
      changes: this.#changes,
      options,
      words: WORDS[options.locale ?? 'zh'],
      get url() {
        return url()
      },
      ports: this.#runtimes,
      presses: new Map(),
      toasts: [],
      uuids: new Map(),
    }
  }

  #start(app: App): Runtime {
    const runtime = new Runtime(this.#hub, app, { rateLimited, refused })
    this.#runtimes.set(app.appId, runtime)
    return runtime
  }

  #addApp(options: AppOptions): FeishuApp {
    const app = newApp(this.#hub.world, options)
    const { dispatcher, calls, sockets } = this.#start(app)
    return {
      appId: app.appId,
      person: this.feishu.personOf(app.appId),
      settings: (how) => this.#settings(app, how),
      openId: (person) => {
        const who = this.#hub.world.byOpenId(person.id)?.who
        if (who === undefined) throw new Error(`The simulated tenant has nobody with the id ${person.id}`)
        return this.#hub.world.openId(app.appId, who)
      },
      get calls() {
        return calls.log
      },
      get acknowledged() {
        return dispatcher.acknowledged
      },
      get pending() {
        return dispatcher.pending
      },
      get connections() {
        return sockets.count
      },
      webhook: (url) => dispatcher.webhook(url),
    }
  }

  get url(): string {
    if (this.#server === undefined) throw new Error('The simulator of Feishu has not been started')
    return this.#server.url
  }

  settings(how: 'socket' | 'webhook'): Record<string, unknown> {
    return this.#settings(this.#main.app, how)
  }

  #settings(app: App, how: 'socket' | 'webhook'): Record<string, unknown> {
    const common = { appId: app.appId, appSecret: app.secret, domain: this.url }
    if (how === 'socket') return common
    const { encryptKey, verificationToken } = app
    return { ...common, webhook: { ...(encryptKey !== null && { encryptKey }), verificationToken } }
  }

  person(name: string): Person {
    return this.feishu.person(name)
  }

  group(title: string, people: readonly Person[]): string {
    return this.feishu.group(title, { people })
  }

  dm(person: Person): string {
    const { world, main } = this.#hub
    const { unionId } = this.feishu.idsOf(person)
    return world.p2p(unionId, main.appId, this.clock.now()).id
  }

  /** Chats that the bot under test is in, or was. */
  chats(): StageChat[] {
    const { world, main } = this.#hub
    return [...world.chats.values()]
      .filter(({ mode, apps }) => mode !== 'p2p' || apps.has(main.appId))
      .map((chat) => {
        const members = [...chat.members].map((who) => this.feishu.personOf(who))
        const isDirect = chat.mode === 'p2p'
        return {
          id: chat.id,
          title: isDirect ? (members[0]?.name ?? '') : chat.name,
          kind: isDirect ? 'dm' : 'group',
          members,
        }
      })
  }

  people(): Person[] {
    return [...this.#hub.world.users.keys()].map((who) => this.feishu.personOf(who))
  }

  say(chat: string, person: Person, text: string, options: Said = {}): string {
    return this.feishu.say(chat, person, text, options)
  }

  edit(chat: string, id: string, text: string): void {
    this.feishu.edit(chat, id, text)
  }

  delete(chat: string, id: string): void {
    this.feishu.recall(chat, id)
  }

  react(chat: string, id: string, person: Person, emoji: string): void {
    this.feishu.react(chat, id, person, emoji)
  }

  press(chat: string, id: string, person: Person, value: string): void {
    this.feishu.press(chat, id, person, value)
  }

  seen(chat: string, viewer?: Person): Seen[] {
    return seenIn(
      this.#hub,
      chat,
      viewer === undefined ? undefined : this.#hub.world.byOpenId(viewer.id)?.who,
    )
  }

  get calls(): readonly Call[] {
    return this.#main.calls.log
  }

  get acknowledged(): readonly string[] {
    return this.#main.dispatcher.acknowledged
  }

  get pending(): number {
    return this.#main.dispatcher.pending
  }

  /** Ids of deliveries that were given up: never taken in any attempt, or a press that nobody answered. */
  get lost(): readonly string[] {
    return this.#main.dispatcher.lost
  }

  /** When the next retry of an event is due, by the simulator's clock; undefined: none waits for that. */
  get waitsUntil(): number | undefined {
    return this.#main.dispatcher.waitsUntil
  }

  /** Live long connections. */
  get connections(): number {
    return this.#main.sockets.count
  }

  /** Frames of the app that were none. */
  get malformed(): number {
    return this.#main.sockets.malformed
  }

  redeliver(count = 1): void {
    this.#main.dispatcher.redeliver(count)
  }

  /** Keeps events back; the returned function lets them go, in an order of one's own. */
  hold(): ReturnType<Dispatcher['hold']> {
    return this.#main.dispatcher.hold()
  }

  /** Sends any body as Feishu would, e.g. of the old form 1.0. Its id is what `acknowledged` shows. */
  inject(body: Fields): string {
    const id = textOf(fieldsOf(body.header).event_id) || textOf(body.uuid) || this.#hub.world.ids.next('')
    this.#main.dispatcher.push(id, { kind: 'event', body })
    return id
  }

  /** Sends bytes as they are over every long connection. */
  garble(bytes: Uint8Array): void {
    this.#main.sockets.garble(bytes)
  }

  fault(rule: FaultRule): () => void {
    return this.#main.faults.add(rule)
  }

  cut(how: 'close' | 'half-open'): void {
    this.#server?.cut(how)
    for (const { sockets } of this.#runtimes.values()) sockets.cut(how)
    this.#changes.changed()
  }

  /** The App Secret is no longer good, nor any token. */
  revoke(): void {
    this.#main.revoke()
  }

  /** Undoes {@link revoke}. Tokens have to be asked for again. */
  restore(): void {
    this.#main.isRevoked = false
  }

  /** Every tenant_access_token ends before its time, as when the app is changed. */
  expireTokens(): void {
    this.#main.tokens.clear()
  }

  /** Scopes as they are granted from now on. */
  grant(scopes: readonly string[]): void {
    const { app } = this.#main
    app.scopes = new Set(scopes)
  }

  /** The clock behind signatures is off by so many milliseconds. */
  skew(ms: number): void {
    this.#main.skewSeconds = Math.round(ms / 1000)
  }

  until(holds: () => boolean, what: string, ms?: number): Promise<void> {
    return this.#changes.until(holds, what, ms)
  }

  onChange(listener: () => void): () => void {
    return this.#changes.on(listener)
  }

  webhook(url: string | null): void {
    this.#main.dispatcher.webhook(url)
  }

  /** Whether the URL proves itself, as when it is entered in the app's settings: it must repeat the challenge. */
  async verifyWebhook(): Promise<boolean> {
    const url = this.#main.dispatcher.webhookUrl
    if (url === null) throw new Error('The simulator of Feishu has no webhook to verify')
    const { verificationToken, encryptKey } = this.#main.app
    const challenge = this.#hub.world.ids.next('challenge', 24)
    const clear = JSON.stringify({ challenge, token: verificationToken, type: 'url_verification' })
    const body = encryptKey === null ? clear : JSON.stringify({ encrypt: encrypt(clear, encryptKey) })
    const seconds = Math.floor(this.clock.now() / 1000) + this.#main.skewSeconds
    const nonce = this.#hub.world.ids.next('nonce', 16).slice(5)
    const headers = encryptKey === null ? {} : signed(encryptKey, seconds, nonce, body)
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body,
    })
    return response.ok && fieldsOf(parsed(await response.text())).challenge === challenge
  }

  recording(): string {
    return this.#main.recorder.text()
  }

  replay(recording: string): Promise<number> {
    return replay(recording, this.clock, (id, body) => this.#main.dispatcher.push(id, body as Outgoing))
  }

  /** Takes down the recorder's share of the work, for measures of speed. */
  set recordsTraffic(on: boolean) {
    this.#main.recorder.on = on
  }

  async close(): Promise<void> {
    for (const runtime of this.#runtimes.values()) runtime.close()
    this.clock.close()
    await this.#server?.close()
  }
}

/** Ids of apps are `cli_` and 16 hexadecimal digits: the SDK opens no long connection for any other form. */
function newApp(world: World, options: AppOptions): App {
  const { encryptKey } = options
  return world.addApp({
    appId: world.ids.next('cli_', 16),
    secret: world.ids.next('secret', 32).slice(6),
    name: options.name,
    scopes: new Set(options.scopes ?? SCOPES),
    events: options.events === undefined ? null : new Set(options.events),
    encryptKey: encryptKey === undefined ? world.ids.next('key', 32).slice(3) : encryptKey,
    verificationToken: world.ids.next('token', 32).slice(5),
  })
}
