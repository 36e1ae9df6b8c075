/** A raw event of Discord -> what the core reads. Pure; what it does not know is `Skipped`. */
import type { BotIdentity, Inbound, Skipped } from '../../src/messaging/contract.js'
import { type DiscordRaw, isThread, rawOf } from './raw.js'
import { readInteraction } from './read-action.js'
import { malformed, readDelete, readEdit, readMessage } from './read-message.js'
import { People } from './read-people.js'
import { whereOf } from './read-place.js'
import { type Fields, fields, list, number, snowflake, text } from './shape.js'

export function read(raw: DiscordRaw, self: BotIdentity): Inbound | Skipped {
  try {
    const { t, d, from, golem } = rawOf(raw)
    return readAny(t, fields(d), from === 'history', new People(self, golem))
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    return { kind: 'skipped', reason: 'malformed', detail, at: 0 }
  }
}

/** https://docs.discord.com/developers/events/gateway-events#receive-events */
function readAny(t: string, data: Fields, isHistory: boolean, people: People): Inbound | Skipped {
  if (t === '' || Object.keys(data).length === 0) return malformed('no dispatch of the gateway', people)
  switch (t) {
    case 'MESSAGE_CREATE':
      return readMessage(data, people, isHistory)
    case 'MESSAGE_UPDATE':
      return readEdit(data, people)
    case 'MESSAGE_DELETE':
      return readDelete(data, people)
    case 'MESSAGE_DELETE_BULK': {
      // Many are taken apart before; of one, this is the same.
      const ids = list(data.ids)
      return ids.length === 1
        ? readDelete({ ...data, id: ids[0] }, people)
        : malformed('not taken apart', people)
    }
    case 'MESSAGE_REACTION_ADD':
    case 'MESSAGE_REACTION_REMOVE':
      return readReaction(data, t === 'MESSAGE_REACTION_ADD', people)
    case 'INTERACTION_CREATE':
      return readInteraction(data, people)
    case 'CHANNEL_UPDATE':
      return readRename(data, people)
    default:
      return notice(
        `dispatch ${t.slice(0, 60)}`,
        people,
        NOTICES.test(t) ? 'service-notice' : 'unsupported-kind',
      )
  }
}

/**
 * Heard for the connection's own sake, or about a whole server: people join servers, and see the chats their roles let
 * them see, so who comes and goes is nothing that one chat could be told.
 */
const NOTICES =
  /^(?:READY|RESUMED|GUILD_\w+|CHANNEL_\w+|THREAD_\w+|MESSAGE_REACTION_REMOVE_\w+|MESSAGE_POLL_\w+|TYPING_START|PRESENCE_UPDATE|USER_UPDATE|VOICE_\w+|INVITE_\w+|WEBHOOKS_UPDATE|STAGE_\w+|INTEGRATION_\w+|APPLICATION_\w+|AUTO_MODERATION_\w+|ENTITLEMENT_\w+|SUBSCRIPTION_\w+|RATE_LIMITED)$/

function notice(detail: string, { context }: People, reason: Skipped['reason'] = 'service-notice'): Skipped {
  return { kind: 'skipped', reason, detail, at: context.at ?? 0 }
}

/**
 * https://docs.discord.com/developers/events/gateway-events#message-reaction-add. It has neither an id nor a time: the
 * dispatch's own number tells one toggle from another, and stays what it is when it is replayed.
 */
function readReaction(data: Fields, added: boolean, people: People): Inbound | Skipped {
  const where = whereOf(data, people.context, false)
  const id = snowflake(data.message_id)
  const user = snowflake(data.user_id)
  const emoji = emojiOf(fields(data.emoji))
  if (where === undefined || id === undefined || user === undefined || emoji === undefined)
    return malformed('a reaction without message, person or emoji', people)
  const { delivery, at = 0 } = people.context
  const event = `${added ? 'reacted' : 'unreacted'}:${id}:${user}:${emoji.key}:${delivery ?? at}`
  const member = fields(data.member)
  const author = people.person({ ...fields(member.user), id: user }, member)
  if (author === undefined) return malformed('a reaction without person', people)
  const { place } = where
  if (author.kind === 'self')
    return { kind: 'skipped', reason: 'own-message', detail: 'a mark', event, place, at }
  return { kind: 'reaction', event, at, place, author, id, emoji: emoji.shown, added }
}

/** A character, or one of a server's own, which has an id. */
function emojiOf(emoji: Fields): { key: string; shown: string } | undefined {
  const name = text(emoji.name)
  const id = snowflake(emoji.id)
  if (id !== undefined) return { key: id, shown: `:${name !== undefined && /^\w+$/.test(name) ? name : id}:` }
  return name !== undefined && /^\S{1,64}$/u.test(name) ? { key: name, shown: name } : undefined
}

/** It does not say what changed: the name, now, whatever it was. */
function readRename(channel: Fields, people: People): Inbound | Skipped {
  const id = snowflake(channel.id)
  const title = text(channel.name)
  if (id === undefined || title === undefined)
    return malformed('a changed channel without id or name', people)
  if (isThread(number(channel.type))) return notice('a changed thread', people)
  const { delivery, at = 0 } = people.context
  return {
    kind: 'change',
    event: `channel:${id}:${delivery ?? title}`,
    at,
    place: { chat: id },
    author: nobody(people),
    title,
  }
}

/** Discord does not say who did it. */
const nobody = ({ self }: People) => ({ id: self.id, name: self.name, kind: 'self' as const })
