/** Who is in a channel, and what becomes of the channel itself. */
import { type Hub, hubSeconds } from './hub.js'
import { system } from './posting.js'
import type { Channel } from './world.js'

const eventTs = (hub: Hub): string => hub.world.ids.ts(hub.clock.now())
const channelLetter = (channel: Channel): string => (channel.kind === 'channel' ? 'C' : 'G')

/** False: was in already. https://docs.slack.dev/reference/events/member_joined_channel */
export function joinChannel(hub: Hub, channel: Channel, user: string, inviter?: string): boolean {
  if (channel.members.has(user)) return false
  channel.members.add(user)
  const by = inviter === undefined ? {} : { inviter }
  system(hub, channel, user, 'channel_join', `<@${user}> has joined the channel`, by)
  const event = {
    type: 'member_joined_channel',
    user,
    channel: channel.id,
    channel_type: channelLetter(channel),
    team: hub.world.user(user).team,
    ...by,
    event_ts: eventTs(hub),
  }
  hub.publisher.event('member_joined_channel', event, channel)
  hub.changes.changed()
  return true
}

/** Somebody goes, or is sent. The bot itself is told by `channel_left`, and hears no more. */
export function leaveChannel(hub: Hub, channel: Channel, user: string): boolean {
  if (!channel.members.has(user)) return false
  const isBot = user === hub.world.bot.id
  if (isBot) {
    const kind = channel.kind === 'channel' ? 'channel_left' : 'group_left'
    hub.publisher.own(
      kind,
      { type: kind, channel: channel.id, actor_id: channel.creator, event_ts: eventTs(hub) },
      channel,
    )
  }
  channel.members.delete(user)
  if (!isBot) {
    system(hub, channel, user, 'channel_leave', `<@${user}> has left the channel`)
    const event = {
      type: 'member_left_channel',
      user,
      channel: channel.id,
      channel_type: channelLetter(channel),
      team: hub.world.user(user).team,
      event_ts: eventTs(hub),
    }
    hub.publisher.event('member_left_channel', event, channel)
  }
  hub.changes.changed()
  return true
}

export function renameChannel(hub: Hub, channel: Channel, name: string, by: string): void {
  const old = channel.name
  channel.name = name
  system(hub, channel, by, 'channel_name', `<@${by}> has renamed the channel from "${old}" to "${name}"`, {
    old_name: old,
    name,
  })
  const type = channel.kind === 'channel' ? 'channel_rename' : 'group_rename'
  const about = { id: channel.id, name, name_normalized: name, created: channel.created }
  hub.publisher.event(type, { type, channel: about, event_ts: eventTs(hub) }, channel)
}

export function archiveChannel(hub: Hub, channel: Channel, by: string, isArchived: boolean): void {
  const subtype = isArchived ? 'channel_archive' : 'channel_unarchive'
  if (isArchived)
    system(hub, channel, by, subtype, `<@${by}> archived the channel`, { members: [...channel.members] })
  channel.archived = isArchived
  if (!isArchived) system(hub, channel, by, subtype, `<@${by}> un-archived the channel`)
  const type = channel.kind === 'channel' ? subtype : subtype.replace('channel', 'group')
  hub.publisher.event(type, { type, channel: channel.id, user: by, event_ts: eventTs(hub) }, channel)
  hub.changes.changed()
}

export function describeChannel(
  hub: Hub,
  channel: Channel,
  what: 'topic' | 'purpose',
  text: string,
  by: string,
): void {
  channel[what] = text
  const said = what === 'topic' ? `set the channel topic: ${text}` : `set the channel description: ${text}`
  system(hub, channel, by, `channel_${what}`, `<@${by}> ${said}`, { [what]: text })
}

export function createChannel(
  hub: Hub,
  name: string,
  by: string,
  kind: 'channel' | 'group',
  members: readonly string[],
): Channel {
  const channel = hub.world.addChannel({
    kind,
    name,
    creator: by,
    created: hubSeconds(hub),
    members: new Set(members),
  })
  if (kind === 'channel') {
    const about = {
      id: channel.id,
      name,
      name_normalized: name,
      is_channel: true,
      created: channel.created,
      creator: by,
    }
    hub.publisher.event(
      'channel_created',
      { type: 'channel_created', channel: about, event_ts: eventTs(hub) },
      channel,
    )
  }
  hub.changes.changed()
  return channel
}
