/**
 * Discord in a box, for unpatched clients (discord.js, `@discordjs/ws`, anything that speaks version 10): the HTTP API
 * under `/api/v10`, the gateway, interactions, files.
 *
 * `calls` names requests by what they do: `createMessage`, `editMessage`, `deleteMessage`, `createReaction`,
 * `deleteOwnReaction`, `triggerTyping`, `getMessages`, `getMessage`, `getMembers`, `searchMembers`, `getMember`,
 * `getChannel`, `getGuild`, `createDm`, `startThread`, `startThreadFromMessage`, `joinThread`, `modifyChannel`,
 * `createInteractionResponse`, `createFollowup`, `editOriginalResponse`, `deleteOriginalResponse`, `putCommands`,
 * `getCurrentUser`, `getCurrentApplication`, `getGatewayBot`, `downloadFile`. Their `chat` is the channel; for a call in
 * a thread it is the thread's channel, and `params.channel` the thread.
 *
 * Not simulated: voice, presences, compression and ETF of the gateway, OAuth, monetization, audit logs, invites, bans,
 * auto-moderation, selects and other components than buttons (kept, not shown), webhooks of the bot's own, users'
 * installs of an app, the ban after 10,000 bad requests. Where no page of Discord says how it reads a text, the simulator
 * is the stricter one: only code hides a mention.
 */
import type { DiscordOptions } from './options.js'
import { DiscordSimulator } from './simulator.js'

export { type Flood, flood } from '../kit/flood.js'
export { type DiscordOptions, INTENTS, type PrivilegedIntent } from './options.js'
export type { DiscordSaid } from './people.js'
export type { PermissionName } from './permissions.js'
export type { ChannelOptions, PersonOptions } from './places.js'
export { DiscordSimulator } from './simulator.js'

/**
 * Starts a Discord with one app in one guild, on 127.0.0.1.
 *
 * @throws the listener's error, e.g. `EADDRINUSE`
 */
export function startDiscord(options: DiscordOptions = {}): Promise<DiscordSimulator> {
  return DiscordSimulator.start(options)
}
