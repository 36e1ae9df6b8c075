/** Everything that happens to messages, by whomever, and the events that tell the apps. */
import type { Fields } from './fields.js'
import { type Hub, tell } from './hub.js'
import { render } from './text/render.js'
import { idsOf, isHeard, receivedOf } from './wire.js'
import type { Chat, Mention, Message, MessageType } from './world.js'

export interface Draft {
  chat: Chat
  sender: string
  type: MessageType
  content: Fields | string
  sent?: string
  mentions?: Mention[]
  keys?: string[]
  /** The message it replies to. */
  parent?: Message
  /** The reply opens a topic, or goes into the one there is. */
  inThread?: boolean
  onlyFor?: string
  forwarded?: Message[]
}

/**
 * Adds a message and tells the apps.
 *
 * In a topic all replies are to its root; elsewhere a reply has a root and a parent, and no topic.
 * https://open.feishu.cn/document/server-docs/im-v1/message/intro
 */
export function post(hub: Hub, draft: Draft): Message {
  const { world } = hub
  const { chat, parent, inThread, ...rest } = draft
  const now = hub.clock.now()
  const { pings } = render(hub, chat, { mentions: [], ...rest })
  const message: Message = {
    mentions: [],
    keys: [],
    ...rest,
    id: world.ids.next('om_'),
    chat: chat.id,
    created: now,
    updated: now,
    edits: 0,
    isEdited: false,
    isDeleted: false,
    pinged: pings,
    reactions: [],
  }
  if (parent !== undefined) place(hub, chat, message, parent, inThread === true)
  else if (chat.mode === 'topic') world.thread(message)
  world.add(message)
  // What only one person sees makes no event and pages nobody: https://open.feishu.cn/document/server-docs/im-v1/message-card/send-message-cards-that-are-only-visible-to-certain-people
  if (message.onlyFor !== undefined) message.pinged = []
  else publish(hub, chat, message)
  hub.changes.changed()
  return message
}

/** A reply in a topic is to the topic's first message; a topic begins with the message that is replied to. */
function place(hub: Hub, chat: Chat, message: Message, parent: Message, inThread: boolean): void {
  const { world } = hub
  if (inThread || parent.threadId !== undefined || chat.mode === 'topic') {
    const root = world.threads.get(parent.threadId ?? '') ?? parent
    message.rootId = root.id
    message.parentId = root.id
    message.threadId = world.thread(root)
    return
  }
  message.rootId = parent.rootId ?? parent.id
  message.parentId = parent.id
}

/** Apps are told what people say, and nothing of system lines. */
function publish(hub: Hub, chat: Chat, message: Message): void {
  const isOfApp = hub.world.apps.has(message.sender)
  if (message.type === 'system' || (isOfApp && hub.options.hearsBots !== true)) return
  for (const appId of chat.apps) {
    const port = hub.ports.get(appId)
    if (port === undefined || appId === message.sender || !isHeard(port.app, chat, message)) continue
    port.event('im.message.receive_v1', receivedOf(hub, port.app, chat, message))
  }
}

/** Another content. No app is told of what people change in their messages. */
export function edit(
  hub: Hub,
  message: Message,
  change: Pick<Message, 'content'> & Partial<Pick<Message, 'mentions' | 'keys' | 'sent' | 'type'>>,
): void {
  Object.assign(message, change)
  message.updated = hub.clock.now()
  message.isEdited = true
  hub.changes.changed()
}

/** Taken back: by its author, or by somebody who may. https://open.feishu.cn/document/server-docs/im-v1/message/events/recalled */
export function recall(
  hub: Hub,
  message: Message,
  type: 'message_owner' | 'group_owner' | 'group_manager' | 'enterprise_manager' = 'message_owner',
): void {
  message.isDeleted = true
  message.updated = hub.clock.now()
  if (message.onlyFor === undefined) {
    tell(hub, hub.world.chat(message.chat), 'im.message.recalled_v1', () => ({
      message_id: message.id,
      chat_id: message.chat,
      recall_time: String(message.updated),
      recall_type: type,
    }))
  }
  hub.changes.changed()
}

/** Adds a reaction, or gives back the one there is. https://open.feishu.cn/document/server-docs/im-v1/message-reaction/events/created */
export function addReaction(
  hub: Hub,
  message: Message,
  by: string,
  emoji: string,
): Message['reactions'][number] {
  const known = message.reactions.find((reaction) => reaction.by === by && reaction.emoji === emoji)
  if (known !== undefined) return known
  const reaction = { id: hub.world.ids.next('ZCaCIj', 40), emoji, by, at: hub.clock.now() }
  message.reactions.push(reaction)
  tellReaction(hub, message, reaction, 'created')
  return reaction
}

/** False: there is none of this id. */
export function removeReaction(hub: Hub, message: Message, id: string): boolean {
  const at = message.reactions.findIndex((reaction) => reaction.id === id)
  const [reaction] = at < 0 ? [] : message.reactions.splice(at, 1)
  if (reaction === undefined) return false
  tellReaction(hub, message, reaction, 'deleted')
  return true
}

/** The event does not say in which chat. */
function tellReaction(
  hub: Hub,
  message: Message,
  { emoji, by }: Message['reactions'][number],
  what: 'created' | 'deleted',
): void {
  const isApp = hub.world.apps.has(by)
  tell(hub, hub.world.chat(message.chat), `im.message.reaction.${what}_v1`, (app) => ({
    message_id: message.id,
    reaction_type: { emoji_type: emoji },
    operator_type: isApp ? 'app' : 'user',
    ...(isApp ? { app_id: by } : { user_id: idsOf(hub, app, by) }),
    action_time: String(hub.clock.now()),
  }))
  hub.changes.changed()
}
