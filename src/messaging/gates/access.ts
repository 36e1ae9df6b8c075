import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'
import type { Access } from '../roster.js'

/**
 * `channels.<connection>.allow` and `.deny` of golem.yaml. A denial wins; an allow list admits nobody else.
 *
 * @param chats ids of the chat, those it had before among them: moving to a new one is no way around a denial
 * @param ours it is said by an agent of Golem's own, through another account: lists of people are not about it
 */
export function accessGate(
  access: Access | undefined,
  message: InboundMessage,
  chats: readonly string[] = [message.place.chat],
  ours = false,
): Gate {
  const user = message.author.id
  const chat = message.place.chat
  const isListed = (list: readonly string[]): boolean => chats.some((id) => list.includes(id))
  const saw = { user, chat }
  const stop = (why: string): Gate => ({ gate: 'access', verdict: 'stop', saw, why })
  if (!ours && access?.deny?.users?.includes(user))
    return stop('This person is on the deny list of the connection.')
  if (access?.deny?.chats && isListed(access.deny.chats))
    return stop('This chat is on the deny list of the connection.')
  if (!ours && access?.allow?.users && !access.allow.users.includes(user))
    return stop('The connection has an allow list of people, and this person is not on it.')
  if (access?.allow?.chats && !isListed(access.allow.chats))
    return stop('The connection has an allow list of chats, and this chat is not on it.')
  return { gate: 'access', verdict: 'pass', saw, why: 'Nothing forbids this person or this chat.' }
}
