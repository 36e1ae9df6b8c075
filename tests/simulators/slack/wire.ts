/**
 * How Slack writes what a workspace holds. Messages and their events: captured shapes of 2025 and 2026, see also
 * https://docs.slack.dev/reference/events/message · people: https://docs.slack.dev/reference/objects/user-object ·
 * chats: https://docs.slack.dev/reference/objects/conversation-object · files: …/objects/file-object
 */
import type { Hub } from './hub.js'
import type { Fields } from './text/rich.js'
import type { Channel, Message, SlackFile, User } from './world.js'

/** `channel_type` of an event. */
export const channelType = (channel: Channel): string => channel.kind

export function messageOf(hub: Hub, message: Message, options: { metadata?: boolean } = {}): Fields {
  const { world } = hub
  const author = message.user === undefined ? undefined : world.users.get(message.user)
  const root = message.threadTs
  const parent =
    root === undefined || root === message.ts ? undefined : world.channel(message.channel).byTs.get(root)
  return {
    ...(message.subtype !== undefined && { subtype: message.subtype }),
    ...(message.user !== undefined && { user: message.user }),
    type: 'message',
    ts: message.ts,
    ...(message.edited !== undefined && { edited: message.edited }),
    ...(message.clientMsgId !== undefined && { client_msg_id: message.clientMsgId }),
    ...(message.botId !== undefined && { bot_id: message.botId }),
    ...(message.appId !== undefined && { app_id: message.appId }),
    text: message.text,
    ...(author !== undefined && message.subtype === undefined && { team: author.team }),
    ...(author !== undefined && author.team !== world.team.id && connectFields(author)),
    ...(message.username !== undefined && { username: message.username }),
    ...(message.icons !== undefined && { icons: message.icons }),
    ...(message.botId !== undefined && author !== undefined && { bot_profile: botProfile(hub, author) }),
    ...threadFields(hub, message, parent),
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(message.files.length > 0 && {
      files: message.files.map((file) => fileOf(hub, file)),
      upload: false,
      display_as_bot: false,
    }),
    ...(options.metadata === true && message.metadata !== undefined && { metadata: message.metadata }),
    ...(message.reactions.length > 0 && {
      reactions: message.reactions.map(({ name, users }) => ({
        name,
        users: [...users],
        count: users.length,
      })),
    }),
    ...(message.tombstone === true && { hidden: true }),
    ...message.extra,
  }
}

/** Somebody of another workspace: https://docs.slack.dev/apis/slack-connect/using-slack-connect-api */
const connectFields = (author: User): Fields => ({
  user_team: author.team,
  source_team: author.team,
  user_profile: {
    real_name: author.realName,
    display_name: author.displayName,
    name: author.handle,
    team: author.team,
    is_restricted: false,
    is_ultra_restricted: false,
  },
})

function threadFields(hub: Hub, message: Message, parent: Message | undefined): Fields {
  const replies = hub.world.replies(message.channel, message.ts)
  if (replies.length > 0) {
    const people = [...new Set(replies.map(({ user }) => user).filter((user) => user !== undefined))]
    return {
      thread_ts: message.ts,
      reply_count: replies.length,
      reply_users_count: people.length,
      latest_reply: replies.at(-1)?.ts,
      reply_users: people.slice(0, 5),
      is_locked: false,
      subscribed: false,
    }
  }
  if (message.threadTs === undefined) return {}
  return {
    thread_ts: message.threadTs,
    ...(parent?.user !== undefined && { parent_user_id: parent.user }),
    ...(message.subtype === 'thread_broadcast' &&
      parent !== undefined && { root: messageOf(hub, { ...parent, reactions: [] }) }),
  }
}

const botProfile = ({ world }: Hub, bot: User): Fields => ({
  id: bot.botId,
  deleted: false,
  name: bot.realName,
  updated: bot.updated,
  app_id: bot.appId,
  user_id: bot.id,
  icons: {
    image_36: 'https://a.slack-edge.com/bot_36.png',
    image_48: 'https://a.slack-edge.com/bot_48.png',
    image_72: 'https://a.slack-edge.com/service_72.png',
  },
  team_id: world.team.id,
})

export function userOf({ world, scopes }: Hub, user: User): Fields {
  const isForeign = user.team !== world.team.id
  const profile: Fields = {
    real_name: user.realName,
    real_name_normalized: user.realName,
    display_name: user.displayName,
    display_name_normalized: user.displayName,
    team: user.team,
    ...(scopes.has('users:read.email') &&
      user.botId === undefined &&
      !isForeign && { email: `${user.handle}@${world.team.domain}.example` }),
    ...(user.botId !== undefined && { bot_id: user.botId, api_app_id: user.appId ?? '' }),
  }
  return {
    id: user.id,
    team_id: user.team,
    name: user.handle,
    deleted: user.deleted === true,
    real_name: user.realName,
    profile,
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: user.guest !== undefined,
    is_ultra_restricted: user.guest === 'single',
    // Slackbot says of itself that it is none: https://docs.slack.dev/reference/objects/user-object
    is_bot: user.botId !== undefined && user.id !== 'USLACKBOT',
    is_app_user: false,
    ...(isForeign && { is_stranger: user.stranger === true }),
    tz: 'Europe/Berlin',
    tz_label: 'Central European Time',
    tz_offset: 3600,
    updated: user.updated,
  }
}

export function channelOf({ world }: Hub, channel: Channel): Fields {
  const isPerson = channel.kind === 'im'
  const common = {
    id: channel.id,
    created: channel.created,
    is_archived: channel.archived,
    is_im: isPerson,
    is_org_shared: false,
    context_team_id: world.team.id,
    updated: channel.created * 1000,
  }
  if (isPerson) return { ...common, user: channel.user, is_user_deleted: false, priority: 0 }
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'channel',
    is_general: channel.name === 'general',
    is_shared: channel.shared,
    is_ext_shared: channel.shared,
    is_pending_ext_shared: false,
    is_member: channel.members.has(world.bot.id),
    creator: channel.creator,
    topic: {
      value: channel.topic,
      creator: channel.topic === '' ? '' : channel.creator,
      last_set: channel.topic === '' ? 0 : channel.created,
    },
    purpose: {
      value: channel.purpose,
      creator: channel.purpose === '' ? '' : channel.creator,
      last_set: channel.purpose === '' ? 0 : channel.created,
    },
    previous_names: [],
    num_members: channel.members.size,
  }
}

/**
 * A file. In channels shared with another workspace an event carries only `file_access: check_file_info`.
 * https://docs.slack.dev/reference/objects/file-object#slack_connect_files
 */
export function fileOf(hub: Hub, file: SlackFile): Fields {
  const { world } = hub
  const owner = world.users.get(file.user)
  if (owner !== undefined && owner.team !== world.team.id) {
    return { id: file.id, created: 0, timestamp: 0, file_access: 'check_file_info', mode: 'file_access' }
  }
  return fullFileOf(hub, file)
}

/** As `files.info` answers. */
export function fullFileOf({ world, url }: Hub, file: SlackFile): Fields {
  const path = `${url}/files-pri/${world.team.id}-${file.id}`
  const name = encodeURIComponent(file.name.toLowerCase().replace(/\s+/g, '_'))
  const type = file.name.includes('.') ? (file.name.split('.').at(-1) ?? '').toLowerCase() : 'binary'
  return {
    id: file.id,
    created: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.title,
    mimetype: file.mime,
    filetype: type,
    pretty_type: type.toUpperCase(),
    user: file.user,
    user_team: world.team.id,
    editable: false,
    size: file.bytes.length,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: [...file.shared].some((id) => world.channels.get(id)?.kind === 'channel'),
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    // A voice clip says so. https://docs.slack.dev/reference/objects/file-object
    ...(file.mime.startsWith('audio/') && { subtype: 'slack_audio' }),
    url_private: `${path}/${name}`,
    url_private_download: `${path}/download/${name}`,
    permalink: `${url}/files/${file.user}/${file.id}/${name}`,
    has_rich_preview: false,
    file_access: 'visible',
  }
}
