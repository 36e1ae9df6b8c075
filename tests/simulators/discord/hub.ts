/** What the rooms of the simulator share. */
import type { VirtualClock } from '../kit/clock.js'
import type { Changes } from '../kit/events.js'
import type { DiscordOptions, PrivilegedIntent } from './options.js'
import type { Channel, Fields, Guild, Message, World } from './world.js'

/** Puts events on their way to the bot, for each of its sessions as that one asked. */
export interface Publisher {
  /**
   * @param intent bits of which one must have been asked for; 0: everybody gets it
   * @param guildId absent: a direct chat's, on the first shard
   */
  event(type: string, data: Fields, intent: number, guildId?: string): void
  /** The same, for this bot alone. */
  own(type: string, data: Fields, intent: number, guildId?: string): void
  /** The whole of a guild that has come, or come back. */
  guild(guild: Guild): void
  /** A message, blanked for who may not read it. */
  message(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', channel: Channel, message: Message): void
  /** The same, for this bot alone. */
  ownMessage(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', channel: Channel, message: Message): void
}

/** The token of the app; `revoked`: reset in the portal. */
export interface Secrets {
  botToken: string
  revoked: boolean
  /** Signs addresses of files. */
  fileKey: string
}

export interface Hub {
  readonly world: World
  readonly clock: VirtualClock
  readonly changes: Changes
  readonly options: DiscordOptions
  readonly secrets: Secrets
  readonly publisher: Publisher
  /** Every bot that has a simulator, this one among them. */
  readonly apps: Hub[]
  /** Where the simulator listens, without a slash at its end. */
  readonly url: string
  /** Privileged intents that are switched on in the developer portal. */
  readonly granted: Set<PrivilegedIntent>
  /** People who take no direct messages from the bot. */
  readonly closed: Set<string>
  /** Who is typing: `channel:person` to the time it ends. */
  readonly typing: Map<string, number>
}

export const iso = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00')
