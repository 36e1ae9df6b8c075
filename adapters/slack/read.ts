/** A raw event of Slack -> what the core reads. Pure; what it does not know is `Skipped`. */
import type { BotIdentity, Inbound, Skipped } from '../../src/messaging/contract.js'
import { rawOf, type SlackRaw } from './raw.js'
import { readCommand, readInteraction } from './read-action.js'
import { channelOf, malformed, placeOf, readMessage } from './read-message.js'
import { People } from './read-people.js'
import { type Fields, fields, millisOf, nativeId, number, text, timestamp } from './shape.js'

export function read(raw: SlackRaw, self: BotIdentity): Inbound | Skipped {
  try {
    return readAny(rawOf(raw), self)
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    return { kind: 'skipped', reason: 'malformed', detail, at: 0 }
  }
}

function readAny(raw: SlackRaw, self: BotIdentity): Inbound | Skipped {
  const body = fields(raw.body)
  if (raw.from === 'history') {
    return readMessage({ ...body, channel: raw.channel }, new People(self, raw, body))
  }
  if (body.type === 'event_callback') {
    // An own app's post is known by the app that the event was delivered to as well.
    const appId = raw.bot?.appId ?? text(body.api_app_id)
    const known = appId === undefined ? raw : { ...raw, bot: { ...raw.bot, appId } }
    return readEvent(fields(body.event), new People(self, known, body))
  }
  if (typeof body.command === 'string') {
    return readCommand(body, new People(self, raw, { team_id: body.team_id }))
  }
  if (typeof body.type === 'string' && (body.user !== undefined || body.actions !== undefined)) {
    return readInteraction(body, new People(self, raw, { team_id: fields(body.team).id }))
  }
  return Object.keys(body).length === 0
    ? malformed('not an object', body)
    : { ...malformed('neither event, interaction nor command', body), reason: 'unsupported-kind' }
}

/** https://docs.slack.dev/reference/events */
function readEvent(event: Fields, people: People): Inbound | Skipped {
  switch (event.type) {
    case 'message':
    case 'app_mention':
      return readMessage(event, people)
    case 'reaction_added':
    case 'reaction_removed':
      return readReaction(event, people)
    case 'member_joined_channel':
    case 'member_left_channel':
      return readMembership(event, people)
    case 'channel_rename':
    case 'group_rename':
      return readRename(event, people)
    case 'channel_id_changed':
      return readNewId(event, people)
    default: {
      const type = text(event.type)
      if (type === undefined) return malformed('an event without a type', event)
      const reason = KNOWN.has(type) ? 'service-notice' : 'unsupported-kind'
      return { ...malformed(`event ${type.slice(0, 60)}`, event), reason }
    }
  }
}

/** Heard for the connection's own sake. */
const KNOWN: ReadonlySet<string> = new Set([
  'user_change',
  'team_join',
  'channel_created',
  'channel_archive',
  'channel_unarchive',
  'channel_deleted',
  'channel_left',
  'tokens_revoked',
  'app_uninstalled',
  'app_home_opened',
  'bot_added',
])

function readReaction(event: Fields, people: People): Inbound | Skipped {
  const item = fields(event.item)
  const channel = channelOf(item.channel)
  const id = timestamp(item.ts)
  const author = people.author(event)
  const emoji = text(event.reaction)
  const happened = timestamp(event.event_ts)
  if (item.type !== undefined && item.type !== 'message')
    return {
      ...malformed(`a reaction to a ${String(item.type).slice(0, 40)}`, event),
      reason: 'unsupported-kind',
    }
  if (channel === undefined || id === undefined || author === undefined || emoji === undefined)
    return malformed('a reaction without message, person or emoji', event)
  const added = event.type === 'reaction_added'
  const key = `${channel.id}:${id}:${added ? 'reacted' : 'unreacted'}:${author.id}:${emoji}:${happened ?? ''}`
  const place = { chat: channel.id }
  const at = millisOf(happened)
  if (author.kind === 'self')
    return { kind: 'skipped', reason: 'own-message', detail: 'a mark', event: key, place, at }
  return { kind: 'reaction', event: key, at, place, author, id, emoji: `:${emoji}:`, added }
}

function readMembership(event: Fields, people: People): Inbound | Skipped {
  const channel = channelOf(event.channel)
  const author = people.author(event)
  if (channel === undefined || author === undefined)
    return malformed('a change without channel or person', event)
  const happened = timestamp(event.event_ts)
  const joined = event.type === 'member_joined_channel'
  const title = people.title(channel.id)
  return {
    kind: 'change',
    event: `${channel.id}:${joined ? 'joined' : 'left'}:${author.id}:${happened ?? ''}`,
    at: millisOf(happened),
    place: { chat: channel.id },
    author,
    ...(title !== undefined && { title }),
    ...(joined ? { joined: [author] } : { left: [author] }),
  }
}

/** https://api.slack.com/events/channel_id_changed: a private channel that is shared; its messages keep their ids. */
function readNewId(event: Fields, people: People): Inbound | Skipped {
  const from = nativeId(event.old_channel_id)
  const movedTo = nativeId(event.new_channel_id)
  if (from === undefined || movedTo === undefined)
    return malformed('a new channel id without both ids', event)
  return {
    kind: 'change',
    event: `${from}:moved:${movedTo}`,
    at: millisOf(timestamp(event.event_ts)),
    place: placeOf(from, {}),
    // Slack does not say who did it.
    author: { id: people.self.id, name: people.self.name, kind: 'self' },
    movedTo,
    keepsIds: true,
  }
}

function readRename(event: Fields, people: People): Inbound | Skipped {
  const renamed = fields(event.channel)
  const id = nativeId(renamed.id)
  const title = text(renamed.name)
  if (id === undefined || title === undefined) return malformed('a rename without channel or name', event)
  const happened = timestamp(event.event_ts)
  const created = number(renamed.created)
  return {
    kind: 'change',
    event: `${id}:renamed:${happened ?? created ?? title}`,
    at: millisOf(happened),
    place: placeOf(id, {}),
    // Slack does not say who did it.
    author: { id: people.self.id, name: people.self.name, kind: 'self' },
    title,
  }
}
