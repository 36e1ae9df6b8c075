/** The world in the shapes of the Bot API: https://core.telegram.org/bots/api#available-types */
import type { Entity, Formatted } from './entities.js'
import type { Account, Chat, Media, Membership, Origin, Post, StoredFile, World } from './world.js'

export type Json = Record<string, unknown>

export function userJson({ id, isBot, firstName, lastName, username }: Account): Json {
  return {
    id,
    is_bot: isBot,
    first_name: firstName,
    ...(lastName !== undefined && { last_name: lastName }),
    ...(username !== undefined && { username }),
    ...(!isBot && { language_code: 'en' }),
  }
}

export function chatJson(world: World, chat: Chat): Json {
  const { id, type, title, username, isForum } = chat
  if (type === 'private') {
    const { firstName, lastName, username: name } = world.account(id)
    return {
      id,
      first_name: firstName,
      ...(lastName !== undefined && { last_name: lastName }),
      ...(name !== undefined && { username: name }),
      type,
    }
  }
  return {
    id,
    title,
    ...(username !== undefined && { username }),
    type,
    ...(isForum && { is_forum: true }),
    ...(type === 'group' && { all_members_are_administrators: true }),
  }
}

export function entityJson(world: World, { user, ...entity }: Entity): Json {
  const account = user === undefined ? undefined : world.accounts.get(user)
  return { ...entity, ...(account && { user: userJson(account) }) }
}

const entitiesJson = (world: World, { entities }: Formatted): Json[] =>
  entities.map((one) => entityJson(world, one))

export const buttonsJson = (keyboard: NonNullable<Post['keyboard']>): Json => ({
  inline_keyboard: keyboard.map((row) =>
    row.map(({ text, data, url }) => ({
      text,
      ...(data !== undefined && { callback_data: data }),
      ...(url !== undefined && { url }),
    })),
  ),
})

const fileFields = ({ id, uniqueId, bytes }: StoredFile): Json => ({
  file_id: id,
  file_unique_id: uniqueId,
  file_size: bytes.length,
})

function mediaJson({ kind, file, duration = 0 }: Media): Json {
  const fields = fileFields(file)
  switch (kind) {
    case 'photo':
      // Photos come in several sizes, smallest first; the last is the whole one.
      return {
        photo: [
          { ...fields, file_id: `${file.id}_s`, file_unique_id: `${file.uniqueId}s`, width: 90, height: 67 },
          { ...fields, width: 1280, height: 960 },
        ],
      }
    case 'voice':
      return { voice: { duration, mime_type: file.mime, ...fields } }
    case 'audio':
      return { audio: { duration, file_name: file.name, mime_type: file.mime, ...fields } }
    case 'video':
      return {
        video: { duration, width: 640, height: 360, file_name: file.name, mime_type: file.mime, ...fields },
      }
    case 'document':
      return { document: { file_name: file.name, mime_type: file.mime, ...fields } }
  }
}

export function originJson(world: World, origin: Origin): Json {
  const { type, date } = origin
  switch (type) {
    case 'user':
      return { type, sender_user: userJson(world.account(origin.account)), date }
    case 'hidden_user':
      return { type, sender_user_name: origin.name, date }
    case 'chat':
      return { type, sender_chat: chatJson(world, world.chat(origin.chat)), date }
    case 'channel':
      return { type, chat: chatJson(world, world.chat(origin.chat)), message_id: origin.post, date }
  }
}

/** Fields that older clients read, kept beside `forward_origin`. */
function oldForwardFields(world: World, origin: Origin): Json {
  switch (origin.type) {
    case 'user':
      return { forward_from: userJson(world.account(origin.account)), forward_date: origin.date }
    case 'hidden_user':
      return { forward_sender_name: origin.name, forward_date: origin.date }
    case 'chat':
      return { forward_from_chat: chatJson(world, world.chat(origin.chat)), forward_date: origin.date }
    case 'channel':
      return {
        forward_from_chat: chatJson(world, world.chat(origin.chat)),
        forward_from_message_id: origin.post,
        forward_date: origin.date,
      }
  }
}

/** @param isInner it stands in another message as what that one replies to: it does not carry its own */
export function messageJson(world: World, post: Post, isInner = false): Json {
  const chat = world.chat(post.chat)
  const { body, media } = post
  const replied = post.replyTo === undefined || isInner ? undefined : chat.posts.get(post.replyTo)
  const entities = entitiesJson(world, body)
  const [textName, entitiesName] = media ? ['caption', 'caption_entities'] : ['text', 'entities']
  return {
    message_id: post.id,
    ...(post.from !== undefined && { from: userJson(world.account(post.from)) }),
    ...(post.senderChat !== undefined && { sender_chat: chatJson(world, world.chat(post.senderChat)) }),
    chat: chatJson(world, chat),
    date: post.date,
    ...(post.editDate !== undefined && { edit_date: post.editDate }),
    ...(post.thread !== undefined && { message_thread_id: post.thread }),
    ...(post.isTopic && { is_topic_message: true }),
    ...(post.isAutomaticForward && { is_automatic_forward: true }),
    ...(post.origin && {
      forward_origin: originJson(world, post.origin),
      ...oldForwardFields(world, post.origin),
    }),
    ...(replied && { reply_to_message: messageJson(world, replied, true) }),
    ...(post.quote && { quote: quoteJson(world, post.quote) }),
    ...(post.album !== undefined && { media_group_id: post.album }),
    ...(media && mediaJson(media)),
    ...(body.text !== '' && { [textName as string]: body.text }),
    ...(entities.length > 0 && { [entitiesName as string]: entities }),
    ...(post.preview && { link_preview_options: post.preview }),
    ...(post.keyboard && { reply_markup: buttonsJson(post.keyboard) }),
    ...post.service,
  }
}

function quoteJson(world: World, quote: NonNullable<Post['quote']>): Json {
  const entities = entitiesJson(world, quote)
  return {
    text: quote.text,
    ...(entities.length > 0 && { entities }),
    position: quote.position,
    is_manual: true,
  }
}

/** https://core.telegram.org/bots/api#chatmember */
export function memberJson(account: Account, membership: Membership | undefined): Json {
  const user = userJson(account)
  const { status, anonymous } = membership ?? { status: 'left', anonymous: false }
  switch (status) {
    case 'creator':
      return { user, status, is_anonymous: anonymous }
    case 'administrator':
      return { user, status, can_be_edited: false, is_anonymous: anonymous, ...RIGHTS }
    case 'restricted':
      return { user, status, is_member: true, can_send_messages: false, until_date: 0 }
    case 'kicked':
      return { user, status, until_date: 0 }
    default:
      return { user, status }
  }
}

const RIGHTS = {
  can_manage_chat: true,
  can_change_info: true,
  can_delete_messages: true,
  can_invite_users: true,
  can_restrict_members: true,
  can_pin_messages: true,
  can_manage_topics: true,
  can_promote_members: false,
  can_manage_video_chats: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
}
