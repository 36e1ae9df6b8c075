/** What was said before: history for the core, and whether a doubtful post stands there after all. */
import type {
  BotIdentity,
  Clock,
  IdempotencyKey,
  Inbound,
  Operation,
  Place,
  Receipt,
} from '../../src/messaging/contract.js'
import type { Directory } from './directory.js'
import { CallFailed } from './failures.js'
import { hashOf, keyOf } from './perform.js'
import type { SlackRaw } from './raw.js'
import { read } from './read.js'
import { type Fields, fields, list, millisOf, text, timestamp } from './shape.js'
import { threadOf } from './threads.js'
import type { Uploader } from './upload.js'
import type { Web } from './web.js'

/** An app of its workspace's own may read 1,000 a page; 200 is what Slack advises. */
const PAGE = 200
const MOST_PAGES = 10
/** A request that was not answered may still be at work in Slack. */
const ARRIVING = 2_000

export interface Archive {
  web: Web
  directory: Directory
  self: BotIdentity
  bot: SlackRaw['bot']
  clock: Clock
}

interface Span {
  /** Messages behind this one, */
  after?: string
  /** before this one. */
  before?: string
}

/** Messages of a chat or thread, newest page first. A thread's first message is one of them. */
async function* pages(
  web: Web,
  channel: string,
  thread: string | undefined,
  span: Span,
): AsyncGenerator<Fields[]> {
  const method = thread === undefined ? 'conversations.history' : 'conversations.replies'
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await web.call(method, {
      channel,
      limit: PAGE,
      include_all_metadata: true,
      ...(thread !== undefined && { ts: thread }),
      ...(span.after !== undefined && { oldest: span.after }),
      ...(span.before !== undefined && { latest: span.before }),
      ...(cursor !== undefined && { cursor }),
    })
    yield list(answer.messages).map(fields)
    cursor = answer.has_more === false ? undefined : text(fields(answer.response_metadata).next_cursor)
    if (cursor === undefined) return
  }
  throw new CallFailed('too_long', method)
}

/** Every message of a span, oldest first; `complete` tells whether that is all of them. */
async function messagesOf(
  web: Web,
  place: Place,
  span: Span,
  enough: (found: number) => boolean = () => false,
): Promise<{ messages: Fields[]; complete: boolean }> {
  const found = new Map<string, Fields>()
  let complete = true
  try {
    for await (const page of pages(web, place.chat, timestamp(place.thread), span)) {
      for (const message of page) {
        const ts = timestamp(message.ts)
        // A thread's first message comes with every page, whatever the span.
        if (ts !== undefined && within(ts, span)) found.set(ts, message)
      }
      if (enough(found.size)) break
    }
  } catch (error) {
    if (!(error instanceof CallFailed) || error.code !== 'too_long') throw error
    complete = false
  }
  const messages = [...found.values()].sort((a, b) => order(String(a.ts), String(b.ts)))
  return { messages, complete }
}

export async function* history(
  archive: Archive,
  place: Place,
  range: Span & { limit: number },
): AsyncGenerator<Inbound> {
  const { after, before, limit } = range
  const span: Span = {
    ...(timestamp(after) !== undefined && { after: after as string }),
    ...(timestamp(before) !== undefined && { before: before as string }),
  }
  // A channel's newest page comes first: that is enough where nothing says where to begin.
  const enough = (found: number): boolean =>
    span.after === undefined && place.thread === undefined && found >= limit
  const { messages } = await messagesOf(archive.web, place, span, enough)
  const chosen = span.after === undefined ? messages.slice(-limit) : messages.slice(0, limit)
  for (const message of chosen) {
    const event = await readBack(archive, place.chat, message)
    if (event !== null) yield event
  }
}

/** A message of the archive through the same codec; null where it says nothing. */
async function readBack(archive: Archive, channel: string, message: Fields): Promise<Inbound | null> {
  const { self, bot } = archive
  const names = await archive.directory.names({ ...message, channel })
  const raw: SlackRaw = { body: message, from: 'history', channel, names, ...(bot !== undefined && { bot }) }
  const event = read(raw, self)
  return event.kind === 'skipped' ? null : event
}

/** Whether a post stands in the chat, by the key in its metadata. */
export async function settle(
  archive: Archive,
  uploader: Uploader,
  op: Operation,
  key: IdempotencyKey,
  attempted: number | undefined,
): Promise<'not-sent' | 'unknown' | Receipt> {
  // Repeating anything but a post changes nothing.
  if (op.kind !== 'post' && op.kind !== 'upload') return 'not-sent'
  await arrived(archive.clock, attempted)
  try {
    const hash = hashOf(key)
    if (op.kind === 'post') return await find(archive, op, attempted, (message) => keyOf(message) === hash)
    const begun = await uploader.begun(hash)
    if (begun === undefined) return 'not-sent'
    return await find(archive, op, begun.at, (message) =>
      list(message.files).some((file) => fields(file).id === begun.file),
    )
  } catch {
    return 'unknown'
  }
}

async function find(
  { web }: Archive,
  op: Extract<Operation, { kind: 'post' | 'upload' }>,
  attempted: number | undefined,
  isIt: (message: Fields) => boolean,
): Promise<'not-sent' | 'unknown' | Receipt> {
  const chat = await directChat(web, op.place.chat)
  if (chat === undefined) return 'unknown'
  const thread = threadOf(op)
  // It was not posted before what it answers. Only what answers nothing is bounded by this machine's clock.
  const after = timestamp(op.replyTo) ?? thread ?? (attempted === undefined ? undefined : before(attempted))
  const place: Place = thread === undefined ? { chat } : { chat, thread }
  const { messages, complete } = await messagesOf(web, place, after === undefined ? {} : { after })
  const found = messages.find(isIt)
  if (found !== undefined) return { id: String(found.ts), at: millisOf(timestamp(found.ts)) }
  return complete ? 'not-sent' : 'unknown'
}

/** A person's id stands for their direct conversation with the bot. */
async function directChat(web: Web, chat: string): Promise<string | undefined> {
  if (!/^[UW]/.test(chat)) return chat
  const answer = await web.call('conversations.open', { users: chat })
  return text(fields(answer.channel).id)
}

/** How wrong this machine's clock may be, in seconds. A bound that is too late would find nothing and post twice. */
const SKEW = 3_600
const before = (at: number): string => `${Math.max(0, Math.floor(at / 1_000) - SKEW)}.000000`

function arrived(clock: Clock, attempted: number | undefined): Promise<void> {
  const until = (attempted ?? 0) + ARRIVING
  if (until <= clock.now()) return Promise.resolve()
  return new Promise((resolve) => {
    clock.at(until, resolve)
  })
}

function within(ts: string, { after, before }: Span): boolean {
  return (after === undefined || order(ts, after) > 0) && (before === undefined || order(ts, before) < 0)
}

/** Timestamps are numbers with six decimals, too long for a double. */
function order(a: string, b: string): number {
  const [wholeA = '', restA = ''] = a.split('.')
  const [wholeB = '', restB = ''] = b.split('.')
  return Number(wholeA) - Number(wholeB) || Number(restA.padEnd(6, '0')) - Number(restB.padEnd(6, '0'))
}
