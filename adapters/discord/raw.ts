/** What a reader is given: Discord's own payload and what the connection knows about the people and places in it. */
import type { Millis } from '../../src/messaging/contract.js'
import { type Fields, fields, list, number, snowflake } from './shape.js'

/** https://docs.discord.com/developers/resources/channel#channel-object-channel-types */
export const CHANNEL = {
  text: 0,
  dm: 1,
  voice: 2,
  groupDm: 3,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  stage: 13,
  directory: 14,
  forum: 15,
  media: 16,
} as const

/** Threads are channels of their own; the chat they belong to is `parent`. */
export function isThread(type: number | undefined): boolean {
  return type !== undefined && type >= CHANNEL.announcementThread && type <= CHANNEL.privateThread
}

/** A channel as GUILD_CREATE, THREAD_CREATE or `GET /channels/{id}` describe it. */
export interface KnownChannel {
  /** {@link CHANNEL} */
  type?: number
  name?: string
  /** Of a thread: the channel it stands in. */
  parent?: string
  guild?: string
}

/** Somebody as messages, members and users describe them. */
export interface KnownPerson {
  /** What people read: nickname, else display name, else user name. */
  name: string
  bot?: boolean
  aliases?: readonly string[]
}

/** What the payload itself does not say. Every field may be absent: then less is known. */
export interface Context {
  /**
   * Which dispatch this is: `<session id>:<sequence>`. A RESUME replays dispatches with their sequence, so it is the
   * same for a replay and different for every other dispatch. Names what has no id of its own: reactions, joins.
   */
  delivery?: string
  /** When it arrived, for what carries no time of its own. */
  at?: Millis
  /** By id: the channel it is about, and a thread's parent. */
  channels?: Readonly<Record<string, KnownChannel>>
  /** By id: people who are named in it. */
  people?: Readonly<Record<string, KnownPerson>>
  /** Names of roles, by id. */
  roles?: Readonly<Record<string, string>>
  /** Roles that stand for this bot: `managed`, with its id in `tags.bot_id`. To mention one is to mention the bot. */
  ownRoles?: readonly string[]
  /** The id of the bot's application: it is the author of answers to interactions. */
  applicationId?: string
  /** `false`: the MessageContent intent is missing, so an empty message may have been blanked. */
  content?: boolean
}

/**
 * A raw event: a dispatch of the gateway as it came (`t`, `d`), or a message read back by REST, which is
 * `{ t: 'MESSAGE_CREATE', d: message, from: 'history' }`.
 */
export interface DiscordRaw {
  t: string
  d: unknown
  from?: 'history'
  golem?: Context
}

/** What is not of this shape is a dispatch without a name, of which nothing is known. */
export function rawOf(raw: unknown): DiscordRaw & { golem: Context } {
  const { t, d, from, golem } = fields(raw)
  return {
    t: typeof t === 'string' ? t : '',
    d,
    ...(from === 'history' && { from }),
    golem: contextOf(fields(golem)),
  }
}

function contextOf(context: Fields): Context {
  const { delivery, channels, content } = context
  const at = number(context.at)
  const applicationId = snowflake(context.applicationId)
  return {
    ...(typeof delivery === 'string' && /^\S+$/.test(delivery) && { delivery }),
    ...(at !== undefined && { at }),
    ...(channels !== undefined && { channels: fields(channels) as NonNullable<Context['channels']> }),
    people: fields(context.people) as NonNullable<Context['people']>,
    roles: fields(context.roles) as NonNullable<Context['roles']>,
    ownRoles: list(context.ownRoles).flatMap((role) => snowflake(role) ?? []),
    ...(applicationId !== undefined && { applicationId }),
    ...(typeof content === 'boolean' && { content }),
  }
}

/**
 * The events in a dispatch: one, but for a bulk deletion, which takes back many messages.
 * https://docs.discord.com/developers/events/gateway-events#message-delete-bulk
 */
export function eventsOf(raw: DiscordRaw): DiscordRaw[] {
  if (raw.t !== 'MESSAGE_DELETE_BULK') return [raw]
  const { ids, ...rest }: Fields = fields(raw.d)
  return list(ids)
    .slice(0, 1_000)
    .flatMap((id) => snowflake(id) ?? [])
    .map((id) => ({ ...raw, t: 'MESSAGE_DELETE', d: { ...rest, id } }))
}

/** What {@link import('./write.js').write} makes of a part: fields of a message as Discord's API takes them. */
export interface DiscordBody {
  content: string
  /** Exactly the people who were resolved; nothing is parsed out of the text. */
  allowed_mentions: { parse: readonly never[]; users: readonly string[] }
  /** {@link FLAG}; SUPPRESS_EMBEDS is set. A silent post adds its own. */
  flags: number
}

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
export const FLAG = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  voiceMessage: 1 << 13,
  snapshot: 1 << 14,
} as const
