/** Who is in a guild, under which name, and what becomes of the guild and its channels. */
import type { Hub } from './hub.js'
import { INTENTS } from './options.js'
import { bits, maySee, type PermissionName } from './permissions.js'
import { post, publish } from './posting.js'
import { channelOf, guildOf, memberWithUser, roleOf, userOf } from './wire.js'
import type { Channel, Guild, Role } from './world.js'

/** What the bot's own role may do when nobody says otherwise. */
export const BOT_PERMISSIONS: readonly PermissionName[] = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'CreatePublicThreads',
  'CreatePrivateThreads',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'AddReactions',
  'UseExternalEmojis',
  'MentionEveryone',
]

/** Somebody comes in. False: was in already. */
export function join(hub: Hub, guild: Guild, user: string): boolean {
  if (guild.members.has(user)) return false
  const member = { user, nick: null, roles: new Set<string>(), joinedAt: hub.clock.now() }
  guild.members.set(user, member)
  hub.publisher.event(
    'GUILD_MEMBER_ADD',
    { ...memberWithUser(hub, member), guild_id: guild.id },
    INTENTS.GuildMembers,
    guild.id,
  )
  if (guild.systemChannel !== undefined) post(hub, { channelId: guild.systemChannel, author: user, type: 7 })
  hub.changes.changed()
  return true
}

/** Somebody goes, or is sent. */
export function leave(hub: Hub, guild: Guild, user: string): void {
  if (!guild.members.delete(user)) return
  const data = { guild_id: guild.id, user: userOf(hub.world.user(user)) }
  hub.publisher.event('GUILD_MEMBER_REMOVE', data, INTENTS.GuildMembers, guild.id)
  hub.changes.changed()
}

/** The bot is added: its own role comes with it, and the whole guild is told. */
export function addBot(hub: Hub, guild: Guild): Role {
  const { bot } = hub.world
  const role: Role = {
    id: hub.world.foundingId(),
    name: bot.username,
    permissions: bits(hub.options.permissions ?? BOT_PERMISSIONS),
    position: guild.roles.size,
    mentionable: false,
    botId: bot.id,
  }
  guild.roles.set(role.id, role)
  guild.members.set(bot.id, {
    user: bot.id,
    nick: null,
    roles: new Set([role.id]),
    joinedAt: hub.clock.now(),
  })
  hub.publisher.guild(guild)
  return role
}

/** The bot is removed: it hears this, and no more. */
export function removeBot(hub: Hub, guild: Guild): void {
  const { bot } = hub.world
  if (!guild.members.delete(bot.id)) return
  for (const [id, { botId }] of guild.roles) if (botId === bot.id) guild.roles.delete(id)
  hub.publisher.event('GUILD_DELETE', { id: guild.id }, INTENTS.Guilds, guild.id)
  hub.changes.changed()
}

/** An outage of a guild, or its end. https://docs.discord.com/developers/resources/guild#unavailable-guild-object */
export function setAvailable(hub: Hub, guild: Guild, isAvailable: boolean): void {
  guild.unavailable = !isAvailable
  if (isAvailable) hub.publisher.guild(guild)
  else hub.publisher.event('GUILD_DELETE', { id: guild.id, unavailable: true }, INTENTS.Guilds, guild.id)
}

export function nickname(hub: Hub, guild: Guild, user: string, nick: string | null): void {
  const member = guild.members.get(user)
  if (member === undefined) throw new Error(`${user} is not in the guild ${guild.name}`)
  member.nick = nick
  tellMember(hub, guild, user)
}

/** The bot hears of itself without the intent too. */
export function tellMember(hub: Hub, guild: Guild, user: string): void {
  const member = guild.members.get(user)
  if (member === undefined) return
  const data = { ...memberWithUser(hub, member), guild_id: guild.id }
  const intent = user === hub.world.bot.id ? INTENTS.Guilds | INTENTS.GuildMembers : INTENTS.GuildMembers
  hub.publisher.event('GUILD_MEMBER_UPDATE', data, intent, guild.id)
  hub.changes.changed()
}

/** A person changes their display name: every guild they are in is told. */
export function renameUser(hub: Hub, user: string, name: string): void {
  const found = hub.world.user(user)
  if (found.bot) found.username = name
  else found.globalName = name
  for (const guild of hub.world.guilds.values()) tellMember(hub, guild, user)
  if (user === hub.world.bot.id) hub.publisher.event('USER_UPDATE', userOf(found), 0)
}

export function addRole(
  hub: Hub,
  guild: Guild,
  name: string,
  options: { mentionable?: boolean; members?: readonly string[] } = {},
): Role {
  const role: Role = {
    id: hub.world.nextId(),
    name,
    permissions: 0n,
    position: guild.roles.size,
    mentionable: options.mentionable ?? true,
  }
  guild.roles.set(role.id, role)
  hub.publisher.event(
    'GUILD_ROLE_CREATE',
    { guild_id: guild.id, role: roleOf(role) },
    INTENTS.Guilds,
    guild.id,
  )
  for (const user of options.members ?? []) {
    guild.members.get(user)?.roles.add(role.id)
    tellMember(hub, guild, user)
  }
  return role
}

export function addChannel(
  hub: Hub,
  guild: Guild,
  type: Channel['type'],
  name: string,
  more: Partial<Channel> = {},
): Channel {
  const channel = hub.world.addChannel({ type, name, guildId: guild.id, ...more })
  publish(hub, channel, 'CHANNEL_CREATE', channelOf(hub, channel), INTENTS.Guilds, 0)
  hub.changes.changed()
  return channel
}

export function tellChannel(hub: Hub, channel: Channel): void {
  publish(hub, channel, 'CHANNEL_UPDATE', channelOf(hub, channel), INTENTS.Guilds, 0)
  hub.changes.changed()
}

export function removeChannel(hub: Hub, channel: Channel): void {
  publish(hub, channel, 'CHANNEL_DELETE', channelOf(hub, channel), INTENTS.Guilds, 0)
  for (const thread of hub.world.threadsOf(channel.id)) hub.world.channels.delete(thread.id)
  hub.world.channels.delete(channel.id)
  hub.changes.changed()
}

export function renameGuild(hub: Hub, guild: Guild, name: string): void {
  guild.name = name
  hub.publisher.event('GUILD_UPDATE', guildOf(guild), INTENTS.Guilds, guild.id)
  hub.changes.changed()
}

/** What everyone, or one person, may do in a channel from now on. The bot hears `CHANNEL_UPDATE`, if it still sees it. */
export function overwrite(
  hub: Hub,
  channel: Channel,
  id: string,
  change: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[] },
): void {
  const wasSeen = seesIt(hub, channel)
  const known = channel.overwrites.find((one) => one.id === id)
  const next = known ?? { id, allow: 0n, deny: 0n }
  if (known === undefined) channel.overwrites.push(next)
  const allow = bits(change.allow ?? [])
  const deny = bits(change.deny ?? [])
  next.allow = (next.allow | allow) & ~deny
  next.deny = (next.deny | deny) & ~allow
  const isSeen = seesIt(hub, channel)
  // A channel that the bot may no longer see is gone for it; one that it may see now has come.
  const type = isSeen ? (wasSeen ? 'CHANNEL_UPDATE' : 'CHANNEL_CREATE') : 'CHANNEL_DELETE'
  if (isSeen || wasSeen) hub.publisher.event(type, channelOf(hub, channel), INTENTS.Guilds, channel.guildId)
  hub.changes.changed()
}

const seesIt = ({ world }: Hub, channel: Channel): boolean => maySee(world, channel, world.bot.id)
