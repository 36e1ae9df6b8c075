/** What a new session is told first: who it is, and which guilds come. https://docs.discord.com/developers/events/gateway-events#ready */
import type { Hub } from '../hub.js'
import { applicationFlags, INTENTS } from '../options.js'
import { guildCreated, userOf } from '../wire.js'
import type { Fields, Guild } from '../world.js'
import type { Session } from './session.js'

/** READY names the guilds; each comes by itself afterwards. */
export function greet(hub: Hub, session: Session): void {
  const { world } = hub
  const guilds = [...world.guilds.values()].filter(
    (guild) => guild.members.has(world.bot.id) && isOnShard(guild.id, session.shard),
  )
  session.tell('READY', readyOf(hub, session, guilds))
  if ((session.intents & INTENTS.Guilds) === 0) return
  for (const guild of guilds) if (!guild.unavailable) tellGuild(hub, session, guild)
}

export function tellGuild(hub: Hub, session: Session, guild: Guild): void {
  const withMembers = (session.intents & INTENTS.GuildMembers) !== 0
  session.dispatch('GUILD_CREATE', JSON.stringify(guildCreated(hub, guild, withMembers)))
}

function readyOf(hub: Hub, session: Session, guilds: readonly Guild[]): Fields {
  const { bot } = hub.world
  return {
    v: 10,
    user: { ...userOf(bot), verified: true, mfa_enabled: false, email: null },
    user_settings: {},
    session_type: 'normal',
    session_id: session.id,
    resume_gateway_url: `${hub.url.replace('http:', 'ws:')}/resume`,
    relationships: [],
    private_channels: [],
    presences: [],
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    guild_join_requests: [],
    geo_ordered_rtc_regions: [],
    game_relationships: [],
    auth: {},
    application: { id: bot.id, flags: applicationFlags(hub.granted) },
    shard: session.shard,
    _trace: ['simulator'],
  }
}

/** What has no guild goes to the first. https://docs.discord.com/developers/events/gateway#sharding */
export const isOnShard = (guildId: string | undefined, [shard, count]: Session['shard']): boolean =>
  guildId === undefined ? shard === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === shard

/** Null: it is none. */
export function shardOf(value: unknown): Session['shard'] | null {
  if (value === undefined) return [0, 1]
  if (!Array.isArray(value) || value.length !== 2) return null
  const [shard, count] = value.map(Number) as [number, number]
  const isGood = Number.isInteger(shard) && Number.isInteger(count) && shard >= 0 && shard < count
  return isGood ? [shard, count] : null
}
