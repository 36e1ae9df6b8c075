/** A platform in a box: it lives in the test's process, and goes on while the daemon is dead. */
import { setTimeout as delay } from 'node:timers/promises'
import { startDiscord } from '../simulators/discord/index.js'
import { startFeishu } from '../simulators/feishu/index.js'
import type { Person, Seen, Simulator } from '../simulators/kit/stage.js'
import { startSlack } from '../simulators/slack/index.js'
import { startTelegram } from '../simulators/telegram/index.js'
import { type Daemon, PATIENCE } from './daemon.js'
import type { Scene, SceneOptions, Spoken, Who } from './scene.js'

/** How each is started, and the API's method by which an answer is posted. */
const PLATFORMS = {
  telegram: { start: () => startTelegram(), post: 'sendMessage' },
  slack: { start: () => startSlack(), post: 'chat.postMessage' },
  // What has arrived is said by heartbeats, of which a connection may send 120 a minute.
  discord: { start: () => startDiscord({ heartbeatMs: 500 }), post: 'createMessage' },
  feishu: { start: () => startFeishu(), post: 'im.message.reply' },
} as const

export type SimulatedPlatform = keyof typeof PLATFORMS

export class SimulatedScene implements Scene {
  readonly firstEnv = {}
  readonly #stage: Simulator
  readonly #options: SceneOptions
  readonly #people: Record<Who, Person>
  readonly #chat: string
  /** First messages of the threads in which messages stand. */
  readonly #anchors = new Map<string, string>()

  private constructor(stage: Simulator, options: SceneOptions, post: string) {
    this.#stage = stage
    this.#options = options
    this.#people = { Ann: stage.person('Ann'), Bob: stage.person('Bob') }
    const { Ann, Bob } = this.#people
    this.#chat = options.where === 'dm' ? stage.dm(Ann) : stage.group('Lobby', [Ann, Bob])
    if (options.lose !== null)
      stage.fault({ method: post, times: 1, do: { kind: 'silent-success', how: options.lose } })
  }

  static async start(platform: SimulatedPlatform, options: SceneOptions): Promise<SimulatedScene> {
    const { start, post } = PLATFORMS[platform]
    return new SimulatedScene(await start(), options, post)
  }

  get channels(): Readonly<Record<string, unknown>> {
    const { platform } = this.#stage
    return { local: false, [platform]: this.#stage.settings(this.#options.how) }
  }

  begin(daemon: Daemon): void {
    // First of all: what the settings say of webhooks follows from it.
    if (this.#options.how === 'webhook') this.#stage.webhook(`${daemon.url}/webhooks/${this.#stage.platform}`)
  }

  away(ms: number): void {
    this.#stage.clock.advance(ms)
  }

  async say(who: Who, text: string, { aside = false, to }: Spoken = {}): Promise<string> {
    const mention = !aside && this.#options.where === 'group'
    const reply = to === undefined ? {} : { [this.#repliesAreThreads ? 'thread' : 'replyTo']: to }
    const id = this.#stage.say(this.#chat, this.#people[who], text, { mention, ...reply })
    if (to !== undefined && this.#repliesAreThreads) this.#anchors.set(id, to)
    return id
  }

  anchor(id: string): string {
    return this.#anchors.get(id) ?? id
  }

  get #repliesAreThreads(): boolean {
    return this.#stage.platform === 'slack'
  }

  async edit(id: string, text: string): Promise<void> {
    this.#stage.edit(this.#chat, id, text)
  }

  /** Whoever presses while nobody is there is told so by their app, and presses again. */
  async press(id: string, who: Who, value: string): Promise<void> {
    const until = Date.now() + PATIENCE
    for (;;) {
      try {
        this.#stage.press(this.#chat, id, this.#people[who], value)
        return
      } catch (error) {
        if (Date.now() > until) throw error
        await delay(50)
      }
    }
  }

  async redeliver(): Promise<void> {
    this.#stage.redeliver(this.#stage.acknowledged.length)
  }

  async seen(viewer: Who = 'Ann'): Promise<readonly Seen[]> {
    return this.#stage.seen(this.#chat, this.#people[viewer])
  }

  isDelivered(): boolean {
    return this.#stage.pending === 0
  }

  key(id: string): string {
    return `${this.#stage.platform}:${this.#chat}:${id}`
  }

  async close(): Promise<void> {
    await this.#stage.close()
  }
}
