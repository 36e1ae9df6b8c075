/** Messages on their way in: sent, replied with, or for one person's eyes only. */
import { parsed } from '../fields.js'
import { type Draft, post } from '../posting.js'
import { readContent } from '../text/content.js'
import { messageOf } from '../wire.js'
import type { Chat, Message } from '../world.js'
import { ApiError } from './errors.js'
import { type Asked, type Method, messageArg, mustBeThere } from './method.js'

/** https://open.feishu.cn/document/server-docs/im-v1/message/create: one message by one `uuid` in an hour. */
const UUID_MS = 3_600_000
const SEND = ['im:message', 'im:message:send_as_bot', 'im:message:send']

/** https://open.feishu.cn/document/server-docs/im-v1/message/create */
const create: Method = {
  name: 'im.message.create',
  verb: 'POST',
  path: '/open-apis/im/v1/messages',
  scopes: SEND,
  effect: true,
  run(asked) {
    const { args } = asked
    const type = args.need('msg_type')
    const content = args.need('content')
    const chat = receiver(asked)
    mayPost(asked, chat)
    return once(asked, chat, () => ({ ...draftOf(asked, chat, type, content) }))
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message/reply */
const reply: Method = {
  name: 'im.message.reply',
  verb: 'POST',
  path: '/open-apis/im/v1/messages/:message_id/reply',
  scopes: SEND,
  effect: true,
  run(asked) {
    const { args } = asked
    const { message, chat } = messageArg(asked, 231003)
    mustBeThere(chat, message)
    const type = args.need('msg_type')
    const content = args.need('content')
    mayPost(asked, chat)
    const inThread = args.flag('reply_in_thread')
    // Direct chats have no topics.
    if (inThread && chat.mode === 'p2p') throw new ApiError(230071, 'reply in thread')
    return once(asked, chat, () => ({
      ...draftOf(asked, chat, type, content),
      parent: message,
      inThread,
    }))
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-card/send-message-cards-that-are-only-visible-to-certain-people */
const whisper: Method = {
  name: 'ephemeral.send',
  verb: 'POST',
  path: '/open-apis/ephemeral/v1/send',
  scopes: SEND,
  effect: true,
  run(asked) {
    const { hub, app, args } = asked
    const chat = hub.world.chats.get(args.need('chat_id'))
    if (chat === undefined) throw new ApiError(230001, 'invalid chat_id.')
    if (!chat.apps.has(app.appId)) throw new ApiError(230002)
    if (chat.disbanded) throw new ApiError(232009)
    if (chat.mode !== 'group') throw new ApiError(230018)
    if (asked.isTooMuch(`${chat.id}:ephemeral`, 40)) throw new ApiError(230020)
    const id = args.text('open_id') ?? args.text('user_id') ?? args.text('email') ?? ''
    const who = personBy(asked, id)
    if (!chat.members.has(who)) throw new ApiError(230001, 'the user is not in the chat.')
    if (args.text('msg_type') !== 'interactive') throw new ApiError(230001, 'invalid msg_type.')
    const card = JSON.stringify(args.get('card') ?? null)
    const draft = draftOf(asked, chat, 'interactive', card)
    const message = post(hub, { ...draft, onlyFor: who })
    return { data: { message_id: message.id } }
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-card/delete-message-cards-that-are-only-visible-to-certain-people */
const unwhisper: Method = {
  name: 'ephemeral.delete',
  verb: 'POST',
  path: '/open-apis/ephemeral/v1/delete',
  scopes: SEND,
  effect: true,
  run(asked) {
    const { message } = messageArg(asked)
    if (message.onlyFor === undefined) throw new ApiError(230001, 'invalid message_id.')
    message.isDeleted = true
    asked.hub.changes.changed()
    return { data: {} }
  },
}

function draftOf({ hub, app }: Asked, chat: Chat, type: string, content: string): Draft {
  return { chat, sender: app.appId, sent: content, ...readContent(hub, app, chat, type, content) }
}

/** Who gets it, by `receive_id_type`. @throws ApiError */
function receiver(asked: Asked): Chat {
  const { hub, app, args } = asked
  const id = args.need('receive_id')
  const type = args.need('receive_id_type')
  if (type === 'chat_id') {
    const chat = hub.world.chats.get(id)
    if (chat === undefined) throw new ApiError(230001, 'invalid receive_id.')
    if (!chat.apps.has(app.appId)) throw new ApiError(230002)
    if (chat.disbanded) throw new ApiError(232009)
    return chat
  }
  if (!['open_id', 'user_id', 'union_id', 'email'].includes(type))
    throw new ApiError(230001, 'invalid receive_id_type.')
  const who = personBy(asked, id)
  if (hub.world.user(who).resigned === true) throw new ApiError(230013)
  return hub.world.p2p(who, app.appId, hub.clock.now())
}

/** @throws ApiError */
export function personBy({ hub, app }: Pick<Asked, 'hub' | 'app'>, id: string): string {
  const { world } = hub
  const foreign = world.byOpenId(id)
  if (foreign !== undefined && foreign.app !== app.appId) throw new ApiError(99992361)
  const byEmail = [...world.users.values()].find(({ email }) => email === id)
  const who = world.resolve(app.appId, id) ?? byEmail?.unionId
  if (who === undefined || !world.users.has(who)) throw new ApiError(230034)
  return who
}

/** Five a second, shared by the bots of a group. @throws ApiError */
function mayPost(asked: Asked, chat: Chat): void {
  if (chat.speakers === 'only_owner') throw new ApiError(230018)
  if (asked.isTooMuch(chat.id)) throw new ApiError(230020)
}

/** The same `uuid` in the same chat gives the message there is, and posts nothing. */
function once(asked: Asked, chat: Chat, draft: () => Draft): { data: Record<string, unknown> } {
  const { hub, app, args } = asked
  const uuid = args.text('uuid')
  if (uuid !== undefined && uuid.length > 50) throw new ApiError(99992402)
  const key = uuid === undefined ? undefined : `${app.appId}:${chat.id}:${uuid}`
  const known = key === undefined ? undefined : hub.uuids.get(key)
  const now = hub.clock.now()
  if (known !== undefined && known.until > now) return { data: messageOf(hub, app, known.message, true) }
  const message: Message = post(hub, draft())
  if (key !== undefined) hub.uuids.set(key, { message, until: now + UUID_MS })
  return { data: messageOf(hub, app, message, true) }
}

export const sendMethods: readonly Method[] = [create, reply, whisper, unwhisper]

/** For other methods that take a card as an object. */
export const cardText = (card: unknown): string =>
  typeof card === 'string' && parsed(card) !== undefined ? card : JSON.stringify(card ?? null)
