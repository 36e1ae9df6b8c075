/** A chat as a person has it before them. */
import type { Seen } from '../kit/stage.js'
import { parsed } from './fields.js'
import type { Hub } from './hub.js'
import { emojiCharacter } from './text/emoji.js'
import { render } from './text/render.js'
import type { Chat, Message } from './world.js'

/** @param viewer a principal; absent: anyone, who sees also what is shown to one person only */
export function seenIn(hub: Hub, chatId: string, viewer?: string): Seen[] {
  const chat = hub.world.chat(chatId)
  return chat.messages
    .filter(({ isDeleted }) => !isDeleted)
    .filter(({ onlyFor }) => onlyFor === undefined || viewer === undefined || onlyFor === viewer)
    .map((message) => seenMessage(hub, chat, message))
}

function seenMessage(hub: Hub, chat: Chat, message: Message): Seen {
  const { world, main } = hub
  const { text, links, buttons } = render(hub, chat, message)
  const idOf = (who: string): string => (who === '' || who === 'all' ? who : world.openId(main.appId, who))
  return {
    id: message.id,
    author: {
      id: idOf(message.sender),
      name: message.sender === '' ? '' : world.nameOf(message.sender),
      bot: world.apps.has(message.sender),
    },
    text,
    raw: message.sent === undefined ? message.content : { type: message.type, content: parsed(message.sent) },
    ...(message.parentId !== undefined && { replyTo: message.parentId }),
    ...(message.threadId !== undefined && { thread: message.threadId }),
    // Told when it was sent: an edit pages nobody.
    pings: message.pinged.map(idOf),
    links,
    buttons: buttons.map(({ label, value }) => ({ label, value })),
    reactions: message.reactions.map(({ emoji, by }) => ({ emoji: emojiCharacter(emoji), by: idOf(by) })),
    files: message.keys.flatMap((key) => {
      const file = world.resources.get(key)
      return file === undefined ? [] : [{ name: file.name, bytes: file.bytes.length }]
    }),
    silent: false,
    edited: message.isEdited,
    ...(message.onlyFor !== undefined && { onlyFor: idOf(message.onlyFor) }),
  }
}
