/** A message, whichever form it came in: events and history name the same things differently. */
import { personId } from './read-people.js'
import { type Fields, fields, nativeId, text } from './shape.js'

export interface Said {
  id: string
  chat?: string
  /** `p2p` or `group`; history does not say. */
  chatType?: string
  type: string
  content: unknown
  mentions: unknown
  rootId?: string
  parentId?: string
  threadId?: string
  /** As Feishu wrote it. */
  createdAt: unknown
  sender: { id?: string; type?: string; tenant?: unknown }
  /** Taken back since. */
  deleted: boolean
}

/** https://open.feishu.cn/document/server-docs/im-v1/message/events/receive */
export function saidInEvent(event: Fields): Said | undefined {
  const message = fields(event.message)
  const sender = fields(event.sender)
  return said(message, message.message_type, message.content, {
    id: personId(sender.sender_id),
    type: text(sender.sender_type),
    tenant: sender.tenant_key,
  })
}

/** https://open.feishu.cn/document/server-docs/im-v1/message/list */
export function saidInHistory(message: Fields): Said | undefined {
  const sender = fields(message.sender)
  return said(message, message.msg_type, fields(message.body).content, {
    id: personId(sender.id),
    type: text(sender.sender_type),
    tenant: sender.tenant_key,
  })
}

function said(
  message: Fields,
  type: unknown,
  content: unknown,
  { id, type: kind, tenant }: { id: string | undefined; type: string | undefined; tenant: unknown },
): Said | undefined {
  const own = nativeId(message.message_id)
  const called = text(type)
  if (own === undefined || called === undefined) return undefined
  const chat = nativeId(message.chat_id)
  const chatType = text(message.chat_type)
  const rootId = nativeId(message.root_id)
  const parentId = nativeId(message.parent_id)
  const threadId = nativeId(message.thread_id)
  return {
    id: own,
    type: called,
    content,
    mentions: message.mentions,
    createdAt: message.create_time,
    deleted: message.deleted === true,
    sender: { tenant, ...(id !== undefined && { id }), ...(kind !== undefined && { type: kind }) },
    ...(chat !== undefined && { chat }),
    ...(chatType !== undefined && { chatType }),
    ...(rootId !== undefined && { rootId }),
    ...(parentId !== undefined && { parentId }),
    ...(threadId !== undefined && { threadId }),
  }
}
