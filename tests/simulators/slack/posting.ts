/** Everything that happens to messages, by whomever, and the events that tell the bot. */
import { blockId, type Hub, hubSeconds, pinged } from './hub.js'
import { emojiName } from './text/emoji.js'
import type { Block, Fields } from './text/rich.js'
import { channelType, messageOf } from './wire.js'
import type { Channel, Message, SlackFile } from './world.js'

export interface Draft {
  channel: string
  user?: string
  text: string
  blocks: Block[]
  sent?: Fields
  threadTs?: string
  broadcast?: boolean
  subtype?: string
  clientMsgId?: string
  botId?: string
  appId?: string
  username?: string
  icons?: Fields
  files?: SlackFile[]
  metadata?: Fields
  onlyFor?: string
  extra?: Fields
}

/** The subscription that covers a chat's messages. https://docs.slack.dev/reference/events/message.channels */
const MESSAGE_EVENTS = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
}

/** Adds a message and tells the bot. */
export function post(hub: Hub, draft: Draft): Message {
  const { world } = hub
  const channel = world.channel(draft.channel)
  const { broadcast, ...rest } = draft
  const message: Message = {
    ...rest,
    ts: world.ids.ts(hub.clock.now()),
    files: draft.files ?? [],
    reactions: [],
    pinged: pinged(hub, channel, draft.user ?? '', draft),
    ...(broadcast === true && { subtype: 'thread_broadcast', broadcast: true }),
  }
  for (const file of message.files) file.shared.add(channel.id)
  world.add(message)
  // The app's "… is thinking" ends with what it says: https://docs.slack.dev/reference/methods/assistant.threads.setStatus
  if (message.botId === world.bot.botId) hub.statuses.delete(`${channel.id}:${message.threadTs}`)
  // What only one person sees makes no event: https://docs.slack.dev/reference/methods/chat.postEphemeral
  if (message.onlyFor === undefined) for (const app of hub.apps) publish(app, channel, message)
  hub.changes.changed()
  return message
}

/** `message` and, where the bot is named, `app_mention`: two events of one post, in no fixed order. */
function publish(hub: Hub, channel: Channel, message: Message): void {
  const { publisher, world, options } = hub
  const event = messageOf(hub, message)
  const base = { ...event, channel: channel.id, event_ts: message.ts }
  const tell = (): void =>
    publisher.own(MESSAGE_EVENTS[channel.kind], { ...base, channel_type: channelType(channel) }, channel)
  const isNamed = message.user !== world.bot.id && namesUser(message.blocks, world.bot.id)
  const hasTwin = channel.kind !== 'im' && (message.files.length === 0 || options.mentionsWithFiles !== false)
  if (!isNamed || !hasTwin) {
    tell()
    return
  }
  const mention = (): void => {
    const { subtype: _, type: __, ...rest } = base as Fields
    publisher.own('app_mention', { type: 'app_mention', ...rest }, channel)
  }
  const order = options.twins ?? 'alternate'
  const isMentionFirst = order === 'mention-first' || (order === 'alternate' && hub.mentions++ % 2 === 1)
  if (isMentionFirst) mention()
  tell()
  if (!isMentionFirst) mention()
}

/** A user element anywhere in the blocks. Code holds none: there an id is text. */
export function namesUser(value: unknown, id: string): boolean {
  if (Array.isArray(value)) return value.some((item) => namesUser(item, id))
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Fields
  if (fields.type === 'user' && fields.user_id === id) return true
  if (fields.type === 'mrkdwn' && typeof fields.text === 'string') return fields.text.includes(`<@${id}`)
  return Object.values(fields).some((item) => namesUser(item, id))
}

/** Says that a message is another one now. https://docs.slack.dev/reference/events/message/message_changed */
function tellChanged(hub: Hub, message: Message, previous: Fields): void {
  const channel = hub.world.channel(message.channel)
  const ts = hub.world.ids.ts(hub.clock.now())
  const event = {
    type: 'message',
    subtype: 'message_changed',
    message: { ...messageOf(hub, message), source_team: hub.world.team.id, user_team: hub.world.team.id },
    previous_message: previous,
    channel: channel.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: channelType(channel),
  }
  hub.publisher.event(MESSAGE_EVENTS[channel.kind], event, channel)
  hub.changes.changed()
}

/** @param by whom the mark "edited" names: a person, or the bot's `B…` */
export function edit(
  hub: Hub,
  message: Message,
  change: { text: string; blocks: Block[]; sent?: Fields; metadata?: Fields },
  by: string,
): void {
  const previous = messageOf(hub, message)
  Object.assign(message, change)
  message.edited = { user: by, ts: `${hubSeconds(hub)}.000000` }
  tellChanged(hub, message, previous)
}

/**
 * Deletes. A message with replies leaves a tombstone: people see that something was there.
 * https://docs.slack.dev/reference/events/message/message_deleted
 */
export function remove(hub: Hub, message: Message): void {
  const { world } = hub
  const channel = world.channel(message.channel)
  const previous = messageOf(hub, message)
  if (world.replies(channel.id, message.ts).length > 0) {
    message.subtype = 'tombstone'
    message.tombstone = true
    message.text = 'This message was deleted.'
    message.user = 'USLACKBOT'
    message.blocks = []
    message.files = []
    message.reactions = []
    tellChanged(hub, message, previous)
    return
  }
  world.remove(message)
  const ts = world.ids.ts(hub.clock.now())
  if (message.onlyFor === undefined) {
    const event = {
      type: 'message',
      subtype: 'message_deleted',
      previous_message: previous,
      channel: channel.id,
      hidden: true,
      deleted_ts: message.ts,
      ts,
      event_ts: ts,
      channel_type: channelType(channel),
    }
    hub.publisher.event(MESSAGE_EVENTS[channel.kind], event, channel)
  }
  hub.changes.changed()
}

/** Adds or takes back a reaction. False: it was so already. https://docs.slack.dev/reference/events/reaction_added */
export function react(hub: Hub, message: Message, user: string, emoji: string, isAdded: boolean): boolean {
  const name = emojiName(emoji)
  const entry = message.reactions.find((reaction) => reaction.name === name)
  if ((entry?.users.includes(user) ?? false) === isAdded) return false
  if (entry === undefined) message.reactions.push({ name, users: [user] })
  else if (isAdded) entry.users.push(user)
  else entry.users.splice(entry.users.indexOf(user), 1)
  message.reactions = message.reactions.filter(({ users }) => users.length > 0)
  const type = isAdded ? 'reaction_added' : 'reaction_removed'
  const event = {
    type,
    user,
    reaction: name,
    item: { type: 'message', channel: message.channel, ts: message.ts },
    ...(message.user !== undefined && { item_user: message.user }),
    event_ts: hub.world.ids.ts(hub.clock.now()),
  }
  hub.publisher.event(type, event, hub.world.channel(message.channel))
  hub.changes.changed()
  return true
}

/** A line that Slack writes by itself: somebody joined, the topic changed … */
export function system(
  hub: Hub,
  channel: Channel,
  user: string,
  subtype: string,
  text: string,
  extra: Fields = {},
): Message {
  return post(hub, { channel: channel.id, user, subtype, text, blocks: [], extra })
}

/** Blocks with the ids Slack gives to those that come without one. */
export const withIds = (hub: Hub, blocks: readonly Block[]): Block[] =>
  blocks.map((block) => ({
    ...block,
    block_id: typeof block.block_id === 'string' ? block.block_id : blockId(hub),
  }))
