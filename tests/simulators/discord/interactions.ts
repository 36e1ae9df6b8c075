/**
 * Commands and buttons. The app has three seconds for a first answer, and then fifteen minutes for more.
 * https://docs.discord.com/developers/interactions/receiving-and-responding
 */

import { type Content, checkNotEmpty } from './api/content.js'
import { apiError, invalid } from './api/errors.js'
import type { Hub } from './hub.js'
import { permissionsIn } from './permissions.js'
import { edit, post, remove } from './posting.js'
import type { Button } from './text/render.js'
import { appPermissions, channelOf, memberOf, memberWithUser, messageOf, userOf } from './wire.js'
import { CHANNEL, type Channel, type Fields, FLAGS, type Message } from './world.js'

const ANSWER_MS = 3_000
const TOKEN_MS = 15 * 60_000

export interface Command {
  id: string
  /** 1 slash, 2 of a person's menu, 3 of a message's menu. */
  type: number
  name: string
  guildId?: string
  json: Fields
}

interface Interaction {
  id: string
  token: string
  type: 2 | 3
  data: Fields
  channel: Channel
  user: string
  /** The message whose button was pressed. */
  source?: Message
  /** `late`: it was not answered in time, and never can be. */
  state: 'waiting' | 'answered' | 'late'
  until: number
  original?: Message
  metadata: Fields
}

/** What the person was told when the app did not answer in time. */
export interface Failed {
  chat: string
  user: string
  text: string
}

export class Interactions {
  readonly commands: Command[] = []
  readonly failed: Failed[] = []
  /** Windows that the app opened. */
  readonly modals: { user: string; modal: Fields }[] = []
  readonly #hub: Hub
  readonly #byToken = new Map<string, Interaction>()

  constructor(hub: Hub) {
    this.#hub = hub
  }

  press(channel: Channel, message: Message, user: string, button: Button): string {
    const isEphemeral = message.onlyFor !== undefined
    return this.#begin(
      channel,
      user,
      3,
      { component_type: 2, custom_id: button.value, id: 1 },
      {
        source: message,
        more: {
          message: {
            ...messageOf(this.#hub, message),
            flags: message.flags | (isEphemeral ? FLAGS.ephemeral : 0),
          },
        },
      },
    )
  }

  /** `name`: a command, or one of its subcommands (`golem why`). @throws Error when the app has no such command */
  slash(channel: Channel, user: string, name: string, options: Readonly<Record<string, unknown>>): string {
    const [root = name, sub] = name.split(' ')
    const command = this.#command(root, 1, channel)
    const all = (command.json.options ?? []) as Fields[]
    const kinds = sub === undefined ? all : ((all.find((one) => one.name === sub)?.options ?? []) as Fields[])
    const given = Object.entries(options).map(([key, value]) => ({
      name: key,
      type: Number(kinds.find((option) => option.name === key)?.type ?? 3),
      value,
    }))
    const asked = sub === undefined ? given : [{ name: sub, type: 1, options: given }]
    const data = { id: command.id, name: root, type: 1, ...(asked.length > 0 && { options: asked }) }
    return this.#begin(channel, user, 2, data, { name })
  }

  messageCommand(channel: Channel, user: string, name: string, message: Message): string {
    const command = this.#command(name, 3, channel)
    const resolved = { messages: { [message.id]: messageOf(this.#hub, message) } }
    return this.#begin(
      channel,
      user,
      2,
      { id: command.id, name, type: 3, target_id: message.id, resolved },
      { name },
    )
  }

  userCommand(channel: Channel, user: string, name: string, target: string): string {
    const { world } = this.#hub
    const command = this.#command(name, 2, channel)
    const member =
      channel.guildId === undefined ? undefined : world.guild(channel.guildId).members.get(target)
    const resolved = {
      users: { [target]: userOf(world.user(target)) },
      ...(member !== undefined && { members: { [target]: memberOf(member) } }),
    }
    return this.#begin(
      channel,
      user,
      2,
      { id: command.id, name, type: 2, target_id: target, resolved },
      { name },
    )
  }

  /** The chat an interaction's token speaks in. */
  chatOf(token: string): string | undefined {
    return this.#byToken.get(token)?.channel.id
  }

  /** The callback. Returns the message it made or changed. @throws ApiError */
  answer(id: string, token: string, type: unknown, readContent: () => Content, data: Fields): Message | null {
    const one = this.#byToken.get(token)
    if (one === undefined || one.id !== id || one.state === 'late') throw apiError(10062)
    if (one.state === 'answered') throw apiError(40060)
    const allowed = one.type === 3 ? [4, 5, 6, 7, 9] : [4, 5, 9]
    if (typeof type !== 'number' || !allowed.includes(type))
      throw invalid('type', 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`)
    const content = type === 4 || type === 7 ? readContent() : {}
    if (type === 4) checkNotEmpty(content)
    if (type === 7 && one.source !== undefined) checkNotEmpty(content, { old: one.source })
    one.state = 'answered'
    if (type === 9) this.modals.push({ user: one.user, modal: data })
    else if (type === 4) one.original = this.#say(one, content)
    else if (type === 5) one.original = this.#say(one, { flags: Number(data.flags ?? 0) }, true)
    else if (one.source !== undefined) {
      one.original = one.source
      if (type === 7) edit(this.#hub, one.source, { ...content, flags: one.source.flags })
    }
    this.#hub.changes.changed()
    return one.original ?? null
  }

  /** A message more. The first one after "… is thinking" takes its place. @throws ApiError */
  followUp(token: string, content: Content): Message {
    const one = this.#good(token)
    checkNotEmpty(content)
    const { original } = one
    if (original?.loading === true) {
      edit(this.#hub, original, { ...content, flags: original.flags & ~FLAGS.loading, loading: false })
      return original
    }
    return this.#say(one, content)
  }

  /** @param id `@original` or that of a further message. @throws ApiError */
  find(token: string, id: string): Message {
    const one = this.#good(token)
    const message = id === '@original' ? one.original : one.channel.byId.get(id)
    if (message === undefined || one.channel.byId.get(message.id) === undefined) throw apiError(10008)
    return message
  }

  change(token: string, id: string, readContent: (old: Message) => Content): Message {
    const message = this.find(token, id)
    const content = readContent(message)
    const wasLoading = message.loading === true
    checkNotEmpty(content, { old: message })
    const flags = (message.flags & ~FLAGS.loading) | ((content.flags ?? 0) & FLAGS.suppressEmbeds)
    edit(this.#hub, message, { ...content, flags, ...(wasLoading && { loading: false }) })
    return message
  }

  erase(token: string, id: string): void {
    remove(this.#hub, this.find(token, id))
  }

  #good(token: string): Interaction {
    const one = this.#byToken.get(token)
    if (one === undefined || this.#hub.clock.now() > one.until) throw apiError(50027)
    if (one.state !== 'answered') throw apiError(10015)
    return one
  }

  #command(name: string, type: number, channel: Channel): Command {
    const found = this.commands.find(
      (one) =>
        one.name === name &&
        one.type === type &&
        (one.guildId === undefined || one.guildId === channel.guildId),
    )
    if (found === undefined) throw new Error(`The app has no command ${JSON.stringify(name)} of type ${type}`)
    return found
  }

  #begin(
    channel: Channel,
    user: string,
    type: 2 | 3,
    data: Fields,
    given: { name?: string; source?: Message; more?: Fields },
  ): string {
    const hub = this.#hub
    const id = hub.world.nextId()
    const token = Buffer.from(`interaction:${id}:${type}`).toString('base64url')
    const owners = channel.guildId === undefined ? { 1: user } : { 0: channel.guildId }
    const one: Interaction = {
      id,
      token,
      type,
      data,
      channel,
      user,
      ...(given.source !== undefined && { source: given.source }),
      state: 'waiting',
      until: hub.clock.now() + TOKEN_MS,
      metadata: {
        id,
        type,
        user: userOf(hub.world.user(user)),
        authorizing_integration_owners: owners,
        ...(given.name !== undefined && { name: given.name }),
        ...(given.source !== undefined && { interacted_message_id: given.source.id }),
      },
    }
    this.#byToken.set(token, one)
    hub.clock.after(ANSWER_MS, () => this.#late(one))
    hub.clock.after(TOKEN_MS, () => this.#byToken.delete(token))
    hub.publisher.event('INTERACTION_CREATE', this.#event(one, owners, given.more ?? {}), 0, channel.guildId)
    return id
  }

  #event(one: Interaction, owners: Fields, more: Fields): Fields {
    const hub = this.#hub
    const { channel, user } = one
    const guild = channel.guildId === undefined ? undefined : hub.world.guild(channel.guildId)
    const member = guild?.members.get(user)
    return {
      id: one.id,
      application_id: hub.world.bot.id,
      type: one.type,
      token: one.token,
      version: 1,
      data: one.data,
      channel_id: channel.id,
      channel: channelOf(hub, channel),
      ...(guild !== undefined && {
        guild_id: guild.id,
        guild: { id: guild.id, locale: 'en-US', features: [] },
        guild_locale: 'en-US',
      }),
      ...(member === undefined
        ? { user: userOf(hub.world.user(user)) }
        : {
            member: {
              ...memberWithUser(hub, member),
              permissions: String(permissionsIn(hub.world, channel, user)),
            },
          }),
      app_permissions: appPermissions(hub, channel),
      locale: 'en-US',
      entitlements: [],
      entitlement_sku_ids: [],
      authorizing_integration_owners: owners,
      context: channel.type === CHANNEL.dm ? 1 : 0,
      attachment_size_limit: 10_485_760,
      ...more,
    }
  }

  #late(one: Interaction): void {
    if (one.state !== 'waiting') return
    one.state = 'late'
    const text = one.type === 3 ? 'This interaction failed' : 'The application did not respond'
    this.failed.push({ chat: one.channel.id, user: one.user, text })
    this.#hub.changes.changed()
  }

  #say(one: Interaction, content: Content, isLoading = false): Message {
    const { world } = this.#hub
    const { source, channel } = one
    const flags =
      (content.flags ?? 0) &
      (FLAGS.ephemeral | FLAGS.suppressEmbeds | FLAGS.suppressNotifications | FLAGS.componentsV2)
    const kind = one.data.type === 1 ? 20 : 23
    const { guildId } = channel
    return post(this.#hub, {
      ...content,
      channelId: channel.id,
      author: world.bot.id,
      type: source === undefined ? kind : 0,
      flags: flags | (isLoading ? FLAGS.loading : 0),
      interaction: one.metadata,
      ...((flags & FLAGS.ephemeral) !== 0 && { onlyFor: one.user }),
      ...(isLoading && { loading: true }),
      ...(source !== undefined &&
        source.onlyFor === undefined && {
          reference: {
            type: 0,
            channelId: channel.id,
            messageId: source.id,
            ...(guildId !== undefined && { guildId }),
          },
        }),
    })
  }
}
