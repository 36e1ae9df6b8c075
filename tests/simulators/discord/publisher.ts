/**
 * Which session hears of what: by its shard, its intents, and by what the bot can see. Without the intent for contents
 * a message comes blank, unless it is in a direct chat, the bot's own, or names the bot.
 * https://docs.discord.com/developers/events/gateway#gateway-intents
 */
import type { Recorder } from '../kit/recorder.js'
import type { Gateway } from './gateway/gateway.js'
import { isOnShard, tellGuild } from './gateway/ready.js'
import type { Hub, Publisher } from './hub.js'
import { INTENTS } from './options.js'
import { maySee } from './permissions.js'
import { blanked, messageEvent } from './wire.js'
import { CHANNEL, type Channel, type Fields, type Guild, type Message } from './world.js'

/** What every bot of a guild hears of. The rest is about the bot itself. */
const FOR_ALL = /^(?:MESSAGE_|TYPING_|CHANNEL_|THREAD_|GUILD_(?:MEMBER|ROLE|UPDATE))/

export class EventPublisher implements Publisher {
  readonly #hub: () => Hub
  readonly #gateway: Gateway
  readonly #recorder: Recorder
  #count = 0

  constructor(hub: () => Hub, gateway: Gateway, recorder: Recorder) {
    this.#hub = hub
    this.#gateway = gateway
    this.#recorder = recorder
  }

  event(type: string, data: Fields, intent: number, guildId?: string): void {
    const apps = FOR_ALL.test(type) ? this.#hub().apps : [this.#hub()]
    for (const app of apps) app.publisher.own(type, data, intent, guildId)
  }

  own(type: string, data: Fields, intent: number, guildId?: string): void {
    const hub = this.#hub()
    const guild = guildId === undefined ? undefined : hub.world.guilds.get(guildId)
    if (guild?.unavailable === true && type !== 'GUILD_DELETE') return
    let json: string | undefined
    this.#gateway.expire()
    for (const session of this.#gateway.sessions) {
      if (!isOnShard(guildId, session.shard)) continue
      if (intent !== 0 && (session.intents & intent) === 0) continue
      json ??= this.#written(type, data, intent, guildId)
      session.dispatch(type, json)
    }
    hub.changes.changed()
  }

  guild(guild: Guild): void {
    const hub = this.#hub()
    for (const session of this.#gateway.sessions) {
      if (isOnShard(guild.id, session.shard) && (session.intents & INTENTS.Guilds) !== 0)
        tellGuild(hub, session, guild)
    }
    hub.changes.changed()
  }

  message(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', channel: Channel, message: Message): void {
    for (const app of this.#hub().apps) app.publisher.ownMessage(type, channel, message)
  }

  ownMessage(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', channel: Channel, message: Message): void {
    const hub = this.#hub()
    const { world } = hub
    if (!maySee(world, channel, world.bot.id)) return
    if (channel.guildId !== undefined && world.guild(channel.guildId).unavailable) return
    const isDirect = channel.type === CHANNEL.dm
    const intent = isDirect ? INTENTS.DirectMessages : INTENTS.GuildMessages
    const isOpen =
      isDirect || message.author === world.bot.id || message.mentions.users.includes(world.bot.id)
    let event: Fields | undefined
    let whole: string | undefined
    let blank: string | undefined
    this.#gateway.expire()
    for (const session of this.#gateway.sessions) {
      if (!isOnShard(channel.guildId, session.shard) || (session.intents & intent) === 0) continue
      event ??= messageEvent(hub, channel, message)
      const mayRead = isOpen || (session.intents & INTENTS.MessageContent) !== 0
      if (mayRead) whole ??= this.#written(type, event, intent, channel.guildId)
      else blank ??= this.#written(type, blanked(event), intent, channel.guildId)
      session.dispatch(type, (mayRead ? whole : blank) ?? '')
    }
    hub.changes.changed()
  }

  #written(type: string, data: Fields, intent: number, guildId: string | undefined): string {
    this.#recorder.delivery(String(++this.#count), {
      t: type,
      d: data,
      intent,
      ...(guildId !== undefined && { guildId }),
    })
    return JSON.stringify(data)
  }
}
