/** Everything that happens to messages, by whomever, and the events that tell the bot. */
import type { Hub } from './hub.js'
import { INTENTS } from './options.js'
import { maySee } from './permissions.js'
import { type Allowed, mentionsIn } from './text/mentions.js'
import { memberWithUser, threadOf } from './wire.js'
import {
  type Attachment,
  CHANNEL,
  type Channel,
  type Fields,
  FLAGS,
  type Message,
  type Reference,
  type Speaker,
} from './world.js'

export interface Draft {
  channelId: string
  author: string
  content?: string
  type?: number
  embeds?: Fields[]
  attachments?: Attachment[]
  components?: Fields[]
  flags?: number
  nonce?: string | number
  reference?: Reference
  snapshots?: Fields[]
  webhook?: Speaker
  interaction?: Fields
  poll?: Fields
  stickers?: Fields[]
  onlyFor?: string
  loading?: boolean
  tts?: boolean
  /** Absent: everything in the text pages. */
  allowed?: Allowed
  /** Takes the place of a new id: the first message of a forum post has its thread's. */
  id?: string
}

const isDirect = ({ type }: Channel) => type === CHANNEL.dm

/** Adds a message and tells the bot. */
export function post(hub: Hub, draft: Draft): Message {
  const { world } = hub
  const channel = world.channel(draft.channelId)
  const { allowed, ...rest } = draft
  const content = draft.content ?? ''
  const repliedTo = repliedAuthor(hub, draft)
  const silent = draft.type !== undefined && draft.type !== 0 && draft.type !== 19 && draft.type !== 20
  const mentioned = silent
    ? { mentions: { users: [], roles: [], everyone: false }, pinged: [] }
    : mentionsIn(world, channel, draft.author, content, {
        ...(allowed !== undefined && { allowed }),
        ...(repliedTo !== undefined && { repliedTo }),
      })
  const message: Message = {
    type: 0,
    embeds: [],
    attachments: [],
    components: [],
    flags: 0,
    ...rest,
    id: draft.id ?? world.nextId(),
    content,
    ...mentioned,
    reactions: [],
    pinned: false,
  }
  for (const file of message.attachments) world.files.set(file.id, { ...file, channelId: channel.id })
  world.add(message)
  wake(hub, channel, message)
  hub.typing.delete(`${channel.id}:${message.author}`)
  // What only one person sees makes no event: https://docs.discord.com/developers/resources/message#message-object-message-flags
  if (message.onlyFor === undefined) hub.publisher.message('MESSAGE_CREATE', channel, message)
  hub.changes.changed()
  return message
}

/** Whoever writes in a thread is in it; one that was archived comes back. */
function wake(hub: Hub, channel: Channel, message: Message): void {
  const { thread } = channel
  if (thread === undefined) return
  if (message.id !== channel.id) thread.count++
  if (message.webhook === undefined && !thread.members.has(message.author)) thread.members.add(message.author)
  if (!thread.archived) return
  thread.archived = false
  thread.archivedAt = hub.clock.now()
  hub.publisher.event('THREAD_UPDATE', threadOf(hub, channel), INTENTS.Guilds, channel.guildId)
}

function repliedAuthor({ world }: Hub, { type, reference }: Draft): string | undefined {
  if (type !== 19 || reference?.messageId === undefined) return undefined
  return world.channels.get(reference.channelId)?.byId.get(reference.messageId)?.author
}

/** What an edit changes. Nobody is paged by it. */
export interface Change {
  content?: string
  embeds?: Fields[]
  components?: Fields[]
  attachments?: Attachment[]
  flags?: number
  allowed?: Allowed
  loading?: false
}

export function edit(hub: Hub, message: Message, change: Change): void {
  const { world } = hub
  const channel = world.channel(message.channelId)
  const { allowed, loading, ...fields } = change
  Object.assign(message, fields)
  if (loading === false) delete message.loading
  if (change.content !== undefined) {
    const { mentions } = mentionsIn(world, channel, message.author, message.content, {
      ...(allowed !== undefined && { allowed }),
    })
    message.mentions = mentions
  }
  for (const file of message.attachments) world.files.set(file.id, { ...file, channelId: channel.id })
  // Its first text is no edit of "… is thinking".
  if (loading !== false) message.editedAt = hub.clock.now()
  if (message.onlyFor === undefined) hub.publisher.message('MESSAGE_UPDATE', channel, message)
  hub.changes.changed()
}

/** A link's preview comes a while after the message, by an update that edits nothing. */
export function unfurl(hub: Hub, message: Message, embed: Fields): void {
  message.embeds.push({ type: 'rich', ...embed })
  hub.publisher.message('MESSAGE_UPDATE', hub.world.channel(message.channelId), message)
  hub.changes.changed()
}

export function remove(hub: Hub, message: Message): void {
  const channel = hub.world.channel(message.channelId)
  hub.world.remove(message)
  if (message.onlyFor === undefined) {
    const data = { id: message.id, channel_id: channel.id, ...guildField(channel) }
    publish(hub, channel, 'MESSAGE_DELETE', data, INTENTS.GuildMessages, INTENTS.DirectMessages)
  }
  hub.changes.changed()
}

/** Several at once, by a moderator. */
export function removeAll(hub: Hub, messages: readonly Message[]): void {
  const [first] = messages
  if (first === undefined) return
  const channel = hub.world.channel(first.channelId)
  for (const message of messages) hub.world.remove(message)
  const data = { ids: messages.map(({ id }) => id), channel_id: channel.id, ...guildField(channel) }
  publish(hub, channel, 'MESSAGE_DELETE_BULK', data, INTENTS.GuildMessages, INTENTS.DirectMessages)
  hub.changes.changed()
}

/** @param emoji a character, or `name:id` of a custom one. False: nothing changes by it */
export function react(hub: Hub, message: Message, user: string, emoji: string, isAdded: boolean): boolean {
  const { world } = hub
  const channel = world.channel(message.channelId)
  const { key, id, name } = emojiOf(emoji)
  let reaction = message.reactions.find((one) => one.key === key)
  if (isAdded === (reaction?.users.includes(user) === true)) return false
  if (isAdded) {
    if (reaction === undefined) {
      reaction = { key, id, name, users: [] }
      message.reactions.push(reaction)
    }
    reaction.users.push(user)
  } else if (reaction !== undefined) {
    reaction.users = reaction.users.filter((one) => one !== user)
    if (reaction.users.length === 0) message.reactions.splice(message.reactions.indexOf(reaction), 1)
  }
  const member = channel.guildId === undefined ? undefined : world.guild(channel.guildId).members.get(user)
  const data = {
    user_id: user,
    channel_id: channel.id,
    message_id: message.id,
    ...guildField(channel),
    ...(isAdded && member !== undefined && { member: memberWithUser(hub, member) }),
    ...(isAdded && { message_author_id: message.author }),
    emoji: { id, name },
    burst: false,
    type: 0,
  }
  const type = isAdded ? 'MESSAGE_REACTION_ADD' : 'MESSAGE_REACTION_REMOVE'
  publish(hub, channel, type, data, INTENTS.GuildMessageReactions, INTENTS.DirectMessageReactions)
  hub.changes.changed()
  return true
}

/** A character, or `name:id`, also as `<:name:id>` or `a:name:id`. */
export function emojiOf(emoji: string): { key: string; id: string | null; name: string } {
  const custom = /^<?a?:?(\w+):(\d+)>?$/.exec(emoji)
  if (custom === null) return { key: emoji.replaceAll('\ufe0f', ''), id: null, name: emoji }
  return { key: custom[2] ?? '', id: custom[2] ?? '', name: custom[1] ?? '' }
}

/** Pins say so in the channel. */
export function pin(hub: Hub, message: Message, user: string): void {
  const channel = hub.world.channel(message.channelId)
  if (message.pinned) return
  message.pinned = true
  hub.publisher.message('MESSAGE_UPDATE', channel, message)
  const data = {
    channel_id: channel.id,
    last_pin_timestamp: new Date(hub.clock.now()).toISOString(),
    ...guildField(channel),
  }
  publish(hub, channel, 'CHANNEL_PINS_UPDATE', data, INTENTS.Guilds, INTENTS.DirectMessages)
  post(hub, {
    channelId: channel.id,
    author: user,
    type: 6,
    reference: { type: 0, channelId: channel.id, messageId: message.id, ...guildOf(channel) },
  })
}

/** "… is typing" for ten seconds. */
export function type(hub: Hub, channel: Channel, user: string): void {
  hub.typing.set(`${channel.id}:${user}`, hub.clock.now() + 10_000)
  const data = {
    channel_id: channel.id,
    user_id: user,
    timestamp: Math.floor(hub.clock.now() / 1000),
    ...guildField(channel),
  }
  publish(hub, channel, 'TYPING_START', data, INTENTS.GuildMessageTyping, INTENTS.DirectMessageTyping)
  hub.changes.changed()
}

/** A forward: a copy of the message, with a reference to it. https://docs.discord.com/developers/resources/message#message-snapshot-object */
export const forwardOf = (
  hub: Hub,
  message: Message,
  copy: Fields,
): Pick<Draft, 'reference' | 'snapshots' | 'flags'> => {
  const from = hub.world.channel(message.channelId)
  const { content, embeds, attachments, timestamp, edited_timestamp, flags, mentions, mention_roles, type } =
    copy
  return {
    reference: { type: 1, channelId: from.id, messageId: message.id, ...guildOf(from) },
    snapshots: [
      {
        message: {
          type,
          content,
          embeds,
          attachments,
          timestamp,
          edited_timestamp,
          flags,
          mentions,
          mention_roles,
        },
      },
    ],
    flags: FLAGS.hasSnapshot,
  }
}

/** Tells of what happens in a channel, where the bot can see it. */
export function publish(
  hub: Hub,
  channel: Channel,
  event: string,
  data: Fields,
  guildIntent: number,
  directIntent: number,
): void {
  if (!maySee(hub.world, channel, hub.world.bot.id)) return
  hub.publisher.event(event, data, isDirect(channel) ? directIntent : guildIntent, channel.guildId)
}

const guildOf = ({ guildId }: Channel) => (guildId === undefined ? {} : { guildId })
const guildField = ({ guildId }: Channel): Fields => (guildId === undefined ? {} : { guild_id: guildId })
