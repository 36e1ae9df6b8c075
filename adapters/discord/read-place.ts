/** Where something happened. A thread is a channel of its own to Discord; to a room it belongs to its parent. */
import type { InboundMessage, Place } from '../../src/messaging/contract.js'
import { CHANNEL, type Context, isThread, type KnownChannel } from './raw.js'
import { type Fields, fields, number, own, snowflake, text } from './shape.js'

export interface Where {
  place: Place
  chat: InboundMessage['chat']
}

/**
 * Undefined where no channel is told, or the thread's parent is not known: what the parent forbids would be allowed.
 *
 * @param event what carries `channel_id`, and `guild_id` unless it is read back or a direct message
 */
export function whereOf(event: Fields, context: Context, isHistory: boolean): Where | undefined {
  const id = snowflake(event.channel_id)
  if (id === undefined) return undefined
  const known = channelOf(id, event, context)
  const isDirect = known?.type === undefined ? !isInGuild(event, known, isHistory) : isDirectType(known.type)
  if (isDirect) return { place: { chat: id }, chat: { kind: 'dm' } }
  if (!isThread(known?.type)) {
    // It was looked for and not found: it may be a thread.
    if (known === undefined && context.channels !== undefined) return undefined
    return { place: { chat: id }, chat: { kind: 'group', ...titled(known) } }
  }
  const parent = known?.parent
  if (parent === undefined) return undefined
  return {
    place: { chat: parent, thread: id },
    chat: { kind: 'group', ...titled(knownChannel(parent, context)) },
  }
}

const isDirectType = (type: number): boolean => type === CHANNEL.dm || type === CHANNEL.groupDm

/** Only events of servers carry `guild_id`; a message that is read back never does. */
function isInGuild(event: Fields, known: KnownChannel | undefined, isHistory: boolean): boolean {
  return snowflake(event.guild_id) !== undefined || known?.guild !== undefined || isHistory
}

/** An interaction brings its channel along. */
function channelOf(id: string, event: Fields, context: Context): KnownChannel | undefined {
  const known = knownChannel(id, context)
  const told = fields(event.channel)
  if (told.id !== id) return known
  const type = number(told.type) ?? known?.type
  const name = text(told.name) ?? known?.name
  const parent = snowflake(told.parent_id) ?? known?.parent
  return {
    ...known,
    ...(type !== undefined && { type }),
    ...(name !== undefined && { name }),
    ...(parent !== undefined && { parent }),
  }
}

function knownChannel(id: string, { channels }: Context): KnownChannel | undefined {
  const channel = own(channels, id)
  if (channel === undefined) return undefined
  const told = fields(channel)
  const type = number(told.type)
  const name = text(told.name)
  const parent = snowflake(told.parent)
  const guild = snowflake(told.guild)
  return {
    ...(type !== undefined && { type }),
    ...(name !== undefined && { name }),
    ...(parent !== undefined && { parent }),
    ...(guild !== undefined && { guild }),
  }
}

const titled = (channel: KnownChannel | undefined): { title?: string } =>
  channel?.name === undefined || channel.name === '' ? {} : { title: channel.name }
