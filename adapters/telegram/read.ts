/** An update of Telegram -> what the core reads. Pure; what it does not know is `Skipped`, with the reason. */
import type { BotIdentity, Inbound, Skipped } from '../../src/messaging/contract.js'
import { type Added, type Dict, dict, int, type TelegramRaw } from './raw.js'
import { readMembership, readPress, readReaction, readService } from './read-changes.js'
import { readEdit, readMessage } from './read-message.js'

type Reader = (content: Dict, self: BotIdentity, added: Added) => Inbound | Skipped

const said: Reader = (message, self, added) => readService(message, self) ?? readMessage(message, self, added)

/** The kinds of update that are read (core.telegram.org/bots/api#update), and who reads them. */
const READERS: Readonly<Record<string, Reader>> = {
  message: said,
  channel_post: said,
  edited_message: readEdit,
  edited_channel_post: readEdit,
  message_reaction: readReaction,
  callback_query: readPress,
  my_chat_member: readMembership,
  chat_member: readMembership,
}

/** What the bot asks Telegram for: `chat_member` and `message_reaction` come only where they are named. */
export const ALLOWED_UPDATES: readonly string[] = Object.keys(READERS)

export function read(raw: TelegramRaw, self: BotIdentity): Inbound | Skipped {
  try {
    return readUpdate(raw, self)
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    return { kind: 'skipped', reason: 'malformed', detail, at: 0 }
  }
}

function readUpdate(raw: TelegramRaw, self: BotIdentity): Inbound | Skipped {
  const update = dict(raw)
  if (update === undefined) return { kind: 'skipped', reason: 'malformed', detail: 'no update', at: 0 }
  const added: Added = dict(update.golem) ?? {}
  for (const [kind, reader] of Object.entries(READERS)) {
    const content = dict(update[kind])
    if (content !== undefined) return withEvent(reader(content, self, added), update)
  }
  const kind = Object.keys(update).find((key) => key !== 'update_id' && key !== 'golem')
  const known = kind !== undefined && /^[a-z_]{1,60}$/.test(kind)
  return withEvent(
    {
      kind: 'skipped',
      reason: known && dict(update[kind]) !== undefined ? 'unsupported-kind' : 'malformed',
      detail: known ? kind : 'an update without content',
      at: added.at ?? 0,
    },
    update,
  )
}

/** What has no identity of its own is known by its delivery, so that its receipt is written once. */
function withEvent<T extends Inbound | Skipped>(event: T, update: Dict): T {
  const delivery = int(update.update_id)
  return event.event !== undefined || delivery === undefined
    ? event
    : { ...event, event: `update:${delivery}` }
}
