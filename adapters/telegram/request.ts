/** Operations of the core -> calls of the Bot API. Pure: one operation, one call. */
import { z } from 'zod'
import {
  type Button,
  type Operation,
  type Part,
  type Place,
  PlatformFailure,
  type React,
} from '../../src/messaging/contract.js'
import { BUTTON_BYTES, TEXT_UNITS } from './limits.js'
import type { Entity } from './rich.js'

/** One reaction a message, of a fixed set that has neither a tick nor a cross (core.telegram.org/bots/api#reactiontypeemoji). */
const MARKS: Readonly<Record<React['mark'], string>> = {
  received: '👀',
  done: '👌',
  failed: '👎',
  stopped: '🤷',
}
/** Buttons in one row of the keyboard. */
const ROW = 3
/** The limit of a keyboard (core.telegram.org/bots/api#inlinekeyboardmarkup): 100 buttons. */
const MOST_BUTTONS = 100

export interface Call {
  method: string
  parameters: Record<string, unknown>
}

const entity = z.object({
  type: z.string(),
  offset: z.int().min(0),
  length: z.int().min(1),
  url: z.string().optional(),
  language: z.string().optional(),
  user: z.object({ id: z.int() }).optional(),
})
const body = z.object({ text: z.string().min(1), entities: z.array(entity).default([]) })

/** The call of an operation, or null for one that needs none (the end of typing). Uploads have their own way. */
export function callOf(op: Exclude<Operation, { kind: 'upload' }>): Call | null {
  switch (op.kind) {
    case 'post':
      return {
        method: 'sendMessage',
        parameters: {
          ...placed(op.place),
          ...textOf(op.part),
          ...quoting(op.replyTo),
          ...(op.buttons !== undefined && op.buttons.length > 0 && { reply_markup: keyboard(op.buttons) }),
          ...(op.silent === true && { disable_notification: true }),
        },
      }
    case 'edit':
      return {
        method: 'editMessageText',
        parameters: {
          chat_id: chatOf(op.place.chat),
          message_id: numberOf(op.id),
          ...textOf(op.part),
          // Left out, the buttons that were there go as well.
          reply_markup: keyboard(op.buttons ?? []),
        },
      }
    case 'delete':
      return {
        method: 'deleteMessage',
        parameters: { chat_id: chatOf(op.place.chat), message_id: numberOf(op.id) },
      }
    case 'react':
      return {
        method: 'setMessageReaction',
        parameters: {
          chat_id: chatOf(op.place.chat),
          message_id: numberOf(op.id),
          reaction: [{ type: 'emoji', emoji: MARKS[op.mark] }],
        },
      }
    case 'typing':
      return op.on
        ? { method: 'sendChatAction', parameters: { ...placed(op.place), action: 'typing' } }
        : null
    case 'draft':
      // core.telegram.org/bots/api#sendmessagedraft: private chats only; it goes by itself after 30 s, or with the answer.
      return {
        method: 'sendMessageDraft',
        parameters: { ...placed(op.place), draft_id: op.draft, ...draftOf(op.part) },
      }
    case 'whisper':
      // No note that only one member of a group sees: it goes to their chat with the bot.
      return { method: 'sendMessage', parameters: { chat_id: chatOf(op.to), ...textOf(op.part) } }
  }
}

/** Chat and topic. The General topic is addressed by leaving it out: "message thread not found" otherwise. */
export function placed(place: Place): Record<string, unknown> {
  const topic =
    place.thread === undefined || place.thread === '1' ? {} : { message_thread_id: numberOf(place.thread) }
  return { chat_id: chatOf(place.chat), ...topic }
}

export function quoting(replyTo: string | undefined): Record<string, unknown> {
  if (replyTo === undefined) return {}
  return { reply_parameters: { message_id: numberOf(replyTo), allow_sending_without_reply: true } }
}

function textOf(part: Part): {
  text: string
  entities: Entity[]
  link_preview_options: { is_disabled: true }
} {
  const parsed = body.safeParse(part.body)
  if (!parsed.success) throw invalid('other', 'the part has no text that Telegram can show')
  const { text, entities } = parsed.data
  if (text.length > TEXT_UNITS)
    throw invalid('length', `the text has ${text.length} units, a message takes ${TEXT_UNITS}`)
  return { text, entities: entities as Entity[], link_preview_options: { is_disabled: true } }
}

/** A draft takes no options of its links. */
function draftOf(part: Part): { text: string; entities: Entity[] } {
  const { text, entities } = textOf(part)
  return { text, entities }
}

function keyboard(buttons: readonly Button[]): {
  inline_keyboard: { text: string; callback_data: string }[][]
} {
  if (buttons.length > MOST_BUTTONS) throw invalid('other', `a message takes at most ${MOST_BUTTONS} buttons`)
  const rows: { text: string; callback_data: string }[][] = []
  for (const { label, value } of buttons) {
    const bytes = Buffer.byteLength(value)
    // It cannot be shortened: what stands for it would have to be kept somewhere.
    if (bytes === 0 || bytes > BUTTON_BYTES)
      throw invalid(
        'other',
        `the value of the button "${label}" has ${bytes} bytes, Telegram takes 1 to ${BUTTON_BYTES}`,
      )
    const last = rows.at(-1)
    const button = { text: label, callback_data: value }
    if (last === undefined || last.length >= ROW) rows.push([button])
    else last.push(button)
  }
  return { inline_keyboard: rows }
}

/** A chat's id, which is a number or the `@name` of a public one. */
function chatOf(chat: string): number | string {
  if (/^@\w{4,32}$/.test(chat)) return chat
  return numberOf(chat)
}

function numberOf(native: string): number {
  const number = /^-?\d{1,16}$/.test(native) ? Number(native) : Number.NaN
  if (!Number.isSafeInteger(number)) throw invalid('other', 'an id that Telegram cannot have given')
  return number
}

function invalid(field: 'length' | 'other', message: string): PlatformFailure {
  return new PlatformFailure({ kind: 'invalid', field }, message)
}
