/** Messages that are there already: edited, replaced, taken back, marked. */
import { fieldsOf, textOf } from '../fields.js'
import type { Hub } from '../hub.js'
import { addReaction, edit, recall, removeReaction } from '../posting.js'
import { TOKEN_USES } from '../presses.js'
import { readContent } from '../text/content.js'
import { isEmojiName } from '../text/emoji.js'
import { messageOf } from '../wire.js'
import type { App, Reaction } from '../world.js'
import { ApiError } from './errors.js'
import { type Method, messageArg, mustBeThere, page } from './method.js'
import { cardText } from './send.js'

const SEND = ['im:message', 'im:message:send_as_bot', 'im:message:update']
const REACT = ['im:message', 'im:message.reactions:write_only']
const DAY_MS = 86_400_000
const MOST_EDITS = 20
const PATCH_MS = 14 * DAY_MS

/** https://open.feishu.cn/document/server-docs/im-v1/message/update: text and rich text, 20 times. */
const update: Method = {
  name: 'im.message.update',
  verb: 'PUT',
  path: '/open-apis/im/v1/messages/:message_id',
  scopes: SEND,
  effect: true,
  run(asked) {
    const { hub, app, args } = asked
    const { message, chat } = messageArg(asked)
    mustBeThere(chat, message)
    if (message.sender !== app.appId) throw new ApiError(230071)
    const type = args.need('msg_type')
    const text = args.need('content')
    if (!['text', 'post'].includes(type) || !['text', 'post'].includes(message.type))
      throw new ApiError(230054)
    if (message.edits >= MOST_EDITS) throw new ApiError(230072)
    if (hub.clock.now() - message.created > (hub.options.editMs ?? DAY_MS)) throw new ApiError(230075)
    if (asked.isTooMuch(message.id)) throw new ApiError(230020)
    const { content, mentions, keys, type: read } = readContent(hub, app, chat, type, text)
    message.edits++
    edit(hub, message, { type: read, content, mentions, keys, sent: text })
    return { data: messageOf(hub, app, message, true) }
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-card/patch: shared cards, for 14 days. Nobody is told. */
const patch: Method = {
  name: 'im.message.patch',
  verb: 'PATCH',
  path: '/open-apis/im/v1/messages/:message_id',
  scopes: SEND,
  effect: true,
  run(asked) {
    const { hub, app, args } = asked
    const { message, chat } = messageArg(asked)
    mustBeThere(chat, message)
    if (message.sender !== app.appId) throw new ApiError(230012)
    if (message.type !== 'interactive' || message.onlyFor !== undefined) throw new ApiError(230054)
    if (hub.clock.now() - message.created > PATCH_MS) throw new ApiError(230031)
    const text = args.need('content')
    if (asked.isTooMuch(message.id)) throw new ApiError(230020)
    const { content, keys } = readContent(hub, app, chat, 'interactive', text)
    if (!isShared(fieldsOf(message.content)) || !isShared(content))
      throw new ApiError(230001, 'config.update_multi must be true.')
    edit(hub, message, { content, keys, sent: text })
    return { data: {} }
  },
}

/** Only a card that everybody shares can be replaced. Of schema 2.0 all are. */
function isShared(card: Record<string, unknown>): boolean {
  const { update_multi: isMulti } = fieldsOf(card.config)
  return card.schema === '2.0' ? isMulti !== false : isMulti === true
}

/** https://open.feishu.cn/document/server-docs/im-v1/message/delete */
const remove: Method = {
  name: 'im.message.delete',
  verb: 'DELETE',
  path: '/open-apis/im/v1/messages/:message_id',
  scopes: ['im:message', 'im:message:send_as_bot', 'im:message:recall'],
  effect: true,
  run(asked) {
    const { hub, app } = asked
    const { message, chat } = messageArg(asked)
    mustBeThere(chat, message)
    const isOwner = chat.owner === app.appId
    const isLate = hub.clock.now() - message.created > (hub.options.recallMs ?? DAY_MS)
    if (!isOwner && (message.sender !== app.appId || isLate)) throw new ApiError(230026)
    recall(hub, message, message.sender === app.appId ? 'message_owner' : 'group_owner')
    return { data: {} }
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/create */
const react: Method = {
  name: 'im.reaction.create',
  verb: 'POST',
  path: '/open-apis/im/v1/messages/:message_id/reactions',
  scopes: REACT,
  effect: true,
  run(asked) {
    const { hub, app, args } = asked
    const { message, chat } = reacted(asked)
    const emoji = textOf(fieldsOf(args.get('reaction_type')).emoji_type)
    if (!isEmojiName(emoji)) throw new ApiError(231001)
    if (message.isDeleted || chat.disbanded) throw new ApiError(231003)
    return { data: reactionOf(hub, app, addReaction(hub, message, app.appId, emoji)) }
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/delete */
const unreact: Method = {
  name: 'im.reaction.delete',
  verb: 'DELETE',
  path: '/open-apis/im/v1/messages/:message_id/reactions/:reaction_id',
  scopes: REACT,
  effect: true,
  run(asked) {
    const { hub, app, args } = asked
    const { message } = reacted(asked)
    const reaction = message.reactions.find(({ id }) => id === args.get('reaction_id'))
    if (message.isDeleted) throw new ApiError(231003)
    if (reaction === undefined) throw new ApiError(231001)
    if (reaction.by !== app.appId) throw new ApiError(231007)
    const data = reactionOf(hub, app, reaction)
    removeReaction(hub, message, reaction.id)
    return { data }
  },
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/list */
const reactions: Method = {
  name: 'im.reaction.list',
  verb: 'GET',
  path: '/open-apis/im/v1/messages/:message_id/reactions',
  scopes: [...REACT, 'im:message.reactions:read', 'im:message:readonly'],
  run(asked) {
    const { hub, app, args } = asked
    const { message } = reacted(asked)
    const type = args.text('reaction_type')
    const all = message.reactions.filter(({ emoji }) => type === undefined || emoji === type)
    const { items, more } = page(args, all, 20, 50)
    return { data: { items: items.map((reaction) => reactionOf(hub, app, reaction)), ...more } }
  },
}

/** Reactions have error codes of their own. */
function reacted(asked: Parameters<Method['run']>[0]): ReturnType<typeof messageArg> {
  try {
    return messageArg(asked, 231003)
  } catch (error) {
    if (error instanceof ApiError && error.code === 230002) throw new ApiError(231002)
    throw error
  }
}

const reactionOf = ({ world }: Hub, app: App, { id, by, at, emoji }: Reaction) => ({
  reaction_id: id,
  operator: {
    operator_id: world.apps.has(by) ? by : world.openId(app.appId, by),
    operator_type: world.apps.has(by) ? 'app' : 'user',
  },
  action_time: String(at),
  reaction_type: { emoji_type: emoji },
})

/** https://open.feishu.cn/document/server-docs/im-v1/message-card/delay-update-message-card: after the answer to the press. */
const later: Method = {
  name: 'card.update',
  verb: 'POST',
  path: '/open-apis/interactive/v1/card/update',
  scopes: [],
  effect: true,
  run({ hub, app, args }) {
    const press = hub.presses.get(args.need('token'))
    const now = hub.clock.now()
    if (press === undefined || press.until < now || press.uses >= TOKEN_USES)
      throw new ApiError(230001, 'invalid token.')
    const { message } = press
    const chat = hub.world.chat(message.chat)
    const text = cardText(args.get('card'))
    const { content, keys } = readContent(hub, app, chat, 'interactive', text)
    press.uses++
    edit(hub, message, { content, keys, sent: text })
    return { data: {} }
  },
}

export const changeMethods: readonly Method[] = [update, patch, remove, react, unreact, reactions, later]
