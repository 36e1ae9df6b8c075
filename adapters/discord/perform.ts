/**
 * Operations of the core -> requests. One operation is at most one request, but for what Discord has no single one for: a
 * change of mark (reactions.ts), the first post to a person (their direct chat is opened first), and the first one into a
 * thread that is opened by it.
 */
import {
  type Clock,
  type IdempotencyKey,
  type Operation,
  PlatformFailure,
  type Post,
  type Receipt,
  type Upload,
  type Whisper,
} from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import type { Directory } from './directory.js'
import { CallFailed } from './failures.js'
import type { Interactions, Waiting } from './interactions.js'
import { UPLOAD_BYTES } from './limits.js'
import { CHANNEL, FLAG } from './raw.js'
import type { Reactions } from './reactions.js'
import { isCommand } from './read-action.js'
import { bodyOf, buttonsOf, channelOf, messageOf, nonceOf, quoting } from './request.js'
import { type Fields, fields, isoMillis, number, snowflake } from './shape.js'
import { formOf } from './uploads.js'

/** An upload may take its time. Milliseconds. */
const UPLOAD = 60_000
/** "Unknown Channel", "Unknown Message" and "A thread has already been created for this message". */
const UNKNOWN_CHANNEL = 10_003
const UNKNOWN_MESSAGE = 10_008
const THREAD_EXISTS = 160_004
/** https://docs.discord.com/developers/resources/channel#start-thread-from-message */
const THREAD_NAME = 100

export interface Desk {
  api: Api
  directory: Directory
  interactions: Interactions
  reactions: Reactions
  clock: Clock
}

export async function carryOut(
  desk: Desk,
  op: Operation,
  key: IdempotencyKey,
  signal: AbortSignal,
): Promise<Receipt> {
  const { api, clock, interactions } = desk
  if (signal.aborted)
    throw new PlatformFailure({ kind: 'unreachable' }, `${op.kind}: given up before it began`)
  switch (op.kind) {
    case 'post':
      return post(desk, op, key, signal)
    case 'upload':
      return upload(desk, op, key, signal)
    case 'edit': {
      const body = { ...bodyOf(op.part), components: buttonsOf(op.buttons) }
      const path = ['channels', channelOf(op), 'messages', messageOf(op.id)]
      const own = interactions.privateAnswer(op.id)
      if (own === undefined || (await interactions.change(own, body, signal)) === undefined)
        await api.call('PATCH', path, { body, signal })
      return { id: op.id, at: clock.now() }
    }
    case 'delete': {
      const path = ['channels', channelOf(op), 'messages', messageOf(op.id)]
      const own = interactions.privateAnswer(op.id)
      if (own === undefined || (await interactions.change(own, null, signal)) === undefined)
        await api.call('DELETE', path, { signal })
      interactions.statusGone(op.id)
      return { id: op.id, at: clock.now() }
    }
    case 'react':
      // A command is no message, also when its time is over: there is nothing to put a mark on.
      if (!isCommand(op.id)) await desk.reactions.set(channelOf(op), messageOf(op.id), op.mark, signal)
      return { id: op.id, at: clock.now() }
    case 'whisper':
      return whisper(desk, op, signal)
    case 'typing':
      // It goes away by itself, after ten seconds or with the next post.
      if (op.on) await api.call('POST', ['channels', channelOf(op), 'typing'], { signal, timeoutMs: 5_000 })
      return { at: clock.now() }
    default:
      throw new PlatformFailure({ kind: 'invalid', field: 'other' }, 'Discord has no such operation')
  }
}

async function post(desk: Desk, op: Post, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
  const silent = op.silent === true
  const body = bodyOf(op.part)
  const components = buttonsOf(op.buttons)
  const command = await desk.interactions.command(op.replyTo)
  // A status post stands beside the command, whose place is kept for the answer.
  const isStatus = silent && components.length > 0
  if (command !== undefined && !isStatus) {
    const answer = await desk.interactions.complete(command, { ...body, components }, signal)
    if (answer !== undefined) return receipt(answer, desk.clock)
  }
  const flags = (number(body.flags) ?? 0) | (silent ? FLAG.suppressNotifications : 0)
  const message = {
    ...body,
    ...quoting(referenceOf(desk, op, command), silent, body),
    flags,
    nonce: nonceOf(key),
    enforce_nonce: true,
    ...(components.length > 0 && { components }),
  }
  const sent = await send(desk, op, signal, (path) => desk.api.call('POST', path, { body: message, signal }))
  if (command !== undefined && isStatus) desk.interactions.noteStatus(command, snowflake(sent.id))
  return receipt(sent, desk.clock)
}

async function upload(desk: Desk, op: Upload, key: IdempotencyKey, signal: AbortSignal): Promise<Receipt> {
  const command = await desk.interactions.command(op.replyTo)
  const quote = quoting(referenceOf(desk, op, command), false, { allowed_mentions: { parse: [], users: [] } })
  const message = { ...quote, nonce: nonceOf(key), enforce_nonce: true }
  const sent = await send(desk, op, signal, async (path) => {
    const form = await formOf(desk.api.web.undici, op, message, UPLOAD_BYTES)
    return desk.api.call('POST', path, { form, signal, timeoutMs: UPLOAD })
  })
  return receipt(sent, desk.clock)
}

/** Shown to one person alone: where they wait for an answer, else in their direct chat. */
async function whisper(desk: Desk, op: Whisper, signal: AbortSignal): Promise<Receipt> {
  const body = bodyOf(op.part)
  if (!(await desk.interactions.tell(channelOf(op), op.to, body, signal))) {
    const channel = await openDirect(desk, messageOf(op.to), signal)
    await desk.api.call('POST', ['channels', channel, 'messages'], { body, signal })
  }
  return { at: desk.clock.now() }
}

/** What is quoted. A command became a message by its answer; a thread's first message may stand outside of it. */
function referenceOf(desk: Desk, op: Post | Upload, command: Waiting | undefined): string | undefined {
  if (command !== undefined) return command.isPrivate ? undefined : command.response
  const reference = snowflake(op.replyTo)
  if (reference === undefined || reference !== op.place.thread) return reference
  const parent = desk.directory.channel(desk.directory.channel(reference)?.parent ?? '')
  return parent?.type === CHANNEL.forum || parent?.type === CHANNEL.media ? reference : undefined
}

/** Into a channel or thread; where that is a person's id, into their direct chat; where the thread is wanted and not there, it is opened. */
async function send(
  desk: Desk,
  op: Post | Upload,
  signal: AbortSignal,
  request: (path: readonly string[]) => Promise<unknown>,
): Promise<Fields> {
  const { directory } = desk
  const channel = channelOf(op)
  const isThread = op.place.thread !== undefined
  const to = async (id: string): Promise<Fields> => fields(await request(['channels', id, 'messages']))
  if (!isThread) {
    const direct = directory.direct(channel)
    if (direct !== undefined) return to(direct)
    if (directory.channel(channel) === undefined && directory.knowsPerson(channel))
      return to(await openDirect(desk, channel, signal))
  } else if (op.replyTo === channel && directory.channel(channel) === undefined) {
    await openThread(desk, op, signal)
  }
  try {
    return await to(channel)
  } catch (error) {
    // Nobody knew whether it was a channel or a person; it is no channel.
    if (isThread || !isUnknown(error, UNKNOWN_CHANNEL) || directory.channel(channel) !== undefined)
      throw error
    const direct = await openDirect(desk, channel, signal).catch(() => undefined)
    if (direct === undefined) throw error
    return to(direct)
  }
}

/** https://docs.discord.com/developers/resources/user#create-dm: the same one each time. */
async function openDirect(desk: Desk, person: string, signal: AbortSignal): Promise<string> {
  const known = desk.directory.direct(person)
  if (known !== undefined) return known
  try {
    const body = { recipient_id: person }
    const channel = snowflake(
      fields(await desk.api.call('POST', ['users', '@me', 'channels'], { body, signal })).id,
    )
    if (channel === undefined) throw new CallFailed('unreachable', 'POST users/@me/channels', 'no channel')
    desk.directory.noteDirect(person, channel)
    return channel
  } catch (error) {
    // Nothing that anybody could see was done yet.
    if (!(error instanceof CallFailed) || error.kind !== 'unanswered') throw error
    throw new CallFailed('unreachable', error.what, error.message, { cause: error })
  }
}

/** Under the question, by whose id it is known. https://docs.discord.com/developers/topics/threads */
async function openThread(desk: Desk, op: Post | Upload, signal: AbortSignal): Promise<void> {
  const name = titleOf(op.kind === 'post' ? op.part.text : op.name)
  const chat = snowflake(op.place.chat)
  const message = messageOf(op.replyTo ?? '')
  if (chat === undefined) return
  try {
    const path = ['channels', chat, 'messages', message, 'threads']
    const thread = fields(await desk.api.call('POST', path, { body: { name }, signal }))
    desk.directory.learnChannel(thread)
  } catch (error) {
    if (isUnknown(error, THREAD_EXISTS)) {
      await desk.directory.askChannel(message)
      return
    }
    // The question is gone, and with it the place for the thread.
    if (isUnknown(error, UNKNOWN_MESSAGE))
      throw new PlatformFailure(
        { kind: 'gone', what: 'thread' },
        'the message that the thread was to hang on is gone',
      )
    if (error instanceof CallFailed && error.kind === 'unanswered')
      throw new CallFailed('unreachable', error.what, error.message, { cause: error })
    throw error
  }
}

function titleOf(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? ''
  const short = [...line.replace(/\s+/g, ' ').trim()].slice(0, THREAD_NAME / 2).join('')
  return short === '' ? '…' : short
}

function isUnknown(error: unknown, code: number): boolean {
  return error instanceof CallFailed && error.kind === 'refused' && error.details.code === code
}

/** When Discord says it was posted: the same each time the same post is answered. @throws CallFailed: nothing says that it was */
function receipt(sent: Fields, clock: Clock): Receipt {
  const id = snowflake(sent.id)
  if (id === undefined) throw new CallFailed('unanswered', 'POST messages', 'the answer names no message')
  return { id, at: isoMillis(sent.timestamp) ?? clock.now() }
}
