/** Who is in a chat, and what becomes of the chat itself. https://open.feishu.cn/document/server-docs/group/chat-member/event */
import type { Fields } from './fields.js'
import { type Hub, tell } from './hub.js'
import { post } from './posting.js'
import { idsOf, tenantOf } from './wire.js'
import type { App, Chat } from './world.js'

/** What events of a chat have in common. */
const common = (hub: Hub, app: App, chat: Chat, by: string): Fields => ({
  chat_id: chat.id,
  operator_id: idsOf(hub, app, by),
  external: chat.external,
  operator_tenant_key: tenantOf(hub, by),
})

const named = ({ name }: Chat): Fields => ({ name, i18n_names: { zh_cn: name, en_us: '', ja_jp: '' } })

/** False: was in already. */
export function join(hub: Hub, chat: Chat, who: string, by: string): boolean {
  const isBot = hub.world.apps.has(who)
  const set = isBot ? chat.apps : chat.members
  if (set.has(who)) return false
  set.add(who)
  if (!isBot && tenantOf(hub, who) !== hub.world.tenant) chat.external = true
  system(hub, chat, '{from_user} invited {to_chatters} to the group.', {
    from_user: [hub.world.nameOf(by)],
    to_chatters: [hub.world.nameOf(who)],
  })
  if (isBot) told(hub, who, 'im.chat.member.bot.added_v1', chat, by)
  else tellUsers(hub, chat, 'im.chat.member.user.added_v1', who, by)
  hub.changes.changed()
  return true
}

/**
 * Somebody goes or is sent. A bot hears of its own removal, and then no more.
 *
 * @param how `withdrawn`: the invitation was taken back
 */
export function leave(
  hub: Hub,
  chat: Chat,
  who: string,
  by: string,
  how: 'deleted' | 'withdrawn' = 'deleted',
): boolean {
  if (chat.apps.delete(who)) {
    told(hub, who, 'im.chat.member.bot.deleted_v1', chat, by)
    hub.changes.changed()
    return true
  }
  if (!chat.members.delete(who)) return false
  tellUsers(hub, chat, `im.chat.member.user.${how}_v1`, who, by)
  hub.changes.changed()
  return true
}

/** https://open.feishu.cn/document/server-docs/group/chat/events/updated */
export function change(
  hub: Hub,
  chat: Chat,
  what: Partial<Pick<Chat, 'name' | 'description' | 'atAll' | 'speakers'>>,
  by: string,
): void {
  const wire = (values: typeof what): Fields => ({
    ...(values.name !== undefined && named({ ...chat, name: values.name })),
    ...(values.description !== undefined && { description: values.description }),
    ...(values.atAll !== undefined && { at_all_permission: values.atAll }),
    ...(values.speakers !== undefined && { moderation_permission: values.speakers }),
  })
  const keys = Object.keys(what) as (keyof typeof what)[]
  const before = Object.fromEntries(keys.map((key) => [key, chat[key]])) as typeof what
  Object.assign(chat, what)
  if (what.name !== undefined)
    system(hub, chat, '{from_user} changed the group name to "{group_name}".', {
      from_user: [hub.world.nameOf(by)],
      group_name: [what.name],
    })
  tell(hub, chat, 'im.chat.updated_v1', (app) => ({
    ...common(hub, app, chat, by),
    before_change: wire(before),
    after_change: wire(what),
  }))
  hub.changes.changed()
}

/** https://open.feishu.cn/document/server-docs/group/chat/events/disbanded */
export function disband(hub: Hub, chat: Chat, by: string): void {
  chat.disbanded = true
  tell(hub, chat, 'im.chat.disbanded_v1', (app) => ({ ...common(hub, app, chat, by), ...named(chat) }))
  hub.changes.changed()
}

function told(hub: Hub, appId: string, type: string, chat: Chat, by: string): void {
  const port = hub.ports.get(appId)
  port?.event(type, { ...common(hub, port.app, chat, by), ...named(chat) })
}

function tellUsers(hub: Hub, chat: Chat, type: string, who: string, by: string): void {
  tell(hub, chat, type, (app) => ({
    ...common(hub, app, chat, by),
    users: [{ name: hub.world.nameOf(who), tenant_key: tenantOf(hub, who), user_id: idsOf(hub, app, who) }],
    ...named(chat),
  }))
}

/** A line the platform writes by itself. */
function system(hub: Hub, chat: Chat, template: string, values: Fields): void {
  post(hub, { chat, sender: '', type: 'system', content: { template, ...values } })
}
