/** What a person sees of any message. */
import { type Fields, isFields, textOf } from '../fields.js'
import type { Hub } from '../hub.js'
import type { Chat, Message } from '../world.js'
import { Canvas, type Names, type Rendered } from './canvas.js'
import { renderCard } from './card.js'
import { renderText } from './plain.js'
import { renderPost } from './post.js'

type Shown = Pick<Message, 'type' | 'content' | 'mentions' | 'sender' | 'forwarded'>

export function render(hub: Hub, chat: Chat, message: Shown): Rendered {
  const canvas = new Canvas(namesIn(hub, chat, message))
  return canvas.done(shown(hub, chat, message, canvas))
}

function shown(hub: Hub, chat: Chat, message: Shown, canvas: Canvas): string {
  const content = isFields(message.content) ? message.content : {}
  switch (message.type) {
    case 'text':
      return renderText(textOf(content.text), canvas, hub.world.apps.has(message.sender))
    case 'post':
      return renderPost(content, canvas)
    case 'interactive':
      return renderCard(content, canvas)
    case 'sticker':
      return '[sticker]'
    case 'share_chat':
      return `[group card: ${hub.world.chats.get(textOf(content.chat_id))?.name ?? textOf(content.chat_id)}]`
    case 'share_user':
      return `[contact card: ${canvas.name(textOf(content.user_id))}]`
    case 'system':
      return systemText(content)
    case 'merge_forward':
      return (message.forwarded ?? [])
        .map((part) => `${hub.world.nameOf(part.sender)}: ${render(hub, chat, part).text}`)
        .join('\n')
    case 'image':
    case 'file':
    case 'audio':
    case 'media':
      return ''
  }
}

/** Names in one message: by placeholder, and in a card by the ids its app uses. */
function namesIn({ world, words }: Hub, chat: Chat, message: Shown): Names {
  const byKey = new Map(message.mentions.map(({ key, who, name }) => [key, { who, name }]))
  const person = (who: string | undefined) =>
    who === undefined ? undefined : { who, name: world.nameOf(who) }
  return {
    person: (id) => {
      const named = byKey.get(id)
      if (named !== undefined) return named
      if (!world.apps.has(message.sender)) return undefined
      const byEmail = [...world.users.values()].find(({ email }) => email === id)
      return person(byEmail?.unionId ?? world.resolve(message.sender, id))
    },
    everyone: [...chat.members].filter((who) => who !== message.sender),
    all: words.everyone,
  }
}

/** `{from_user} invited {to_chatters} to this chat.` */
const systemText = (content: Fields): string =>
  textOf(content.template).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = content[name]
    return Array.isArray(value) ? value.map(String).join(', ') : ''
  })
