/** What a bot may read: history, guilds, people. https://docs.discord.com/developers/resources/message · …/guild · …/user */
import { type Hub, iso } from '../hub.js'
import { compareIds, isSnowflake } from '../ids.js'
import { may, maySee } from '../permissions.js'
import { blanked, channelOf, guildOf, memberWithUser, messageOf, roleOf, userOf } from '../wire.js'
import { CHANNEL, type Channel, type Fields, type Message } from '../world.js'
import { apiError, notSnowflake } from './errors.js'
import { channelIn, guildIn, limitOf, messageIn, type Route, type Routes } from './route.js'

/** Contents are blank for apps that were not granted the intent, by HTTP too. Nonces are not kept. */
function readable(hub: Hub, channel: Channel, message: Message): Fields {
  const { nonce: _, ...body } = messageOf(hub, message)
  const { bot } = hub.world
  const isOpen =
    hub.granted.has('MessageContent') ||
    channel.type === CHANNEL.dm ||
    message.author === bot.id ||
    message.mentions.users.includes(bot.id)
  return isOpen ? body : blanked(body)
}

/** Newest first. Without the permission to read history there is none. */
const getMessages: Route = {
  name: 'getMessages',
  run: (context) => {
    const { hub, query } = context
    const channel = channelIn(context)
    const limit = limitOf(query, 50, 100)
    if (channel.type === CHANNEL.forum) throw apiError(50008)
    if (!may(hub.world, channel, hub.world.bot.id, 'ReadMessageHistory')) return { body: [] }
    const all = channel.messages.filter(({ onlyFor }) => onlyFor === undefined)
    return {
      body: windowOf(all, query, limit)
        .reverse()
        .map((one) => readable(hub, channel, one)),
    }
  },
}

/** Oldest first. */
function windowOf(all: readonly Message[], query: URLSearchParams, limit: number): Message[] {
  const id = (name: string): string | null => {
    const value = query.get(name)
    if (value !== null && !isSnowflake(value)) throw notSnowflake(name, value)
    return value
  }
  const [around, before, after] = [id('around'), id('before'), id('after')]
  if (around !== null) {
    const half = Math.floor(limit / 2)
    const older = all.filter((one) => compareIds(one.id, around) < 0).slice(-half)
    return [...older, ...all.filter((one) => compareIds(one.id, around) >= 0).slice(0, limit - older.length)]
  }
  if (before !== null) return all.filter((one) => compareIds(one.id, before) < 0).slice(-limit)
  if (after !== null) return all.filter((one) => compareIds(one.id, after) > 0).slice(0, limit)
  return all.slice(-limit)
}

const getMessage: Route = {
  name: 'getMessage',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    if (!may(hub.world, channel, hub.world.bot.id, 'ReadMessageHistory')) throw apiError(50013)
    return { body: readable(hub, channel, messageIn(context, channel)) }
  },
}

const getPins: Route = {
  name: 'getPins',
  run: (context) => {
    const channel = channelIn(context)
    const pinned = channel.messages.filter((one) => one.pinned).reverse()
    return { body: pinned.map((one) => readable(context.hub, channel, one)) }
  },
}

/** As above, with times. https://docs.discord.com/developers/resources/message#get-channel-pins */
const getChannelPins: Route = {
  name: 'getPins',
  run: (context) => {
    const channel = channelIn(context)
    const pinned = channel.messages.filter((one) => one.pinned).reverse()
    const items = pinned.map((one) => ({
      pinned_at: iso(context.hub.clock.now()),
      message: readable(context.hub, channel, one),
    }))
    return { body: { items, has_more: false } }
  },
}

const getReactions: Route = {
  name: 'getReactions',
  run: (context) => {
    const { hub, path } = context
    const message = messageIn(context, channelIn(context))
    const key = /:(\d+)$/.exec(path.emoji ?? '')?.[1] ?? (path.emoji ?? '').replaceAll('\ufe0f', '')
    const users = message.reactions.find((one) => one.key === key)?.users ?? []
    return { body: users.map((id) => userOf(hub.world.user(id))) }
  },
}

const getChannel: Route = {
  name: 'getChannel',
  run: (context) => ({ body: channelOf(context.hub, channelIn(context)) }),
}

const getGuild: Route = { name: 'getGuild', run: (context) => ({ body: guildOf(guildIn(context)) }) }

const getGuildChannels: Route = {
  name: 'getGuildChannels',
  run: (context) => {
    const guild = guildIn(context)
    const all = [...context.hub.world.channels.values()]
    return {
      body: all
        .filter(({ guildId, thread }) => guildId === guild.id && thread === undefined)
        .map((one) => channelOf(context.hub, one)),
    }
  },
}

const getRoles: Route = {
  name: 'getRoles',
  run: (context) => ({ body: [...guildIn(context).roles.values()].map(roleOf) }),
}

/** For apps with the intent for members only. https://docs.discord.com/developers/resources/guild#list-guild-members */
const getMembers: Route = {
  name: 'getMembers',
  run: (context) => {
    const { hub, query } = context
    const guild = guildIn(context)
    if (!hub.granted.has('GuildMembers')) throw apiError(50001)
    const after = query.get('after') ?? '0'
    const members = [...guild.members.values()]
      .filter(({ user }) => compareIds(user, after) > 0)
      .sort((one, other) => compareIds(one.user, other.user))
    return { body: members.slice(0, limitOf(query, 1, 1_000)).map((one) => memberWithUser(hub, one)) }
  },
}

/** By the beginning of a username or a nickname. */
const searchMembers: Route = {
  name: 'searchMembers',
  run: (context) => {
    const { hub, query } = context
    const guild = guildIn(context)
    const start = (query.get('query') ?? '').toLowerCase()
    const found = [...guild.members.values()].filter(({ user, nick }) => {
      const { username, globalName } = hub.world.user(user)
      return [username, globalName, nick].some((name) => name?.toLowerCase().startsWith(start) === true)
    })
    return { body: found.slice(0, limitOf(query, 1, 1_000)).map((one) => memberWithUser(hub, one)) }
  },
}

const getMember: Route = {
  name: 'getMember',
  run: (context) => {
    const guild = guildIn(context)
    const user = context.path.user === '@me' ? context.hub.world.bot.id : (context.path.user ?? '')
    const member = guild.members.get(user)
    if (member === undefined) throw apiError(context.hub.world.users.has(user) ? 10007 : 10013)
    return { body: memberWithUser(context.hub, member) }
  },
}

const getUser: Route = {
  name: 'getUser',
  run: ({ hub, path }) => {
    const user = hub.world.users.get(path.user ?? '')
    if (user === undefined) throw apiError(10013)
    return { body: userOf(user) }
  },
}

/** Opens the direct chat with a person, which may be there already. */
const createDm: Route = {
  name: 'createDm',
  run: ({ hub, body }) => {
    const id = String(body.recipient_id ?? '')
    if (!isSnowflake(id)) throw notSnowflake('recipient_id', body.recipient_id)
    const user = hub.world.users.get(id)
    if (user === undefined) throw apiError(10013)
    if (user.bot) throw apiError(50007)
    const { channel } = hub.world.dm(id)
    return { body: channelOf(hub, channel) }
  },
}

const getGuilds: Route = {
  name: 'getCurrentUserGuilds',
  run: ({ hub }) => ({
    body: [...hub.world.guilds.values()]
      .filter(({ members }) => members.has(hub.world.bot.id))
      .map(({ id, name }) => ({ id, name, icon: null, owner: false, permissions: '0', features: [] })),
  }),
}

/** Threads that are open, all of a guild. https://docs.discord.com/developers/resources/guild#list-active-guild-threads */
const getActiveThreads: Route = {
  name: 'getActiveThreads',
  run: (context) => {
    const { hub } = context
    const guild = guildIn(context)
    return {
      body: threadList(hub, ({ guildId, thread }) => guildId === guild.id && thread?.archived === false),
    }
  },
}

const getArchivedThreads: Route = {
  name: 'getArchivedThreads',
  run: (context) => {
    const channel = channelIn(context)
    return {
      body: {
        ...threadList(
          context.hub,
          ({ parentId, thread, type }) =>
            parentId === channel.id && thread?.archived === true && type !== CHANNEL.privateThread,
        ),
        has_more: false,
      },
    }
  },
}

function threadList(hub: Hub, wanted: (channel: Channel) => boolean): Fields {
  const threads = [...hub.world.channels.values()].filter(
    (channel) => wanted(channel) && maySee(hub.world, channel, hub.world.bot.id),
  )
  return { threads: threads.map((one) => channelOf(hub, one)), members: [] }
}

const me: Route = {
  name: 'getCurrentUser',
  run: ({ hub }) => ({
    body: { ...userOf(hub.world.bot), verified: true, mfa_enabled: false, locale: 'en-US', email: null },
  }),
}

const M = '/channels/:channel/messages'

export const readRoutes: Routes = {
  [`GET ${M}`]: getMessages,
  [`GET ${M}/:message`]: getMessage,
  'GET /channels/:channel/pins': getPins,
  [`GET ${M}/pins`]: getChannelPins,
  [`GET ${M}/:message/reactions/:emoji`]: getReactions,
  'GET /channels/:channel': getChannel,
  'GET /channels/:channel/threads/archived/public': getArchivedThreads,
  'GET /guilds/:guild': getGuild,
  'GET /guilds/:guild/channels': getGuildChannels,
  'GET /guilds/:guild/roles': getRoles,
  'GET /guilds/:guild/members': getMembers,
  'GET /guilds/:guild/members/search': searchMembers,
  'GET /guilds/:guild/members/:user': getMember,
  'GET /guilds/:guild/threads/active': getActiveThreads,
  'GET /users/@me': me,
  'GET /users/@me/guilds': getGuilds,
  'GET /users/:user': getUser,
  'POST /users/@me/channels': createDm,
}
