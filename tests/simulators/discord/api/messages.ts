/** Posting, editing, deleting, reacting. https://docs.discord.com/developers/resources/message */
import type { Hub } from '../hub.js'
import { isSnowflake } from '../ids.js'
import { may } from '../permissions.js'
import { edit, forwardOf, pin, post, react, remove, removeAll, type } from '../posting.js'
import { messageOf } from '../wire.js'
import { CHANNEL, type Channel, type Fields, type Message, type Reference } from '../world.js'
import { type Content, checkNotEmpty, readContent } from './content.js'
import { ApiError, apiError, invalid, missing, notSnowflake, tooLong } from './errors.js'
import { type Context, channelIn, messageIn, type Route, type Routes } from './route.js'

/** "Some minutes", says Discord of `enforce_nonce`. */
const NONCE_MS = 5 * 60_000
const NONCE_MAX = 25
const MOST_EMOJI = 20
/** Kinds of message that nobody may delete. https://docs.discord.com/developers/resources/message#message-object-message-types */
const UNDELETABLE: readonly number[] = [1, 2, 3, 4, 5, 14, 15, 16, 17, 21]

/** A character that is an emoji: a picture, a flag, a keycap; with its tones and joins. */
const EMOJI =
  /^(?:\p{Regional_Indicator}{2}|[#*\d]\ufe0f?\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\u200d|\p{Emoji_Modifier}|\p{Extended_Pictographic}|[\u{e0020}-\u{e007f}])*)$/u

/** Nonces of late, by hub: what was posted with each. */
const nonces = new WeakMap<Hub, Map<string, { message: Message; until: number }>>()

/** @throws ApiError when the bot may not write here */
export function checkWritable(hub: Hub, channel: Channel): void {
  const { world } = hub
  const me = world.bot.id
  if (channel.type === CHANNEL.forum) throw apiError(40058)
  const needed = channel.thread === undefined ? 'SendMessages' : 'SendMessagesInThreads'
  if (!may(world, channel, me, needed)) throw apiError(50013)
  const { thread } = channel
  if (thread?.locked === true && !may(world, channel, me, 'ManageThreads')) throw apiError(160005)
  if (channel.type === CHANNEL.dm && hub.closed.has([...channel.recipients].find((id) => id !== me) ?? ''))
    throw apiError(50007)
}

function checkOpen(channel: Channel): void {
  if (channel.thread?.archived === true) throw apiError(50083)
}

const create: Route = {
  name: 'createMessage',
  run: (context) => {
    const { hub, body } = context
    const channel = channelIn(context)
    checkWritable(hub, channel)
    const nonce = readNonce(body.nonce)
    const known = body.enforce_nonce === true && nonce !== undefined ? postedWith(hub, nonce) : undefined
    if (known !== undefined) return { body: messageOf(hub, known), effect: false }
    const content = readContent(hub, body, context.files)
    checkAttachments(hub, channel, content)
    const reference = readReference(hub, channel, body.message_reference)
    checkNotEmpty(content, {
      stickers: body.sticker_ids,
      forward: reference.type === 0 && reference.snapshots !== undefined,
    })
    const message = post(hub, {
      channelId: channel.id,
      author: hub.world.bot.id,
      ...content,
      ...reference,
      flags: ((content.flags ?? 0) & ~(1 << 6)) | (reference.flags ?? 0),
      ...(nonce !== undefined && { nonce }),
    })
    if (nonce !== undefined) remember(hub, nonce, message)
    return { body: messageOf(hub, message), effect: true }
  },
}

function checkAttachments(hub: Hub, channel: Channel, { attachments = [] }: Content): void {
  if (attachments.length > 0 && !may(hub.world, channel, hub.world.bot.id, 'AttachFiles'))
    throw apiError(50013)
}

function readNonce(value: unknown): string | number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' && typeof value !== 'number')
    throw invalid('nonce', 'NONCE_TYPE_INVALID', 'Must be a string or an integer')
  if (String(value).length > NONCE_MAX) throw tooLong('nonce', NONCE_MAX)
  return value
}

function postedWith(hub: Hub, nonce: string | number): Message | undefined {
  const found = nonces.get(hub)?.get(String(nonce))
  if (found === undefined || found.until < hub.clock.now()) return undefined
  return hub.world.channels.get(found.message.channelId)?.byId.get(found.message.id)
}

function remember(hub: Hub, nonce: string | number, message: Message): void {
  const known = nonces.get(hub) ?? new Map<string, { message: Message; until: number }>()
  nonces.set(hub, known)
  const now = hub.clock.now()
  for (const [key, { until }] of known) {
    if (until >= now) break
    known.delete(key)
  }
  known.set(String(nonce), { message, until: now + NONCE_MS })
}

/** A reply, or a forward. https://docs.discord.com/developers/resources/message#message-reference-structure */
function readReference(
  hub: Hub,
  channel: Channel,
  value: unknown,
): { type?: number; reference?: Reference; snapshots?: Fields[]; flags?: number } {
  if (value === undefined || value === null) return {}
  const {
    message_id: id,
    channel_id: from,
    type: kind = 0,
    fail_if_not_exists: fails = true,
  } = value as Fields
  if (id === undefined || id === null) throw missing('message_reference.message_id')
  if (!isSnowflake(String(id))) throw notSnowflake('message_reference.message_id', id)
  const source = from === undefined || from === null ? channel : hub.world.channels.get(String(from))
  const message = source?.byId.get(String(id))
  if (kind === 1) {
    if (message === undefined) throw unknownReference()
    return { type: 0, ...forwardOf(hub, message, messageOf(hub, message, 1)) }
  }
  if (source !== undefined && source !== channel)
    throw invalid(
      'message_reference',
      'REPLIES_CANNOT_REPLY_TO_MESSAGE_IN_OTHER_CHANNEL',
      'Cannot reply to a message in a different channel',
    )
  if (!may(hub.world, channel, hub.world.bot.id, 'ReadMessageHistory')) throw apiError(160002)
  if (message === undefined || message.onlyFor !== undefined) {
    if (fails === false) return {}
    throw unknownReference()
  }
  // What Discord says itself cannot be replied to.
  if (![0, 19, 20, 23].includes(message.type))
    throw invalid(
      'message_reference',
      'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE',
      'Cannot reply to a system message',
    )
  const { guildId } = channel
  return {
    type: 19,
    reference: {
      type: 0,
      channelId: channel.id,
      messageId: message.id,
      ...(guildId !== undefined && { guildId }),
    },
  }
}

const unknownReference = () =>
  invalid('message_reference', 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', 'Unknown message')

const change: Route = {
  name: 'editMessage',
  run: (context) => {
    const { hub, body } = context
    const channel = channelIn(context)
    const message = messageIn(context, channel)
    checkOpen(channel)
    if (message.author !== hub.world.bot.id || message.webhook !== undefined) {
      // A moderator may hide the previews of others, and nothing else.
      if (Object.keys(body).some((key) => key !== 'flags')) throw apiError(50005)
      if (!may(hub.world, channel, hub.world.bot.id, 'ManageMessages')) throw apiError(50013)
    }
    const content = readContent(hub, body, context.files, message)
    checkNotEmpty(content, { old: message })
    const kept = message.flags & ~(1 << 2)
    edit(hub, message, {
      ...content,
      flags: content.flags === undefined ? message.flags : kept | (content.flags & (1 << 2)),
    })
    return { body: messageOf(hub, message), effect: true }
  },
}

const erase: Route = {
  name: 'deleteMessage',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    const message = messageIn(context, channel)
    if (UNDELETABLE.includes(message.type)) throw apiError(50021)
    checkOpen(channel)
    const isOwn = message.author === hub.world.bot.id && message.webhook === undefined
    if (!isOwn && channel.type === CHANNEL.dm) throw apiError(50003)
    if (!isOwn && !may(hub.world, channel, hub.world.bot.id, 'ManageMessages')) throw apiError(50013)
    remove(hub, message)
    return { status: 204, effect: true }
  },
}

const eraseMany: Route = {
  name: 'bulkDeleteMessages',
  run: (context) => {
    const { hub, body } = context
    const channel = channelIn(context)
    if (!may(hub.world, channel, hub.world.bot.id, 'ManageMessages')) throw apiError(50013)
    const ids = Array.isArray(body.messages) ? body.messages.map(String) : []
    if (ids.length < 2 || ids.length > 100)
      throw new ApiError(400, 50016, 'Provided too few or too many messages to delete.')
    removeAll(
      hub,
      ids.flatMap((id) => channel.byId.get(id) ?? []),
    )
    return { status: 204, effect: true }
  },
}

/** https://docs.discord.com/developers/resources/message#create-reaction */
const createReaction: Route = {
  name: 'createReaction',
  run: (context) => {
    const { hub } = context
    const { world } = hub
    const channel = channelIn(context)
    const message = messageIn(context, channel)
    checkOpen(channel)
    const emoji = readEmoji(hub, context.path.emoji ?? '')
    const isNew = !message.reactions.some(({ key }) => key === emoji.key)
    if (!may(world, channel, world.bot.id, 'ReadMessageHistory')) throw apiError(50013)
    if (isNew && !may(world, channel, world.bot.id, 'AddReactions')) throw apiError(50013)
    if (isNew && message.reactions.length >= MOST_EMOJI) throw apiError(30010)
    return { status: 204, effect: react(hub, message, world.bot.id, emoji.text, true) }
  },
}

const removeReaction = (name: string, whose: (context: Context) => string): Route => ({
  name,
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    const message = messageIn(context, channel)
    checkOpen(channel)
    const user = whose(context)
    if (user !== hub.world.bot.id && !may(hub.world, channel, hub.world.bot.id, 'ManageMessages'))
      throw apiError(50013)
    const emoji = readEmoji(hub, context.path.emoji ?? '')
    return { status: 204, effect: react(hub, message, user, emoji.text, false) }
  },
})

function readEmoji({ world }: Hub, text: string): { key: string; text: string } {
  const custom = /^(?:a:)?(\w+):(\d+)$/.exec(text)
  if (custom !== null) {
    const id = custom[2] ?? ''
    const isKnown = [...world.guilds.values()].some(({ emojis }) => emojis.has(id))
    if (!isKnown) throw apiError(10014)
    return { key: id, text: `${custom[1]}:${id}` }
  }
  if (!EMOJI.test(text)) throw apiError(10014)
  return { key: text.replaceAll('\ufe0f', ''), text }
}

const clearReactions: Route = {
  name: 'deleteAllReactions',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    const message = messageIn(context, channel)
    if (!may(hub.world, channel, hub.world.bot.id, 'ManageMessages')) throw apiError(50013)
    for (const { key, id, name, users } of [...message.reactions])
      for (const user of [...users]) react(hub, message, user, id === null ? name : `${name}:${key}`, false)
    return { status: 204, effect: true }
  },
}

const typing: Route = {
  name: 'triggerTyping',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    checkWritable(hub, channel)
    type(hub, channel, hub.world.bot.id)
    return { status: 204, effect: true }
  },
}

const pinMessage: Route = {
  name: 'pinMessage',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    if (channel.type !== CHANNEL.dm && !may(hub.world, channel, hub.world.bot.id, 'ManageMessages'))
      throw apiError(50013)
    pin(hub, messageIn(context, channel), hub.world.bot.id)
    return { status: 204, effect: true }
  },
}

/** Shows an announcement in the channels that follow this one. */
const crosspost: Route = {
  name: 'crosspostMessage',
  run: (context) => {
    const { hub } = context
    const channel = channelIn(context)
    if (channel.type !== CHANNEL.announcement) throw apiError(50024)
    const message = messageIn(context, channel)
    edit(hub, message, { flags: message.flags | 1 })
    return { body: messageOf(hub, message), effect: true }
  },
}

const M = '/channels/:channel/messages'

export const messageRoutes: Routes = {
  [`POST ${M}`]: create,
  [`PATCH ${M}/:message`]: change,
  [`DELETE ${M}/:message`]: erase,
  [`POST ${M}/bulk-delete`]: eraseMany,
  [`POST ${M}/:message/crosspost`]: crosspost,
  [`PUT ${M}/:message/reactions/:emoji/@me`]: createReaction,
  [`DELETE ${M}/:message/reactions/:emoji/@me`]: removeReaction(
    'deleteOwnReaction',
    ({ hub }) => hub.world.bot.id,
  ),
  [`DELETE ${M}/:message/reactions/:emoji/:user`]: removeReaction(
    'deleteUserReaction',
    ({ path }) => path.user ?? '',
  ),
  [`DELETE ${M}/:message/reactions`]: clearReactions,
  'POST /channels/:channel/typing': typing,
  'PUT /channels/:channel/pins/:message': pinMessage,
  [`PUT ${M}/pins/:message`]: pinMessage,
}
