/** Methods about the bot, chats, topics, files and buttons: https://core.telegram.org/bots/api#available-methods */
import type { Method } from './bot-state.js'
import { badRequest } from './errors.js'
import type { Params } from './params.js'
import { chatJson, type Json, memberJson, userJson } from './shapes.js'
import { targetChat } from './targets.js'

/** Largest file a bot may download: https://core.telegram.org/bots/api#getfile */
const DOWNLOAD_MOST = 20 * 2 ** 20
const ACTIONS = new Set(
  'typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker find_location record_video_note upload_video_note'.split(
    ' ',
  ),
)
/** Colours that a topic's icon may have: https://core.telegram.org/bots/api#createforumtopic */
const ICON_COLOUR = 0x6fb9f0

const getMe: Method = (api) => ({
  result: {
    ...userJson(api.world.bot),
    can_join_groups: true,
    can_read_all_group_messages: !api.privacyMode,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  },
})

const getChat: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  return {
    result: {
      ...chatJson(api.world, chat),
      accent_color_id: 0,
      max_reaction_count: 11,
      ...(chat.linked !== undefined && { linked_chat_id: chat.linked }),
      ...(chat.type !== 'private' && { permissions: { can_send_messages: true } }),
    },
  }
}

const getChatMember: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  const account = api.world.accounts.get(params.int('user_id') ?? 0)
  if (!account) throw badRequest('invalid user_id specified')
  return { result: memberJson(account, chat.members.get(account.id)) }
}

/** Other bots are not listed: https://core.telegram.org/bots/api#getchatadministrators */
const getChatAdministrators: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  if (chat.type === 'private') throw badRequest('there are no administrators in the private chat')
  const admins = api.world.members(chat).filter(({ id }) => api.world.isAdmin(chat, id))
  return {
    result: admins
      .filter(({ isBot, id }) => !isBot || id === api.world.bot.id)
      .map((account) => memberJson(account, chat.members.get(account.id))),
  }
}

const getChatMemberCount: Method = (api, params) => ({
  result: api.world.members(targetChat(api.world, params)).length,
})

const leaveChat: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  if (chat.type === 'private') throw badRequest("chat can't be left")
  api.botLeaves(chat)
  return { result: true, effect: true }
}

const sendChatAction: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  if (!ACTIONS.has(params.text('action'))) throw badRequest('wrong parameter action in request')
  const thread = params.int('message_thread_id')
  if (thread !== undefined && !chat.topics.has(thread)) throw badRequest('message thread not found')
  api.typing.set(chat.id, api.world.clock.now())
  return { result: true }
}

const answerCallbackQuery: Method = (api, params) => {
  const query = api.queries.get(params.text('callback_query_id'))
  if (!query) throw badRequest('query is too old and response timeout expired or query ID is invalid')
  api.queries.delete(query.id)
  const text = params.text('text')
  // https://core.telegram.org/bots/api#answercallbackquery
  if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG')
  api.answers.push({ query: query.id, to: query.person, text, alert: params.flag('show_alert') })
  return { result: true, effect: text !== '' }
}

const getFile: Method = (api, params) => {
  const file = api.world.files.get(params.text('file_id').replace(/_s$/, ''))
  if (!file) throw badRequest('invalid file_id')
  if (file.bytes.length > DOWNLOAD_MOST) throw badRequest('file is too big')
  api.grantDownload(file)
  return {
    result: {
      file_id: file.id,
      file_unique_id: file.uniqueId,
      file_size: file.bytes.length,
      file_path: file.path,
    },
  }
}

const createForumTopic: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  if (!chat.isForum) throw badRequest('the chat is not a forum')
  if (!api.world.isAdmin(chat, api.world.bot.id)) throw badRequest('not enough rights to create a topic')
  const name = params.text('name')
  if (name === '' || name.length > 128) throw badRequest('TOPIC_TITLE_EMPTY')
  const root = api.createTopic(chat, api.world.bot.id, name)
  return { result: { message_thread_id: root.id, name, icon_color: ICON_COLOUR }, effect: true }
}

/** Which commands are meant: by scope and language. https://core.telegram.org/bots/api#botcommandscope */
function scopeKey(params: Params): string {
  return JSON.stringify([params.object('scope') ?? { type: 'default' }, params.text('language_code')])
}

const setMyCommands: Method = (api, params) => {
  const commands = (params.list('commands') ?? []) as readonly Json[]
  if (commands.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH')
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/.test(String(command))) throw badRequest('BOT_COMMAND_INVALID')
    const length = String(description ?? '').length
    if (length < 1 || length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID')
  }
  api.commands.set(scopeKey(params), commands)
  return { result: true }
}

const getMyCommands: Method = (api, params) => ({ result: api.commands.get(scopeKey(params)) ?? [] })

const deleteMyCommands: Method = (api, params) => {
  api.commands.delete(scopeKey(params))
  return { result: true }
}

export const CHAT_METHODS: Readonly<Record<string, Method>> = {
  getMe,
  getChat,
  getChatMember,
  getChatAdministrators,
  getChatMemberCount,
  leaveChat,
  sendChatAction,
  answerCallbackQuery,
  getFile,
  createForumTopic,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
}
