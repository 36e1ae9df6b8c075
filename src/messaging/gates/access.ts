import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'
import type { Access } from '../roster.js'

/** `channels.<connection>.allow` and `.deny` of golem.yaml. A denial wins; an allow list admits nobody else. */
export function accessGate(access: Access | undefined, message: InboundMessage): Gate {
  const user = message.author.id
  const chat = message.place.chat
  const saw = { user, chat }
  const stop = (why: string): Gate => ({ gate: 'access', verdict: 'stop', saw, why })
  if (access?.deny?.users?.includes(user)) return stop('This person is on the deny list of the connection.')
  if (access?.deny?.chats?.includes(chat)) return stop('This chat is on the deny list of the connection.')
  if (access?.allow?.users && !access.allow.users.includes(user))
    return stop('The connection has an allow list of people, and this person is not on it.')
  if (access?.allow?.chats && !access.allow.chats.includes(chat))
    return stop('The connection has an allow list of chats, and this chat is not on it.')
  return { gate: 'access', verdict: 'pass', saw, why: 'Nothing forbids this person or this chat.' }
}
