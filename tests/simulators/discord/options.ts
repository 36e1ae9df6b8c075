/** How one simulated Discord, and the app in it, are set up. */
import type { PermissionName } from './permissions.js'

/** https://docs.discord.com/developers/events/gateway#list-of-intents */
export const INTENTS = {
  Guilds: 1 << 0,
  GuildMembers: 1 << 1,
  GuildModeration: 1 << 2,
  GuildExpressions: 1 << 3,
  GuildIntegrations: 1 << 4,
  GuildWebhooks: 1 << 5,
  GuildInvites: 1 << 6,
  GuildVoiceStates: 1 << 7,
  GuildPresences: 1 << 8,
  GuildMessages: 1 << 9,
  GuildMessageReactions: 1 << 10,
  GuildMessageTyping: 1 << 11,
  DirectMessages: 1 << 12,
  DirectMessageReactions: 1 << 13,
  DirectMessageTyping: 1 << 14,
  MessageContent: 1 << 15,
  GuildScheduledEvents: 1 << 16,
  AutoModerationConfiguration: 1 << 20,
  AutoModerationExecution: 1 << 21,
  GuildMessagePolls: 1 << 24,
  DirectMessagePolls: 1 << 25,
} as const
export type IntentName = keyof typeof INTENTS

/** Every bit that means something. Any other makes close code 4013. */
export const ALL_INTENTS = Object.values(INTENTS).reduce((all: number, bit) => all | bit, 0)

/** To be switched on in the developer portal; asked for without that: close code 4014. */
export type PrivilegedIntent = 'GuildMembers' | 'GuildPresences' | 'MessageContent'

export const PRIVILEGED: readonly PrivilegedIntent[] = ['GuildMembers', 'GuildPresences', 'MessageContent']

/** The `_LIMITED` kinds are those of apps that are not verified. https://docs.discord.com/developers/resources/application#application-object-application-flags */
export function applicationFlags(granted: ReadonlySet<PrivilegedIntent>): number {
  return (
    (granted.has('GuildPresences') ? 1 << 13 : 0) |
    (granted.has('GuildMembers') ? 1 << 15 : 0) |
    (granted.has('MessageContent') ? 1 << 19 : 0)
  )
}

export interface DiscordOptions {
  /** 0 or absent: any free port. */
  port?: number
  /** Name of the bot. Default `Golem`. */
  bot?: string
  /** Name of the first guild. Default `Acme`. */
  guild?: string
  /** Privileged intents that are switched on in the developer portal. Default all three. */
  granted?: readonly PrivilegedIntent[]
  /** What the bot's own role may do. Default: all that a group-chat bot wants. */
  permissions?: readonly PermissionName[]
  /** Rate limits by route, the global one, and the limits on identifying. Default `enforced`. */
  limits?: 'enforced' | 'off'
  /** Time that moves by hand only, from `start` (milliseconds since 1970). Default: real time. */
  clock?: { manual?: boolean; start?: number }
  /**
   * When people, guilds and channels were made, by their ids, in milliseconds since 1970: they, and with them the bot's
   * token, are the same from start to start then. Ids of messages tell the time in any case. Default: now.
   */
  founded?: number
  /** Real milliseconds between the heartbeats the client is asked for. Default 41,250, as Discord's. */
  heartbeatMs?: number
  /** How long a session without a connection can be resumed, by the simulator's clock. Default three minutes. */
  sessionMs?: number
  /** How many of a session's last events are kept to be replayed. Default 10,000. */
  buffer?: number
  /** How many shards `GET /gateway/bot` recommends. Default 1. */
  shards?: number
  /** How many times a day the bot may identify; one more and its token is reset. Default 1,000. */
  identifies?: number
  /**
   * A half-open connection does not answer a close frame either: whoever waits for the end waits for a time-out of its
   * own (30 s in `ws`). Default false.
   */
  lingers?: boolean
  /** Largest upload in bytes. Default 10 MiB, as of a guild without boosts. */
  uploadMax?: number
}
