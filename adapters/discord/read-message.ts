/** What people and apps say, change and take back. */
import {
  type Author,
  type Inbound,
  type InboundMessage,
  plainText,
  type Skipped,
} from '../../src/messaging/contract.js'
import { docOf, FORWARD } from './read-doc.js'
import { filesOf } from './read-files.js'
import type { People } from './read-people.js'
import { type Where, whereOf } from './read-place.js'
import { bornAt, type Fields, fields, isoMillis, list, number, snowflake, text } from './shape.js'

/** https://docs.discord.com/developers/resources/message#message-object-message-types */
export const TYPE = {
  default: 0,
  recipientAdd: 1,
  nameChange: 4,
  userJoin: 7,
  reply: 19,
  command: 20,
  threadStarter: 21,
  contextMenu: 23,
} as const

/** Types that are somebody speaking; all others are lines that Discord itself writes. */
const SPEAKING: ReadonlySet<number> = new Set([TYPE.default, TYPE.reply, TYPE.command, TYPE.contextMenu])

type Skip = (reason: Skipped['reason'], detail: string) => Skipped

export function readMessage(message: Fields, people: People, isHistory: boolean): Inbound | Skipped {
  const id = snowflake(message.id)
  if (id === undefined) return malformed('a message without an id', people)
  const where = whereOf(message, people.context, isHistory)
  const at = isoMillis(message.timestamp) ?? bornAt(id)
  const event = `message:${id}`
  const skip: Skip = (reason, detail) => ({
    kind: 'skipped',
    reason,
    detail,
    event,
    ...(where !== undefined && { place: where.place }),
    at,
  })
  if (where === undefined)
    return skip('malformed', 'a message without a channel, or in a thread of an unknown one')
  const type = number(message.type) ?? TYPE.default
  if (type === TYPE.threadStarter && isHistory) return readStarter(message, where, people, skip)
  if (!SPEAKING.has(type)) return readNotice(message, type, { event, at, where, people, skip })
  return readSpoken(message, { event, at, where, people, skip }, isHistory)
}

interface Given {
  event: string
  at: number
  where: Where
  people: People
  skip: Skip
}

function readSpoken(
  message: Fields,
  { event, at, where, people, skip }: Given,
  isHistory: boolean,
): Inbound | Skipped {
  const author = people.author(message)
  if (author === undefined) return skip('malformed', 'a message without an author')
  if (author.kind === 'self' && !isHistory) return skip('own-message', 'its own post')
  const doc = docOf(message, people, author.kind !== 'person')
  const files = filesOf(message)
  if (doc.children.length === 0 && files.length === 0) return skip('no-content', emptyBecause(people))
  const replyTo = replyOf(message, people)
  return {
    kind: 'message',
    event,
    at,
    place: where.place,
    author,
    id: event.slice('message:'.length),
    chat: where.chat,
    doc,
    ...(files.length > 0 && { files }),
    ...(replyTo !== undefined && { replyTo }),
  }
}

/** https://docs.discord.com/developers/events/gateway#message-content-intent */
function emptyBecause({ context }: People): string {
  return context.content === false
    ? 'Discord shows what it says only with the Message Content intent'
    : 'nothing in it can be read'
}

/** The message that is answered. What is forwarded, crossposted or pinned is referred to as well, and not answered. */
function replyOf(message: Fields, people: People): InboundMessage['replyTo'] {
  const reference = fields(message.message_reference)
  const id = snowflake(reference.message_id)
  if (id === undefined || number(reference.type) === FORWARD) return undefined
  if (reference.channel_id !== undefined && reference.channel_id !== message.channel_id) return undefined
  const target = fields(message.referenced_message)
  if (target.id !== id) return { id }
  return quotedOf(target, people)
}

/** A message as the one that is answered or asked about. Its id is known to be one. */
export function quotedOf(target: Fields, people: People): NonNullable<InboundMessage['replyTo']> {
  const author = people.author(target)
  const said = plainText(docOf(target, people, author?.kind !== 'person'))
  return {
    id: snowflake(target.id) ?? '',
    ...(author !== undefined && { author }),
    ...(said !== '' && { text: said }),
  }
}

/** The first line of a thread stands for the message it was made of, which lies in the channel around it. */
function readStarter(message: Fields, where: Where, people: People, skip: Skip): Inbound | Skipped {
  const first = fields(message.referenced_message)
  const id = snowflake(first.id)
  if (id === undefined) return skip('no-content', 'the message that the thread was made of is gone')
  const event = `message:${id}`
  const at = isoMillis(first.timestamp) ?? bornAt(id)
  return readSpoken(first, { event, at, where, people, skip }, true)
}

/**
 * Who came, and what the chat is called now. Everything else that Discord says is no event; whoever leaves a thread is in
 * its channel still.
 */
function readNotice(message: Fields, type: number, given: Given): Inbound | Skipped {
  const { event, at, where, people, skip } = given
  const author = people.author(message)
  const detail = `message type ${type}`
  if (author === undefined) return skip('service-notice', detail)
  const change = { kind: 'change' as const, event, at, place: where.place, author }
  if (type === TYPE.userJoin)
    return author.kind === 'self' ? skip('own-message', detail) : { ...change, joined: [author] }
  if (type === TYPE.recipientAdd) {
    const joined = list(message.mentions).flatMap((user): Author[] => {
      const person = people.person(fields(user))
      return person === undefined ? [] : [person]
    })
    return joined.length === 0 ? skip('service-notice', detail) : { ...change, joined }
  }
  const title = text(message.content)
  if (type === TYPE.nameChange && title !== undefined && where.place.thread === undefined)
    return { ...change, title }
  return skip('service-notice', detail)
}

/**
 * https://docs.discord.com/developers/events/gateway-events#message-update. Also previews of links, pins and threads
 * change a message; only an edit has a time.
 */
export function readEdit(message: Fields, people: People): Inbound | Skipped {
  const id = snowflake(message.id)
  if (id === undefined) return malformed('a changed message without an id', people)
  const where = whereOf(message, people.context, false)
  const edited = text(message.edited_timestamp)
  const time = isoMillis(edited)
  const at = time ?? people.context.at ?? bornAt(id)
  // A preview that comes after an edit bears that edit's time: it is the same event.
  const event = time === undefined ? undefined : `edit:${id}:${time}`
  const skip: Skip = (reason, detail) => ({
    kind: 'skipped',
    reason,
    detail,
    ...(event !== undefined && { event }),
    ...(where !== undefined && { place: where.place }),
    at,
  })
  if (where === undefined)
    return skip('malformed', 'an edit without a channel, or in a thread of an unknown one')
  if (event === undefined) return skip('service-notice', 'the text is the same: a preview, a pin or a thread')
  if (people.isSelf(message)) return skip('own-message', 'an edit')
  if (typeof message.content !== 'string')
    return skip('service-notice', 'an edit that does not tell the text')
  // Who edits is who wrote; a part of a message may not say who that was.
  const author = people.author(message) ?? { id: 'unknown', name: 'unknown', kind: 'person' as const }
  const doc = docOf(message, people, author.kind !== 'person')
  if (doc.children.length === 0 && filesOf(message).length === 0)
    return skip('no-content', emptyBecause(people))
  return { kind: 'edit', event, at, place: where.place, author, id, doc }
}

/** https://docs.discord.com/developers/events/gateway-events#message-delete: neither who did it nor what it said. */
export function readDelete(gone: Fields, people: People): Inbound | Skipped {
  const id = snowflake(gone.id)
  const where = whereOf(gone, people.context, false)
  if (id === undefined || where === undefined)
    return malformed('a deletion without message or channel', people)
  return {
    kind: 'delete',
    event: `delete:${id}`,
    at: people.context.at ?? 0,
    place: where.place,
    author: { id: 'unknown', name: 'unknown', kind: 'person' },
    id,
  }
}

export function malformed(detail: string, { context }: People): Skipped {
  return { kind: 'skipped', reason: 'malformed', detail, at: context.at ?? 0 }
}
