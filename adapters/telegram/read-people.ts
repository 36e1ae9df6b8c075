/** Who said it. */
import type { Author, BotIdentity } from '../../src/messaging/contract.js'
import { type Dict, dict, id, text } from './raw.js'

/** Accounts that stand in `from` for a chat that speaks as itself (core.telegram.org/bots/api#message, sender_chat). */
const STAND_INS = new Set([
  '1087968824', // GroupAnonymousBot: an anonymous administrator
  '136817688', // Channel_Bot: somebody who posts as a channel
  '777000', // Telegram: a post of the linked channel
])

/** The author of a message, or null where it names none. */
export function authorOf(message: Dict, self: BotIdentity): Author | null {
  const from = dict(message.from)
  const chat = dict(message.sender_chat)
  const fromId = id(from?.id)
  if (chat !== undefined && (fromId === undefined || STAND_INS.has(fromId))) {
    return chatAuthor(chat, text(message.author_signature))
  }
  if (from !== undefined) return userAuthor(from, self)
  // A post in a channel may lack both: the channel itself speaks.
  const place = dict(message.chat)
  return place === undefined ? null : chatAuthor(place, text(message.author_signature))
}

/** A chat that speaks as itself. Behind it stands a person, whose name only a signature tells. */
export function chatAuthor(chat: Dict, signature?: string): Author | null {
  const own = id(chat.id)
  if (own === undefined) return null
  const title = text(chat.title) ?? text(chat.username) ?? own
  return { id: own, name: signature === undefined ? title : `${title} (${signature})`, kind: 'person' }
}

export function userAuthor(user: Dict, self: BotIdentity): Author | null {
  const own = id(user.id)
  if (own === undefined) return null
  const username = text(user.username)
  return {
    id: own,
    name: nameOf(user, own),
    kind: own === self.id ? 'self' : user.is_bot === true ? 'bot' : 'person',
    ...(username !== undefined && { aliases: [username] }),
  }
}

function nameOf(user: Dict, otherwise: string): string {
  const full = [text(user.first_name), text(user.last_name)].filter((part) => part !== undefined).join(' ')
  return full.trim() === '' ? (text(user.username) ?? otherwise) : full
}
