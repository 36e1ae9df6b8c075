/**
 * People, messages and chats as an app is told of them. Each app has ids of its own for the same people.
 * Shapes: https://open.feishu.cn/document/server-docs/im-v1/message/events/receive and …/im-v1/message/get
 */
import type { Fields } from './fields.js'
import type { Hub } from './hub.js'
import { READS_ALL } from './options.js'
import { Canvas } from './text/canvas.js'
import { renderMarkdown } from './text/markdown.js'
import { toldPost } from './text/post.js'
import type { App, Chat, Message } from './world.js'

/** `{union_id, user_id, open_id}`. The user_id only with the scope for it, and not of people of other tenants. */
export function idsOf({ world }: Hub, app: App, who: string): Fields {
  const user = world.users.get(who)
  const hasUserId = app.scopes.has('contact:user.employee_id:readonly')
  return {
    union_id: user === undefined ? `on_${who.replace(/\W/g, '')}` : user.unionId,
    user_id: hasUserId ? (user?.userId ?? '') : '',
    open_id: world.openId(app.appId, who),
  }
}

export const tenantOf = ({ world }: Hub, who: string): string => world.users.get(who)?.tenant ?? world.tenant

/** Whether a message is told to an app, by its scopes: all of a group, what names it, direct chats. */
export function isHeard(app: App, chat: Chat, message: Message): boolean {
  const has = (...scopes: string[]): boolean => scopes.some((scope) => app.scopes.has(scope))
  if (chat.mode === 'p2p') return has('im:message.p2p_msg:readonly', 'im:message.p2p_msg')
  if (has(READS_ALL, `${READS_ALL}:readonly`)) return true
  if (!has('im:message.group_at_msg:readonly', 'im:message.group_at_msg')) return false
  return message.mentions.some(({ who }) => who === app.appId || who === 'all')
}

/** `event` of `im.message.receive_v1`. */
export function receivedOf(hub: Hub, app: App, chat: Chat, message: Message): Fields {
  const isApp = hub.world.apps.has(message.sender)
  const mentions = message.mentions.filter(({ who }) => who !== 'all' || hub.options.listsAll !== false)
  return {
    sender: {
      sender_id: idsOf(hub, app, message.sender),
      sender_type: isApp ? 'app' : 'user',
      tenant_key: tenantOf(hub, message.sender),
    },
    message: {
      message_id: message.id,
      ...(message.rootId !== undefined && { root_id: message.rootId }),
      ...(message.parentId !== undefined && { parent_id: message.parentId }),
      create_time: String(message.created),
      update_time: String(message.updated),
      chat_id: chat.id,
      ...(message.threadId !== undefined && { thread_id: message.threadId }),
      chat_type: chat.mode === 'p2p' ? 'p2p' : 'group',
      message_type: message.type,
      content: contentText(message),
      ...(mentions.length > 0 && {
        mentions: mentions.map(({ key, who, name }) => ({
          key,
          id: who === 'all' ? { union_id: '', user_id: '', open_id: '' } : idsOf(hub, app, who),
          ...(who !== 'all' && { mentioned_type: hub.world.apps.has(who) ? 'bot' : 'user' }),
          name,
          tenant_key: who === 'all' ? '' : tenantOf(hub, who),
        })),
      }),
      user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Lark/7.40.0',
    },
  }
}

/** `content` as a text. A merged forward has no JSON there; the Markdown of rich text is given as what it shows. */
export function contentText({ type, content }: Message): string {
  if (typeof content === 'string') return content
  return JSON.stringify(type === 'post' ? toldPost(content, shownMarkdown) : content)
}

/** Placeholders stay placeholders. */
function shownMarkdown(markdown: string): string {
  const canvas = new Canvas({ person: (id) => ({ who: id, name: id.slice(1) }), everyone: [], all: '_all' })
  return renderMarkdown(markdown, canvas, 'post')
}

/**
 * A message as the API answers it. Of a card it gives what old clients would show.
 *
 * @param isWhole `card_msg_content_type=user_card_content`: cards as they were sent
 */
export function messageOf(hub: Hub, app: App, message: Message, isWhole = false): Fields {
  const isApp = hub.world.apps.has(message.sender)
  return {
    message_id: message.id,
    ...(message.rootId !== undefined && { root_id: message.rootId }),
    ...(message.parentId !== undefined && { parent_id: message.parentId }),
    ...(message.threadId !== undefined && { thread_id: message.threadId }),
    msg_type: message.type,
    create_time: String(message.created),
    update_time: String(message.updated),
    deleted: message.isDeleted,
    updated: message.isEdited,
    chat_id: message.chat,
    sender: {
      id: isApp ? message.sender : hub.world.openId(app.appId, message.sender),
      id_type: isApp ? 'app_id' : 'open_id',
      sender_type: isApp ? 'app' : 'user',
      tenant_key: tenantOf(hub, message.sender),
    },
    body: { content: message.isDeleted ? hub.words.recalled : bodyText(hub, message, isWhole) },
    ...(message.mentions.length > 0 && {
      mentions: message.mentions.map(({ key, who, name }) => ({
        key,
        id: who === 'all' ? 'all' : hub.world.openId(app.appId, who),
        id_type: 'open_id',
        name,
        tenant_key: who === 'all' ? '' : tenantOf(hub, who),
      })),
    }),
    ...(message.upper !== undefined && { upper_message_id: message.upper }),
  }
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content: a card is not given back as it is. */
function bodyText({ words }: Hub, message: Message, isWhole: boolean): string {
  if (message.type !== 'interactive' || isWhole) return contentText(message)
  return JSON.stringify({ title: null, elements: [[{ tag: 'text', text: words.upgrade }]] })
}

/** As `im/v1/chats/:id` answers. */
export function chatOf(hub: Hub, app: App, chat: Chat): Fields {
  return {
    avatar: 'https://s3-imfile.feishucdn.com/static-resource/v1/default-avatar_image.png',
    name: chat.name,
    description: chat.description,
    owner_id: chat.owner === undefined ? '' : hub.world.openId(app.appId, chat.owner),
    owner_id_type: chat.owner === undefined ? '' : 'open_id',
    at_all_permission: chat.atAll,
    moderation_permission: chat.speakers,
    group_message_type: chat.mode === 'topic' ? 'thread' : 'chat',
    chat_mode: chat.mode,
    chat_type: 'private',
    chat_tag: chat.external ? 'cross_tenant' : 'inner',
    external: chat.external,
    tenant_key: hub.world.tenant,
    user_count: String(chat.members.size),
    bot_count: String(chat.apps.size),
    chat_status: chat.disbanded ? 'dissolved' : 'normal',
  }
}
