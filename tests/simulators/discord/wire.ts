/**
 * How Discord writes what there is. Users: https://docs.discord.com/developers/resources/user · channels:
 * …/resources/channel · guilds: …/resources/guild · messages: …/resources/message
 */
import { createHmac } from 'node:crypto'
import { type Hub, iso } from './hub.js'
import { timeOf } from './ids.js'
import { permissionsIn } from './permissions.js'
import {
  type Attachment,
  CHANNEL,
  type Channel,
  type Fields,
  type Guild,
  type Member,
  type Message,
  type Role,
  type User,
} from './world.js'

/** How long the address of a file is good: https://docs.discord.com/developers/reference#signed-attachment-cdn-urls */
const FILE_MS = 24 * 60 * 60_000

export const userOf = (user: User): Fields => ({
  id: user.id,
  username: user.username,
  discriminator: user.bot ? '1234' : '0',
  global_name: user.globalName,
  avatar: null,
  ...(user.bot && { bot: true }),
  public_flags: 0,
  flags: 0,
  banner: null,
  accent_color: null,
  avatar_decoration_data: null,
  collectibles: null,
  clan: null,
  primary_guild: null,
})

export const memberOf = (member: Member): Fields => ({
  roles: [...member.roles],
  nick: member.nick,
  avatar: null,
  banner: null,
  joined_at: iso(member.joinedAt),
  premium_since: null,
  deaf: false,
  mute: false,
  pending: false,
  flags: 0,
  communication_disabled_until: null,
})

export const memberWithUser = (hub: Hub, member: Member): Fields => ({
  ...memberOf(member),
  user: userOf(hub.world.user(member.user)),
})

/** https://docs.discord.com/developers/topics/permissions#role-object */
export const roleOf = (role: Role): Fields => ({
  id: role.id,
  name: role.name,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  position: role.position,
  permissions: String(role.permissions),
  managed: role.botId !== undefined,
  mentionable: role.mentionable,
  flags: 0,
  ...(role.botId !== undefined && { tags: { bot_id: role.botId } }),
})

export function channelOf(hub: Hub, channel: Channel): Fields {
  const last = channel.messages.at(-1)?.id ?? null
  if (channel.type === CHANNEL.dm) {
    const others = [...channel.recipients].filter((id) => id !== hub.world.bot.id)
    return {
      id: channel.id,
      type: channel.type,
      last_message_id: last,
      flags: 0,
      recipients: others.map((id) => userOf(hub.world.user(id))),
    }
  }
  if (channel.thread !== undefined) return threadOf(hub, channel)
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    name: channel.name,
    topic: channel.topic === '' ? null : channel.topic,
    position: channel.position,
    parent_id: channel.parentId ?? null,
    nsfw: false,
    last_message_id: last,
    last_pin_timestamp: null,
    rate_limit_per_user: 0,
    flags: 0,
    permission_overwrites: channel.overwrites.map(({ id, allow, deny }) => ({
      id,
      type: hub.world.users.has(id) ? 1 : 0,
      allow: String(allow),
      deny: String(deny),
    })),
    ...(channel.type === CHANNEL.forum && {
      available_tags: [...channel.tags].map(([id, name]) => ({
        id,
        name,
        moderated: false,
        emoji_id: null,
        emoji_name: null,
      })),
      default_reaction_emoji: null,
      default_sort_order: null,
      default_forum_layout: 0,
    }),
  }
}

/** https://docs.discord.com/developers/topics/threads */
export function threadOf(hub: Hub, channel: Channel): Fields {
  const { thread } = channel
  if (thread === undefined) return channelOf(hub, channel)
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    parent_id: channel.parentId,
    owner_id: thread.ownerId,
    name: channel.name,
    last_message_id: channel.messages.at(-1)?.id ?? null,
    message_count: thread.count,
    total_message_sent: thread.count,
    member_count: thread.members.size,
    rate_limit_per_user: 0,
    flags: 0,
    ...(thread.tags.length > 0 && { applied_tags: thread.tags }),
    thread_metadata: {
      archived: thread.archived,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: iso(thread.archivedAt),
      locked: thread.locked,
      create_timestamp: iso(timeOf(channel.id)),
      ...(channel.type === CHANNEL.privateThread && { invitable: true }),
    },
    ...(thread.members.has(hub.world.bot.id) && { member: threadMember(channel, hub.world.bot.id) }),
  }
}

export const threadMember = (channel: Channel, user: string): Fields => ({
  id: channel.id,
  user_id: user,
  join_timestamp: iso(timeOf(channel.id)),
  flags: 1,
})

/** As REST gives it. */
export const guildOf = (guild: Guild): Fields => ({
  id: guild.id,
  name: guild.name,
  icon: null,
  icon_hash: null,
  splash: null,
  discovery_splash: null,
  owner_id: guild.ownerId,
  afk_channel_id: null,
  afk_timeout: 300,
  widget_enabled: false,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  roles: [...guild.roles.values()].map(roleOf),
  emojis: [...guild.emojis].map(([id, name]) => ({
    id,
    name,
    roles: [],
    animated: false,
    available: true,
    managed: false,
    require_colons: true,
  })),
  features: [],
  mfa_level: 0,
  application_id: null,
  system_channel_id: guild.systemChannel ?? null,
  system_channel_flags: 0,
  rules_channel_id: null,
  max_presences: null,
  max_members: 500_000,
  vanity_url_code: null,
  description: null,
  banner: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  preferred_locale: 'en-US',
  public_updates_channel_id: null,
  nsfw_level: 0,
  nsfw: false,
  stickers: [],
  premium_progress_bar_enabled: false,
  safety_alerts_channel_id: null,
  hub_type: null,
  incidents_data: null,
  region: 'deprecated',
  approximate_member_count: guild.members.size,
  home_header: null,
  latest_onboarding_question_id: null,
  inventory_settings: null,
  embed_enabled: false,
  max_video_channel_users: 25,
  max_stage_video_channel_users: 50,
  owner_configured_content_level: 0,
  profile: null,
  moderator_reporting: null,
})

/**
 * As the gateway gives it: with its channels, the threads that are open and that the bot can see, and the members:
 * all of a small guild with the intent for members, else the bot alone. https://docs.discord.com/developers/events/gateway-events#guild-create
 */
export function guildCreated(hub: Hub, guild: Guild, withMembers: boolean): Fields {
  const { world } = hub
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === guild.id)
  const members = [...guild.members.values()].filter(({ user }) => withMembers || user === world.bot.id)
  const me = guild.members.get(world.bot.id)
  return {
    ...guildOf(guild),
    joined_at: iso(me?.joinedAt ?? 0),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: members.map((member) => memberWithUser(hub, member)),
    channels: channels.filter(({ thread }) => thread === undefined).map((channel) => channelOf(hub, channel)),
    threads: channels
      .filter(({ thread }) => thread !== undefined && !thread.archived)
      .filter(({ type, thread }) => type !== CHANNEL.privateThread || thread?.members.has(world.bot.id))
      .map((channel) => channelOf(hub, channel)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    version: 1,
  }
}

/** The address of a file, signed and good for a day. */
export function fileUrl(hub: Hub, channelId: string, file: Attachment): string {
  const until = Math.floor((hub.clock.now() + FILE_MS) / 1000).toString(16)
  const since = Math.floor(hub.clock.now() / 1000).toString(16)
  const path = `/attachments/${channelId}/${file.id}/${encodeURIComponent(file.name)}`
  return `${hub.url}${path}?ex=${until}&is=${since}&hm=${fileSignature(hub, path, until)}&`
}

export const fileSignature = (hub: Hub, path: string, until: string): string =>
  createHmac('sha256', hub.secrets.fileKey).update(`${path}?${until}`).digest('hex')

export function attachmentOf(hub: Hub, channelId: string, file: Attachment): Fields {
  const url = fileUrl(hub, channelId, file)
  return {
    id: file.id,
    filename: file.name,
    size: file.bytes.length,
    url,
    proxy_url: url,
    content_type: file.mime,
    content_scan_version: 0,
    ...(file.description !== undefined && { description: file.description }),
    ...(file.mime.startsWith('image/') && { width: 64, height: 64 }),
    ...(file.seconds !== undefined && { duration_secs: file.seconds, waveform: 'AAAA' }),
  }
}

function authorOf(hub: Hub, message: Message): Fields {
  const { webhook } = message
  if (webhook === undefined) return userOf(hub.world.user(message.author))
  return {
    id: webhook.id,
    username: webhook.name,
    discriminator: '0000',
    global_name: null,
    avatar: null,
    bot: true,
    public_flags: 0,
    flags: 0,
  }
}

/** As REST gives it. */
export function messageOf(hub: Hub, message: Message, depth = 0): Fields {
  const { world } = hub
  const { reference } = message
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    content: message.content,
    author: authorOf(hub, message),
    timestamp: iso(timeOf(message.id)),
    edited_timestamp: message.editedAt === undefined ? null : iso(message.editedAt),
    tts: message.tts ?? false,
    mention_everyone: message.mentions.everyone,
    mentions: message.mentions.users.map((id) => userOf(world.user(id))),
    mention_roles: message.mentions.roles,
    attachments: message.attachments.map((file) => attachmentOf(hub, message.channelId, file)),
    embeds: message.embeds,
    components: message.components,
    pinned: message.pinned,
    flags: message.flags,
    ...(message.nonce !== undefined && { nonce: message.nonce }),
    ...(message.reactions.length > 0 && { reactions: message.reactions.map((one) => reactionOf(hub, one)) }),
    ...(message.webhook !== undefined && {
      webhook_id: message.webhook.id,
      ...(message.webhook.applicationId !== undefined && { application_id: message.webhook.applicationId }),
    }),
    ...(message.interaction !== undefined && { interaction_metadata: message.interaction }),
    ...(message.poll !== undefined && { poll: message.poll }),
    ...(message.stickers !== undefined && { sticker_items: message.stickers }),
    ...(message.snapshots !== undefined && { message_snapshots: message.snapshots }),
    ...(message.hasThread === true && { thread: threadOf(hub, world.channel(message.id)) }),
    ...(reference !== undefined && {
      message_reference: {
        type: reference.type,
        channel_id: reference.channelId,
        ...(reference.messageId !== undefined && { message_id: reference.messageId }),
        ...(reference.guildId !== undefined && { guild_id: reference.guildId }),
      },
    }),
    ...(depth === 0 && referenced(hub, message)),
  }
}

/** Replies and thread starters carry what they refer to; `null`: it is gone. */
function referenced(hub: Hub, { type, reference }: Message): Fields {
  if (reference?.messageId === undefined || (type !== 19 && type !== 21)) return {}
  const found = hub.world.channels.get(reference.channelId)?.byId.get(reference.messageId)
  return { referenced_message: found === undefined ? null : messageOf(hub, found, 1) }
}

const reactionOf = (hub: Hub, { id, name, users }: Message['reactions'][number]): Fields => ({
  emoji: { id, name },
  count: users.length,
  count_details: { burst: 0, normal: users.length },
  burst_colors: [],
  me_burst: false,
  burst_me: false,
  me: users.includes(hub.world.bot.id),
  burst_count: 0,
})

/** As the gateway gives it: with the guild, and with who of it wrote and was named. */
export function messageEvent(hub: Hub, channel: Channel, message: Message): Fields {
  const { world } = hub
  const body = messageOf(hub, message)
  if (channel.guildId === undefined) return { ...body, channel_type: channel.type }
  const guild = world.guild(channel.guildId)
  const author = message.webhook === undefined ? guild.members.get(message.author) : undefined
  return {
    ...body,
    channel_type: channel.type,
    guild_id: guild.id,
    ...(author !== undefined && { member: memberOf(author) }),
    mentions: message.mentions.users.map((id) => {
      const member = guild.members.get(id)
      return { ...userOf(world.user(id)), ...(member !== undefined && { member: memberOf(member) }) }
    }),
  }
}

/** What of a message needs the intent for contents. https://docs.discord.com/developers/events/gateway#message-content-intent */
export const blanked = (message: Fields): Fields => {
  const { poll: _, message_snapshots: __, ...rest } = message
  return { ...rest, content: '', embeds: [], attachments: [], components: [] }
}

/** What the bot may do in a channel, as interactions say. */
export const appPermissions = (hub: Hub, channel: Channel): string =>
  String(permissionsIn(hub.world, channel, hub.world.bot.id))
