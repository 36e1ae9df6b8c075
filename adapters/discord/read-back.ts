/** What was said before: history for the core, and whether a doubtful post stands there after all. */
import {
  type BotIdentity,
  type Clock,
  type IdempotencyKey,
  type Inbound,
  type Operation,
  type Place,
  PlatformFailure,
  type Post,
  type Receipt,
  type Upload,
} from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { Bounded } from './bounded.js'
import type { Directory } from './directory.js'
import type { Intake } from './intake.js'
import type { Interactions } from './interactions.js'
import type { DiscordRaw } from './raw.js'
import { read } from './read.js'
import { nonceOf } from './request.js'
import { bornAt, type Fields, fields, isoMillis, list, number, snowflake, text } from './shape.js'

/** "1-100": https://docs.discord.com/developers/resources/message#get-channel-messages */
const PAGE = 100
const MOST_PAGES = 20
/** A request that was not answered may still be at work. Milliseconds. */
const ARRIVING = 2_000
/** How wrong this machine's clock may be. A bound that is too late would find nothing and post twice. */
const SKEW = 3_600_000
/** The first message of a thread that was opened under it: a copy with the original inside. */
const THREAD_STARTER = 21
const MOST_REMEMBERED = 10_000

export interface Archive {
  api: Api
  directory: Directory
  intake: Intake
  interactions: Interactions
  self: BotIdentity
  clock: Clock
}

interface Span {
  /** Messages behind this one, */
  after?: string | undefined
  /** before this one. */
  before?: string | undefined
}

/** Messages of a channel, oldest first; `complete`: that is all of them. */
async function messagesOf(
  api: Api,
  channel: string,
  { after, before }: Span,
  limit: number,
): Promise<{ messages: Fields[]; complete: boolean }> {
  const found: Fields[] = []
  const forward = after !== undefined
  let edge = forward ? after : before
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: Math.min(PAGE, limit - found.length), [forward ? 'after' : 'before']: edge }
    const answer = await api.call('GET', ['channels', channel, 'messages'], { query })
    // They come newest first, whichever way one reads.
    const messages = list(answer)
      .map(fields)
      .filter((one) => snowflake(one.id) !== undefined)
    messages.sort((a, b) => order(String(a.id), String(b.id)))
    const fitting =
      forward && before !== undefined ? messages.filter((one) => order(String(one.id), before) < 0) : messages
    if (forward) found.push(...fitting)
    else found.unshift(...fitting)
    if (messages.length < query.limit || fitting.length < messages.length)
      return { messages: found, complete: true }
    if (found.length >= limit) return { messages: found, complete: false }
    edge = String((forward ? messages.at(-1) : messages[0])?.id)
  }
  return { messages: found, complete: false }
}

export async function* history(
  archive: Archive,
  place: Place,
  { after, before, limit }: { after?: string; before?: string; limit: number },
): AsyncGenerator<Inbound> {
  const channel = snowflake(place.thread ?? place.chat)
  if (channel === undefined)
    throw new PlatformFailure({ kind: 'gone', what: 'chat' }, `${place.chat} is no channel of Discord`)
  const direct = archive.directory.direct(channel)
  await archive.directory.askChannel(direct ?? channel)
  const span: Span = { after: markOf(after), before: markOf(before) }
  const { messages } = await messagesOf(archive.api, direct ?? channel, span, limit)
  for (const message of messages) {
    const event = await readBack(archive, direct ?? channel, message)
    if (event !== null) yield event
  }
}

/** Where to begin: a command is none of the messages, but its number says when it was given. */
function markOf(id: string | undefined): string | undefined {
  return snowflake(/\d{1,20}$/.exec(id ?? '')?.[0])
}

/** A message of the archive through the same codec; null where it says nothing. */
async function readBack(archive: Archive, channel: string, message: Fields): Promise<Inbound | null> {
  const { directory, intake, self } = archive
  const guild = directory.channel(channel)?.guild
  const original = number(message.type) === THREAD_STARTER ? fields(message.referenced_message) : message
  // Messages that are read do not say which server they are of.
  const d = {
    ...original,
    ...(guild !== undefined && { guild_id: guild }),
    channel_id: snowflake(original.channel_id) ?? channel,
  }
  const raw: DiscordRaw = { t: 'MESSAGE_CREATE', d, from: 'history', golem: await intake.context(d) }
  const event = read(raw, self)
  return event.kind === 'skipped' ? null : event
}

/** Attempts of this process, and what became of those that were answered. */
export class Attempts {
  readonly #first = new Bounded<number>(MOST_REMEMBERED)
  /** Message -> the key it was posted under. */
  readonly #posted = new Bounded<IdempotencyKey>(MOST_REMEMBERED)

  begin(key: IdempotencyKey, now: number): void {
    if (key !== '' && !this.#first.has(key)) this.#first.set(key, now)
  }

  done(key: IdempotencyKey, message: string | undefined): void {
    if (message !== undefined) this.#posted.set(message, key)
  }

  firstOf(key: IdempotencyKey): number | undefined {
    return this.#first.get(key)
  }

  /** It stands there under another key. */
  isOther(message: string, key: IdempotencyKey): boolean {
    const known = this.#posted.get(message)
    return known !== undefined && known !== key
  }
}

/** Whether a post stands in the chat: by its nonce where Discord shows it, else by what it quotes and says. */
export async function settle(
  archive: Archive,
  attempts: Attempts,
  op: Operation,
  key: IdempotencyKey,
): Promise<'not-sent' | 'unknown' | Receipt> {
  // Repeating anything but a post changes nothing.
  if (op.kind !== 'post' && op.kind !== 'upload') return 'not-sent'
  // Neither does answering a command in its place.
  const command = await archive.interactions.command(op.replyTo)
  if (command?.state === 'deferred') return 'not-sent'
  if (command?.isPrivate === true) return 'unknown'
  const attempted = attempts.firstOf(key)
  await arrived(archive.clock, attempted)
  const told = archive.intake.posted(nonceOf(key))
  if (told !== undefined) return { id: told, at: bornAt(told) }
  try {
    return await find(archive, attempts, op, key, attempted)
  } catch {
    return 'unknown'
  }
}

async function find(
  { api, directory, self }: Archive,
  attempts: Attempts,
  op: Post | Upload,
  key: IdempotencyKey,
  attempted: number | undefined,
): Promise<'not-sent' | 'unknown' | Receipt> {
  const chat = op.place.thread ?? op.place.chat
  const channel = snowflake(directory.direct(chat) ?? chat)
  if (channel === undefined) return 'unknown'
  // It was not posted before what it answers. Only what answers nothing is bounded by this machine's clock.
  const after = snowflake(op.replyTo) ?? (attempted === undefined ? undefined : idAt(attempted - SKEW))
  const { messages, complete } = await messagesOf(api, channel, { after }, PAGE * MOST_PAGES)
  const nonce = nonceOf(key)
  const found = messages.find((message) => {
    if (fields(message.author).id !== self.id || attempts.isOther(String(message.id), key)) return false
    const own = text(message.nonce)
    return own === undefined ? says(message, op) : own === nonce
  })
  if (found !== undefined) {
    const id = String(found.id)
    return { id, at: isoMillis(found.timestamp) ?? bornAt(id) }
  }
  return complete ? 'not-sent' : 'unknown'
}

/** The same words (or file), quoting the same message. */
function says(message: Fields, op: Post | Upload): boolean {
  const quoted = snowflake(fields(message.message_reference).message_id)
  const wanted = snowflake(op.replyTo)
  // A quote whose message is gone is none.
  if (quoted !== undefined && quoted !== wanted) return false
  if (op.kind === 'upload') return list(message.attachments).some((file) => fileIs(fields(file), op.name))
  const content = fields(op.part.body).content
  const written = typeof content === 'string' ? content : op.part.text
  return typeof message.content === 'string' && message.content.trim() === written.trim()
}

/** Discord leaves out of a name what it does not like, and keeps the name itself as a title. */
function fileIs(file: Fields, name: string): boolean {
  const bare = (value: unknown): string => String(value ?? '').replace(/[^A-Za-z0-9.]/g, '')
  return bare(file.filename) === bare(name) || text(file.title) === name.replace(/\.[^.]*$/, '')
}

/** The smallest id of this time. https://docs.discord.com/developers/reference#snowflakes */
function idAt(at: number): string {
  return String(BigInt(Math.max(0, Math.floor(at) - 1_420_070_400_000)) << 22n)
}

function arrived(clock: Clock, attempted: number | undefined): Promise<void> {
  const until = (attempted ?? 0) + ARRIVING
  if (until <= clock.now()) return Promise.resolve()
  return new Promise((resolve) => {
    clock.at(until, resolve)
  })
}

/** Ids are numbers too long for a double. */
export function order(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
