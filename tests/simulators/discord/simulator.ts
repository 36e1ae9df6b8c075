/** Discord in a box. */
import { Calls } from '../kit/calls.js'
import { VirtualClock } from '../kit/clock.js'
import { asHadBy } from '../kit/colleague.js'
import { Control } from '../kit/control.js'
import { Changes } from '../kit/events.js'
import { type FaultRule, Faults } from '../kit/faults.js'
import { Recorder, replay } from '../kit/recorder.js'
import { SimulatorServer } from '../kit/server.js'
import type { Call, Person, Said, Seen, Simulator, StageChat } from '../kit/stage.js'
import { rateLimited, refused } from './api/errors.js'
import { Rest } from './api/index.js'
import { RateLimits } from './api/limits.js'
import { extras } from './control.js'
import { Gateway } from './gateway/gateway.js'
import type { Hub, Secrets } from './hub.js'
import { Interactions } from './interactions.js'
import { type DiscordOptions, PRIVILEGED } from './options.js'
import { People } from './people.js'
import { readersOf } from './permissions.js'
import { react, remove } from './posting.js'
import { EventPublisher } from './publisher.js'
import { Routes } from './routes.js'
import { seenIn } from './seen.js'
import { CHANNEL, type Fields, World } from './world.js'

export class DiscordSimulator implements Simulator {
  readonly platform = 'discord'
  readonly clock: VirtualClock
  readonly bot: Person
  /** Guilds, channels, threads, people and what they do, by the words that only Discord has. */
  readonly discord: People
  readonly #hub: Hub
  readonly #changes = new Changes()
  readonly #faults = new Faults()
  readonly #recorder: Recorder
  readonly #calls: Calls
  readonly #gateway: Gateway
  readonly #routes: Routes
  readonly #acknowledged: string[] = []
  readonly #lost: string[] = []
  #server: SimulatorServer | undefined

  private constructor(options: DiscordOptions, beside?: DiscordSimulator) {
    this.clock = new VirtualClock(options.clock)
    const username = options.bot ?? 'Golem'
    const world =
      beside === undefined
        ? new World({
            bot: username,
            now: () => this.clock.now(),
            ...(options.founded !== undefined && { founded: options.founded }),
          })
        : asHadBy(beside.#hub.world, beside.#hub.world.addUser({ username, globalName: null, bot: true }))
    const secrets = secretsOf(world.bot.id)
    this.#recorder = new Recorder('discord', this.clock, () => [secrets.botToken, secrets.fileKey])
    this.#gateway = this.#makeGateway(options)
    this.#hub = this.#makeHub(options, world, secrets, beside === undefined ? [] : beside.#hub.apps)
    this.#hub.apps.push(this.#hub)
    this.bot = { id: world.bot.id, name: world.bot.username, username: world.bot.username }
    const interactions = new Interactions(this.#hub)
    this.discord = new People(this.#hub, interactions)
    if (beside === undefined) this.discord.addGuild(options.guild ?? 'Acme')
    else for (const guild of world.guilds.keys()) this.discord.addBot(guild)
    this.#calls = new Calls({
      clock: this.clock,
      faults: this.#faults,
      changes: this.#changes,
      recorder: this.#recorder,
      wording: {
        rateLimited: (waitMs, scope) => rateLimited(waitMs, scope === 'account' ? 'global' : 'user'),
        refused,
        revoke: () => this.revoke(),
      },
    })
    const rest = new Rest({
      hub: this.#hub,
      calls: this.#calls,
      limits: new RateLimits(this.clock),
      interactions,
      gateway: this.#gateway,
    })
    const control = new Control(this, extras(this))
    this.#routes = new Routes({ hub: this.#hub, rest, calls: this.#calls, control })
  }

  /** @throws the listener's error, e.g. `EADDRINUSE` */
  static async start(options: DiscordOptions = {}): Promise<DiscordSimulator> {
    return DiscordSimulator.#serve(new DiscordSimulator(options), options)
  }

  /** Another bot in the guilds of this one, with a token and a server of its own. Direct chats are with the first one. */
  async colleague(options: DiscordOptions & { bot: string }): Promise<DiscordSimulator> {
    return DiscordSimulator.#serve(new DiscordSimulator(options, this), options)
  }

  static async #serve(simulator: DiscordSimulator, options: DiscordOptions): Promise<DiscordSimulator> {
    simulator.#server = await SimulatorServer.start({
      ...(options.port !== undefined && { port: options.port }),
      handle: (request) => simulator.#routes.serve(request),
      upgrade: (request, socket, head) => simulator.#gateway.upgrade(request, socket, head),
    })
    return simulator
  }

  #makeGateway(options: DiscordOptions): Gateway {
    return new Gateway(
      {
        hub: () => this.#hub,
        onAcknowledged: (id) => {
          this.#acknowledged.push(id)
          this.#recorder.acknowledged(id)
          this.#changes.changed()
        },
        onLost: (ids) => void this.#lost.push(...ids),
      },
      options.heartbeatMs,
    )
  }

  #makeHub(options: DiscordOptions, world: World, secrets: Secrets, apps: Hub[]): Hub {
    const url = (): string => this.url
    return {
      world,
      clock: this.clock,
      changes: this.#changes,
      options,
      secrets,
      publisher: new EventPublisher(() => this.#hub, this.#gateway, this.#recorder),
      apps,
      get url() {
        return url()
      },
      granted: new Set(options.granted ?? PRIVILEGED),
      closed: new Set(),
      typing: new Map(),
    }
  }

  get url(): string {
    if (this.#server === undefined) throw new Error('The simulator of Discord has not been started')
    return this.#server.url
  }

  /** @throws Error for `webhook`: Discord tells a bot of messages by the gateway alone */
  settings(how: 'socket' | 'webhook'): Record<string, unknown> {
    if (how === 'webhook') throw new Error(NO_WEBHOOKS)
    return { botToken: this.#hub.secrets.botToken, apiUrl: `${this.url}/api` }
  }

  person(name: string): Person {
    return this.discord.person({ name })
  }

  /** A text channel of the first guild, which these people join. */
  group(title: string, people: readonly Person[]): string {
    return this.discord.channel(title, { people })
  }

  dm(person: Person): string {
    return this.#hub.world.dm(person.id).channel.id
  }

  chats(): StageChat[] {
    const { world } = this.#hub
    return [...world.channels.values()]
      .filter(({ thread }) => thread === undefined)
      .map((channel) => ({
        id: channel.id,
        title: channel.type === CHANNEL.dm ? world.nameOf(channel.name) : channel.name,
        kind: channel.type === CHANNEL.dm ? 'dm' : 'group',
        members: readersOf(world, channel).map((id) => this.discord.personOf(id)),
      }))
  }

  people(): Person[] {
    const { users, bot } = this.#hub.world
    return [...users.keys()].filter((id) => id !== bot.id).map((id) => this.discord.personOf(id))
  }

  say(chat: string, person: Person, text: string, options: Said = {}): string {
    return this.discord.say(chat, person, text, options)
  }

  edit(chat: string, id: string, text: string): void {
    this.discord.edit(chat, id, text)
  }

  delete(chat: string, id: string): void {
    remove(this.#hub, this.#hub.world.find(chat, id))
  }

  react(chat: string, id: string, person: Person, emoji: string): void {
    react(this.#hub, this.#hub.world.find(chat, id), person.id, emoji, true)
  }

  press(chat: string, id: string, person: Person, value: string): void {
    this.discord.press(chat, id, person, value)
  }

  /** Those of its threads are among them. */
  seen(chat: string, viewer?: Person): Seen[] {
    return seenIn(this.#hub, chat, viewer?.id)
  }

  get calls(): readonly Call[] {
    return this.#calls.log
  }

  /**
   * Events of which the bot has said that it has them, as `<session>:<sequence>`. Discord has no other acknowledgement
   * than the sequence of a heartbeat or of a RESUME.
   */
  get acknowledged(): readonly string[] {
    return this.#acknowledged
  }

  /** Events sent, or kept for a RESUME, of which the bot has not said that. With no session there is nobody they wait for. */
  get pending(): number {
    return this.#gateway.pending
  }

  /** Events whose session ended before the bot said that it has them. */
  get lost(): readonly string[] {
    return this.#lost
  }

  /** Live connections with a session. */
  get connections(): number {
    return this.#gateway.count
  }

  /** Asks the bot to come again, and replays so many events before those that it has. */
  redeliver(count = 1): void {
    this.#gateway.redeliver(count)
    this.#changes.changed()
  }

  fault(rule: FaultRule): () => void {
    return this.#faults.add(rule)
  }

  cut(how: 'close' | 'half-open'): void {
    this.#gateway.cut(how)
    this.#server?.cut(how)
    this.#changes.changed()
  }

  /** Asks every client to come again (op 7), as Discord does now and then. */
  reconnect(): void {
    this.#gateway.reconnect()
  }

  /** Says that sessions are no good (op 9); unless `resumable`, they are gone. */
  invalidate(resumable = false): void {
    this.#gateway.invalidate(resumable)
  }

  /** Ends every connection by a close code: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
  closeGateway(code: number, reason = ''): void {
    this.#gateway.closeAll(code, reason)
  }

  /** Forgets every session: whoever comes to resume is told to begin anew. */
  expireSessions(): void {
    this.#gateway.expire(true)
  }

  /** Asks the client for a heartbeat at once (op 1): what it has is known then. */
  askForHeartbeat(): void {
    this.#gateway.askForHeartbeat()
  }

  /** The token is reset: 401 for requests, 4004 for who is connected. */
  revoke(): void {
    this.#hub.secrets.revoked = true
    this.#gateway.closeAll(4004, 'Authentication failed.')
  }

  /** Undoes {@link revoke}. */
  restore(): void {
    this.#hub.secrets.revoked = false
  }

  /** Sends any event as Discord would, for payloads that no member here makes. */
  inject(event: string, data: Fields): void {
    const guildId = typeof data.guild_id === 'string' ? data.guild_id : undefined
    this.#hub.publisher.event(event, data, 0, guildId)
  }

  until(holds: () => boolean, what: string, ms?: number): Promise<void> {
    return this.#changes.until(holds, what, ms)
  }

  onChange(listener: () => void): () => void {
    return this.#changes.on(listener)
  }

  /** @throws Error for an address: there is nothing that Discord would post there */
  webhook(url: string | null): void {
    if (url !== null) throw new Error(NO_WEBHOOKS)
  }

  recording(): string {
    return this.#recorder.text()
  }

  replay(recording: string): Promise<number> {
    return replay(recording, this.clock, (_, body) => {
      const { t, d, intent, guildId } = body as { t: string; d: Fields; intent: number; guildId?: string }
      this.#hub.publisher.event(t, d, intent, guildId)
    })
  }

  /** Takes down the recorder's share of the work, for measures of speed. */
  set recordsTraffic(on: boolean) {
    this.#recorder.on = on
  }

  async close(): Promise<void> {
    this.#gateway.close()
    this.clock.close()
    await this.#server?.close()
  }
}

/** A bot's token begins with its id. */
function secretsOf(id: string): Secrets {
  const start = Buffer.from(id).toString('base64url')
  return { botToken: `${start}.Simulated.BotTokenInABox`, revoked: false, fileKey: `files-of-${start}` }
}

const NO_WEBHOOKS =
  'Discord has no webhooks for messages: a bot hears of them by the gateway (a socket) alone'
