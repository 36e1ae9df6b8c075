/** Reading: messages, chats and who is in them, people, the bot itself. */

import type { Hub } from '../hub.js'
import { READS_ALL, SCOPES } from '../options.js'
import { chatOf, idsOf, messageOf } from '../wire.js'
import type { App, Chat, Message } from '../world.js'
import { ApiError } from './errors.js'
import { type Asked, type Method, messageArg, page } from './method.js'
import { personBy } from './send.js'

const READ = ['im:message', 'im:message:readonly', 'im:message.history:readonly']
const CHAT = ['im:chat', 'im:chat:readonly', 'im:chat:read']

const isWhole = ({ args }: Asked): boolean => args.text('card_msg_content_type') === 'user_card_content'

/** https://open.feishu.cn/document/server-docs/im-v1/message/get: of a merged forward all its messages, itself first. */
const get: Method = {
  name: 'im.message.get',
  verb: 'GET',
  path: '/open-apis/im/v1/messages/:message_id',
  scopes: READ,
  run(asked) {
    const { hub, app } = asked
    const { message } = messageArg(asked)
    const all = [message, ...allForwarded(message)]
    return { data: { items: all.map((one) => messageOf(hub, app, one, isWhole(asked))) } }
  },
}

const allForwarded = (message: Message): Message[] =>
  (message.forwarded ?? []).flatMap((part) => [part, ...allForwarded(part)])

/**
 * https://open.feishu.cn/document/server-docs/im-v1/message/list
 *
 * By chat: what is at the top level, of topics the root alone. By thread: the topic, without regard to time.
 */
const list: Method = {
  name: 'im.message.list',
  verb: 'GET',
  path: '/open-apis/im/v1/messages',
  scopes: READ,
  run(asked) {
    const { hub, app, args } = asked
    const all = contained(asked)
    const isDescending = args.text('sort_type') === 'ByCreateTimeDesc'
    const ordered = isDescending ? [...all].reverse() : all
    const { items, more } = page(args, ordered, 20, 50)
    return { data: { ...more, items: items.map((one) => messageOf(hub, app, one, isWhole(asked))) } }
  },
}

function contained(asked: Asked): Message[] {
  const { hub, app, args } = asked
  const type = args.need('container_id_type')
  const id = args.need('container_id')
  if (type !== 'chat' && type !== 'thread') throw new ApiError(230001, 'invalid container_id_type.')
  const root = type === 'thread' ? hub.world.threads.get(id) : undefined
  if (type === 'thread' && root === undefined) throw new ApiError(230001, 'invalid container_id.')
  const chat = hub.world.chats.get(root?.chat ?? id)
  if (chat === undefined) throw new ApiError(230001, 'invalid container_id.')
  if (!chat.apps.has(app.appId)) throw new ApiError(230002)
  if (chat.mode !== 'p2p' && !app.scopes.has(READS_ALL))
    throw new ApiError(230027, `need scope: ${READS_ALL}`)
  const open = chat.messages.filter(({ onlyFor }) => onlyFor === undefined)
  if (type === 'thread') return open.filter(({ threadId }) => threadId === id)
  const from = secondsArg(asked, 'start_time', 0)
  const to = secondsArg(asked, 'end_time', Number.POSITIVE_INFINITY)
  return open.filter(
    (message) =>
      Math.floor(message.created / 1000) >= from &&
      Math.floor(message.created / 1000) <= to &&
      (message.threadId === undefined || hub.world.threads.get(message.threadId) === message),
  )
}

function secondsArg({ args }: Asked, name: string, fallback: number): number {
  const value = args.text(name)
  if (value === undefined) return fallback
  if (!/^\d{1,10}$/.test(value)) throw new ApiError(230001, `invalid ${name}.`)
  return Number(value)
}

/** https://open.feishu.cn/document/server-docs/group/chat/get-2 */
const chat: Method = {
  name: 'im.chat.get',
  verb: 'GET',
  path: '/open-apis/im/v1/chats/:chat_id',
  scopes: CHAT,
  run(asked) {
    return { data: chatOf(asked.hub, asked.app, chatArg(asked)) }
  },
}

/** https://open.feishu.cn/document/server-docs/group/chat/list: groups only, no direct chats. */
const chats: Method = {
  name: 'im.chat.list',
  verb: 'GET',
  path: '/open-apis/im/v1/chats',
  scopes: CHAT,
  run({ hub, app, args }) {
    const all = [...hub.world.chats.values()].filter(
      ({ mode, apps, disbanded }) => mode !== 'p2p' && !disbanded && apps.has(app.appId),
    )
    const { items, more } = page(args, all, 20, 100)
    return { data: { items: items.map((one) => ({ chat_id: one.id, ...chatOf(hub, app, one) })), ...more } }
  },
}

/** https://open.feishu.cn/document/server-docs/group/chat-member/get: people, no bots. */
const members: Method = {
  name: 'im.chat.members',
  verb: 'GET',
  path: '/open-apis/im/v1/chats/:chat_id/members',
  scopes: [...CHAT, 'im:chat.members:read'],
  run(asked) {
    const { hub, app, args } = asked
    const found = chatArg(asked)
    const type = args.text('member_id_type') ?? 'open_id'
    const { items, more } = page(args, [...found.members], 20, 100)
    return {
      data: {
        items: items.map((who) => ({
          member_id_type: type,
          member_id: idsOf(hub, app, who)[type] ?? '',
          name: hub.world.nameOf(who),
          tenant_key: hub.world.user(who).tenant,
        })),
        ...more,
        member_total: found.members.size,
      },
    }
  },
}

/** @throws ApiError */
function chatArg({ hub, app, args }: Asked): Chat {
  const found = hub.world.chats.get(args.need('chat_id'))
  if (found === undefined) throw new ApiError(232006)
  if (found.disbanded) throw new ApiError(232009)
  if (!found.apps.has(app.appId)) throw new ApiError(232011)
  return found
}

/** https://open.feishu.cn/document/client-docs/bot-v3/obtain-bot-info: `bot` stands where others have `data`. */
const bot: Method = {
  name: 'bot.info',
  verb: 'GET',
  path: '/open-apis/bot/v3/info',
  scopes: [],
  run({ hub, app }) {
    const body = {
      code: 0,
      msg: 'ok',
      bot: {
        activate_status: 2,
        app_name: app.name,
        avatar_url: 'https://s1-imfile.feishucdn.com/static-resource/v1/default-avatar_image.png',
        ip_white_list: [],
        open_id: hub.world.openId(app.appId, app.appId),
      },
    }
    return { answer: { status: 200, body } }
  },
}

/** https://open.feishu.cn/document/server-docs/contact-v3/user/get: names only with the scope for them, and of colleagues only. */
const user: Method = {
  name: 'contact.user.get',
  verb: 'GET',
  path: '/open-apis/contact/v3/users/:user_id',
  scopes: ['contact:contact.base:readonly', 'contact:contact:readonly_as_app', 'contact:contact:readonly'],
  run(asked) {
    const { hub, app, args } = asked
    const who = personBy(asked, args.need('user_id'))
    if (hub.world.user(who).tenant !== hub.world.tenant) throw new ApiError(41050)
    return { data: { user: userOf(hub, app, who) } }
  },
}

/** https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/contact-v3/user/batch: at most 50. */
const users: Method = {
  name: 'contact.user.batch',
  verb: 'GET',
  path: '/open-apis/contact/v3/users/batch',
  scopes: user.scopes,
  run({ hub, app, args }) {
    const given = args.get('user_ids')
    const ids = (Array.isArray(given) ? given : [given]).map(String)
    const items = ids
      .map((id) => hub.world.resolve(app.appId, id))
      .filter((who) => who !== undefined)
      .filter((who) => hub.world.users.get(who)?.tenant === hub.world.tenant)
      .map((who) => userOf(hub, app, who))
    return { data: { items } }
  },
}

function userOf(hub: Hub, app: App, who: string): Record<string, unknown> {
  const found = hub.world.user(who)
  const hasNames = app.scopes.has('contact:user.base:readonly')
  return {
    ...idsOf(hub, app, who),
    ...(hasNames && { name: found.name, en_name: '', nickname: '' }),
    ...(app.scopes.has('contact:user.email:readonly') && { email: found.email }),
    status: { is_resigned: found.resigned === true, is_activated: true, is_frozen: false },
  }
}

/** https://open.feishu.cn/document/server-docs/application-v6/scope/list: 1 granted, 2 not. */
const scopes: Method = {
  name: 'application.scopes',
  verb: 'GET',
  path: '/open-apis/application/v6/scopes',
  scopes: [],
  run({ app }) {
    const all = [...new Set([...SCOPES, ...app.scopes])].sort()
    return {
      data: { scopes: all.map((name) => ({ scope_name: name, grant_status: app.scopes.has(name) ? 1 : 2 })) },
    }
  },
}

export const readMethods: readonly Method[] = [scopes, users, user, get, list, chats, members, chat, bot]
