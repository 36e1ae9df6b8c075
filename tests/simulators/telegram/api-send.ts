/** Methods that send: https://core.telegram.org/bots/api#available-methods */
import type { BotState, Method } from './bot-state.js'
import type { Formatted } from './entities.js'
import { badRequest, tooLarge } from './errors.js'
import { format } from './format.js'
import { keyboard, type Params } from './params.js'
import { type Json, messageJson } from './shapes.js'
import { findChat, placing, targetChat, targetPost } from './targets.js'
import type { Chat, Media, NewPost, Post } from './world.js'

export const TEXT_MOST = 4096
export const CAPTION_MOST = 1024
/** Uploads of bots: https://core.telegram.org/bots/api#sending-files */
const UPLOAD_MOST = { photo: 10 * 2 ** 20, other: 50 * 2 ** 20 }

/** The text of a message, or the caption of a file. */
export function readBody(api: BotState, params: Params, name: 'text' | 'caption'): Formatted {
  const isText = name === 'text'
  return format(
    {
      text: params.text(name),
      parseMode: params.text('parse_mode'),
      entities: params.list(isText ? 'entities' : 'caption_entities') ?? [],
    },
    isText ? TEXT_MOST : CAPTION_MOST,
    isText ? 'message is too long' : 'message caption is too long',
    (user) => api.world.accounts.has(user),
  )
}

const readQuote = (api: BotState, text: string, fields: Readonly<Record<string, unknown>>): Formatted =>
  format(
    {
      text,
      ...(typeof fields.quote_parse_mode === 'string' && { parseMode: fields.quote_parse_mode }),
      entities: Array.isArray(fields.quote_entities) ? fields.quote_entities : [],
    },
    CAPTION_MOST,
    'QUOTE_TEXT_INVALID',
    (user) => api.world.accounts.has(user),
  )

/** What all sending calls share. Counted against the limits when nothing else can refuse the call any more. */
function start(api: BotState, params: Params): { chat: Chat; common: NewPost } {
  const chat = targetChat(api.world, params)
  api.mayWrite(chat)
  const place = placing(api.world, chat, params, (text, fields) => readQuote(api, text, fields))
  const buttons = keyboard(params)
  const isChannel = chat.type === 'channel'
  return {
    chat,
    common: {
      chat: chat.id,
      ...(isChannel ? { senderChat: chat.id } : { from: api.world.bot.id }),
      ...place,
      ...(buttons && { keyboard: buttons }),
      silent: params.flag('disable_notification'),
    },
  }
}

function send(api: BotState, chat: Chat, post: NewPost): Post {
  const { bot } = api.world
  // What was being written is there now.
  api.drafts.delete(chat.id)
  return api.world.add({
    ...post,
    pings: api.world.pinged(chat, post.body ?? { text: '', entities: [] }, bot.id),
  })
}

const answer = (api: BotState, post: Post): { result: Json; effect: true } => ({
  result: messageJson(api.world, post),
  effect: true,
})

const sendMessage: Method = (api, params) => {
  const { chat, common } = start(api, params)
  if (params.text('text') === '') throw badRequest('message text is empty')
  const body = readBody(api, params, 'text')
  if (body.text === '') throw badRequest('message text is empty')
  const preview = params.object('link_preview_options')
  const isOff = params.flag('disable_web_page_preview')
  api.limits.count(chat, 1)
  return answer(
    api,
    send(api, chat, {
      ...common,
      body,
      ...(preview ? { preview } : isOff && { preview: { is_disabled: true } }),
    }),
  )
}

/** https://core.telegram.org/bots/api#sendmessagedraft: private chats only, no message, an empty text is "Thinking…". */
const sendMessageDraft: Method = (api, params) => {
  const chat = targetChat(api.world, params)
  api.mayWrite(chat)
  if (chat.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID')
  const id = params.int('draft_id')
  if (id === undefined || id === 0) throw badRequest('TEXTDRAFT_ID_INVALID')
  const { text } = readBody(api, params, 'text')
  api.drafts.set(chat.id, { id, text, at: api.world.clock.now() })
  return { result: true }
}

/** A file by upload, by `file_id`, or by address. */
function readMedia(api: BotState, params: Params, kind: Media['kind'], value: unknown, name: string): Media {
  const uploaded = params.upload(value, name)
  const duration = params.int('duration')
  const more = duration === undefined ? {} : { duration }
  if (uploaded) {
    if (uploaded.bytes.length > UPLOAD_MOST[kind === 'photo' ? 'photo' : 'other']) throw tooLarge()
    if (uploaded.bytes.length === 0) throw badRequest('file must be non-empty')
    return { kind, file: api.world.addFile(kind, uploaded.name, uploaded.mime, uploaded.bytes), ...more }
  }
  if (typeof value !== 'string' || value === '') throw badRequest(`there is no ${name} in the request`)
  if (/^https?:\/\//.test(value)) throw badRequest('failed to get HTTP URL content')
  const file = api.world.files.get(value.replace(/_s$/, ''))
  if (!file) throw badRequest('wrong remote file identifier specified: Wrong character in the string')
  return { kind, file, ...more }
}

function sendFile(kind: Media['kind']): Method {
  return (api, params) => {
    const { chat, common } = start(api, params)
    const media = readMedia(api, params, kind, params.text(kind), kind)
    const body = readBody(api, params, 'caption')
    api.limits.count(chat, 1)
    return answer(api, send(api, chat, { ...common, body, media }))
  }
}

/** 2 to 10 files as one album; documents and audio stay among themselves: https://core.telegram.org/bots/api#sendmediagroup */
const sendMediaGroup: Method = (api, params) => {
  const { chat, common } = start(api, params)
  const items = (params.list('media') ?? []) as readonly Json[]
  if (items.length === 0) throw badRequest('there are no messages to send')
  if (items.length > 10) throw badRequest('too many messages to send as an album')
  const kinds = new Set(items.map(({ type }) => type))
  if (kinds.size > 1 && (kinds.has('document') || kinds.has('audio'))) {
    throw badRequest("Can't use the media of the specified type in the album")
  }
  const read = items.map((item) => {
    const kind = String(item.type) as Media['kind']
    if (!['photo', 'document', 'audio', 'video'].includes(kind)) {
      throw badRequest("can't parse InputMedia: type must be one of photo, video, audio, document")
    }
    return {
      media: readMedia(api, params, kind, item.media, 'media'),
      body: readBody(api, params.of(item), 'caption'),
    }
  })
  api.limits.count(chat, read.length)
  const album = api.world.newAlbum()
  const posts = read.map((one) => send(api, chat, { ...common, ...one, ...(read.length > 1 && { album }) }))
  return { result: posts.map((post) => messageJson(api.world, post)), effect: true }
}

/** The post that is copied or forwarded. */
function source(api: BotState, params: Params): Post {
  const from = findChat(api.world, params.text('from_chat_id'))
  if (!from) throw badRequest('chat not found')
  const post = targetPost(from, params, 'message to forward')
  if (post.service) throw badRequest("message can't be forwarded")
  return post
}

const forwardMessage: Method = (api, params) => {
  const { chat, common } = start(api, params)
  const post = source(api, params)
  api.limits.count(chat, 1)
  const { body, media, preview } = post
  const origin = api.originOf(post)
  return answer(
    api,
    send(api, chat, { ...common, body, origin, ...(media && { media }), ...(preview && { preview }) }),
  )
}

const copyMessage: Method = (api, params) => {
  const { chat, common } = start(api, params)
  const post = source(api, params)
  const body = params.has('caption') ? readBody(api, params, 'caption') : post.body
  api.limits.count(chat, 1)
  const copy = send(api, chat, { ...common, body, ...(post.media && { media: post.media }) })
  return { result: { message_id: copy.id }, effect: true }
}

export const SEND_METHODS: Readonly<Record<string, Method>> = {
  sendMessage,
  sendMessageDraft,
  sendPhoto: sendFile('photo'),
  sendDocument: sendFile('document'),
  sendVoice: sendFile('voice'),
  sendAudio: sendFile('audio'),
  sendVideo: sendFile('video'),
  sendMediaGroup,
  forwardMessage,
  copyMessage,
}
