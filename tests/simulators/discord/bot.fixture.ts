/** What the tests of the simulator share: the real clients of Discord, and bare calls of the API. */
import { WebSocketManager } from '@discordjs/ws'
import { Client, GatewayIntentBits, Partials, REST } from 'discord.js'
import { Changes } from '../kit/events.js'
import { type DiscordOptions, type DiscordSimulator, startDiscord } from './index.js'

type Json = Record<string, unknown>

const { Guilds, GuildMembers, GuildMessages, MessageContent, DirectMessages } = GatewayIntentBits
const { GuildMessageReactions, DirectMessageReactions, GuildMessageTyping } = GatewayIntentBits
export const EVERYTHING = [
  Guilds,
  GuildMembers,
  GuildMessages,
  MessageContent,
  DirectMessages,
  GuildMessageReactions,
  DirectMessageReactions,
  GuildMessageTyping,
]

/** A saved session, as a client keeps it. */
export interface Saved {
  sequence: number
  sessionId: string
  shardId: number
  shardCount: number
  resumeURL: string
}

export interface Dispatched {
  t: string
  s: number
  d: Json
}

/** What must be closed when a test ends, newest first. */
export class Closing {
  readonly #closers: (() => unknown)[] = []

  add<Item>(item: Item, close: () => unknown): Item {
    this.#closers.push(close)
    return item
  }

  async end(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }

  async discord(options: DiscordOptions = {}): Promise<DiscordSimulator> {
    const sim = await startDiscord(options)
    return this.add(sim, () => sim.close())
  }

  /** discord.js, logged in and ready. */
  async client(
    sim: DiscordSimulator,
    intents: readonly number[] = EVERYTHING,
    rest: ConstructorParameters<typeof Client>[0]['rest'] = {},
  ): Promise<Client<true>> {
    const { botToken, apiUrl } = settingsOf(sim)
    const client = new Client({
      intents: [...intents],
      partials: [Partials.Channel, Partials.Message, Partials.Reaction],
      rest: { api: apiUrl, ...rest },
    })
    this.add(client, () => client.destroy())
    client.on('error', () => {})
    const ready = new Promise<void>((resolve) => client.once('clientReady', () => resolve()))
    await client.login(botToken)
    await ready
    return client as Client<true>
  }

  /** `@discordjs/ws` by itself, with its session kept outside. `abandon` leaves it as a killed process would. */
  async socket(
    sim: DiscordSimulator,
    options: { saved?: Saved | null; intents?: readonly number[]; connect?: boolean; shards?: number } = {},
  ): Promise<{
    got: Dispatched[]
    kept: { session: Saved | null }
    manager: WebSocketManager
    abandon: () => void
    /** Asked again after each event. */
    until: (holds: () => boolean, what: string) => Promise<void>
  }> {
    const { botToken, apiUrl } = settingsOf(sim)
    const kept: { session: Saved | null } = { session: options.saved ?? null }
    const manager = new WebSocketManager({
      token: botToken,
      intents: (options.intents ?? EVERYTHING).reduce((all, one) => all | one, 0),
      shardCount: options.shards ?? null,
      rest: new REST({ api: apiUrl, version: '10' }).setToken(botToken),
      retrieveSessionInfo: () => kept.session,
      updateSessionInfo: (_, session) => {
        kept.session = session
      },
    } as ConstructorParameters<typeof WebSocketManager>[0])
    const got: Dispatched[] = []
    const heard = new Changes()
    manager.on(
      'dispatch' as never,
      ((payload: { data: Dispatched } | Dispatched) => {
        got.push('data' in payload ? payload.data : payload)
        heard.changed()
      }) as never,
    )
    manager.on('error' as never, (() => {}) as never)
    let isOver = false
    this.add(manager, () => {
      if (!isOver) return manager.destroy()
    })
    if (options.connect !== false) await manager.connect()
    const abandon = () => {
      isOver = true
      manager.removeAllListeners()
      for (const shard of (
        manager as unknown as { strategy: { shards: Map<number, Shard> } }
      ).strategy.shards.values())
        kill(shard)
    }
    return { got, kept, manager, abandon, until: (holds, what) => heard.until(holds, what) }
  }
}

interface Shard {
  connection: { onclose: unknown; onmessage: unknown; terminate(): void } | null
  heartbeatInterval: NodeJS.Timeout | null
  initialHeartbeatTimeoutController: AbortController | null
}

/** The socket breaks without a word, and nobody is left to come again. */
function kill(shard: Shard): void {
  clearInterval(shard.heartbeatInterval ?? undefined)
  shard.initialHeartbeatTimeoutController?.abort()
  if (shard.connection === null) return
  shard.connection.onclose = null
  shard.connection.onmessage = null
  shard.connection.terminate()
}

export const settingsOf = (sim: DiscordSimulator) =>
  sim.settings('socket') as { botToken: string; apiUrl: string }

/** One bare call; its status, headers and body. */
export async function api(
  sim: DiscordSimulator,
  method: string,
  path: string,
  body?: unknown,
  token = settingsOf(sim).botToken,
): Promise<{ status: number; headers: Headers; body: Json }> {
  const response = await fetch(`${settingsOf(sim).apiUrl}/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${token}`,
      connection: 'close',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Json),
  }
}
