/** Methods that change or mark what was said: https://core.telegram.org/bots/api#updating-messages, #setmessagereaction */

import { readBody } from './api-send.js'
import type { BotState, Method } from './bot-state.js'
import { badRequest } from './errors.js'
import { keyboard, type Params } from './params.js'
import { isReaction } from './reactions.js'
import { messageJson } from './shapes.js'
import { targetChat, targetPost } from './targets.js'
import type { Chat, Post } from './world.js'

/** A bot deletes messages of the last 48 hours: https://core.telegram.org/bots/api#deletemessage */
const DELETABLE_S = 48 * 3600

function editable(api: BotState, params: Params): { chat: Chat; post: Post } {
  const chat = targetChat(api.world, params)
  const post = targetPost(chat, params, 'message to edit')
  const isOwn =
    post.from === api.world.bot.id || (chat.type === 'channel' && api.world.isAdmin(chat, api.world.bot.id))
  if (!isOwn || post.service || post.origin) throw badRequest("message can't be edited")
  return { chat, post }
}

/** Writes the new version; `reply_markup` that is not given takes the buttons away. */
function edit(
  api: BotState,
  chat: Chat,
  post: Post,
  next: Partial<Pick<Post, 'body' | 'preview' | 'keyboard'>>,
): void {
  const before = JSON.stringify([post.body, post.keyboard])
  const body = next.body ?? post.body
  if (JSON.stringify([body, next.keyboard]) === before) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
  }
  api.limits.count(chat, 0)
  post.body = body
  if (next.preview) post.preview = next.preview
  if (next.keyboard) post.keyboard = next.keyboard
  else delete post.keyboard
  // Clients do not show a message as edited for its buttons.
  if (next.body) post.editDate = api.world.now()
}

function editBody(name: 'text' | 'caption'): Method {
  return (api, params) => {
    const { chat, post } = editable(api, params)
    if (name === 'text' && post.media) throw badRequest('there is no text in the message to edit')
    if (name === 'caption' && !post.media) throw badRequest('there is no caption in the message to edit')
    if (name === 'text' && params.text('text') === '') throw badRequest('message text is empty')
    const body = readBody(api, params, name)
    if (name === 'text' && body.text === '') throw badRequest('message text is empty')
    const buttons = keyboard(params)
    const preview = params.object('link_preview_options')
    edit(api, chat, post, { body, ...(buttons && { keyboard: buttons }), ...(preview && { preview }) })
    return { result: messageJson(api.world, post), effect: true }
  }
}

const editMessageReplyMarkup: Method = (api, params) => {
  const { chat, post } = editable(api, params)
  const buttons = keyboard(params)
  edit(api, chat, post, buttons ? { keyboard: buttons } : {})
  return { result: messageJson(api.world, post), effect: true }
}

/** Own messages; others' only as an administrator, and in private chats. */
function checkDeletable(api: BotState, chat: Chat, post: Post): void {
  const { bot } = api.world
  const isOwn = post.from === bot.id
  if (api.world.now() - post.date > DELETABLE_S) throw badRequest("message can't be deleted for everyone")
  if (!isOwn && chat.type !== 'private' && !api.world.isAdmin(chat, bot.id)) {
    throw badRequest("message can't be deleted")
  }
}

const deleteMessage: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  const post = targetPost(chat, params, 'message to delete')
  checkDeletable(api, chat, post)
  chat.posts.delete(post.id)
  return { result: true, effect: true }
}

/** Those that are gone already are passed over: https://core.telegram.org/bots/api#deletemessages */
const deleteMessages: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  const ids = params.list('message_ids') ?? []
  if (ids.length === 0 || ids.length > 100) throw badRequest('message identifiers are not specified')
  const posts = ids.map((id) => chat.posts.get(Number(id))).filter((post) => post !== undefined)
  for (const post of posts) checkDeletable(api, chat, post)
  for (const post of posts) chat.posts.delete(post.id)
  return { result: true, effect: posts.length > 0 }
}

const setMessageReaction: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  const post = targetPost(chat, params, 'message to react')
  const reactions = (params.list('reaction') ?? []) as readonly { type?: string; emoji?: string }[]
  // A bot may set one: https://core.telegram.org/bots/api#setmessagereaction
  if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY')
  const emoji = reactions[0]?.emoji
  if (reactions[0] && (reactions[0].type !== 'emoji' || emoji === undefined || !isReaction(emoji))) {
    throw badRequest('REACTION_INVALID')
  }
  if (emoji === undefined) post.reactions.delete(api.world.bot.id)
  else post.reactions.set(api.world.bot.id, emoji)
  return { result: true, effect: true }
}

export const EDIT_METHODS: Readonly<Record<string, Method>> = {
  editMessageText: editBody('text'),
  editMessageCaption: editBody('caption'),
  editMessageReplyMarkup,
  deleteMessage,
  deleteMessages,
  setMessageReaction,
}
