/** What happens to messages and chats without anybody speaking. */
import type { Author, Inbound, Skipped } from '../../src/messaging/contract.js'
import { type Given, malformed } from './read-message.js'
import { People, personId } from './read-people.js'
import { type Fields, fields, list, millisOf, nativeId, number, text } from './shape.js'

/** Feishu often does not say who did it. */
const NOBODY: Author = { id: 'unknown', name: 'unknown', kind: 'person' }

interface Change extends Given {
  event: Fields
  /** Milliseconds, of the event itself: the same however often it is delivered. */
  createdAt: unknown
}

/** https://open.feishu.cn/document/server-docs/im-v1/message/events/recalled */
export function readRecalled({ event, createdAt, raw }: Change): Inbound | Skipped {
  const id = nativeId(event.message_id)
  const chat = nativeId(event.chat_id) ?? nativeId(raw.chat)
  if (id === undefined || chat === undefined) return malformed('a recall without message or chat', createdAt)
  const at = millisOf(event.recall_time ?? createdAt)
  return { kind: 'delete', event: `${id}:recalled`, at, place: { chat }, author: NOBODY, id }
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/events/created. It does not name the chat. */
export function readReaction(change: Change, added: boolean): Inbound | Skipped {
  const { event, createdAt, raw } = change
  const id = nativeId(event.message_id)
  const emoji = nativeId(fields(event.reaction_type).emoji_type)
  const app = event.operator_type === 'app' ? nativeId(event.app_id) : undefined
  const who = app ?? personId(event.user_id)
  if (id === undefined || emoji === undefined || who === undefined)
    return malformed('a reaction without message, person or emoji', createdAt)
  const people = new People(change.self, raw, undefined, change.tenant)
  const happened = event.action_time ?? createdAt
  const key = `${id}:${added ? 'reacted' : 'unreacted'}:${who}:${emoji}:${number(happened) ?? ''}`
  const at = millisOf(happened)
  const author = people.author(who, text(event.operator_type))
  const chat = nativeId(event.chat_id) ?? nativeId(raw.chat)
  if (author.kind === 'self')
    return {
      kind: 'skipped',
      reason: 'own-message',
      detail: 'a mark',
      event: key,
      at,
      ...(chat !== undefined && { place: { chat } }),
    }
  if (chat === undefined) {
    const detail = 'a reaction to a message whose chat is not known'
    return { kind: 'skipped', reason: 'unsupported-kind', detail, event: key, at }
  }
  return { kind: 'reaction', event: key, at, place: { chat }, author, id, emoji: `:${emoji}:`, added }
}

/** https://open.feishu.cn/document/server-docs/group/chat-member/event/added-2 */
export function readMembers(change: Change, joined: boolean): Inbound | Skipped {
  const people = new People(change.self, change.raw, undefined, change.tenant)
  const members = list(change.event.users)
    .slice(0, 1_000)
    .flatMap((value): Author[] => {
      const user = fields(value)
      const id = personId(user.user_id)
      return id === undefined ? [] : [people.author(id, 'user', user.tenant_key, text(user.name))]
    })
  const [first] = members
  if (first === undefined) return malformed('members without an id', change.createdAt)
  return changed(change, `${joined ? 'joined' : 'left'}:${first.id}:${members.length}`, people, {
    ...(joined ? { joined: members } : { left: members }),
  })
}

/** https://open.feishu.cn/document/server-docs/group/chat-member/event/added */
export function readBot(change: Change, added: boolean): Inbound | Skipped {
  const people = new People(change.self, change.raw, undefined, change.tenant)
  const self: Author = { id: change.self.id, name: change.self.name, kind: 'self' }
  const title = text(change.event.name)
  return changed(change, added ? 'bot-added' : 'bot-deleted', people, {
    ...(added ? { joined: [self] } : { left: [self] }),
    ...(added && title !== undefined && { title }),
  })
}

/** The chat is no more, which takes the bot out of it. https://open.feishu.cn/document/server-docs/group/chat/events/disbanded */
export function readDisbanded(change: Change): Inbound | Skipped {
  const people = new People(change.self, change.raw, undefined, change.tenant)
  const self: Author = { id: change.self.id, name: change.self.name, kind: 'self' }
  return changed(change, 'disbanded', people, { left: [self] })
}

/** https://open.feishu.cn/document/server-docs/group/chat/events/updated */
export function readUpdated(change: Change): Inbound | Skipped {
  const title = text(fields(change.event.after_change).name)
  const chat = nativeId(change.event.chat_id)
  if (title === undefined) {
    return {
      kind: 'skipped',
      reason: 'service-notice',
      detail: 'settings of the chat',
      at: millisOf(change.createdAt),
      ...(chat !== undefined && {
        place: { chat },
        event: `${chat}:updated:${number(change.createdAt) ?? ''}`,
      }),
    }
  }
  const people = new People(change.self, change.raw, undefined, change.tenant)
  return changed(change, 'updated', people, { title })
}

function changed(
  { event, createdAt, raw }: Change,
  what: string,
  people: People,
  how: { title?: string; joined?: Author[]; left?: Author[] },
): Inbound | Skipped {
  const chat = nativeId(event.chat_id) ?? nativeId(raw.chat)
  if (chat === undefined) return malformed('a change without a chat', createdAt)
  const operator = personId(event.operator_id)
  const author = operator === undefined ? NOBODY : people.author(operator, 'user', event.operator_tenant_key)
  return {
    kind: 'change',
    event: `${chat}:${what}:${number(createdAt) ?? ''}`,
    at: millisOf(createdAt),
    place: { chat },
    author,
    ...how,
  }
}
