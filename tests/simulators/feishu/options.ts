/** How one simulated tenant, and the app in it, are set up. */

/** What the app asks for: everything a group-chat bot wants. https://open.feishu.cn/document/server-docs/application-scope/scope-list */
export const SCOPES = [
  'contact:contact.base:readonly',
  'contact:user.base:readonly',
  'im:chat',
  'im:chat.members:read',
  'im:message',
  'im:message.group_msg',
  'im:message.group_at_msg:readonly',
  'im:message.p2p_msg:readonly',
  'im:message.reactions:write_only',
  'im:message:readonly',
  'im:message:send_as_bot',
  'im:resource',
] as const

/** Without this one, groups are heard only where the bot is named. */
export const READS_ALL = 'im:message.group_msg'

export interface AppOptions {
  /** Name of the bot. */
  name: string
  /** Default: all that a group-chat bot wants. */
  scopes?: readonly string[]
  /** Event types it subscribed to. Default: all there are. */
  events?: readonly string[]
  /** Key that deliveries to a webhook are encrypted and signed with; null: plain and unsigned. Default: there is one. */
  encryptKey?: string | null
}

export interface FeishuOptions {
  /** 0 or absent: any free port. */
  port?: number
  /**
   * Goes into the ids of all that is said and happens. A bot that lives on while simulators come and go knows the ids of
   * the one before, and takes what has them for redelivered: give each another number, e.g. the time in seconds. Default 0.
   */
  session?: number
  /** Name of the bot. Default `Golem`. */
  bot?: string
  /** What the bot hears of groups: everything (default), or only what names it. Adds or takes the scope for it. */
  sees?: 'all' | 'addressed'
  /** Scopes granted. Default: all that a group-chat bot wants. */
  scopes?: readonly string[]
  /** Event types the app subscribed to. Default: all there are. */
  events?: readonly string[]
  /** See {@link AppOptions}. */
  encryptKey?: string | null
  /** Language of what the platform writes by itself: `zh` (default, Feishu) or `en` (Lark). */
  locale?: 'zh' | 'en'
  /** Rate limits. Default `enforced`. */
  limits?: 'enforced' | 'off'
  /**
   * `eager` (default): what waits is sent as soon as somebody connects, or the webhook is set. `schedule`: only when its
   * retry is due (15 s, 5 min, 1 h, 6 h).
   */
  retries?: 'eager' | 'schedule'
  /** A retry comes with an `event_id` of its own, as has been seen. Default false: the same one. */
  freshEventIds?: boolean
  /** Whether `mentions` has an entry for `@_all`. Both have been seen. Default true. */
  listsAll?: boolean
  /** Messages of other bots are told as well, with `sender_type: app`. Default false: only what people say. */
  hearsBots?: boolean
  /** Larger payloads travel over the long connection in pieces of so many bytes. Default 60,000. */
  fragmentBytes?: number
  /**
   * What waits is sent together with the handshake, before the client has said a word: the SDK by itself loses it, as it
   * listens only some moments later. Default false: after the client's first ping.
   */
  pushesAtHandshake?: boolean
  /** What the server tells the SDK, in seconds. Default: pings every 120, 7 attempts, 120 apart, the first within 30. */
  clientConfig?: Partial<ClientConfig>
  /** How long the app may edit, and recall, its own messages, in milliseconds: set by the tenant. Default 24 h each. */
  editMs?: number
  recallMs?: number
  /** Seconds a tenant_access_token is good for. Default 7,200. */
  tokenSeconds?: number
  /** Time that moves by hand only, from `start` (milliseconds since 1970). Default: real time. */
  clock?: { manual?: boolean; start?: number }
}

/** What the endpoint and each pong tell a client. Seconds, but for the count. */
export interface ClientConfig {
  PingInterval: number
  ReconnectCount: number
  ReconnectInterval: number
  ReconnectNonce: number
}

export const CLIENT_CONFIG: ClientConfig = {
  PingInterval: 120,
  ReconnectCount: 7,
  ReconnectInterval: 120,
  ReconnectNonce: 30,
}

/** The scopes of the app under test. */
export function scopesOf(options: FeishuOptions): Set<string> {
  const scopes = new Set<string>(options.scopes ?? SCOPES)
  if (options.sees === 'addressed') scopes.delete(READS_ALL)
  if (options.sees === 'all') scopes.add(READS_ALL)
  return scopes
}
