/** Telegram in a box: the Bot API over HTTP, and what people do and see. As long as the stage that it implements. */
import { Calls } from '../kit/calls.js'
import type { VirtualClock } from '../kit/clock.js'
import { Control, type Extras } from '../kit/control.js'
import { Changes } from '../kit/events.js'
import { type FaultRule, Faults } from '../kit/faults.js'
import { Recorder, replay } from '../kit/recorder.js'
import { SimulatorServer } from '../kit/server.js'
import type { Call, Person, Seen, Simulator, StageChat } from '../kit/stage.js'
import { adopt } from './adopt.js'
import { Api, failure } from './api.js'
import { BotState } from './bot-state.js'
import { Teller } from './delivery.js'
import { refusal, tooMany, unauthorized } from './errors.js'
import { Feed, type Update } from './feed.js'
import { SendLimits } from './limits.js'
import { People, type SaidFile, type TelegramSaid } from './people.js'
import { Places } from './places.js'
import { seen } from './seen.js'
import { Webhook } from './webhook.js'
import { type Account, type Chat, World } from './world.js'

export interface TelegramOptions {
  /** 0 or absent: any free port. */
  port?: number
  clock: VirtualClock
  /** The clock is nobody else's: it ends with the simulator. */
  ownsClock: boolean
  token: string
  /** On: in groups the bot is given only what is meant for it. Settled for a group when the bot joins it. */
  privacyMode: boolean
  /** The bot joins groups as an administrator. */
  botIsAdmin: boolean
  botToBot: boolean
  limits: 'enforced' | 'off'
  session: number
  bot: { name: string; username: string }
}

const WEBHOOK_SECRET = 'simulated-webhook-secret'

export class TelegramSimulator implements Simulator {
  readonly platform = 'telegram'
  readonly clock: VirtualClock
  readonly bot: Person
  readonly world: World
  readonly #api: Api
  readonly #state: BotState
  readonly #calls: Calls
  readonly #changes = new Changes()
  readonly #faults = new Faults()
  readonly #feed: Feed
  readonly #recorder: Recorder
  readonly #webhook: Webhook
  readonly #people: People
  readonly #places: Places
  readonly #control: Control
  readonly #ownsClock: boolean
  #server: SimulatorServer | null = null

  /** Use `startTelegram`. */
  constructor(options: TelegramOptions, extras: (simulator: TelegramSimulator) => Extras) {
    const { clock, token, privacyMode } = options
    this.clock = clock
    this.#ownsClock = options.ownsClock
    const { name, username } = options.bot
    const bot = { id: Number(token.split(':')[0]), isBot: true, firstName: name, username }
    this.world = new World(clock, bot, options.session)
    this.bot = { id: String(this.world.bot.id), name, username }
    this.#recorder = new Recorder('telegram', clock, () => [token, WEBHOOK_SECRET])
    this.#feed = new Feed(clock, this.#changes, this.#recorder, options.session)
    const limits = new SendLimits(clock, options.limits === 'enforced')
    this.#webhook = new Webhook({
      feed: this.#feed,
      clock,
      changes: this.#changes,
      onAnswer: (body) => void this.#api.runQuietly(body),
    })
    const teller = new Teller(this.world, this.#feed, options.botToBot)
    this.#state = new BotState({
      world: this.world,
      feed: this.#feed,
      teller,
      webhook: this.#webhook,
      limits,
      token,
      privacyMode,
    })
    this.#calls = new Calls({
      clock,
      faults: this.#faults,
      changes: this.#changes,
      recorder: this.#recorder,
      wording: {
        rateLimited: (ms) => failure(tooMany(ms)),
        refused: (code, description) => failure(refusal(code, description)),
        revoke: () => this.revokeToken(),
      },
    })
    this.#api = new Api(this.#state, this.#calls)
    this.#people = new People(this.#state)
    this.#places = new Places(this.#state, options.botIsAdmin)
    this.#control = new Control(this, extras(this))
  }

  /** Begins to listen. Called once, by `startTelegram`. */
  async listen(port: number): Promise<void> {
    this.#server = await SimulatorServer.start({
      port,
      handle: (request) =>
        Control.owns(request.url.pathname) ? this.#control.serve(request) : this.#api.serve(request),
    })
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  settings(how: 'socket' | 'webhook'): Record<string, unknown> {
    return {
      botToken: this.#state.token,
      apiUrl: this.url,
      // Where Telegram is told to post; `webhook(url)` is the tunnel from there to this machine.
      ...(how === 'webhook' && {
        webhook: { url: 'https://golem.example/webhooks/telegram', secret: WEBHOOK_SECRET },
      }),
    }
  }

  // ---- people and chats -------------------------------------------------------------------------------------------

  /** @param more `username: null`: somebody without one, as many are */
  person(name: string, more: { username?: string | null } = {}): Person {
    const username = more.username === undefined ? this.world.freeUsername(name) : more.username
    return personOf(this.world.addAccount(name, username === null ? {} : { username }))
  }

  /** Another bot: its messages are never given to ours. */
  otherBot(name: string, username: string): Person {
    return personOf(this.world.addAccount(name, { isBot: true, username }))
  }

  /** A supergroup: what almost every group of some size is. */
  group(title: string, people: readonly Person[]): string {
    return this.supergroup(title, people)
  }
  supergroup(title: string, people: readonly Person[]): string {
    return this.#made('supergroup', title, people)
  }
  /** A small group, before anything made a supergroup of it: see {@link migrate}. */
  basicGroup(title: string, people: readonly Person[]): string {
    return this.#made('group', title, people)
  }
  /** A supergroup with topics. */
  forum(title: string, people: readonly Person[]): string {
    return this.#made('supergroup', title, people, true)
  }
  channel(title: string, people: readonly Person[] = []): string {
    return this.#made('channel', title, people)
  }

  #made(
    type: 'group' | 'supergroup' | 'channel',
    title: string,
    people: readonly Person[],
    isForum = false,
  ): string {
    const accounts = people.map((person) => this.#account(person))
    return this.#changed(String(this.#places.make(type, title, accounts, { isForum }).id))
  }

  dm(person: Person): string {
    return this.#changed(String(this.world.dm(Number(person.id)).id))
  }

  chats(): readonly StageChat[] {
    return [...this.world.chats.values()].map((chat) => ({
      id: String(chat.id),
      title: chat.title,
      kind: chat.type === 'private' ? 'dm' : 'group',
      members: this.world
        .members(chat)
        .filter(({ isBot }) => !isBot)
        .map(personOf),
    }))
  }

  people(): readonly Person[] {
    return [...this.world.accounts.values()].filter(({ isBot, id }) => !isBot && id !== 777000).map(personOf)
  }

  // ---- what people do ---------------------------------------------------------------------------------------------

  say(chat: string, person: Person, text: string, options: TelegramSaid = {}): string {
    return this.#changed(String(this.#people.say(this.#chat(chat), this.#account(person), text, options).id))
  }
  edit(chat: string, id: string, text: string, options: TelegramSaid = {}): void {
    this.#changed(this.#people.edit(this.#chat(chat), Number(id), text, options))
  }
  delete(chat: string, id: string): void {
    this.#changed(this.#people.delete(this.#chat(chat), Number(id)))
  }
  react(chat: string, id: string, person: Person, emoji: string): void {
    this.#changed(this.#people.react(this.#chat(chat), Number(id), this.#account(person), emoji))
  }
  press(chat: string, id: string, person: Person, value: string): void {
    this.#changed(this.#people.press(this.#chat(chat), Number(id), this.#account(person), value))
  }
  /** A command as the menu sends it; with `@bot` in groups. */
  command(chat: string, person: Person, name: string, rest = ''): string {
    const suffix = this.#chat(chat).type === 'private' ? '' : `@${this.bot.username ?? ''}`
    return this.say(chat, person, `/${name}${suffix}${rest === '' ? '' : ` ${rest}`}`)
  }
  /** Returns the ids of its messages. */
  album(
    chat: string,
    person: Person,
    files: readonly SaidFile[],
    caption = '',
    options: TelegramSaid = {},
  ): string[] {
    const first = Number(this.say(chat, person, caption, { ...options, files }))
    return files.map((_, index) => String(first + index))
  }
  voice(chat: string, person: Person, bytes: Uint8Array, seconds = 3, options: TelegramSaid = {}): string {
    const file: SaidFile = { name: 'voice.oga', mime: 'audio/ogg', bytes, duration: seconds }
    return this.say(chat, person, '', { ...options, files: [file] })
  }
  forward(chat: string, person: Person, from: { chat: string; id: string }, hidden = false): string {
    const source = this.world.post(this.#chat(from.chat), Number(from.id))
    return this.#changed(
      String(this.#people.forward(this.#chat(chat), this.#account(person), source, hidden).id),
    )
  }
  /** A message in a group in the name of a channel. */
  sayAsChannel(chat: string, channel: string, text: string): string {
    return this.#changed(String(this.#people.sayAsChannel(this.#chat(chat), this.#chat(channel), text).id))
  }
  channelPost(channel: string, text: string): string {
    const body = { text, entities: [] }
    return this.#changed(String(this.#places.channelPost(this.#chat(channel), { body }).id))
  }

  // ---- what happens to chats --------------------------------------------------------------------------------------

  addBot(chat: string, by: Person, role: { admin?: boolean } = {}): void {
    this.#changed(this.#places.addBot(this.#chat(chat), this.#account(by), role))
  }
  removeBot(chat: string, by: Person): void {
    this.#changed(this.#places.removeBot(this.#chat(chat), this.#account(by)))
  }
  promoteBot(chat: string, by: Person, admin = true): void {
    this.#changed(this.#places.promoteBot(this.#chat(chat), this.#account(by), admin))
  }
  /** The bot may read, but not write. */
  restrictBot(chat: string, by: Person): void {
    this.#changed(this.#places.setBotStatus(this.#chat(chat), this.#account(by), 'restricted'))
  }
  join(chat: string, person: Person, by: Person = person): void {
    this.#changed(this.#places.join(this.#chat(chat), this.#account(person), this.#account(by)))
  }
  leave(chat: string, person: Person, by: Person = person): void {
    this.#changed(this.#places.leave(this.#chat(chat), this.#account(person), this.#account(by)))
  }
  rename(chat: string, by: Person, title: string): void {
    this.#changed(this.#places.rename(this.#chat(chat), this.#account(by), title))
  }
  pin(chat: string, by: Person, id: string): void {
    const where = this.#chat(chat)
    this.#changed(this.#places.pin(where, this.#account(by), this.world.post(where, Number(id))))
  }
  /** From now on this person's messages in the chat show the chat's name. */
  anonymousAdmin(chat: string, person: Person): void {
    this.#changed(this.#places.promote(this.#chat(chat), this.#account(person), { anonymous: true }))
  }
  /** Returns the supergroup's id. */
  migrate(chat: string, by: Person): string {
    return this.#changed(String(this.#places.migrate(this.#chat(chat), this.#account(by)).id))
  }
  /** Returns the topic's id. */
  topic(chat: string, by: Person, name: string): string {
    return this.#changed(String(this.#places.topic(this.#chat(chat), this.#account(by), name).id))
  }
  closeTopic(chat: string, by: Person, thread: string, closed = true): void {
    this.#changed(this.#places.closeTopic(this.#chat(chat), this.#account(by), Number(thread), closed))
  }
  /** A channel's posts appear in the group, to be discussed there. */
  link(channel: string, group: string): void {
    this.#places.link(this.#chat(channel), this.#chat(group))
  }
  /** The person stops the bot (or lets it write again): `my_chat_member`, and 403 for what it sends. */
  block(person: Person, blocked = true): void {
    const chat = this.world.dm(Number(person.id))
    this.#places.setBotStatus(chat, this.#account(person), blocked ? 'kicked' : 'member')
    if (blocked) chat.shut = 'blocked'
    else delete chat.shut
    this.#changed(undefined)
  }
  /** A private chat that the person never started: the bot must not write first. */
  strangerDm(person: Person): string {
    const chat = this.world.dm(Number(person.id))
    chat.shut = 'not-started'
    return String(chat.id)
  }
  /** BotFather's /setprivacy. Groups that the bot is in already keep what they had. */
  setPrivacy(on: boolean): void {
    this.#state.privacyMode = on
  }
  revokeToken(revoked = true): void {
    this.#state.revoked = revoked
    if (revoked) this.#feed.stopPoll(unauthorized())
  }

  // ---- what is seen -----------------------------------------------------------------------------------------------

  seen(chat: string, viewer?: Person): readonly Seen[] {
    return seen(this.world, this.#chat(chat), viewer === undefined ? undefined : Number(viewer.id))
  }
  /** What those who pressed buttons were shown. */
  get answers(): readonly { query: string; to: string; text: string; alert: boolean }[] {
    return this.#state.answers.map((answer) => ({ ...answer, to: String(answer.to) }))
  }
  /** The bot is shown as typing: for 5 s after each `sendChatAction`. */
  isTyping(chat: string): boolean {
    return this.clock.now() - (this.#state.typing.get(Number(chat)) ?? Number.NEGATIVE_INFINITY) < 5000
  }
  /** What is shown of an answer that the bot is writing: for 30 s after each `sendMessageDraft`, or until the bot posts. */
  draft(chat: string): string | undefined {
    const draft = this.#state.drafts.get(Number(chat))
    return draft !== undefined && this.clock.now() - draft.at < 30_000 ? draft.text : undefined
  }
  get calls(): readonly Call[] {
    return this.#calls.log
  }
  get acknowledged(): readonly string[] {
    return this.#feed.deliveries.acknowledged
  }
  get pending(): number {
    return this.#feed.deliveries.pending
  }
  recording(): string {
    return this.#recorder.text()
  }
  /** Writes nothing down any more: under load a recording is only in the way. */
  stopRecording(): void {
    this.#recorder.on = false
  }

  // ---- what goes wrong --------------------------------------------------------------------------------------------

  redeliver(count = 1): void {
    this.#changed(this.#feed.deliveries.redeliver(count))
  }
  /** Keeps updates back until the returned function lets them go, in an order of one's own. */
  hold(): ReturnType<Feed['deliveries']['hold']> {
    return this.#feed.deliveries.hold()
  }
  fault(rule: FaultRule): () => void {
    return this.#faults.add(rule)
  }
  cut(how: 'close' | 'half-open'): void {
    this.#server?.cut(how)
    this.#webhook.cut()
  }
  replay(recording: string): Promise<number> {
    return replay(recording, this.clock, (_, body) => {
      const update = body as Update
      this.#changed(this.#feed.replay(update, adopt(this.world, update)))
    })
  }

  until(holds: () => boolean, what: string, ms?: number): Promise<void> {
    return this.#changes.until(holds, what, ms)
  }
  onChange(listener: () => void): () => void {
    return this.#changes.on(listener)
  }
  webhook(url: string | null): void {
    this.#webhook.tunnel(url)
  }
  async close(): Promise<void> {
    this.#webhook.stop()
    await this.#server?.close()
    if (this.#ownsClock) this.clock.close()
  }

  #chat(id: string): Chat {
    return this.world.chat(Number(id))
  }
  #account(person: Person): Account {
    return this.world.account(Number(person.id))
  }
  #changed<T>(value: T): T {
    this.#changes.changed()
    return value
  }
}

function personOf({ id, firstName, username }: Account): Person {
  return { id: String(id), name: firstName, ...(username !== undefined && { username }) }
}
