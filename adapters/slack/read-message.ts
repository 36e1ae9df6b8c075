/** `message` and `app_mention`: what people and apps say, change and take back. */
import {
  type Doc,
  type FileRef,
  type Inbound,
  type InboundMessage,
  type Place,
  plainText,
  type Skipped,
} from '../../src/messaging/contract.js'
import { docOf } from './read-doc.js'
import type { People } from './read-people.js'
import { type Fields, fields, list, millisOf, nativeId, number, text, timestamp } from './shape.js'

/** https://docs.slack.dev/reference/events/message: subtypes that are somebody speaking. */
const SPEAKING: ReadonlySet<string> = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message'])

/** Lines that Slack itself writes into a conversation. */
const NOTICES: ReadonlySet<string> = new Set([
  'channel_join',
  'channel_leave',
  'group_join',
  'group_leave',
  'channel_topic',
  'channel_purpose',
  'channel_archive',
  'channel_unarchive',
  'channel_convert_to_private',
  'channel_convert_to_public',
  'channel_posting_permissions',
  'group_topic',
  'group_purpose',
  'group_archive',
  'group_unarchive',
  'message_replied',
  'pinned_item',
  'unpinned_item',
  'bot_add',
  'bot_remove',
  'bot_enable',
  'bot_disable',
  'reminder_add',
  'reply_broadcast',
  'ekm_access_denied',
  'sh_room_created',
  'sh_room_shared',
  'huddle_thread',
  'assistant_app_thread',
  'document_mention',
  'tabbed_canvas_updated',
])

export interface Channel {
  id: string
  kind: 'dm' | 'group'
}

/** Direct conversations begin with D. Events that do not say (`app_mention`) are never in one. */
export function channelOf(id: unknown, type?: unknown): Channel | undefined {
  const channel = nativeId(id)
  if (channel === undefined) return undefined
  return {
    id: channel,
    kind: type === 'im' || (type === undefined && channel.startsWith('D')) ? 'dm' : 'group',
  }
}

/** A thread's first message carries its own `ts` as `thread_ts` once it has answers: it stands in no thread. */
export function placeOf(channel: string, message: Fields): Place {
  const thread = timestamp(message.thread_ts)
  return thread === undefined || thread === message.ts ? { chat: channel } : { chat: channel, thread }
}

export function readMessage(event: Fields, people: People): Inbound | Skipped {
  const channel = channelOf(event.channel, event.channel_type)
  const ts = timestamp(event.ts) ?? timestamp(event.event_ts)
  if (channel === undefined || ts === undefined) return malformed('a message without channel or ts', event)
  const subtype = text(event.subtype)
  if (subtype === 'message_changed') return readChanged(event, channel, people)
  if (subtype === 'message_deleted') return readDeleted(event, channel, people)
  const place = placeOf(channel.id, { ...event, ts })
  const key = `${channel.id}:${ts}`
  const skipped = (reason: Skipped['reason'], detail?: string): Skipped => ({
    kind: 'skipped',
    reason,
    ...(detail !== undefined && { detail }),
    event: key,
    place,
    at: millisOf(ts),
  })
  if (subtype === 'channel_name' || subtype === 'group_name') {
    const title = text(event.name)
    const author = people.author(event)
    if (title === undefined || author === undefined) return skipped('service-notice', `subtype ${subtype}`)
    return { kind: 'change', event: key, at: millisOf(ts), place: { chat: channel.id }, author, title }
  }
  if (subtype !== undefined && NOTICES.has(subtype)) return skipped('service-notice', `subtype ${subtype}`)
  if (subtype !== undefined && !SPEAKING.has(subtype))
    return skipped('unsupported-kind', `subtype ${subtype.slice(0, 60)}`)
  return readSpoken(event, channel, ts, place, people, skipped)
}

function readSpoken(
  event: Fields,
  channel: Channel,
  ts: string,
  place: Place,
  people: People,
  skipped: (reason: Skipped['reason'], detail?: string) => Skipped,
): Inbound | Skipped {
  const author = people.author(event)
  if (author === undefined) return skipped('malformed', 'a message without an author')
  if (author.kind === 'self' && people.raw.from !== 'history') return skipped('own-message')
  const doc = docOf(event, people, author.kind !== 'person')
  const files = filesOf(event.files)
  if (doc.children.length === 0 && files.length === 0) return skipped('no-content')
  const title = people.title(channel.id)
  const message: InboundMessage = {
    kind: 'message',
    event: `${channel.id}:${ts}`,
    at: millisOf(ts),
    place,
    author,
    id: ts,
    chat: { kind: channel.kind, ...(title !== undefined && { title }) },
    doc,
  }
  if (files.length > 0) message.files = files
  return message
}

/** Slack reports as changed also what nobody wrote: previews of links, counts of answers, pins. */
function readChanged(event: Fields, channel: Channel, people: People): Inbound | Skipped {
  const message = fields(event.message)
  const before = fields(event.previous_message)
  const id = timestamp(message.ts)
  if (id === undefined) return malformed('a changed message without ts', event)
  const place = placeOf(channel.id, message)
  const happened = timestamp(event.event_ts) ?? timestamp(event.ts)
  if (message.subtype === 'tombstone') {
    return deleted(id, place, happened, before, people, `${channel.id}:${id}:delete`)
  }
  // `edited.ts` is of whole seconds, and two edits may share one.
  const key = `${channel.id}:${id}:edit:${happened ?? timestamp(fields(message.edited).ts) ?? ''}`
  const at = millisOf(happened)
  const skipped = (reason: Skipped['reason'], detail: string): Skipped => ({
    kind: 'skipped',
    reason,
    detail,
    event: key,
    place,
    at,
  })
  if (people.isSelf(message)) return skipped('own-message', 'an edit')
  const author = people.author(message)
  if (author === undefined) return skipped('malformed', 'an edit without an author')
  const isBot = author.kind !== 'person'
  const doc = docOf(message, people, isBot)
  if (Object.keys(before).length > 0 && sameText(doc, docOf(before, people, isBot)))
    return skipped('service-notice', 'the text is the same: a preview, an answer or a pin')
  return { kind: 'edit', event: key, at, place, author, id, doc }
}

/** What a person reads, and who is meant by it. */
function sameText(a: Doc, b: Doc): boolean {
  return a.source === b.source && plainText(a) === plainText(b)
}

function readDeleted(event: Fields, channel: Channel, people: People): Inbound | Skipped {
  const before = fields(event.previous_message)
  const id = timestamp(event.deleted_ts) ?? timestamp(before.ts)
  if (id === undefined) return malformed('a deleted message without ts', event)
  const place = placeOf(channel.id, { ...before, ts: id })
  const happened = timestamp(event.event_ts) ?? timestamp(event.ts)
  return deleted(id, place, happened, before, people, `${channel.id}:${id}:delete`)
}

function deleted(
  id: string,
  place: Place,
  happened: string | undefined,
  before: Fields,
  people: People,
  event: string,
): Inbound | Skipped {
  const at = millisOf(happened)
  if (people.isSelf(before)) {
    return { kind: 'skipped', reason: 'own-message', detail: 'a deletion', event, place, at }
  }
  // Who took it back is not told; whose it was mostly is.
  const author = people.author(before) ?? { id: 'unknown', name: 'unknown', kind: 'person' as const }
  return { kind: 'delete', event, at, place, author, id }
}

/** Files with bytes. A tombstone and one hidden by the plan's limit have none, one that lies elsewhere is a link. */
function filesOf(value: unknown): FileRef[] {
  return list(value)
    .slice(0, 50)
    .flatMap((item): FileRef[] => {
      const file = fields(item)
      const id = nativeId(file.id)
      const { mode } = file
      if (id === undefined || mode === 'tombstone' || mode === 'hidden_by_limit') return []
      if (mode === 'external' || file.is_external === true) return []
      const mime = text(file.mimetype)
      const bytes = number(file.size)
      return [
        {
          id,
          name: text(file.name) ?? text(file.title) ?? id,
          ...(mime !== undefined && { mime }),
          ...(bytes !== undefined && bytes >= 0 && { bytes }),
        },
      ]
    })
}

export function malformed(detail: string, event: Fields): Skipped {
  const at = timestamp(event.event_ts) ?? timestamp(event.ts)
  return { kind: 'skipped', reason: 'malformed', detail, at: millisOf(at) }
}
