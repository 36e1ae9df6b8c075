/** What people do without writing: buttons, slash commands, message shortcuts. */
import {
  type Inbound,
  type InboundMessage,
  isChatCommand,
  parseDoc,
  plainText,
  type Skipped,
} from '../../src/messaging/contract.js'
import { DocBuilder } from './doc-builder.js'
import { docOf } from './read-doc.js'
import { channelOf, malformed, placeOf } from './read-message.js'
import { inlinePieces } from './read-mrkdwn.js'
import type { People } from './read-people.js'
import { type Fields, fields, list, millisOf, nativeId, text, timestamp } from './shape.js'

/** `callback_id` of the message shortcut that asks why. */
export const WHY_SHORTCUT = 'golem_why'
/** https://docs.slack.dev/reference/interaction-payloads */
export function readInteraction(payload: Fields, people: People): Inbound | Skipped {
  switch (payload.type) {
    case 'block_actions':
      return readPress(payload, people)
    case 'message_action':
      return readShortcut(payload, people)
    default:
      return {
        kind: 'skipped',
        reason: 'unsupported-kind',
        detail: `interaction ${text(payload.type)?.slice(0, 60) ?? '?'}`,
        at: millisOf(timestamp(payload.action_ts)),
      }
  }
}

function readPress(payload: Fields, people: People): Inbound | Skipped {
  const action = fields(list(payload.actions)[0])
  const container = fields(payload.container)
  const message = fields(payload.message)
  const channel = channelOf(fields(payload.channel).id ?? container.channel_id)
  const id = timestamp(container.message_ts) ?? timestamp(message.ts)
  const author = person(payload, people)
  const happened = timestamp(action.action_ts)
  if (channel === undefined || id === undefined || author === undefined || happened === undefined)
    return malformed('a press without message, person or time', payload)
  const value = text(action.value) ?? text(fields(action.selected_option).value)
  const thread = timestamp(message.thread_ts) ?? timestamp(container.thread_ts)
  const place = placeOf(channel.id, { ts: id, thread_ts: thread })
  const event = `press:${channel.id}:${id}:${happened}:${author.id}`
  const at = millisOf(happened)
  if (value === undefined) {
    const detail = `an action without a value: ${text(action.type)?.slice(0, 60) ?? '?'}`
    return { kind: 'skipped', reason: 'unsupported-kind', detail, event, place, at }
  }
  return { kind: 'press', event, at, place, author, id, value }
}

/** "Why?" in the menu of a message. */
function readShortcut(payload: Fields, people: People): Inbound | Skipped {
  const message = fields(payload.message)
  const channel = channelOf(fields(payload.channel).id)
  const target = timestamp(message.ts) ?? timestamp(payload.message_ts)
  const author = person(payload, people)
  const happened = timestamp(payload.action_ts)
  if (channel === undefined || target === undefined || author === undefined || happened === undefined)
    return malformed('a shortcut without message, person or time', payload)
  const place = placeOf(channel.id, { ...message, ts: target })
  const event = `shortcut:${channel.id}:${target}:${happened}:${author.id}`
  const at = millisOf(happened)
  if (payload.callback_id !== WHY_SHORTCUT) {
    const detail = `shortcut ${text(payload.callback_id)?.slice(0, 60) ?? '?'}`
    return { kind: 'skipped', reason: 'unsupported-kind', detail, event, place, at }
  }
  const of = people.author(message)
  const quoted = plainText(docOf(message, people, of?.kind !== 'person'))
  return {
    ...asked(event, at, channel, place, author, people),
    id: `shortcut-${happened}`,
    doc: parseDoc(''),
    command: { name: 'why' },
    replyTo: { id: target, ...(of !== undefined && { author: of }), ...(quoted !== '' && { text: quoted }) },
  }
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands */
export function readCommand(command: Fields, people: People): Inbound | Skipped {
  const channel = channelOf(command.channel_id)
  const author = person({ user: { id: command.user_id, name: command.user_name } }, people)
  const trigger = text(command.trigger_id)
  if (channel === undefined || author === undefined || trigger === undefined)
    return malformed('a slash command without channel, person or trigger', command)
  const written = typeof command.text === 'string' ? command.text.trim() : ''
  const first = (/^\/?(\S*)/.exec(written)?.[1] ?? '').toLowerCase()
  const name = isChatCommand(first) ? first : written === '' ? 'help' : 'ask'
  // A command reads as it was typed; of a question the agent reads the words alone.
  const typed = name === 'ask' ? written : `${text(command.command) ?? '/golem'} ${written}`.trim()
  const id = trigger.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100)
  const builder = new DocBuilder()
  builder.section(inlinePieces(typed, people))
  return {
    ...asked(`command:${id}`, people.raw.at ?? 0, channel, { chat: channel.id }, author, people),
    id: `command-${id}`,
    doc: builder.done(),
    command: { name },
  }
}

function asked(
  event: string,
  at: number,
  channel: { id: string; kind: 'dm' | 'group' },
  place: InboundMessage['place'],
  author: InboundMessage['author'],
  people: People,
) {
  const title = people.title(channel.id)
  return {
    kind: 'message' as const,
    event,
    at,
    place,
    author,
    chat: { kind: channel.kind, ...(title !== undefined && { title }) },
  }
}

function person(payload: Fields, people: People) {
  const user = fields(payload.user)
  const id = nativeId(user.id)
  if (id === undefined) return undefined
  const author = people.author({ user: id, user_team: user.team_id })
  const shown = text(user.name) ?? text(user.username)
  return author !== undefined && author.name === id && shown !== undefined
    ? { ...author, name: shown }
    : author
}
