/** What people do without writing: buttons of cards, entries of the bot's menu. */
import { createHash } from 'node:crypto'
import { type Inbound, isChatCommand, parseDoc, type Skipped } from '../../src/messaging/contract.js'
import { type Given, malformed, placeOf } from './read-message.js'
import { People, personId } from './read-people.js'
import { type Fields, fields, millisOf, nativeId, number, text } from './shape.js'

/** Where a button of this adapter carries its value. */
export const BUTTON_KEY = 'value'

interface Action extends Given {
  event: Fields
  /** Of the delivery; a press is delivered once. */
  id?: string
  createdAt: unknown
}

/**
 * https://open.feishu.cn/document/feishu-cards/card-callback-communication: who pressed is `operator`, where is
 * `context`. The older form has both at the top.
 */
export function readPress({ event, id, createdAt, ...given }: Action): Inbound | Skipped {
  const operator = fields(event.operator)
  const context = fields(event.context)
  const action = fields(event.action)
  const message = nativeId(context.open_message_id) ?? nativeId(event.open_message_id)
  const chat = nativeId(context.open_chat_id) ?? nativeId(event.open_chat_id) ?? nativeId(given.raw.chat)
  const who = personId(operator) ?? personId(event)
  if (message === undefined || chat === undefined || who === undefined)
    return malformed('a press without message, chat or person', createdAt)
  const people = new People(given.self, given.raw, undefined, given.tenant)
  const author = people.author(who, 'user', operator.tenant_key ?? event.tenant_key)
  const place = placeOf(chat, given.raw.thread)
  const key = `press:${message}:${who}:${deliveryOf(id, event.token, createdAt)}`
  const at = millisOf(createdAt) || millisOf(given.raw.at)
  const value = carried(action)
  if (value === undefined) {
    const detail = `an action without a value: ${text(action.tag)?.slice(0, 60) ?? '?'}`
    return { kind: 'skipped', reason: 'unsupported-kind', detail, event: key, place, at }
  }
  return { kind: 'press', event: key, at, place, author, id: message, value }
}

/** The token of a press allows to change its card: it does not go into a key as it is. */
function deliveryOf(id: string | undefined, token: unknown, createdAt: unknown): string {
  if (id !== undefined) return id
  const secret = text(token)
  if (secret === undefined) return String(number(createdAt) ?? '')
  return createHash('sha256').update(secret).digest('hex').slice(0, 24)
}

function carried(action: Fields): string | undefined {
  const { value } = action
  if (typeof value === 'string' && value !== '') return value
  const held = fields(value)
  const keys = Object.keys(held)
  if (keys.length === 1 && keys[0] === BUTTON_KEY && typeof held[BUTTON_KEY] === 'string')
    return text(held[BUTTON_KEY])
  return keys.length > 0 ? JSON.stringify(held).slice(0, 4_000) : text(action.option)
}

/**
 * https://open.feishu.cn/document/client-docs/bot-v3/events/menu. The menu is in the direct chat, which the event does
 * not name.
 */
export function readMenu({ event, createdAt, ...given }: Action): Inbound | Skipped {
  const operator = fields(event.operator)
  const who = personId(operator.operator_id)
  const key = text(event.event_key)
  const happened = event.timestamp ?? createdAt
  if (who === undefined || key === undefined) return malformed('a menu entry without person or key', happened)
  const name = key.toLowerCase().replace(/^golem[_.:-]/, '')
  const at = millisOf(happened)
  const id = `menu-${who}-${number(happened) ?? ''}`
  const chat = nativeId(given.raw.chat)
  if (!isChatCommand(name) || chat === undefined) {
    const detail = `menu entry ${key.slice(0, 60)}${chat === undefined ? ', in a chat that is not known' : ''}`
    return { kind: 'skipped', reason: 'unsupported-kind', detail, event: id, at }
  }
  const people = new People(given.self, given.raw, undefined, given.tenant)
  return {
    kind: 'message',
    event: id,
    at,
    place: { chat },
    author: people.author(who, 'user', undefined, text(operator.operator_name)),
    id,
    chat: { kind: 'dm' },
    doc: parseDoc(''),
    command: { name },
  }
}
