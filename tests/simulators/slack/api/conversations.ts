/** https://docs.slack.dev/reference/methods?family=conversations */

import { joinChannel } from '../membership.js'
import { channelOf, messageOf } from '../wire.js'
import type { Channel, ChannelKind, Message } from '../world.js'
import { ApiError, type Asked, channelArg, type Method, page } from './method.js'

const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read']
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']

const SCOPE_OF: Readonly<Record<ChannelKind, string>> = {
  channel: 'channels',
  group: 'groups',
  im: 'im',
  mpim: 'mpim',
}

/** Each kind of chat has a scope of its own. @throws ApiError `missing_scope` */
function needScope({ hub }: Asked, channel: Channel, what: 'history' | 'read'): void {
  const needed = `${SCOPE_OF[channel.kind]}:${what}`
  if (!hub.scopes.has(needed))
    throw new ApiError('missing_scope', { needed, provided: [...hub.scopes].join(',') })
}

const list: Method = {
  tier: 2,
  scopes: READ,
  token: 'bot',
  run(asked) {
    const { hub, args } = asked
    const types = (args.text('types') || 'public_channel').split(',').map((type) => type.trim())
    const wanted = new Set(
      types.map((type) =>
        type === 'public_channel' ? 'channel' : type === 'private_channel' ? 'group' : type,
      ),
    )
    const found = [...hub.world.channels.values()].filter(
      (channel) =>
        wanted.has(channel.kind) &&
        (channel.kind === 'channel' || channel.members.has(hub.world.bot.id)) &&
        !(args.flag('exclude_archived') && channel.archived),
    )
    const { items, metadata } = page(args, found, 100, 1_000)
    return { channels: items.map((channel) => channelOf(hub, channel)), response_metadata: metadata }
  },
}

const info: Method = {
  tier: 3,
  scopes: READ,
  token: 'bot',
  run(asked) {
    const channel = channelArg(asked)
    needScope(asked, channel, 'read')
    return { channel: channelOf(asked.hub, channel) }
  },
}

const members: Method = {
  tier: 4,
  scopes: READ,
  token: 'bot',
  run(asked) {
    const channel = channelArg(asked)
    needScope(asked, channel, 'read')
    const { items, metadata } = page(asked.args, [...channel.members], 100, 1_000)
    return { members: items, response_metadata: metadata }
  },
}

/** Messages between `oldest` and `latest`; the bounds themselves only with `inclusive`. */
function between(args: Asked['args'], messages: readonly Message[]): Message[] {
  const oldest = args.text('oldest') || '0'
  const latest = args.text('latest') || '9999999999.999999'
  const inclusive = args.flag('inclusive')
  const after = (ts: string): boolean =>
    Number(ts) > Number(oldest) || (inclusive && Number(ts) === Number(oldest))
  const before = (ts: string): boolean =>
    Number(ts) < Number(latest) || (inclusive && Number(ts) === Number(latest))
  return messages.filter(({ ts }) => after(ts) && before(ts))
}

/** The channel whose history may be read. */
function readable(asked: Asked): Channel {
  const channel = channelArg(asked)
  needScope(asked, channel, 'history')
  if (!channel.members.has(asked.hub.world.bot.id)) throw new ApiError('not_in_channel')
  return channel
}

function listed(
  { hub, args }: Asked,
  messages: readonly Message[],
  metadata: { next_cursor: string },
): Record<string, unknown> {
  const withMetadata = args.flag('include_all_metadata')
  return {
    messages: messages.map((message) => messageOf(hub, message, { metadata: withMetadata })),
    has_more: metadata.next_cursor !== '',
    ...(metadata.next_cursor !== '' && { response_metadata: metadata }),
  }
}

/** Newest first. Thread replies are not among them, unless they were also sent to the channel. */
const history: Method = {
  tier: 3,
  scopes: HISTORY,
  token: 'bot',
  run(asked) {
    const { args } = asked
    const channel = readable(asked)
    const top = channel.messages.filter((message) => isTop(message) && message.onlyFor === undefined)
    const newest = between(args, top).reverse()
    const { items, metadata } = page(args, newest, 100, 999)
    return { ...listed(asked, items, metadata), pin_count: 0 }
  },
}

const isTop = (message: Message): boolean =>
  message.threadTs === undefined || message.threadTs === message.ts || message.broadcast === true

/** A thread, its first message before all, oldest first; `ts` of a reply gives that reply alone. */
const replies: Method = {
  tier: 3,
  scopes: HISTORY,
  token: 'bot',
  run(asked) {
    const { hub, args } = asked
    const channel = readable(asked)
    const ts = args.need('ts')
    const root = channel.byTs.get(ts)
    const under = hub.world.replies(channel.id, ts)
    if (root === undefined && under.length === 0) throw new ApiError('thread_not_found')
    const found = between(args, under)
    const { items, metadata } = page(args, found, 1_000, 1_000)
    // The first message is in every answer, whatever the bounds.
    const all = root === undefined ? items : [root, ...items]
    return listed(asked, all, metadata)
  },
}

const open: Method = {
  tier: 3,
  scopes: ['im:write', 'mpim:write'],
  token: 'bot',
  run(asked) {
    const { hub, args } = asked
    if (args.has('channel')) return { channel: { id: channelArg(asked).id } }
    const ids = args.need('users').split(',')
    const people = ids.map((id) => hub.world.users.get(id.trim()))
    if (people.some((user) => user === undefined)) throw new ApiError('user_not_found')
    const [user] = people
    if (people.length !== 1 || user === undefined) throw new ApiError('not_enough_users')
    if (user.botId !== undefined) throw new ApiError('cannot_dm_bot')
    const isOpen = [...hub.world.channels.values()].some((channel) => channel.user === user.id)
    const channel = hub.world.im(user.id, hub.clock.now())
    return {
      ...(isOpen && { no_op: true, already_open: true }),
      channel: args.flag('return_im') ? channelOf(hub, channel) : { id: channel.id },
    }
  },
}

const join: Method = {
  tier: 3,
  scopes: ['channels:join'],
  token: 'bot',
  effect: true,
  run(asked) {
    const { hub } = asked
    const channel = channelArg(asked)
    if (channel.kind !== 'channel') throw new ApiError('method_not_supported_for_channel_type')
    if (channel.archived) throw new ApiError('is_archived')
    const isNew = joinChannel(hub, channel, hub.world.bot.id)
    return {
      channel: channelOf(hub, channel),
      ...(!isNew && {
        warning: 'already_in_channel',
        response_metadata: { warnings: ['already_in_channel'] },
      }),
    }
  },
}

const leave: Method = {
  tier: 3,
  scopes: ['channels:write', 'channels:manage', 'groups:write'],
  token: 'bot',
  effect: true,
  run(asked) {
    const channel = channelArg(asked)
    const isMember = channel.members.delete(asked.hub.world.bot.id)
    return isMember ? {} : { not_in_channel: true }
  },
}

export const conversationMethods: Readonly<Record<string, Method>> = {
  'conversations.list': list,
  'conversations.info': info,
  'conversations.members': members,
  'conversations.history': history,
  'conversations.replies': replies,
  'conversations.open': open,
  'conversations.join': join,
  'conversations.leave': leave,
}
