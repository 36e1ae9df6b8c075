/** Golem on platforms in a box: the daemon is a child process, the platforms live in the test's own. */
import { deflateSync } from 'node:zlib'
import { afterAll } from 'vitest'
import type { ReceiptView } from '../../src/messaging/views.js'
import type { Health } from '../../src/server/health.js'
import { DiscordSimulator, startDiscord } from '../simulators/discord/index.js'
import { startFeishu } from '../simulators/feishu/index.js'
import type { Said, Seen, Simulator, Person as SomeBody } from '../simulators/kit/stage.js'
import { type SlackSimulator, startSlack } from '../simulators/slack/index.js'
import { startTelegram } from '../simulators/telegram/index.js'
import { Daemon, type DaemonOptions, programAgent, until } from './daemon.js'

export type { Person } from '../simulators/kit/stage.js'
export type How = 'socket' | 'webhook'

/** One account of Golem's. */
export interface Seat {
  stage: Simulator
  /** Default: by socket, or by polling. */
  how?: How
  /** The second account on a platform and later ones. */
  id?: string
  /** Settings beside those that lead to the stage. */
  more?: Readonly<Record<string, unknown>>
}

export interface Setting extends DaemonOptions {
  /** golem.yaml's lines below `agents:`. Default: Golem, a program that does what it is told (`do say …`). */
  agents?: string
  /** golem.yaml's lines for rooms and groups. */
  more?: string
  /** Resolves when the daemon runs, whatever its connections do. Default: when they are all ready. */
  early?: boolean
}

export const OBEYS = programAgent('Golem', 'obeys', 'role: orchestrator')

/** Has {@link OBEYS} answer with exactly this, whatever it would mean in a question. */
export const verbatim = (text: string): string => `do decode ${deflateSync(text).toString('base64')}`

const stages = new Set<Simulator>()
afterAll(async () => {
  await Promise.all([...stages].map((stage) => stage.close()))
  stages.clear()
})

/** A platform that is closed when the tests of the file are over. */
export async function telegram(
  options?: Parameters<typeof startTelegram>[0],
): ReturnType<typeof startTelegram> {
  const stage = await startTelegram(options)
  stages.add(stage)
  return stage
}
export async function slack(options?: Parameters<typeof startSlack>[0]): ReturnType<typeof startSlack> {
  const stage = await startSlack(options)
  stages.add(stage)
  return stage
}
export async function discord(options?: Parameters<typeof startDiscord>[0]): ReturnType<typeof startDiscord> {
  const stage = await startDiscord(options)
  stages.add(stage)
  asking(stage)
  return stage
}
/** Another bot in the same workspace or server, with a simulator of its own. */
export async function colleague<Stage extends SlackSimulator | DiscordSimulator>(
  stage: Stage,
  bot: string,
): Promise<Stage> {
  const other = (await stage.colleague({ bot })) as Stage
  stages.add(other)
  if (other instanceof DiscordSimulator) asking(other)
  return other
}
export async function feishu(options?: Parameters<typeof startFeishu>[0]): ReturnType<typeof startFeishu> {
  const stage = await startFeishu(options)
  stages.add(stage)
  return stage
}

/**
 * A bot says with its heartbeats alone what it has taken of Discord's events, every 41 s. Here it is asked for one, as
 * Discord asks at times, until it has taken all.
 */
function asking(stage: Awaited<ReturnType<typeof startDiscord>>): void {
  let isAsking = false
  const ask = (): void => {
    isAsking = stage.pending > 0 && stages.has(stage)
    if (!isAsking) return
    stage.askForHeartbeat()
    setTimeout(ask, ASK_MS).unref()
  }
  stage.onChange(() => {
    if (isAsking) return
    isAsking = true
    setTimeout(ask, ASK_MS).unref()
  })
}
const ASK_MS = 50

/** By name, for tables of platforms. */
export const STAGES = {
  telegram: () => telegram(),
  slack: () => slack(),
  discord: () => discord(),
  feishu: () => feishu(),
} as const satisfies Record<string, () => Promise<Simulator>>
export type PlatformName = keyof typeof STAGES

/** Every way that a platform is connected. Discord has no webhooks for messages. */
export const WAYS = [
  { platform: 'telegram', how: 'socket', name: 'Telegram by polling' },
  { platform: 'telegram', how: 'webhook', name: 'Telegram by webhook' },
  { platform: 'slack', how: 'socket', name: 'Slack by socket' },
  { platform: 'slack', how: 'webhook', name: 'Slack by webhook' },
  { platform: 'discord', how: 'socket', name: 'Discord by socket' },
  { platform: 'feishu', how: 'socket', name: 'Feishu by socket' },
  { platform: 'feishu', how: 'webhook', name: 'Feishu by webhook' },
] as const satisfies readonly { platform: PlatformName; how: How; name: string }[]

/** How a person types the bot's name, so that the platform makes a mention of it. */
export function named({ platform, bot }: Simulator): string {
  if (platform === 'telegram') return `@${bot.username}`
  return platform === 'feishu' ? `<at user_id="${bot.id}">${bot.name}</at>` : `<@${bot.id}>`
}

const idOf = ({ stage, id }: Seat): string => (id === undefined ? stage.platform : `${stage.platform}.${id}`)

/** Lines of golem.yaml that connect these accounts. */
export function yamlOf(seats: readonly Seat[], { agents = OBEYS, more = '' }: Setting = {}): string {
  const channels: Record<string, unknown> = { local: false }
  for (const seat of seats) {
    const account = { ...seat.stage.settings(seat.how ?? 'socket'), ...seat.more }
    const { platform } = seat.stage
    if (seats.filter(({ stage }) => stage.platform === platform).length === 1) channels[platform] = account
    else
      channels[platform] = [
        ...((channels[platform] as object[] | undefined) ?? []),
        // The first one of a list goes by the platform's name alone.
        { id: seat.id ?? 'main', ...account },
      ]
  }
  const groups = more.includes('groupChat:') ? '' : 'groupChat: { debounce: 50ms }\n'
  return `name: Golem\n${groups}channels: ${JSON.stringify(channels)}\n${more}agents:\n${agents}`
}

/** Starts Golem on these accounts. */
export async function onPlatforms(seats: readonly Seat[], setting: Setting = {}): Promise<Daemon> {
  const { agents: _, more: __, early, ...options } = setting
  const daemon = await Daemon.start(yamlOf(seats, setting), options)
  reachable(daemon, seats)
  if (early !== true) await ready(daemon, seats)
  return daemon
}

/** Tells the platforms where Golem is now, as the tunnel in front of a changing port does. */
export function reachable(daemon: Daemon, seats: readonly Seat[]): void {
  for (const seat of seats)
    if (seat.how === 'webhook') seat.stage.webhook(`${daemon.url}/webhooks/${idOf(seat)}`)
}

/** The next life, on the same accounts. */
export async function again(daemon: Daemon, seats: readonly Seat[], yaml?: string): Promise<void> {
  await daemon.again(yaml)
  reachable(daemon, seats)
  await ready(daemon, seats)
}

async function ready(daemon: Daemon, seats: readonly Seat[]): Promise<void> {
  for (const seat of seats) await phase(daemon, idOf(seat), 'ready')
}

/** What /health says of a connection. */
export async function connection(daemon: Daemon, id: string): Promise<Health['connections'][number]> {
  const found = (await daemon.health()).connections.find((one) => one.id === id)
  if (found === undefined) throw new Error(`There is no connection ${id}`)
  return found
}

export async function phase(daemon: Daemon, id: string, wanted: string): Promise<void> {
  await until(
    async () => (await connection(daemon, id)).phase === wanted,
    `${id} never became ${wanted}: ${daemon.log.slice(-2_000)}`,
  )
}

/** One chat on a platform, and Golem in it. */
export class Chat {
  constructor(
    readonly daemon: Daemon,
    readonly stage: Simulator,
    readonly id: string,
    readonly connection: string = stage.platform,
  ) {}

  get key(): string {
    return `${this.connection}:${this.id}`
  }

  say(person: SomeBody, text: string, said: Said = {}): string {
    return this.stage.say(this.id, person, text, said)
  }

  /** Says it behind a mention of the bot, and waits for the chat to come to rest. Resolves with what was answered. */
  async ask(person: SomeBody, text: string, said: Said = {}): Promise<Seen[]> {
    const id = this.say(person, text, { mention: true, ...said })
    await this.rest()
    return this.answers(id)
  }

  /** Waits until everything said was taken, and nothing of it runs, waits or is on its way. */
  async rest(): Promise<void> {
    await until(() => this.stage.pending === 0, `${this.key}: what was said was never taken`)
    await this.daemon.quietAt(this.key)
  }

  seen(viewer?: SomeBody): readonly Seen[] {
    return this.stage.seen(this.id, viewer)
  }

  message(id: string): Seen {
    const found = this.seen().find((one) => one.id === id)
    if (found === undefined) throw new Error(`${this.key} shows no message ${id}`)
    return found
  }

  /** Everything the bot has said here that can still be seen. */
  get own(): Seen[] {
    return this.seen().filter(({ author }) => author.id === this.stage.bot.id)
  }

  /** What the bot said later than this message and in answer to it. A quote on Slack is a thread. */
  answers(id: string): Seen[] {
    const all = this.seen()
    const place = all.findIndex((one) => one.id === id)
    const thread = all[place]?.thread
    return all
      .slice(place + 1)
      .filter(
        ({ author, replyTo, thread: of }) =>
          author.id === this.stage.bot.id && (replyTo === id || (thread !== undefined && of === thread)),
      )
  }

  /** The bot's marks on a message. */
  marks(id: string): string[] {
    return this.message(id)
      .reactions.filter(({ by }) => by === this.stage.bot.id || by === this.stage.bot.name)
      .map(({ emoji }) => emoji)
  }

  async receipt(id: string): Promise<ReceiptView> {
    const path = `/api/messages/${encodeURIComponent(`${this.key}:${id}`)}/receipt`
    const { status, body } = await this.daemon.request('GET', path)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body as ReceiptView
  }
}

export { Daemon, programAgent, until }
