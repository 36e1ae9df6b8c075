/** A Slack workspace in a box. */
import { Calls } from '../kit/calls.js'
import { VirtualClock } from '../kit/clock.js'
import { Control } from '../kit/control.js'
import { Changes } from '../kit/events.js'
import { type FaultRule, Faults } from '../kit/faults.js'
import { Recorder, replay } from '../kit/recorder.js'
import { SimulatorServer } from '../kit/server.js'
import type { Call, Person, Said, Seen, Simulator, StageChat } from '../kit/stage.js'
import { rateLimited, refused, WebApi } from './api/index.js'
import { RateLimits } from './api/limits.js'
import type { Method } from './api/method.js'
import { extras } from './control.js'
import { Dispatcher } from './dispatch.js'
import type { Hub, Secrets } from './hub.js'
import { Interactions } from './interactions.js'
import { SCOPES, type SlackOptions, subscriptions } from './options.js'
import { People } from './people.js'
import { react, remove } from './posting.js'
import { EventPublisher, type Outgoing } from './publisher.js'
import { Routes } from './routes.js'
import { seenIn } from './seen.js'
import { signed } from './signature.js'
import { type DisconnectReason, Sockets } from './sockets.js'
import type { Fields } from './text/rich.js'
import { World } from './world.js'

export class SlackSimulator implements Simulator {
  readonly platform = 'slack'
  readonly clock: VirtualClock
  readonly bot: Person
  /** People, channels and what they do, by the words that only Slack has. */
  readonly slack: People
  readonly #hub: Hub
  readonly #changes = new Changes()
  readonly #faults = new Faults()
  readonly #recorder: Recorder
  readonly #calls: Calls
  readonly #sockets: Sockets
  readonly #dispatcher: Dispatcher
  readonly #interactions: Interactions
  readonly #routes: Routes
  #server: SimulatorServer | undefined
  #skewSeconds = 0

  private constructor(options: SlackOptions, beside?: SlackSimulator) {
    this.clock = new VirtualClock(options.clock)
    const world =
      beside?.slack.anotherApp(options.bot ?? 'Golem') ??
      new World({ team: options.team ?? 'Acme', bot: options.bot ?? 'Golem' })
    this.bot = { id: world.bot.id, name: world.bot.realName, username: world.bot.handle }
    const secrets: Secrets = {
      botToken: `xoxb-1000000000-2000000000-Simulated${beside === undefined ? '' : world.bot.id}BotToken`,
      appToken: `xapp-1-${world.bot.appId}-3000000000-simulated`,
      signingSecret: '8f742231b10e8888abcd99yyyzzz85a5',
      revoked: new Map(),
    }
    this.#recorder = new Recorder('slack', this.clock, () => [
      secrets.botToken,
      secrets.appToken,
      secrets.signingSecret,
    ])
    this.#hub = this.#makeHub(options, world, secrets, beside === undefined ? [] : beside.#hub.apps)
    this.#hub.apps.push(this.#hub)
    this.#sockets = new Sockets({
      clock: this.clock,
      appId: world.bot.appId ?? '',
      pingMs: options.pingMs ?? 5_000,
      lingers: options.lingers === true,
      onOpen: () => {
        this.#dispatcher.connected()
        this.#changes.changed()
      },
      onClose: (socket) => {
        this.#dispatcher.socketClosed(socket)
        this.#changes.changed()
      },
      onAck: (envelope, payload) => this.#dispatcher.acknowledge(envelope, payload),
    })
    this.#dispatcher = new Dispatcher({
      clock: this.clock,
      changes: this.#changes,
      recorder: this.#recorder,
      sockets: this.#sockets,
      isEager: options.retries !== 'schedule',
      envelope: () => world.ids.uuid(),
      signingSecret: () => secrets.signingSecret,
      skew: () => this.#skewSeconds,
      onResponse: (outgoing, response) => this.#interactions.answered(outgoing, response),
    })
    this.#interactions = new Interactions(this.#hub)
    this.slack = new People(this.#hub, this.#interactions)
    this.#calls = new Calls({
      clock: this.clock,
      faults: this.#faults,
      changes: this.#changes,
      recorder: this.#recorder,
      wording: {
        rateLimited,
        refused: (code, description) =>
          refused(String(code), description === undefined ? {} : { detail: description }),
        revoke: () => this.revoke(),
      },
    })
    const api = new WebApi(this.#hub, this.#calls, new RateLimits(this.clock), {
      'apps.connections.open': this.#connectionsOpen(),
    })
    this.#routes = new Routes({
      hub: this.#hub,
      api,
      calls: this.#calls,
      control: new Control(this, extras(this)),
      interactions: this.#interactions,
    })
  }

  /** @throws the listener's error, e.g. `EADDRINUSE` */
  static async start(options: SlackOptions = {}): Promise<SlackSimulator> {
    return SlackSimulator.#serve(new SlackSimulator(options), options)
  }

  /** Another app in this workspace, with a bot, tokens and a server of its own. Direct chats are with the first one. */
  async colleague(options: SlackOptions & { bot: string }): Promise<SlackSimulator> {
    return SlackSimulator.#serve(new SlackSimulator(options, this), options)
  }

  static async #serve(simulator: SlackSimulator, options: SlackOptions): Promise<SlackSimulator> {
    simulator.#server = await SimulatorServer.start({
      ...(options.port !== undefined && { port: options.port }),
      handle: (request) => simulator.#routes.serve(request),
      upgrade: (request, socket, head) => simulator.#sockets.upgrade(request, socket, head),
    })
    return simulator
  }

  #makeHub(options: SlackOptions, world: World, secrets: Secrets, apps: Hub[]): Hub {
    const publisher = new EventPublisher(
      () => this.#hub,
      subscriptions(options),
      (id, outgoing) => this.#dispatcher.push(id, outgoing),
    )
    const url = (): string => this.url
    return {
      world,
      clock: this.clock,
      changes: this.#changes,
      options,
      scopes: new Set(options.scopes ?? SCOPES),
      secrets,
      publisher,
      apps,
      get url() {
        return url()
      },
      mentions: 0,
      statuses: new Map(),
      triggers: new Map(),
      views: [],
    }
  }

  /** https://docs.slack.dev/reference/methods/apps.connections.open */
  #connectionsOpen(): Method {
    return {
      tier: 3,
      scopes: [],
      token: 'app',
      run: () => ({ url: `${this.url.replace('http:', 'ws:')}${this.#sockets.ticket()}` }),
    }
  }

  get url(): string {
    if (this.#server === undefined) throw new Error('The simulator of Slack has not been started')
    return this.#server.url
  }

  settings(how: 'socket' | 'webhook'): Record<string, unknown> {
    const { botToken, appToken, signingSecret } = this.#hub.secrets
    const common = { botToken, apiUrl: `${this.url}/api/` }
    return how === 'socket' ? { ...common, appToken } : { ...common, signingSecret }
  }

  person(name: string): Person {
    return this.slack.person({ name })
  }

  /** A public channel with these people and the bot in it. */
  group(title: string, people: readonly Person[]): string {
    return this.slack.channel(title, { people })
  }

  dm(person: Person): string {
    return this.#hub.world.im(person.id, this.clock.now()).id
  }

  chats(): StageChat[] {
    const { world } = this.#hub
    return [...world.channels.values()].map((channel) => ({
      id: channel.id,
      title: channel.kind === 'im' ? world.nameOf(world.user(channel.user ?? '')) : channel.name,
      kind: channel.kind === 'im' ? 'dm' : 'group',
      members: [...channel.members].map((id) => this.slack.personOf(id)),
    }))
  }

  people(): Person[] {
    const { users, bot } = this.#hub.world
    return [...users.keys()]
      .filter((id) => id !== 'USLACKBOT' && id !== bot.id)
      .map((id) => this.slack.personOf(id))
  }

  say(chat: string, person: Person, text: string, options: Said = {}): string {
    return this.slack.say(chat, person, text, options)
  }

  edit(chat: string, id: string, text: string): void {
    this.slack.edit(chat, id, text)
  }

  delete(chat: string, id: string): void {
    remove(this.#hub, this.#hub.world.message(chat, id))
  }

  react(chat: string, id: string, person: Person, emoji: string): void {
    react(this.#hub, this.#hub.world.message(chat, id), person.id, emoji, true)
  }

  press(chat: string, id: string, person: Person, value: string): void {
    this.slack.press(chat, id, person, value)
  }

  seen(chat: string, viewer?: Person): Seen[] {
    return seenIn(this.#hub, chat, viewer?.id)
  }

  get calls(): readonly Call[] {
    return this.#calls.log
  }

  get acknowledged(): readonly string[] {
    return this.#dispatcher.acknowledged
  }

  get pending(): number {
    return this.#dispatcher.pending
  }

  /** Ids of deliveries that were given up: never acknowledged in any attempt, or a press that nobody was there for. */
  get lost(): readonly string[] {
    return this.#dispatcher.lost
  }

  /** When the next retry of an event is due, by the simulator's clock; undefined: none waits for that. */
  get waitsUntil(): number | undefined {
    return this.#dispatcher.waitsUntil
  }

  /** Live Socket Mode connections. */
  get connections(): number {
    return this.#sockets.count
  }

  redeliver(count = 1): void {
    this.#dispatcher.redeliver(count)
  }

  /** Keeps events back; the returned function lets them go, in an order of one's own. */
  hold(): ReturnType<Dispatcher['hold']> {
    return this.#dispatcher.hold()
  }

  /** Sends any event body as Slack would, for payloads that no member here makes. Its id is what `acknowledged` shows. */
  inject(event: Fields, outer: Fields = {}): string {
    const { world } = this.#hub
    const id = world.ids.next('Ev')
    const payload = {
      type: 'event_callback',
      team_id: world.team.id,
      api_app_id: world.bot.appId,
      event_id: id,
      event,
      ...outer,
    }
    this.#dispatcher.push(id, { type: 'events_api', payload })
    return id
  }

  fault(rule: FaultRule): () => void {
    return this.#faults.add(rule)
  }

  cut(how: 'close' | 'half-open'): void {
    this.#server?.cut(how)
    this.#sockets.cut(how)
    this.#changes.changed()
  }

  /** Asks every connection to come again, as Slack does some times a day. */
  disconnect(reason: DisconnectReason): void {
    this.#sockets.disconnect(reason)
  }

  /** The tokens are no longer good: `token_revoked` for the bot's, `invalid_auth` for the app's. */
  revoke(which: 'bot' | 'app' | 'both' = 'both'): void {
    const { secrets } = this.#hub
    if (which !== 'app') secrets.revoked.set(secrets.botToken, 'token_revoked')
    if (which !== 'bot') secrets.revoked.set(secrets.appToken, 'invalid_auth')
  }

  /** Undoes {@link revoke}. */
  restore(): void {
    this.#hub.secrets.revoked.clear()
  }

  /** The clock behind signatures is off by so many milliseconds. */
  skew(ms: number): void {
    this.#skewSeconds = Math.round(ms / 1000)
  }

  /** "… is thinking" under a thread, as people see it now. */
  status(chat: string, thread: string): string {
    const status = this.#hub.statuses.get(`${chat}:${thread}`)
    return status === undefined || status.until < this.clock.now() ? '' : status.text
  }

  /** Windows that the app opened. */
  get views(): readonly { user: string; view: Fields }[] {
    return this.#hub.views
  }

  until(holds: () => boolean, what: string, ms?: number): Promise<void> {
    return this.#changes.until(holds, what, ms)
  }

  onChange(listener: () => void): () => void {
    return this.#changes.on(listener)
  }

  webhook(url: string | null): void {
    this.#dispatcher.webhook(url)
  }

  /** Whether the URL proves itself, as when it is entered in the app's settings: it must repeat the challenge. */
  async verifyWebhook(): Promise<boolean> {
    const url = this.#dispatcher.webhookUrl
    if (url === null) throw new Error('The simulator of Slack has no webhook to verify')
    const challenge = this.#hub.world.ids.uuid()
    const body = JSON.stringify({ token: 'verification-token-of-old', challenge, type: 'url_verification' })
    const headers = signed(
      this.#hub.secrets.signingSecret,
      Math.floor(this.clock.now() / 1000) + this.#skewSeconds,
      body,
    )
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const text = await response.text()
    return response.ok && (text === challenge || text.includes(JSON.stringify(challenge)))
  }

  recording(): string {
    return this.#recorder.text()
  }

  replay(recording: string): Promise<number> {
    return replay(recording, this.clock, (id, body) => this.#dispatcher.push(id, body as Outgoing))
  }

  /** Takes down the recorder's share of the work, for measures of speed. */
  set recordsTraffic(on: boolean) {
    this.#recorder.on = on
  }

  async close(): Promise<void> {
    this.#dispatcher.close()
    this.#sockets.close()
    this.clock.close()
    await this.#server?.close()
  }
}
