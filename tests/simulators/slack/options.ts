/** How one simulated workspace, and the app in it, are set up. */

/** What the app's manifest asks for: everything a group-chat bot wants. https://docs.slack.dev/reference/scopes */
export const SCOPES = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:join',
  'channels:read',
  'chat:write',
  'chat:write.customize',
  'chat:write.public',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'reactions:read',
  'reactions:write',
  'team:read',
  'usergroups:read',
  'users:read',
  'users:read.email',
] as const

/** Events the app asks for. https://docs.slack.dev/reference/events */
const ADDRESSED = [
  'app_mention',
  'message.im',
  'app_home_opened',
  'reaction_added',
  'reaction_removed',
  'member_joined_channel',
  'member_left_channel',
  'channel_rename',
  'channel_archive',
  'user_change',
]
const ALL = [
  ...ADDRESSED,
  'message.channels',
  'message.groups',
  'message.mpim',
  'channel_created',
  'channel_unarchive',
  'channel_deleted',
  'channel_left',
  'group_rename',
  'group_archive',
  'group_left',
  'team_join',
  'tokens_revoked',
]

export interface SlackOptions {
  /** 0 or absent: any free port. */
  port?: number
  /** Name of the bot. Default `Golem`. */
  bot?: string
  /** Name of the workspace. Default `Acme`. */
  team?: string
  /** Event subscriptions: `all` (default), `addressed` (mentions and direct messages only), or a list of them. */
  subscribe?: 'all' | 'addressed' | readonly string[]
  /** Scopes of the bot token. Default: all that a group-chat bot wants. */
  scopes?: readonly string[]
  /** Rate limits by method. Default `enforced`. */
  limits?: 'enforced' | 'off'
  /**
   * In which order the two events of a mention come: `message` and `app_mention`. Default `alternate`, message first.
   * Slack keeps no order between them.
   */
  twins?: 'message-first' | 'mention-first' | 'alternate'
  /** An `app_mention` comes for messages with files too. Slack has left it out: bolt-python#925. Default true. */
  mentionsWithFiles?: boolean
  /**
   * `eager` (default): what waits is sent as soon as somebody connects, or the webhook is set. `schedule`: only when
   * its retry is due (at once, after 1 and after 5 minutes).
   */
  retries?: 'eager' | 'schedule'
  /** Time that moves by hand only, from `start` (milliseconds since 1970). Default: real time. */
  clock?: { manual?: boolean; start?: number }
  /** Real milliseconds between the pings of the server. Default 5,000. */
  pingMs?: number
  /**
   * The server answers a close frame but never ends the connection, as Slack's does; whoever waits for the end waits
   * for a time-out of its own (node-slack-sdk#2752). Default false.
   */
  lingers?: boolean
  /** Most text a `chat.update` takes, in characters. Default 4,000. */
  updateMax?: number
}

export function subscriptions(options: SlackOptions): ReadonlySet<string> {
  const asked = options.subscribe ?? 'all'
  return new Set(asked === 'all' ? ALL : asked === 'addressed' ? ADDRESSED : asked)
}
