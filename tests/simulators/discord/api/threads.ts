/** Threads: made, changed, entered. https://docs.discord.com/developers/resources/channel#start-thread-from-message */

import { removeChannel, tellChannel } from '../membership.js'
import { may } from '../permissions.js'
import {
  changeThread,
  changeThreadMember,
  forumPost,
  removeThread,
  threadFrom,
  threadIn,
} from '../threads.js'
import { channelOf, messageOf, threadMember } from '../wire.js'
import { CHANNEL, type Channel, type Fields } from '../world.js'
import { checkNotEmpty, readContent } from './content.js'
import { apiError, invalid, missing } from './errors.js'
import { type Context, channelIn, messageIn, type Route, type Routes } from './route.js'

const NAME_MAX = 100
const ARCHIVE_MINUTES: readonly unknown[] = [60, 1_440, 4_320, 10_080]

function nameOf({ name }: Fields): string {
  if (typeof name !== 'string' || name.trim() === '') throw missing('name')
  if (name.length > NAME_MAX)
    throw invalid('name', 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${NAME_MAX} in length.`)
  return name.trim()
}

function archiveOf({ auto_archive_duration: minutes }: Fields): { autoArchiveMinutes?: number } {
  if (minutes === undefined || minutes === null) return {}
  if (!ARCHIVE_MINUTES.includes(minutes))
    throw invalid(
      'auto_archive_duration',
      'BASE_TYPE_CHOICES',
      `Value must be one of (${ARCHIVE_MINUTES.join(', ')}).`,
    )
  return { autoArchiveMinutes: Number(minutes) }
}

const fromMessage: Route = {
  name: 'startThreadFromMessage',
  run: (context) => {
    const { hub, body } = context
    const channel = channelIn(context)
    if (channel.thread !== undefined || channel.type === CHANNEL.dm) throw apiError(50024)
    const message = messageIn(context, channel)
    if (!may(hub.world, channel, hub.world.bot.id, 'CreatePublicThreads')) throw apiError(50013)
    if (message.hasThread === true) throw apiError(160004)
    const thread = threadFrom(hub, message, nameOf(body), hub.world.bot.id, archiveOf(body))
    return { status: 201, body: channelOf(hub, thread), effect: true }
  },
}

const start: Route = {
  name: 'startThread',
  run: (context) => {
    const { hub, body } = context
    const channel = channelIn(context)
    if (channel.thread !== undefined || channel.type === CHANNEL.dm) throw apiError(50024)
    if (channel.type === CHANNEL.forum) return inForum(context, channel)
    // Private ones when nothing is said.
    const isPrivate = (body.type ?? CHANNEL.privateThread) === CHANNEL.privateThread
    const needed = isPrivate ? 'CreatePrivateThreads' : 'CreatePublicThreads'
    if (!may(hub.world, channel, hub.world.bot.id, needed)) throw apiError(50013)
    const options = { private: isPrivate, ...archiveOf(body) }
    const thread = threadIn(hub, channel, nameOf(body), hub.world.bot.id, options)
    return { status: 201, body: channelOf(hub, thread), effect: true }
  },
}

function inForum({ hub, body, files }: Context, forum: Channel): ReturnType<Route['run']> {
  if (!may(hub.world, forum, hub.world.bot.id, 'SendMessages')) throw apiError(50013)
  const content = readContent(hub, (body.message ?? {}) as Fields, files)
  checkNotEmpty(content)
  const tags = Array.isArray(body.applied_tags) ? body.applied_tags.map(String) : []
  const draft = { author: hub.world.bot.id, ...content }
  const { thread, message } = forumPost(hub, forum, nameOf(body), draft, { tags, ...archiveOf(body) })
  return { status: 201, body: { ...channelOf(hub, thread), message: messageOf(hub, message) }, effect: true }
}

const modify: Route = {
  name: 'modifyChannel',
  run: (context) => {
    const { hub, body } = context
    const channel = channelIn(context)
    const { thread } = channel
    const me = hub.world.bot.id
    if (thread === undefined) {
      if (!may(hub.world, channel, me, 'ManageChannels')) throw apiError(50013)
      if (body.name !== undefined) channel.name = nameOf(body)
      if (typeof body.topic === 'string') channel.topic = body.topic
      tellChannel(hub, channel)
    } else {
      const manages = may(hub.world, channel, me, 'ManageThreads')
      if (!manages && (thread.locked || body.locked !== undefined || thread.ownerId !== me))
        throw apiError(50013)
      if (thread.archived && body.archived !== false) throw apiError(50083)
      changeThread(hub, channel, {
        ...(body.name !== undefined && { name: nameOf(body) }),
        ...(typeof body.archived === 'boolean' && { archived: body.archived }),
        ...(typeof body.locked === 'boolean' && { locked: body.locked }),
      })
    }
    return { body: channelOf(hub, channel), effect: true }
  },
}

const remove: Route = {
  name: 'deleteChannel',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    const needed = channel.thread === undefined ? 'ManageChannels' : 'ManageThreads'
    if (!may(hub.world, channel, hub.world.bot.id, needed)) throw apiError(50013)
    const body = channelOf(hub, channel)
    if (channel.thread === undefined) removeChannel(hub, channel)
    else removeThread(hub, channel)
    return { body, effect: true }
  },
}

const member = (name: string, isIn: boolean, whose: (context: Context) => string): Route => ({
  name,
  run: (context) => {
    const channel = channelIn(context)
    if (channel.thread === undefined) throw apiError(50024)
    if (channel.thread.archived) throw apiError(50083)
    changeThreadMember(context.hub, channel, whose(context), isIn)
    return { status: 204, effect: true }
  },
})

const members: Route = {
  name: 'getThreadMembers',
  run: (context) => {
    const channel = channelIn(context)
    if (channel.thread === undefined) throw apiError(50024)
    if (!context.hub.granted.has('GuildMembers')) throw apiError(50001)
    return { body: [...channel.thread.members].map((user) => threadMember(channel, user)) }
  },
}

const mine = ({ hub }: Context) => hub.world.bot.id
const other = ({ path }: Context) => path.user ?? ''

export const threadRoutes: Routes = {
  'POST /channels/:channel/messages/:message/threads': fromMessage,
  'POST /channels/:channel/threads': start,
  'PATCH /channels/:channel': modify,
  'DELETE /channels/:channel': remove,
  'PUT /channels/:channel/thread-members/@me': member('joinThread', true, mine),
  'DELETE /channels/:channel/thread-members/@me': member('leaveThread', false, mine),
  'PUT /channels/:channel/thread-members/:user': member('addThreadMember', true, other),
  'DELETE /channels/:channel/thread-members/:user': member('removeThreadMember', false, other),
  'GET /channels/:channel/thread-members': members,
}
