/** What a call is about: its chat, its message, what it replies to, its topic. With the refusals for those that are none. */
import type { Formatted } from './entities.js'
import { ApiError, badRequest, forbidden } from './errors.js'
import type { Params } from './params.js'
import type { Chat, Post, World } from './world.js'

const KINDS = { private: 'private', group: 'group', supergroup: 'supergroup', channel: 'channel' } as const

/** @throws ApiError when there is no such chat, it moved, or the bot is not in it */
export function targetChat(world: World, params: Params, name = 'chat_id'): Chat {
  if (!params.has(name)) throw badRequest(`${name} is empty`)
  const chat = findChat(world, params.text(name))
  // A person that the bot knows, who never wrote to it: https://core.telegram.org/bots/features
  if (!chat) throw badRequest('chat not found')
  if (chat.movedTo !== undefined) {
    throw new ApiError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: chat.movedTo,
    })
  }
  if (chat.shut === 'not-started') throw forbidden("bot can't initiate conversation with a user")
  if (chat.shut === 'blocked') throw forbidden('bot was blocked by the user')
  const status = chat.members.get(world.bot.id)?.status
  const kind = `${KINDS[chat.type]} chat`
  if (status === 'kicked') throw forbidden(`bot was kicked from the ${kind}`)
  if (status === 'left' || status === undefined) {
    if (chat.type === 'group') throw forbidden('bot was kicked from the group chat')
    throw forbidden(`bot is not a member of the ${kind}`)
  }
  return chat
}

export function findChat(world: World, id: string): Chat | undefined {
  if (id.startsWith('@')) {
    const name = id.slice(1).toLowerCase()
    return [...world.chats.values()].find(({ username }) => username?.toLowerCase() === name)
  }
  return /^-?\d+$/.test(id) ? world.chats.get(Number(id)) : undefined
}

/** Where in a chat, and as an answer to what. */
export interface Placing {
  thread?: number
  isTopic: boolean
  replyTo?: number
  quote?: Formatted & { position: number }
}

/**
 * Reads `message_thread_id` and `reply_parameters` (or the old `reply_to_message_id`).
 *
 * @param format how a quote's own formatting is read
 * @throws ApiError "message thread not found", "message to be replied not found", …
 */
export function placing(
  world: World,
  chat: Chat,
  params: Params,
  format: (text: string, fields: Readonly<Record<string, unknown>>) => Formatted,
): Placing {
  const wanted = params.int('message_thread_id')
  if (wanted !== undefined && wanted !== 0) checkTopic(world, chat, wanted)
  const reply = params.object('reply_parameters')
  const id = reply ? Number(reply.message_id) : params.int('reply_to_message_id')
  if (id === undefined || id === 0) return inTopic(wanted)
  const target = chat.posts.get(id)
  if (!target || target.service?.migrate_to_chat_id !== undefined) {
    if (reply?.allow_sending_without_reply === true || params.flag('allow_sending_without_reply'))
      return inTopic(wanted)
    throw badRequest('message to be replied not found')
  }
  const quoted =
    typeof reply?.quote === 'string' && reply.quote !== '' ? quote(target, format(reply.quote, reply)) : null
  return { ...threadOf(chat, target, wanted), replyTo: target.id, ...(quoted && { quote: quoted }) }
}

/** The General topic of a forum has no thread id: asking for it by 1 finds nothing. */
function checkTopic(world: World, chat: Chat, thread: number): void {
  const topic = chat.topics.get(thread)
  // The ids of reply chains are no topics either.
  if (!chat.isForum || !topic) throw badRequest('message thread not found')
  if (topic.closed && !world.isAdmin(chat, world.bot.id)) throw badRequest('TOPIC_CLOSED')
}

function inTopic(thread: number | undefined): Placing {
  if (thread === undefined || thread === 0) return { isTopic: false }
  // What is said in a topic carries the topic's first message as what it replies to.
  return { thread, isTopic: true, replyTo: thread }
}

/** The thread of an answer to `target`: its topic; in a supergroup without topics, the chain's first message. */
export function threadOf(chat: Chat, target: Post, wanted?: number): { thread?: number; isTopic: boolean } {
  if (chat.isForum) {
    const thread = wanted ?? (target.isTopic ? target.thread : undefined)
    return thread === undefined || thread === 0 ? { isTopic: false } : { thread, isTopic: true }
  }
  if (chat.type !== 'supergroup') return { isTopic: false }
  return { thread: target.thread ?? target.id, isTopic: false }
}

/** The quoted part must stand in the message as it is: https://core.telegram.org/bots/api#replyparameters */
export function quote(target: Post, wanted: Formatted): Formatted & { position: number } {
  const position = target.body.text.indexOf(wanted.text)
  if (wanted.text === '' || position < 0) throw badRequest('QUOTE_TEXT_INVALID')
  return { ...wanted, position }
}

/** @param what the message as the refusal names it, e.g. "message to edit" */
export function targetPost(chat: Chat, params: Params, what: string, name = 'message_id'): Post {
  const id = params.int(name)
  const post = id === undefined ? undefined : chat.posts.get(id)
  if (!post) throw badRequest(`${what} not found`)
  return post
}
