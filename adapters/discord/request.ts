/** What of an operation goes into a request: pure. https://docs.discord.com/developers/resources/message#create-message */
import { createHash } from 'node:crypto'
import {
  type Button,
  type IdempotencyKey,
  type Operation,
  type Part,
  PlatformFailure,
} from '../../src/messaging/contract.js'
import { BUTTON, MOST_PINGS, NONCE_CHARACTERS } from './limits.js'
import { FLAG } from './raw.js'
import { type Fields, fields, number, snowflake } from './shape.js'

/** https://docs.discord.com/developers/components/reference#action-row */
const ACTION_ROW = 1
const COMPONENT_BUTTON = 2
const STYLE = { primary: 1, default: 2, danger: 4 } as const

/** A key, in as many characters as a nonce may have: the same for the same key, in every life of the process. */
export function nonceOf(key: IdempotencyKey): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, NONCE_CHARACTERS)
}

/** Text and mentions of a part. `flags` of its own are kept. */
export function bodyOf(part: Part): Fields & { content: string } {
  const body = fields(part.body)
  const content = typeof body.content === 'string' && body.content !== '' ? body.content : part.text
  if (content.trim() === '')
    throw new PlatformFailure({ kind: 'invalid', field: 'other' }, 'the post has no text')
  return {
    content,
    // Nothing is parsed out of the text: who is pinged is who was resolved.
    allowed_mentions: { parse: [], users: part.mentions.slice(0, MOST_PINGS), replied_user: false },
    flags: number(body.flags) ?? FLAG.suppressEmbeds,
  }
}

/** What a quote adds. The one who asked is told of the answer, of a mere notice nobody is. */
export function quoting(reference: string | undefined, silent: boolean, body: Fields): Fields {
  if (reference === undefined) return {}
  return {
    message_reference: { message_id: reference, fail_if_not_exists: false },
    allowed_mentions: { ...fields(body.allowed_mentions), replied_user: !silent },
  }
}

export function buttonsOf(buttons: readonly Button[] = []): Fields[] {
  const most = BUTTON.perRow * BUTTON.rows
  if (buttons.length > most) throw refused(`a post takes at most ${most} buttons`)
  const rows: Fields[] = []
  for (let at = 0; at < buttons.length; at += BUTTON.perRow) {
    const components = buttons.slice(at, at + BUTTON.perRow).map(({ label, value, style }) => {
      if (value.length > BUTTON.value)
        throw refused(`the value of a button has ${value.length} characters, Discord takes ${BUTTON.value}`)
      return {
        type: COMPONENT_BUTTON,
        style: STYLE[style ?? 'default'],
        label: shortened(label),
        custom_id: value,
      }
    })
    rows.push({ type: ACTION_ROW, components })
  }
  return rows
}

function shortened(label: string): string {
  const line = label.replace(/\s+/g, ' ').trim() || '·'
  const characters = [...line]
  return line.length <= BUTTON.label ? line : `${characters.slice(0, BUTTON.label / 2).join('')}…`
}

const refused = (sentence: string): PlatformFailure =>
  new PlatformFailure({ kind: 'invalid', field: 'other' }, sentence)

/** The channel an operation is about: a thread is one of its own. */
export function channelOf({ place }: Operation): string {
  const id = snowflake(place.thread ?? place.chat)
  if (id !== undefined) return id
  const what = place.thread === undefined ? 'chat' : 'thread'
  throw new PlatformFailure({ kind: 'gone', what }, `${place.thread ?? place.chat} is no channel of Discord`)
}

/** The native id of a message. */
export function messageOf(id: string): string {
  const native = snowflake(id)
  if (native !== undefined) return native
  throw new PlatformFailure({ kind: 'gone', what: 'target' }, `${id} is no message of Discord`)
}
