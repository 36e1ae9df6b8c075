/** A Message of Telegram -> what the core reads (core.telegram.org/bots/api#message). */
import {
  type Author,
  type BotIdentity,
  type InboundEdit,
  type InboundMessage,
  type Place,
  plainText,
  type Skipped,
} from '../../src/messaging/contract.js'
import { DocBuilder, type Naming } from './doc.js'
import { entitiesOf } from './entities.js'
import { type Added, type Dict, dict, id, int, millis, text } from './raw.js'
import { filesOf, toldOf } from './read-content.js'
import { authorOf, chatAuthor, userAuthor } from './read-people.js'

/** Apps cut a longer text near 4,096 characters, at a word: what is this long may go on in the next message. */
const PARTIAL_UNITS = 4_000
/** The General topic of a forum has this id and is addressed by leaving it out. */
const GENERAL = 1

/** Where it was said. A reply chain has a thread id as well; only a topic is a place of its own. */
export function placeOf(message: Dict): Place | null {
  const chat = id(dict(message.chat)?.id)
  if (chat === undefined) return null
  const thread = int(message.message_thread_id)
  const topic = message.is_topic_message === true && thread !== undefined && thread > GENERAL
  return topic ? { chat, thread: String(thread) } : { chat }
}

export function readMessage(message: Dict, self: BotIdentity, added: Added): InboundMessage | Skipped {
  const common = commonOf(message, self)
  if ('kind' in common) return common
  const { place, author, at, native } = common
  const event = `message:${place.chat}:${native}`
  if (author.kind === 'self') return { kind: 'skipped', reason: 'own-message', event, place, at }
  const doc = docOf(message, self, added)
  const files = filesOf(message)
  if (doc.isEmpty && files.length === 0) return unread(message, event, place, at)
  const chat = dict(message.chat) ?? {}
  const title = text(chat.title)
  const body = text(message.text)
  const album = text(message.media_group_id)
  const replyTo = replyOf(message, self, added)
  const command = commandOf(message)
  return {
    kind: 'message',
    event,
    at,
    place,
    author,
    id: native,
    chat: { kind: chat.type === 'private' ? 'dm' : 'group', ...(title !== undefined && { title }) },
    doc: doc.doc(),
    ...(files.length > 0 && { files }),
    ...(replyTo !== null && { replyTo }),
    ...(command !== null && { command }),
    ...((album !== undefined || (body?.length ?? 0) >= PARTIAL_UNITS) && { partial: true }),
    ...(album !== undefined && { album }),
  }
}

/** An edit carries the whole new message, but never a command: that was obeyed when it was sent. */
export function readEdit(message: Dict, self: BotIdentity, added: Added): InboundEdit | Skipped {
  const common = commonOf(message, self)
  if ('kind' in common) return common
  const { place, author, native } = common
  const at = millis(message.edit_date) ?? common.at
  const doc = docOf(message, self, added).doc()
  // Two edits may fall into one second: what was written tells them apart.
  const event = `edit:${place.chat}:${native}:${at / 1_000}:${hashOf(doc.source ?? '')}`
  if (author.kind === 'self') return { kind: 'skipped', reason: 'own-message', event, place, at }
  return { kind: 'edit', event, at, place, author, id: native, doc }
}

function commonOf(
  message: Dict,
  self: BotIdentity,
): Skipped | { place: Place; author: Author; at: number; native: string } {
  const place = placeOf(message)
  const author = authorOf(message, self)
  const native = id(message.message_id)
  const at = millis(message.date)
  if (place === null || author === null || native === undefined || at === undefined) {
    const missing =
      place === null ? 'chat' : author === null ? 'sender' : native === undefined ? 'id' : 'date'
    return { kind: 'skipped', reason: 'malformed', detail: `a message without ${missing}`, at: at ?? 0 }
  }
  return { place, author, at, native }
}

/** What is neither text nor a file nor told in words: service messages, and kinds newer than this reader. */
function unread(message: Dict, event: string, place: Place, at: number): Skipped {
  const kinds = Object.keys(message).filter((key) => !ENVELOPE.has(key) && /^[a-z_]{1,60}$/.test(key))
  const detail = kinds.slice(0, 5).join(', ')
  if (kinds.length === 0) return { kind: 'skipped', reason: 'no-content', event, place, at }
  const reason = kinds.some((kind) => SERVICE.test(kind)) ? 'service-notice' : 'unsupported-kind'
  return { kind: 'skipped', reason, detail, event, place, at }
}

const SERVICE =
  /^(?:new_chat|left_chat|delete_chat|group_chat|supergroup_chat|channel_chat|message_auto_delete|migrate|pinned|successful_payment|refunded|users_shared|chat_shared|connected_website|write_access|passport|proximity|boost_added|chat_background|checklist_tasks|direct_message_price|forum_topic|general_forum|giveaway_c|paid_message|suggested_post|video_chat|web_app_data|chat_owner|gift|unique_gift)/

/** Fields that every message may have; what remains tells what it is about. */
const ENVELOPE = new Set(
  (
    'message_id message_thread_id from sender_chat sender_boost_count sender_business_bot date business_connection_id ' +
    'chat forward_origin is_topic_message is_automatic_forward reply_to_message external_reply quote reply_to_story ' +
    'via_bot edit_date has_protected_content is_from_offline is_paid_post media_group_id author_signature ' +
    'paid_star_count text entities link_preview_options caption caption_entities show_caption_above_media ' +
    'has_media_spoiler effect_id reply_markup direct_messages_topic suggested_post_info'
  ).split(' '),
)

function namingOf(self: BotIdentity, added: Added): Naming {
  const own = new Set((self.aliases ?? []).map((alias) => alias.toLowerCase()))
  return ({ type, user }, written) => {
    const name = written.replace(/^@/, '')
    if (type === 'text_mention') {
      const native = id(user?.id)
      return native === undefined ? null : { id: native, name }
    }
    if (!written.startsWith('@')) return null
    const key = name.toLowerCase()
    if (own.has(key)) return { id: self.id, name }
    // Whoever is not known stays text: `@Reviewer` may be an agent, and Telegram marks every such word.
    const known =
      added.people !== undefined && Object.hasOwn(added.people, key) ? added.people[key] : undefined
    return known === undefined ? null : { id: known.id, name }
  }
}

function docOf(message: Dict, self: BotIdentity, added: Added): DocBuilder {
  const doc = new DocBuilder(namingOf(self, added))
  const elsewhere = dict(message.external_reply)
  if (elsewhere !== undefined) {
    doc.text(`[reply to a message of ${originOf(dict(elsewhere.origin), self)}]`)
    const quoted = dict(message.quote)
    const words = text(quoted?.text)
    if (words !== undefined) doc.quote(words, entitiesOf(quoted?.entities, words))
  }
  const words = text(message.text) ?? text(message.caption)
  const entities = words === undefined ? [] : entitiesOf(message.entities ?? message.caption_entities, words)
  const told = toldOf(message)
  if (message.forward_origin !== undefined) {
    // Somebody else's words: they address nobody and command nothing.
    doc.text(`[forwarded from ${originOf(dict(message.forward_origin), self)}]`)
    if (words !== undefined) doc.quote(words, entities)
    if (told !== null) doc.quote(told)
  } else {
    if (words !== undefined) doc.text(words, entities)
    if (told !== null) doc.text(told)
  }
  return doc
}

/** Who a forwarded message is from (core.telegram.org/bots/api#messageorigin). */
function originOf(origin: Dict | undefined, self: BotIdentity): string {
  const user = dict(origin?.sender_user)
  const chat = dict(origin?.sender_chat) ?? dict(origin?.chat)
  const name =
    (user && userAuthor(user, self)?.name) ??
    (chat && chatAuthor(chat, text(origin?.author_signature))?.name) ??
    text(origin?.sender_user_name) ??
    'somebody'
  return name.replace(/\s+/g, ' ').slice(0, 128)
}

/** In a topic every message "replies" to the one that made the topic: that is no reply. */
function replyOf(
  message: Dict,
  self: BotIdentity,
  added: Added,
): NonNullable<InboundMessage['replyTo']> | null {
  const target = dict(message.reply_to_message)
  const native = id(target?.message_id)
  if (target === undefined || native === undefined) return null
  if (target.forum_topic_created !== undefined) return null
  if (message.is_topic_message === true && target.message_id === message.message_thread_id) return null
  const author = authorOf(target, self)
  const words = text(dict(message.quote)?.text) ?? shownOf(target, self, added)
  return { id: native, ...(author !== null && { author }), ...(words !== '' && { text: words }) }
}

function shownOf(message: Dict, self: BotIdentity, added: Added): string {
  const doc = docOf(message, self, added)
  if (!doc.isEmpty) return plainText(doc.doc())
  return filesOf(message)
    .map(({ name }) => `[${name}]`)
    .join(' ')
}

/** `/name` or `/name@bot` at the very front, in the text or under a picture. */
function commandOf(message: Dict): NonNullable<InboundMessage['command']> | null {
  if (message.forward_origin !== undefined) return null
  const words = text(message.text) ?? text(message.caption)
  if (words === undefined) return null
  const first = entitiesOf(message.entities ?? message.caption_entities, words).find(
    ({ type, start }) => type === 'bot_command' && words.slice(0, start).trim() === '',
  )
  if (first === undefined) return null
  const match = /^\/(\w{1,64})(?:@(\w{1,64}))?$/.exec(words.slice(first.start, first.end))
  const [, name, target] = match ?? []
  return name === undefined ? null : { name: name.toLowerCase(), ...(target !== undefined && { target }) }
}

/** 64 bits of FNV-1a, to tell two texts apart. */
function hashOf(value: string): string {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193) >>> 0
    high = Math.imul(high ^ (low >>> 13) ^ code, 0x01000193) >>> 0
  }
  return high.toString(36) + low.toString(36)
}
