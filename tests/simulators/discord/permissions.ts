/** Who may do what. https://docs.discord.com/developers/topics/permissions */
import type { Channel, Guild, World } from './world.js'

export const PERMISSIONS = {
  KickMembers: 1n << 1n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseExternalEmojis: 1n << 18n,
  ChangeNickname: 1n << 26n,
  ManageRoles: 1n << 28n,
  ManageWebhooks: 1n << 29n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
  ModerateMembers: 1n << 40n,
  SendPolls: 1n << 49n,
} as const
export type PermissionName = keyof typeof PERMISSIONS

export const bits = (names: readonly PermissionName[]): bigint =>
  names.reduce((all, name) => all | PERMISSIONS[name], 0n)

const EVERYTHING = bits(Object.keys(PERMISSIONS) as PermissionName[])

/** What everybody may do in a new guild. Paging everyone is among it: nothing but the bot itself keeps it from that. */
export const EVERYONE: readonly PermissionName[] = [
  'AddReactions',
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'MentionEveryone',
  'UseExternalEmojis',
  'ChangeNickname',
  'UseApplicationCommands',
  'CreatePublicThreads',
  'CreatePrivateThreads',
  'SendMessagesInThreads',
  'SendPolls',
]

/** What a member may do in a channel; threads take it from their parent. 0 for who is no member. */
export function permissionsIn(world: World, channel: Channel, user: string): bigint {
  if (channel.guildId === undefined) return channel.recipients.has(user) ? EVERYTHING : 0n
  const guild = world.guild(channel.guildId)
  const member = guild.members.get(user)
  if (member === undefined) return 0n
  if (guild.ownerId === user) return EVERYTHING
  let allowed = guild.roles.get(guild.id)?.permissions ?? 0n
  for (const role of member.roles) allowed |= guild.roles.get(role)?.permissions ?? 0n
  if ((allowed & PERMISSIONS.Administrator) !== 0n) return EVERYTHING
  const place = channel.thread === undefined ? channel : world.channel(channel.parentId ?? '')
  return overwritten(guild, place, user, member.roles, allowed)
}

/** Everyone's first, then the roles' together, then the person's own. */
function overwritten(
  guild: Guild,
  { overwrites }: Channel,
  user: string,
  roles: ReadonlySet<string>,
  base: bigint,
): bigint {
  let allowed = base
  const apply = (ids: (id: string) => boolean) => {
    const those = overwrites.filter(({ id }) => ids(id))
    for (const { deny } of those) allowed &= ~deny
    for (const { allow } of those) allowed |= allow
  }
  apply((id) => id === guild.id)
  apply((id) => roles.has(id))
  apply((id) => id === user)
  return allowed
}

export function may(world: World, channel: Channel, user: string, name: PermissionName): boolean {
  return (permissionsIn(world, channel, user) & PERMISSIONS[name]) !== 0n
}

/** A private thread is there for those in it, and for those who manage threads. */
export function maySee(world: World, channel: Channel, user: string): boolean {
  const all = permissionsIn(world, channel, user)
  if ((all & PERMISSIONS.ViewChannel) === 0n) return false
  if (channel.type !== 12) return true
  return channel.thread?.members.has(user) === true || (all & PERMISSIONS.ManageThreads) !== 0n
}

/** Who of a chat can read it. */
export function readersOf(world: World, channel: Channel): string[] {
  if (channel.guildId === undefined) return [...channel.recipients]
  const { members } = world.guild(channel.guildId)
  return [...members.keys()].filter((user) => maySee(world, channel, user))
}
