/** What people do without writing: buttons, slash commands, entries of a message's menu. */
import {
  type Author,
  type Inbound,
  type InboundMessage,
  isChatCommand,
  parseDoc,
  type Skipped,
} from '../../src/messaging/contract.js'
import { DocBuilder } from './doc-builder.js'
import { malformed, quotedOf } from './read-message.js'
import type { People } from './read-people.js'
import { type Where, whereOf } from './read-place.js'
import { addText } from './read-text.js'
import { bornAt, type Fields, fields, list, own, snowflake, text } from './shape.js'

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type */
const INTERACTION = { command: 2, component: 3 } as const
/** In front of a command's id: the core knows it as a message, Discord does not. */
const COMMAND_ID = 'command-'
export const isCommand = (id: string): boolean => id.startsWith(COMMAND_ID)

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-types */
const COMMAND = { chat: 1, user: 2, message: 3 } as const
const SUB_COMMAND = 1
const BUTTON = 2

/** The slash command; what follows it is its subcommand, or a question. */
const OURS = 'golem'
/** Entries of a message's menu, by their name. */
const MENU: Readonly<Record<string, string>> = { 'Why?': 'why' }

interface Given {
  id: string
  event: string
  at: number
  where: Where
  author: Author
  people: People
}

export function readInteraction(interaction: Fields, people: People): Inbound | Skipped {
  const id = snowflake(interaction.id)
  const where = whereOf(interaction, people.context, false)
  const member = fields(interaction.member)
  const author = people.person(fields(interaction.user ?? member.user), member)
  if (id === undefined || where === undefined || author === undefined)
    return malformed('an interaction without id, channel or person', people)
  const given: Given = { id, event: `interaction:${id}`, at: bornAt(id), where, author, people }
  switch (interaction.type) {
    case INTERACTION.component:
      return readPress(interaction, given)
    case INTERACTION.command:
      return readCommand(fields(interaction.data), given)
    default:
      return skipped(given, `interaction type ${String(interaction.type).slice(0, 20)}`)
  }
}

function skipped({ event, at, where }: Given, detail: string): Skipped {
  return { kind: 'skipped', reason: 'unsupported-kind', detail, event, place: where.place, at }
}

function readPress(interaction: Fields, given: Given): Inbound | Skipped {
  const { event, at, where, author } = given
  const data = fields(interaction.data)
  const id = snowflake(fields(interaction.message).id)
  const value = text(data.custom_id)
  if (id === undefined || value === undefined || data.component_type !== BUTTON)
    return skipped(given, `component type ${String(data.component_type).slice(0, 20)}`)
  return { kind: 'press', event, at, place: where.place, author, id, value }
}

function readCommand(data: Fields, given: Given): Inbound | Skipped {
  const name = text(data.name) ?? ''
  if (data.type === COMMAND.message) return readMenu(data, name, given)
  if (data.type !== COMMAND.chat) return skipped(given, `command ${name.slice(0, 60)}`)
  const { command, said } = askedBy(name, list(data.options).slice(0, 25).map(fields))
  const builder = new DocBuilder()
  addText(said, { people: resolving(data, given.people), everyone: false }, builder)
  return { ...asked(given), doc: builder.done(), command: { name: command } }
}

/** `/golem why`, `/golem ask question:…`, `/golem text:…`, or a command of its own, `/why`. */
function askedBy(name: string, options: readonly Fields[]): { command: string; said: string } {
  const [first] = options
  if (first?.type === SUB_COMMAND) {
    const word = text(first.name)?.toLowerCase() ?? ''
    return { command: isChatCommand(word) ? word : 'ask', said: saidIn(list(first.options).map(fields)) }
  }
  const said = saidIn(options)
  if (name !== OURS) return { command: isChatCommand(name) ? name : 'ask', said }
  const [, word = '', rest = ''] = /^\/?(\S*)\s*([\s\S]*)$/.exec(said) ?? []
  if (isChatCommand(word.toLowerCase())) return { command: word.toLowerCase(), said: rest }
  return { command: said === '' ? 'help' : 'ask', said }
}

const saidIn = (options: readonly Fields[]): string =>
  options.flatMap(({ value }) => (typeof value === 'string' ? value.trim() : [])).join(' ')

/** "Why?" in the menu of a message. */
function readMenu(data: Fields, name: string, given: Given): Inbound | Skipped {
  const command = own(MENU, name)
  const target = snowflake(data.target_id)
  if (command === undefined) return skipped(given, `menu entry ${name.slice(0, 60)}`)
  if (target === undefined) return skipped(given, 'a menu entry without a message')
  const message = fields(own(fields(fields(data.resolved).messages), target))
  const replyTo = message.id === target ? quotedOf(message, resolving(data, given.people)) : { id: target }
  return { ...asked(given), doc: parseDoc(''), command: { name: command }, replyTo }
}

/** People whom a command names come with it: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-resolved-data-structure */
function resolving(data: Fields, people: People): typeof people {
  const { users, members } = fields(data.resolved)
  return people.with(Object.values(fields(users)).slice(0, 100).map(fields), fields(members))
}

function asked({ id, event, at, where, author }: Given): Omit<InboundMessage, 'doc'> {
  return {
    kind: 'message',
    event,
    at,
    place: where.place,
    author,
    id: `${COMMAND_ID}${id}`,
    chat: where.chat,
  }
}
