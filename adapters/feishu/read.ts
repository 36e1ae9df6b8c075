/** A raw event of Feishu -> what the core reads. Pure; what it does not know is `Skipped`. */
import type { BotIdentity, Inbound, Skipped } from '../../src/messaging/contract.js'
import { type Envelope, type FeishuRaw, rawOf } from './raw.js'
import { readMenu, readPress } from './read-action.js'
import {
  readBot,
  readDisbanded,
  readMembers,
  readReaction,
  readRecalled,
  readUpdated,
} from './read-changes.js'
import { type Given, malformed, readMessage } from './read-message.js'
import { fields, millisOf, nativeId, text } from './shape.js'

export function read(raw: FeishuRaw, self: BotIdentity): Inbound | Skipped {
  try {
    return readAny(rawOf(raw), self)
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    return { kind: 'skipped', reason: 'malformed', detail, at: 0 }
  }
}

function readAny(raw: FeishuRaw, self: BotIdentity): Inbound | Skipped {
  if (raw.from === 'history') return readMessage({ self, raw }, raw.body)
  const envelope = envelopeOf(raw.body)
  const { type, appId, tenant } = envelope
  if (type === undefined) return malformed('neither an event nor a message', raw.at)
  const own = raw.appId ?? appId
  const given: Given = {
    self,
    raw: own === undefined ? raw : { ...raw, appId: own },
    ...(tenant !== undefined && { tenant }),
  }
  const happening = { ...given, event: envelope.event, createdAt: envelope.createdAt ?? raw.at }
  switch (type) {
    case 'im.message.receive_v1':
      return readMessage(given, envelope.event)
    case 'im.message.recalled_v1':
      return readRecalled(happening)
    case 'im.message.reaction.created_v1':
      return readReaction(happening, true)
    case 'im.message.reaction.deleted_v1':
      return readReaction(happening, false)
    case 'card.action.trigger':
      return readPress({ ...happening, ...(envelope.id !== undefined && { id: envelope.id }) })
    case 'application.bot.menu_v6':
      return readMenu(happening)
    case 'im.chat.member.user.added_v1':
      return readMembers(happening, true)
    case 'im.chat.member.user.deleted_v1':
    case 'im.chat.member.user.withdrawn_v1':
      return readMembers(happening, false)
    case 'im.chat.member.bot.added_v1':
      return readBot(happening, true)
    case 'im.chat.member.bot.deleted_v1':
      return readBot(happening, false)
    case 'im.chat.updated_v1':
      return readUpdated(happening)
    case 'im.chat.disbanded_v1':
      return readDisbanded(happening)
    default:
      return other(type, envelope, happening.createdAt)
  }
}

/** Heard for the connection's own sake, or for nobody's. */
const KNOWN: ReadonlySet<string> = new Set([
  'im.message.message_read_v1',
  'im.chat.access_event.bot_p2p_chat_entered_v1',
  'contact.user.updated_v3',
  'application.application.app_version.publish_apply_v6',
  'url_verification',
  'message_read',
  'p2p_chat_create',
  'app_ticket',
])

function other(type: string, envelope: Envelope, createdAt: unknown): Skipped {
  return {
    kind: 'skipped',
    reason: KNOWN.has(type) ? 'service-notice' : 'unsupported-kind',
    detail: `event ${type.slice(0, 80)}`,
    at: millisOf(createdAt),
    ...(envelope.id !== undefined && { event: `event:${envelope.id}` }),
  }
}

/**
 * Of schema 2.0, of the old one, or of either flattened by the SDK. A pressed button of the old form has no type at all.
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/encrypt-key-encryption-configuration-case
 */
function envelopeOf(value: unknown): Envelope & { tenant?: string } {
  const body = fields(value)
  const header = body.header === undefined ? body : fields(body.header)
  const event = body.event === undefined ? body : fields(body.event)
  const pressed = event.action !== undefined && event.open_message_id !== undefined
  const type =
    text(header.event_type) ??
    text(event.type) ??
    text(body.type) ??
    (pressed ? 'card.action.trigger' : undefined)
  const id = nativeId(header.event_id) ?? nativeId(body.uuid)
  // Flattened, a reaction's own `app_id`, of whoever reacted, stands in the place of ours.
  const appId = body.header === undefined ? undefined : nativeId(header.app_id)
  const tenant = text(header.tenant_key)
  return {
    event,
    createdAt: header.create_time ?? body.ts,
    ...(type !== undefined && { type }),
    ...(id !== undefined && { id }),
    ...(appId !== undefined && { appId }),
    ...(tenant !== undefined && { tenant }),
  }
}
