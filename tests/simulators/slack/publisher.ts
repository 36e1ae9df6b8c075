/**
 * The Events API's outer frame, and which events an app gets at all: those it subscribed to, has the scope for, and is
 * in the room for. https://docs.slack.dev/apis/events-api · shapes: captured
 */
import { type Hub, hubSeconds, type Publisher } from './hub.js'
import type { Fields } from './text/rich.js'
import type { Channel } from './world.js'

/** What is delivered: to a socket as an envelope, to a webhook as a body. */
export interface Outgoing {
  type: 'events_api' | 'interactive' | 'slash_commands'
  payload: Fields
}

/** The scopes that go with subscriptions; any one of them is enough. Each event's page names its own. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  app_mention: ['app_mentions:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  reaction_added: ['reactions:read'],
  reaction_removed: ['reactions:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  member_left_channel: ['channels:read', 'groups:read'],
  channel_created: ['channels:read'],
  channel_rename: ['channels:read'],
  channel_archive: ['channels:read'],
  channel_unarchive: ['channels:read'],
  channel_deleted: ['channels:read'],
  channel_left: ['channels:read'],
  group_rename: ['groups:read'],
  group_archive: ['groups:read'],
  group_left: ['groups:read'],
  user_change: ['users:read'],
  team_join: ['users:read'],
}

/** Told of public channels even where the bot is no member: https://docs.slack.dev/reference/events/channel_rename */
const ANYWHERE = new Set([
  'channel_created',
  'channel_rename',
  'channel_archive',
  'channel_unarchive',
  'channel_deleted',
])

export class EventPublisher implements Publisher {
  readonly #hub: () => Hub
  readonly #subscribed: ReadonlySet<string>
  readonly #send: (id: string, outgoing: Outgoing) => void

  /** @param send puts one on its way, by its id */
  constructor(
    hub: () => Hub,
    subscribed: ReadonlySet<string>,
    send: (id: string, outgoing: Outgoing) => void,
  ) {
    this.#hub = hub
    this.#subscribed = subscribed
    this.#send = send
  }

  event(subscription: string, event: Fields, chat?: Channel): void {
    for (const app of this.#hub().apps) app.publisher.own(subscription, event, chat)
  }

  own(subscription: string, event: Fields, chat?: Channel): void {
    const hub = this.#hub()
    if (!this.#subscribed.has(subscription)) return
    const needed = NEEDED[subscription]
    if (needed !== undefined && !needed.some((scope) => hub.scopes.has(scope))) return
    if (chat !== undefined && !this.#isHeard(subscription, chat)) return
    const { world } = hub
    const id = world.ids.next('Ev')
    this.#send(id, {
      type: 'events_api',
      payload: {
        token: 'verification-token-of-old',
        team_id: world.team.id,
        context_team_id: world.team.id,
        context_enterprise_id: null,
        api_app_id: world.bot.appId,
        event,
        type: 'event_callback',
        event_id: id,
        event_time: hubSeconds(hub),
        authorizations: [
          {
            enterprise_id: null,
            team_id: world.team.id,
            user_id: world.bot.id,
            is_bot: true,
            is_enterprise_install: false,
          },
        ],
        is_ext_shared_channel: chat?.shared === true,
        event_context: `4-${Buffer.from(JSON.stringify({ et: event.type, tid: world.team.id, aid: world.bot.appId, cid: chat?.id })).toString('base64url')}`,
      },
    })
  }

  interaction(kind: 'interactive' | 'slash_commands', payload: Fields): void {
    this.#send(this.#hub().world.ids.uuid(), { type: kind, payload })
  }

  #isHeard(subscription: string, chat: Channel): boolean {
    if (ANYWHERE.has(subscription) && chat.kind === 'channel') return true
    return chat.members.has(this.#hub().world.bot.id)
  }
}
