/** Threads and forum posts. https://docs.discord.com/developers/topics/threads */
import type { Hub } from './hub.js'
import { INTENTS } from './options.js'
import { maySee } from './permissions.js'
import { type Draft, post, publish } from './posting.js'
import { memberOf, threadMember, threadOf } from './wire.js'
import { CHANNEL, type Channel, type Fields, FLAGS, type Message, type Thread } from './world.js'

const DAY_MINUTES = 1_440

export interface ThreadOptions {
  private?: boolean
  autoArchiveMinutes?: number
  tags?: readonly string[]
  members?: readonly string[]
}

function makeThread(
  hub: Hub,
  parent: Channel,
  name: string,
  by: string,
  options: ThreadOptions & { id?: string },
): Channel {
  const thread: Thread = {
    ownerId: by,
    archived: false,
    locked: false,
    archivedAt: hub.clock.now(),
    autoArchiveMinutes: options.autoArchiveMinutes ?? DAY_MINUTES,
    members: new Set([by, ...(options.members ?? [])]),
    tags: [...(options.tags ?? [])],
    count: 0,
  }
  const type =
    options.private === true
      ? CHANNEL.privateThread
      : parent.type === CHANNEL.announcement
        ? CHANNEL.announcementThread
        : CHANNEL.publicThread
  return hub.world.addChannel({
    type,
    name,
    parentId: parent.id,
    ...(parent.guildId !== undefined && { guildId: parent.guildId }),
    ...(options.id !== undefined && { id: options.id }),
    thread,
  })
}

function tellNew(hub: Hub, channel: Channel): void {
  if (!maySee(hub.world, channel, hub.world.bot.id)) return
  hub.publisher.event(
    'THREAD_CREATE',
    { ...threadOf(hub, channel), newly_created: true },
    INTENTS.Guilds,
    channel.guildId,
  )
}

/** A thread that hangs on a message has the message's id. */
export function threadFrom(
  hub: Hub,
  message: Message,
  name: string,
  by: string,
  options: ThreadOptions = {},
): Channel {
  const parent = hub.world.channel(message.channelId)
  const thread = makeThread(hub, parent, name, by, { ...options, id: message.id })
  message.hasThread = true
  message.flags |= FLAGS.hasThread
  tellNew(hub, thread)
  hub.publisher.message('MESSAGE_UPDATE', parent, message)
  post(hub, {
    channelId: thread.id,
    author: message.author,
    type: 21,
    reference: { type: 0, channelId: parent.id, messageId: message.id, ...guildOf(parent) },
  })
  return thread
}

/** A thread of its own. A public one is announced in the channel. */
export function threadIn(
  hub: Hub,
  parent: Channel,
  name: string,
  by: string,
  options: ThreadOptions = {},
): Channel {
  const thread = makeThread(hub, parent, name, by, options)
  tellNew(hub, thread)
  if (options.private !== true)
    post(hub, {
      channelId: parent.id,
      author: by,
      type: 18,
      content: name,
      reference: { type: 0, channelId: thread.id, ...guildOf(parent) },
    })
  return thread
}

/** A forum post: a thread whose first message has its id. */
export function forumPost(
  hub: Hub,
  forum: Channel,
  name: string,
  draft: Omit<Draft, 'channelId' | 'id'>,
  options: ThreadOptions = {},
): { thread: Channel; message: Message } {
  const thread = makeThread(hub, forum, name, draft.author, options)
  tellNew(hub, thread)
  return { thread, message: post(hub, { ...draft, channelId: thread.id, id: thread.id }) }
}

/** Archived, locked, renamed, tagged. */
export function changeThread(
  hub: Hub,
  channel: Channel,
  change: Partial<Pick<Thread, 'archived' | 'locked' | 'tags'>> & { name?: string },
): void {
  const { thread } = channel
  if (thread === undefined) throw new Error(`${channel.id} is no thread`)
  const { name, ...rest } = change
  if (rest.archived !== undefined && rest.archived !== thread.archived) thread.archivedAt = hub.clock.now()
  Object.assign(thread, rest)
  if (name !== undefined) channel.name = name
  publish(hub, channel, 'THREAD_UPDATE', threadOf(hub, channel), INTENTS.Guilds, INTENTS.Guilds)
  hub.changes.changed()
}

/** Somebody comes into a thread, or goes. The bot learns of itself always, of others with the intent for members. */
export function changeThreadMember(hub: Hub, channel: Channel, user: string, isIn: boolean): void {
  const { thread, guildId } = channel
  if (thread === undefined) throw new Error(`${channel.id} is no thread`)
  if (thread.members.has(user) === isIn) return
  const isBot = user === hub.world.bot.id
  const wasThere = maySee(hub.world, channel, hub.world.bot.id)
  if (isIn) thread.members.add(user)
  else thread.members.delete(user)
  // For a private thread this is the moment it comes to be, for the bot.
  if (isBot && isIn && !wasThere)
    hub.publisher.event('THREAD_CREATE', threadOf(hub, channel), INTENTS.Guilds, guildId)
  const member = guildId === undefined ? undefined : hub.world.guild(guildId).members.get(user)
  const data: Fields = {
    id: channel.id,
    guild_id: guildId,
    member_count: thread.members.size,
    ...(isIn
      ? {
          added_members: [
            { ...threadMember(channel, user), ...(member !== undefined && { member: memberOf(member) }) },
          ],
        }
      : { removed_member_ids: [user] }),
  }
  if (wasThere || isIn)
    hub.publisher.event('THREAD_MEMBERS_UPDATE', data, isBot ? INTENTS.Guilds : INTENTS.GuildMembers, guildId)
  hub.changes.changed()
}

export function removeThread(hub: Hub, channel: Channel): void {
  const { id, guildId, parentId, type } = channel
  publish(
    hub,
    channel,
    'THREAD_DELETE',
    { id, guild_id: guildId, parent_id: parentId, type },
    INTENTS.Guilds,
    INTENTS.Guilds,
  )
  hub.world.channels.delete(id)
  hub.changes.changed()
}

const guildOf = ({ guildId }: Channel) => (guildId === undefined ? {} : { guildId })
