/** A chat as a person has it before them. */
import type { Seen } from '../kit/stage.js'
import { type Hub, namesIn } from './hub.js'
import { emojiCharacter } from './text/emoji.js'
import { render } from './text/render.js'
import type { Message } from './world.js'

/** @param viewer absent: anyone, who sees also what is shown to one person only */
export function seenIn(hub: Hub, chat: string, viewer?: string): Seen[] {
  const { messages } = hub.world.channel(chat)
  return messages
    .filter(({ onlyFor }) => onlyFor === undefined || viewer === undefined || onlyFor === viewer)
    .map((message) => seenMessage(hub, message))
}

function seenMessage(hub: Hub, message: Message): Seen {
  const { world } = hub
  const author = message.user === undefined ? undefined : world.users.get(message.user)
  const { text, links, buttons } = render(message, namesIn(hub, world.channel(message.channel), message.user))
  const thread = message.threadTs
  return {
    id: message.ts,
    author: {
      id: message.user ?? message.botId ?? '',
      name: message.username ?? (author === undefined ? '' : world.nameOf(author)),
      bot: message.botId !== undefined,
    },
    text,
    raw: message.sent ?? { text: message.text, blocks: message.blocks },
    ...(thread !== undefined && thread !== message.ts && { replyTo: thread, thread }),
    // Told when it was posted: an edit pages nobody.
    pings: message.pinged,
    links,
    buttons: buttons.map(({ label, value }) => ({ label, value })),
    reactions: message.reactions.flatMap(({ name, users }) =>
      users.map((by) => ({ emoji: emojiCharacter(name), by })),
    ),
    files: message.files.map(({ name, bytes }) => ({ name, bytes: bytes.length })),
    silent: false,
    edited: message.edited !== undefined,
    ...(message.onlyFor !== undefined && { onlyFor: message.onlyFor }),
  }
}
