/**
 * Whether a doubtful post stands in the chat after all: for when its key is too old for Feishu to know it. Feishu gives
 * back neither key nor mark of ours, so it is known by what it says, what it answers and when it came.
 */
import {
  type Clock,
  type Millis,
  type Operation,
  type Place,
  PlatformFailure,
  plainText,
  type Receipt,
} from '../../src/messaging/contract.js'
import { type Archive, messagesOf, rawOf } from './history.js'
import { read } from './read.js'
import { type Fields, fields, millisOf, nativeId, parsed } from './shape.js'

/** A request that was not answered may still be at work in Feishu. */
const ARRIVING: Millis = 2_000
/** How wrong this machine's clock may be. A bound that is too late would find nothing and post twice. */
const SKEW: Millis = 60 * 60_000

export interface Doubt {
  archive: Archive
  clock: Clock
  op: Operation
  /** When it was first tried, where that is known. */
  attempted: Millis | undefined
  /** Whether a message is known to be another operation's. */
  isAnothers(id: string): boolean
  /** The direct chat of a person with the bot, where it is known. */
  directChat(person: string): string | undefined
}

/** @throws CallFailed where it could not be looked up now */
export async function settle(doubt: Doubt): Promise<'not-sent' | 'unknown' | Receipt> {
  const { archive, clock, op, attempted } = doubt
  // Repeating anything but a post changes nothing.
  if (op.kind !== 'post' && op.kind !== 'upload') return 'not-sent'
  const place = placeOf(doubt, op.place)
  if (place === undefined) return 'unknown'
  await arrived(clock, attempted)
  // It was not posted before what it answers. Only what answers nothing is bounded by this machine's clock.
  const after = op.replyTo
  const since = attempted === undefined ? undefined : attempted - SKEW
  if (after === undefined && since === undefined) return 'unknown'
  const { items, complete } = await messagesOf(archive, place, { after, since })
  const own = items.filter((item) => isOwn(doubt, item) && answers(op, item))
  const verdicts = own.map((item) => says(archive, op, item))
  const found = own.filter((_, at) => verdicts[at] === true)
  const [first] = found
  if (found.length === 1 && first !== undefined)
    return { id: String(first.message_id), at: millisOf(first.create_time) }
  return found.length === 0 && complete && !verdicts.includes(undefined) ? 'not-sent' : 'unknown'
}

function placeOf({ directChat }: Doubt, { chat, thread }: Place): Place | undefined {
  if (!chat.startsWith('ou_')) return thread === undefined ? { chat } : { chat, thread }
  const direct = directChat(chat)
  return direct === undefined ? undefined : { chat: direct }
}

function isOwn({ archive, isAnothers }: Doubt, item: Fields): boolean {
  const id = nativeId(item.message_id)
  return id !== undefined && fields(item.sender).id === archive.appId && !isAnothers(id)
}

function answers(op: Extract<Operation, { kind: 'post' | 'upload' }>, item: Fields): boolean {
  if (op.replyTo === undefined) return op.place.thread !== undefined || nativeId(item.parent_id) === undefined
  // In a topic everything answers its first message.
  return item.parent_id === op.replyTo || nativeId(item.thread_id) !== undefined
}

/** Undefined: Feishu does not show what it says. */
function says(
  archive: Archive,
  op: Extract<Operation, { kind: 'post' | 'upload' }>,
  item: Fields,
): boolean | undefined {
  const content = fields(parsed(fields(item.body).content))
  if (item.deleted === true) return undefined
  if (op.kind === 'upload') {
    if (item.msg_type === 'file') return content.file_name === op.name
    return item.msg_type === 'image' ? undefined : false
  }
  if (item.msg_type !== 'interactive' && item.msg_type !== 'text') return false
  // Of a card of today an old form says only that the app is too old for it.
  if (item.msg_type === 'interactive' && content.schema === undefined && content.json_card === undefined)
    return undefined
  const event = read(rawOf(item, op.place.chat, archive.appId), archive.self)
  if (event.kind !== 'message') return false
  const said = letters(plainText(event.doc))
  const wanted = letters(op.part.text)
  // Buttons are read as text behind it.
  return said === wanted || (wanted !== '' && said.startsWith(wanted) && op.buttons !== undefined)
}

/** Neither marks nor blanks: the same text is drawn in more than one way. Names of people may differ. */
const letters = (text: string): string => text.replace(/@\S+/gu, '').replace(/[^\p{L}\p{N}]/gu, '')

function arrived(clock: Clock, attempted: Millis | undefined): Promise<void> {
  const until = (attempted ?? 0) + ARRIVING
  if (until <= clock.now()) return Promise.resolve()
  return new Promise((resolve) => {
    clock.at(until, resolve)
  })
}

/** What the core is told where a look-up failed for good: it cannot be known. */
export function isHopeless(error: unknown): boolean {
  return error instanceof PlatformFailure && ['forbidden', 'gone', 'invalid'].includes(error.failure.kind)
}
