/** A chat as a person has it before them. */
import type { Seen } from '../kit/stage.js'
import type { Hub } from './hub.js'
import { compareIds } from './ids.js'
import type { Link, Names } from './text/inline.js'
import { showComponents, showEmbed, showText } from './text/render.js'
import { type Channel, type Fields, FLAGS, type Message } from './world.js'

/** Names for what stands in a chat. */
export const namesIn = ({ world, clock }: Hub, guildId: string | undefined): Names => ({
  user: (id) => (world.users.has(id) ? world.nameOf(id, guildId) : 'unknown-user'),
  role: (id) => world.guilds.get(guildId ?? '')?.roles.get(id)?.name ?? 'deleted-role',
  channel: (id) => world.channels.get(id)?.name ?? 'unknown',
  now: () => clock.now(),
})

/**
 * The messages of a chat, those of its threads among them.
 *
 * @param viewer absent: anyone, who sees also what is shown to one person only
 */
export function seenIn(hub: Hub, chat: string, viewer?: string): Seen[] {
  const { world } = hub
  const channel = world.channel(chat)
  const threads = channel.thread === undefined ? world.threadsOf(chat) : []
  const messages = [channel, ...threads].flatMap((one) => one.messages)
  return (
    messages
      .filter(({ onlyFor }) => onlyFor === undefined || viewer === undefined || onlyFor === viewer)
      // Inside its thread the first message is shown once more; in the chat it stands already.
      .filter(({ type }) => type !== 21 || channel.thread !== undefined)
      .sort((one, other) => compareIds(one.id, other.id))
      .map((message) => seenMessage(hub, message))
  )
}

function seenMessage(hub: Hub, message: Message): Seen {
  const { world } = hub
  const channel = world.channel(message.channelId)
  const names = namesIn(hub, channel.guildId)
  const { text, links, buttons } = shown(hub, message, names)
  const { webhook, reference } = message
  return {
    id: message.id,
    author: {
      id: webhook?.id ?? message.author,
      name: webhook?.name ?? world.nameOf(message.author, channel.guildId),
      bot: webhook !== undefined || world.users.get(message.author)?.bot === true,
    },
    text,
    raw: {
      content: message.content,
      ...(message.embeds.length > 0 && { embeds: message.embeds }),
      ...(message.components.length > 0 && { components: message.components }),
      flags: message.flags,
    },
    ...(message.type === 19 && reference?.messageId !== undefined && { replyTo: reference.messageId }),
    ...(channel.thread !== undefined && { thread: channel.id }),
    // Told when it was posted: an edit pages nobody.
    pings: message.pinged,
    links,
    buttons,
    reactions: message.reactions.flatMap(({ id, name, users }) =>
      users.map((by) => ({ emoji: id === null ? name : `:${name}:`, by })),
    ),
    files: message.attachments.map(({ name, bytes }) => ({ name, bytes: bytes.length })),
    silent: (message.flags & FLAGS.suppressNotifications) !== 0,
    edited: message.editedAt !== undefined,
    ...(message.onlyFor !== undefined && { onlyFor: message.onlyFor }),
  }
}

function shown(
  hub: Hub,
  message: Message,
  names: Names,
): { text: string; links: Link[]; buttons: Seen['buttons'] } {
  const system = systemText(hub, message)
  if (system !== null) return { text: system, links: [], buttons: [] }
  if (message.loading === true)
    return { text: `${hub.world.nameOf(message.author)} is thinking…`, links: [], buttons: [] }
  const parts = [showText(message.content, names)]
  if ((message.flags & FLAGS.suppressEmbeds) === 0)
    for (const embed of message.embeds) parts.push(showEmbed(embed, names))
  for (const { message: copy } of (message.snapshots ?? []) as { message?: Fields }[])
    parts.push(showText(String(copy?.content ?? ''), names))
  const question = (message.poll?.question as Fields | undefined)?.text
  if (typeof question === 'string') parts.push({ text: question, links: [] })
  const components = showComponents(message.components, names)
  parts.push(components)
  return {
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n'),
    links: parts.flatMap(({ links }) => links),
    buttons: components.buttons
      .filter(({ disabled }) => !disabled)
      .map(({ label, value, url }) => ({
        label,
        value: url ?? value,
      })),
  }
}

/** What Discord says itself. Null: somebody speaks. */
function systemText({ world }: Hub, message: Message): string | null {
  const channel: Channel = world.channel(message.channelId)
  const who = world.nameOf(message.author, channel.guildId)
  switch (message.type) {
    case 4:
      return `${who} changed the name: ${message.content}`
    case 6:
      return `${who} pinned a message to this channel.`
    case 7:
      return `${who} joined the server.`
    case 8:
      return `${who} just boosted the server!`
    case 12:
      return `${who} has added ${message.content} to this channel.`
    case 18:
      return `${who} started a thread: ${message.content}`
    case 21:
      return starterText(world.channels.get(message.reference?.channelId ?? ''), message)
    default:
      return null
  }
}

const starterText = (channel: Channel | undefined, { reference }: Message): string =>
  channel?.byId.get(reference?.messageId ?? '')?.content ?? 'The first message of this thread was deleted.'
