/** What happens to a chat and its messages: people come and go, titles change, marks are set, buttons pressed. */
import type {
  BotIdentity,
  Inbound,
  InboundChange,
  InboundPress,
  InboundReaction,
  Member,
  Skipped,
} from '../../src/messaging/contract.js'
import { type Added, type Dict, dict, dicts, id, millis, reactionsOf, text, word } from './raw.js'
import { placeOf } from './read-message.js'
import { authorOf, chatAuthor, userAuthor } from './read-people.js'

const malformed = (detail: string): Skipped => ({ kind: 'skipped', reason: 'malformed', detail, at: 0 })

/** A service message that changes the chat, or null when it does not. */
export function readService(message: Dict, self: BotIdentity): Inbound | Skipped | null {
  const place = placeOf(message)
  const author = authorOf(message, self)
  const native = id(message.message_id)
  const at = millis(message.date)
  if (place === null || author === null || native === undefined || at === undefined) return null
  const common = { kind: 'change' as const, at, place, author }
  const event = `service:${place.chat}:${native}`
  const movedTo = id(message.migrate_to_chat_id)
  if (movedTo !== undefined) return moved(common, place.chat, movedTo)
  // The same move, told in the new chat: it must not be missed when the old one's notice is.
  const movedFrom = id(message.migrate_from_chat_id)
  if (movedFrom !== undefined) return moved({ ...common, place: { chat: movedFrom } }, movedFrom, place.chat)
  const title = text(message.new_chat_title)
  if (title !== undefined) return { ...common, event, title }
  const joined = members(dicts(message.new_chat_members), self)
  const gone = dict(message.left_chat_member)
  const left = gone === undefined ? [] : members([gone], self)
  if (joined.length > 0) return { ...common, event, joined }
  if (left.length > 0) return { ...common, event, left }
  return null
}

function moved(common: Omit<InboundChange, 'event'>, from: string, movedTo: string): InboundChange {
  return { ...common, event: `moved:${from}:${movedTo}`, movedTo }
}

/** Everybody but the bot itself, whose coming and going has an update of its own (`my_chat_member`). */
function members(users: readonly Dict[], self: BotIdentity): Member[] {
  return users
    .map((user) => userAuthor(user, self))
    .filter((member) => member !== null && member.kind !== 'self') as Member[]
}

const PRESENT = new Set(['creator', 'administrator', 'member'])

/** `my_chat_member` and `chat_member`: somebody's standing in a chat, before and after. */
export function readMembership(update: Dict, self: BotIdentity): Inbound | Skipped {
  const chat = dict(update.chat)
  const place = id(chat?.id)
  const from = dict(update.from)
  const author = from === undefined ? null : userAuthor(from, self)
  const at = millis(update.date)
  const now = dict(update.new_chat_member)
  const status = statusOf(now)
  const user = dict(now?.user)
  const member = user === undefined ? null : userAuthor(user, self)
  if (chat === undefined || place === undefined || author === null || at === undefined || member === null)
    return malformed('a change of membership without its chat, people or date')
  const was = isPresent(dict(update.old_chat_member))
  const is = isPresent(now)
  const event = `member:${place}:${member.id}:${at / 1_000}:${status ?? ''}`
  if (was === is) {
    const detail = `${member.kind === 'self' ? 'the bot' : 'a member'} is now ${status ?? 'unknown'}`
    return { kind: 'skipped', reason: 'service-notice', detail, event, place: { chat: place }, at }
  }
  const title = text(chat.title)
  return {
    kind: 'change',
    event,
    at,
    place: { chat: place },
    author,
    ...(title !== undefined && is && { title }),
    ...(is ? { joined: [member] } : { left: [member] }),
  }
}

/** One word, whatever the payload says: it becomes part of an event's name and of a receipt. */
function statusOf(member: Dict | undefined): string | undefined {
  const status = text(member?.status)
  return status !== undefined && /^[a-z_]{1,32}$/.test(status) ? status : undefined
}

function isPresent(member: Dict | undefined): boolean {
  const status = statusOf(member) ?? ''
  return PRESENT.has(status) || (status === 'restricted' && member?.is_member === true)
}

/** One change of a reaction; `eventsOf` in `raw.ts` makes an event of each. */
export function readReaction(update: Dict, self: BotIdentity, added: Added): InboundReaction | Skipped {
  const chat = id(dict(update.chat)?.id)
  const native = id(update.message_id)
  const at = millis(update.date)
  const user = dict(update.user)
  const actor = dict(update.actor_chat)
  const author = user !== undefined ? userAuthor(user, self) : actor !== undefined ? chatAuthor(actor) : null
  if (chat === undefined || native === undefined || at === undefined || author === null)
    return malformed('a reaction without its chat, message, person or date')
  const reaction = added.reaction ?? reactionsOf(update).at(-1)
  const event = `reaction:${chat}:${native}:${author.id}:${at / 1_000}`
  const place = { chat }
  if (reaction === undefined) return { kind: 'skipped', reason: 'no-content', event, place, at }
  const { emoji } = reaction
  const change = `${event}:${reaction.added ? '+' : '-'}${emoji}`
  if (author.kind === 'self') return { kind: 'skipped', reason: 'own-message', event: change, place, at }
  return { kind: 'reaction', event: change, at, place, author, id: native, emoji, added: reaction.added }
}

/** A press has no time of its own: the connection says when it came. */
export function readPress(query: Dict, self: BotIdentity, added: Added): InboundPress | Skipped {
  const from = dict(query.from)
  const author = from === undefined ? null : userAuthor(from, self)
  const message = dict(query.message)
  const key = word(query.id)
  if (author === null || key === undefined) return malformed('a button press without its person or id')
  const event = `press:${key}`
  const place = message === undefined ? null : placeOf(message)
  const native = id(message?.message_id)
  const value = text(query.data)
  const at = added.at ?? millis(message?.date) ?? 0
  if (place === null || native === undefined || value === undefined) {
    const detail = value === undefined ? 'a button without data' : 'a button on an inline message'
    return { kind: 'skipped', reason: 'unsupported-kind', detail, event, at }
  }
  return { kind: 'press', event, at, place, author, id: native, value }
}
