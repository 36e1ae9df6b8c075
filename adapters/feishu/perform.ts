/**
 * Operations of the core -> calls of the Open API. One operation is at most one request; an upload is two (upload.ts),
 * a mark that replaces another is two (reactions.ts), and the first post into a topic after a restart looks the topic up
 * (topics.ts). Every message is sent with the key of its operation, by whichever way: a repetition makes no second one.
 */
import { createHash } from 'node:crypto'
import type {
  Edit,
  IdempotencyKey,
  Operation,
  Post,
  Receipt,
  Upload,
  Whisper,
} from '../../src/messaging/contract.js'
import { PlatformFailure } from '../../src/messaging/contract.js'
import { type Api, idPath } from './api.js'
import { CallFailed, isWithdrawn } from './failures.js'
import { contentOf } from './outgoing.js'
import type { Reactions } from './reactions.js'
import type { Remembered } from './remembered.js'
import { type Fields, millisOf, nativeId } from './shape.js'
import type { Topics } from './topics.js'
import { type Content, uploaded } from './upload.js'

export interface Desk {
  api: Api
  topics: Topics
  reactions: Reactions
  remembered: Remembered
  /** Whether a chat is that of one person with the bot, as far as it is known. */
  isDirect(chat: string): boolean
  now(): number
}

/** At most 50 characters: https://open.feishu.cn/document/server-docs/im-v1/message/create. A key of the core has 36. */
export function uuidOf(key: IdempotencyKey): string {
  return /^[\w-]{1,50}$/.test(key) ? key : createHash('sha256').update(key).digest('hex').slice(0, 40)
}

export async function carryOut(
  desk: Desk,
  op: Operation,
  key: IdempotencyKey,
  signal: AbortSignal,
): Promise<Receipt> {
  const { api, now } = desk
  switch (op.kind) {
    case 'post':
      return send(desk, op, contentOf(op.part, op.buttons), key, signal)
    case 'upload':
      return send(desk, op, await uploaded(api, op, signal), key, signal)
    case 'edit':
      await edit(desk, op, signal)
      return { id: op.id, at: now() }
    case 'delete':
      await api.call('DELETE', `im/v1/messages/${idPath(op.id)}`, { signal })
      desk.remembered.forget(op.id)
      return { id: op.id, at: now() }
    case 'react':
      await desk.reactions.set(op.id, op.mark, signal)
      return { id: op.id, at: now() }
    case 'whisper':
      await whisper(desk, op, key, signal)
      return { at: now() }
    default:
      throw new PlatformFailure({ kind: 'invalid', field: 'other' }, 'Feishu has no such operation')
  }
}

/** The one way by which messages are made. */
async function send(
  desk: Desk,
  op: Post | Upload,
  { type, content }: Content,
  key: IdempotencyKey,
  signal: AbortSignal,
): Promise<Receipt> {
  const { api, remembered, topics } = desk
  const message = { msg_type: type, content: JSON.stringify(content), uuid: uuidOf(key) }
  const { chat, thread } = op.place
  if (op.replyTo === undefined && thread === undefined) {
    const query = { receive_id_type: isPerson(chat) ? 'open_id' : 'chat_id' }
    const body = { ...message, receive_id: chat }
    return receipt(remembered, await api.call('POST', 'im/v1/messages', { query, body, signal }))
  }
  const inTopic = thread === undefined ? undefined : { chat, thread }
  const answered = op.replyTo ?? (inTopic && (await topics.messageIn(inTopic, signal))) ?? ''
  const body = { ...message, ...(thread !== undefined && { reply_in_thread: true }) }
  try {
    const path = `im/v1/messages/${idPath(answered)}/reply`
    return receipt(remembered, await api.call('POST', path, { body, signal }))
  } catch (error) {
    // Not the thing that was to be quoted, but what we had chosen ourselves: another one may do.
    if (op.replyTo === undefined && thread !== undefined && isGone(error)) {
      topics.forget(thread)
      throw new CallFailed('unreachable', 'reply', { said: 'the topic is looked up again', cause: error })
    }
    throw error
  }
}

const isPerson = (chat: string): boolean => chat.startsWith('ou_')

function isGone(error: unknown): boolean {
  return (
    error instanceof CallFailed &&
    typeof error.code === 'number' &&
    isWithdrawn(error.code, error.details.said ?? '')
  )
}

/** The same for a repetition as for the first: the message's own time. */
function receipt(remembered: Remembered, made: Fields): Receipt {
  const id = nativeId(made.message_id)
  if (id === undefined) throw new CallFailed('unanswered', 'POST im/v1/messages')
  remembered.note(made)
  return { id, at: millisOf(made.create_time) }
}

/**
 * Cards are replaced, texts rewritten: two calls, and neither takes the other's content.
 * https://open.feishu.cn/document/server-docs/im-v1/message-card/patch, …/im-v1/message/update
 */
async function edit({ api, remembered }: Desk, op: Edit, signal: AbortSignal): Promise<void> {
  const path = `im/v1/messages/${idPath(op.id)}`
  const stands = remembered.typeOf(op.id)
  const { type, content } = contentOf(op.part, op.buttons, stands)
  if (type === 'interactive' && (stands === 'text' || stands === 'post'))
    throw new PlatformFailure({ kind: 'invalid', field: 'markup' }, 'a text cannot be made a card')
  const patch = (card: Fields): Promise<Fields> =>
    api.call('PATCH', path, { body: { content: JSON.stringify(card) }, signal })
  if (type === 'interactive') {
    await patch(content)
    return
  }
  try {
    await api.call('PUT', path, { body: { msg_type: type, content: JSON.stringify(content) }, signal })
  } catch (error) {
    // After a restart it is not known what stands there; it was a card, and takes another card.
    if (stands !== undefined || !(error instanceof CallFailed) || error.code !== OTHER_TYPE) throw error
    await patch(contentOf(op.part, op.buttons, 'interactive').content)
  }
}

/** "This operation is not supported for this message type." */
const OTHER_TYPE = 230054

/**
 * A card in the group that only one person sees; where there is none (in topics, in direct chats), a message to that
 * person alone.
 * https://open.feishu.cn/document/server-docs/im-v1/message-card/send-message-cards-that-are-only-visible-to-certain-people
 */
async function whisper(desk: Desk, op: Whisper, key: IdempotencyKey, signal: AbortSignal): Promise<void> {
  const { chat, thread } = op.place
  if (thread === undefined && !isPerson(chat) && !desk.isDirect(chat)) {
    const { content } = contentOf(op.part, [], 'interactive')
    const body = { chat_id: chat, open_id: op.to, msg_type: 'interactive', card: content }
    try {
      await desk.api.call('POST', 'ephemeral/v1/send', { body, signal })
      return
    } catch (error) {
      // A group of topics takes none, and says so by whatever code.
      if (!(error instanceof CallFailed) || typeof error.code === 'string' || error.details.status === 429)
        throw error
    }
  }
  const direct: Post = { kind: 'post', place: { chat: op.to }, part: op.part }
  await send(desk, direct, contentOf(op.part), key, signal)
}
