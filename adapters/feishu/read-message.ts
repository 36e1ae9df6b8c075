/** What people and apps say, as an event or as history. */
import {
  type Author,
  type Inbound,
  type InboundMessage,
  type Place,
  plainText,
  type Skipped,
} from '../../src/messaging/contract.js'
import { docOf } from './doc-builder.js'
import type { FeishuRaw } from './raw.js'
import { contentOf } from './read-content.js'
import { People } from './read-people.js'
import { type Said, saidInEvent, saidInHistory } from './said.js'
import { fields, millisOf, nativeId, text } from './shape.js'

/** What a reader of one kind of event is handed. */
export interface Given {
  self: People['self']
  raw: FeishuRaw
  /** The organisation of the app. */
  tenant?: string
}

/**
 * A topic is a native thread (`thread_id`). A chain of quotes is none: its `root_id` only says where the chain began.
 * https://open.feishu.cn/document/server-docs/im-v1/message/intro
 */
export function placeOf(chat: string, thread: unknown): Place {
  const topic = nativeId(thread)
  return topic === undefined ? { chat } : { chat, thread: topic }
}

export function malformed(detail: string, at: unknown): Skipped {
  return { kind: 'skipped', reason: 'malformed', detail, at: millisOf(at) }
}

export function readMessage(given: Given, event: unknown): Inbound | Skipped {
  const history = given.raw.from === 'history'
  const said = history ? saidInHistory(fields(event)) : saidInEvent(fields(event))
  if (said === undefined) return malformed('a message without id or type', given.raw.at)
  const chat = said.chat ?? nativeId(given.raw.chat)
  if (chat === undefined) return malformed('a message without a chat', said.createdAt)
  const people = new People(given.self, given.raw, said.mentions, given.tenant)
  const place = placeOf(chat, said.threadId ?? given.raw.thread)
  const skipped = (reason: Skipped['reason'], detail: string): Skipped => ({
    kind: 'skipped',
    reason,
    detail,
    event: said.id,
    place,
    at: millisOf(said.createdAt),
  })
  if (said.deleted) return skipped('no-content', 'it was taken back')
  if (said.type === 'system') return systemNotice(said, people, skipped)
  const { id } = said.sender
  if (id === undefined) return skipped('malformed', 'a message without a sender')
  const author = people.author(id, said.sender.type, said.sender.tenant)
  if (author.kind === 'self' && !history) return skipped('own-message', 'a message of this app')
  return spoken(said, chat, place, author, people, skipped)
}

type Skip = (reason: Skipped['reason'], detail: string) => Skipped

function systemNotice(said: Said, people: People, skipped: Skip): Skipped {
  const { skip } = contentOf(said.id, said.type, said.content, people)
  return skipped('service-notice', skip?.detail ?? 'a system message')
}

function spoken(
  said: Said,
  chat: string,
  place: Place,
  author: Author,
  people: People,
  skipped: Skip,
): InboundMessage | Skipped {
  const { blocks, files, skip } = contentOf(said.id, said.type, said.content, people)
  if (skip !== undefined) return skipped(skip.reason, skip.detail)
  const doc = docOf(blocks)
  if (doc.children.length === 0 && files.length === 0) return skipped('no-content', `empty ${said.type}`)
  const title = people.title(chat)
  const dm = said.chatType === 'p2p' || (said.chatType === undefined && people.kind(chat) === 'dm')
  const replyTo = replyOf(said, people)
  return {
    kind: 'message',
    // One message is one id, however often and by whichever event it is delivered.
    event: said.id,
    at: millisOf(said.createdAt),
    place,
    author,
    id: said.id,
    chat: { kind: dm ? 'dm' : 'group', ...(title !== undefined && { title }) },
    doc,
    ...(files.length > 0 && { files }),
    ...(replyTo !== undefined && { replyTo }),
  }
}

/** Whatever is said in a topic answers its first message, as Feishu tells it: that is no quote. */
function replyOf(said: Said, people: People): InboundMessage['replyTo'] {
  const id = said.parentId
  if (id === undefined || id === said.id) return undefined
  if (said.threadId !== undefined && id === said.rootId) return undefined
  const parent = saidInHistory(fields(people.raw.parent)) ?? saidInEvent(fields(people.raw.parent))
  if (parent === undefined || parent.id !== id) return { id }
  const own = new People(people.self, people.raw, parent.mentions, people.tenant)
  const { sender } = parent
  const author = sender.id === undefined ? undefined : own.author(sender.id, sender.type, sender.tenant)
  const shown = parent.deleted ? '' : plainText(docOf(contentOf(id, parent.type, parent.content, own).blocks))
  return {
    id,
    ...(author !== undefined && { author }),
    ...(text(shown) !== undefined && { text: shown }),
  }
}
