/**
 * Names of chats, contexts and messages. `chatKey` = `slack:C123`; a conversation is the chat, or the chat and a
 * thread, or the chat and a person for a direct message: `slack:C123:171.22`, `slack:D1:U1`.
 */
import type { ConnectionId, InboundMessage, Place } from './contract.js'
import type { SessionScope } from './roster.js'

export function chatKeyOf(connection: ConnectionId, chat: string): string {
  return `${connection}:${chat}`
}

/**
 * A message's name for people: by the platform's own id where there is one, else by Golem's, `slack:C123:#7`. `former` is
 * the name it had before its chat got another id.
 */
export function referenceOf(message: {
  chat: string
  native: string | null
  id: number
  former?: string | null
}): string {
  if (message.native === null && message.former != null) return message.former
  return `${message.chat}:${message.native ?? `#${message.id}`}`
}

/**
 * The context a message belongs to.
 *
 * @param chain native id of the first message of the reply chain, when the message continues one
 */
export function conversationOf(
  chatKey: string,
  scope: SessionScope,
  message: Pick<InboundMessage, 'place' | 'chat' | 'author'>,
  chain: string | null,
): string {
  if (message.chat.kind === 'dm') return `${chatKey}:${message.author.id}`
  const { thread } = message.place
  switch (scope) {
    case 'group':
      return chatKey
    case 'auto':
      return thread === undefined ? chatKey : `${chatKey}:${thread}`
    case 'thread': {
      const root = thread ?? chain
      return root === null || root === undefined ? chatKey : `${chatKey}:${root}`
    }
  }
}

/** A chat, and the native thread in it if there is one. */
export function placeOf(chat: string, thread: string | null): Place {
  return thread === null ? { chat } : { chat, thread }
}
