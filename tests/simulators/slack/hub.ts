/** What the rooms of the simulator share. */

import type { VirtualClock } from '../kit/clock.js'
import type { Changes } from '../kit/events.js'
import type { SlackOptions } from './options.js'
import { type Names, render } from './text/render.js'
import type { Block, Fields } from './text/rich.js'
import type { Channel, World } from './world.js'

/** Puts events on their way to the bot, and to the other apps of the workspace. */
export interface Publisher {
  /**
   * @param subscription the event's name among the app's subscriptions: `message.channels`, `reaction_added` …
   * @param chat where it happened: the bot hears of it only if it is in there
   */
  event(subscription: string, event: Fields, chat?: Channel): void
  /** The same, for this app alone. */
  own(subscription: string, event: Fields, chat?: Channel): void
  /** A press, a command, a shortcut. Returns false when nobody was there to take it. */
  interaction(kind: 'interactive' | 'slash_commands', payload: Fields): void
}

/** Tokens and keys of the app. */
export interface Secrets {
  botToken: string
  appToken: string
  signingSecret: string
  /** Revoked ones, each with the error it is answered by. */
  revoked: Map<string, string>
}

export interface Hub {
  readonly world: World
  readonly clock: VirtualClock
  readonly changes: Changes
  readonly options: SlackOptions
  readonly scopes: ReadonlySet<string>
  readonly secrets: Secrets
  readonly publisher: Publisher
  /** Every app of the workspace that has a simulator, this one among them. */
  readonly apps: Hub[]
  /** Where the simulator listens, without a slash at its end. */
  readonly url: string
  /** Mentions of the bot so far: every second one comes in the other order. */
  mentions: number
  /** "… is thinking" lines by `channel:thread`. */
  readonly statuses: Map<string, { text: string; until: number }>
  /** What a press or a command gave to open a window with. */
  readonly triggers: Map<string, { user: string; until: number; isUsed: boolean }>
  /** Windows that were opened. */
  readonly views: { user: string; view: Fields }[]
}

export const hubSeconds = (hub: Hub): number => Math.floor(hub.clock.now() / 1000)

export const blockId = (hub: Hub): string => hub.world.ids.next('b').slice(1)

/** Names for {@link render}: what stands behind ids in one chat. */
export function namesIn(hub: Hub, channel: Channel, author?: string): Names {
  const { world } = hub
  return {
    user: (id) => {
      const user = world.users.get(id)
      return user === undefined ? id : world.nameOf(user)
    },
    channel: (id) => world.channels.get(id)?.name ?? id,
    usergroup: (id) => {
      const group = world.usergroups.get(id)
      return { handle: group?.handle ?? id, users: group?.users ?? [] }
    },
    get everyone() {
      return [...channel.members].filter((id) => id !== author && id !== world.bot.id)
    },
  }
}

/** Whom a message pages when it is posted. */
export function pinged(
  hub: Hub,
  channel: Channel,
  author: string,
  message: { text: string; blocks: Block[] },
): string[] {
  return render(message, namesIn(hub, channel, author)).pings
}
