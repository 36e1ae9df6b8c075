/** What people of a Discord do, in the words that only Discord has. */
import type { Person, Said } from '../kit/stage.js'
import type { Hub } from './hub.js'
import type { Failed, Interactions } from './interactions.js'
import * as membership from './membership.js'
import { Places } from './places.js'
import { type Draft, edit, forwardOf, pin, post, react, removeAll, type, unfurl } from './posting.js'
import { namesIn } from './seen.js'
import { showComponents } from './text/render.js'
import * as threads from './threads.js'
import { messageOf } from './wire.js'
import { type Channel, type Fields, FLAGS, type Message, type User } from './world.js'

export interface DiscordSaid extends Said {
  /** `@silent`: nobody's device makes a sound. */
  silent?: boolean
  /** Pages whom it replies to. Default true, as in Discord's app. */
  pingReply?: boolean
  /** Stickers by name. */
  stickers?: readonly string[]
  /** A poll: its question and answers. */
  poll?: { question: string; answers: readonly string[] }
  embeds?: readonly Fields[]
  /** A voice message of so many seconds. */
  voiceSeconds?: number
}

export class People extends Places {
  readonly #interactions: Interactions

  constructor(hub: Hub, interactions: Interactions) {
    super(hub)
    this.#interactions = interactions
  }

  /** What people were told when the app did not answer in time: "The application did not respond". */
  get failed(): readonly Failed[] {
    return this.#interactions.failed
  }

  /** The commands that the app has put up. */
  get commands(): readonly { name: string; type: number; guildId?: string }[] {
    return this.#interactions.commands
  }

  /** Windows that the app opened. */
  get modals(): readonly { user: string; modal: Fields }[] {
    return this.#interactions.modals
  }

  say(chat: string, person: Person, text: string, options: DiscordSaid = {}): string {
    const { world } = this.hub
    const user = this.#user(person)
    const channel = this.#place(chat, options.thread, user)
    // Whoever speaks in a guild is in it.
    if (channel.guildId !== undefined) membership.join(this.hub, world.guild(channel.guildId), user.id)
    const typed = options.mention === true ? `<@${world.bot.id}>${text === '' ? '' : ' '}${text}` : text
    return post(this.hub, {
      channelId: channel.id,
      author: user.id,
      content: typed.trim(),
      ...this.#attached(options),
      ...(options.replyTo !== undefined &&
        this.#reply(chat, channel, options.replyTo, options.pingReply !== false)),
    }).id
  }

  /** Through a webhook of the channel, under any name; such authors are nobody's account. */
  sayAsWebhook(chat: string, name: string, text: string, options: DiscordSaid = {}): string {
    const { world } = this.hub
    let id = [...world.webhooks].find(([, known]) => known === name)?.[0]
    if (id === undefined) {
      id = world.nextId()
      world.webhooks.set(id, name)
    }
    const channel = options.thread === undefined ? world.channel(chat) : world.channel(options.thread)
    return post(this.hub, {
      channelId: channel.id,
      author: id,
      content: text,
      webhook: { id, name },
      ...this.#attached(options),
    }).id
  }

  /** A message of a channel somewhere else, as it comes into a channel that follows it. */
  crosspost(chat: string, name: string, text: string): string {
    const { world } = this.hub
    const id = world.nextId()
    return post(this.hub, {
      channelId: chat,
      author: id,
      content: text,
      webhook: { id, name },
      flags: FLAGS.isCrosspost,
      reference: { type: 0, channelId: world.nextId(), messageId: world.nextId(), guildId: world.nextId() },
    }).id
  }

  /** Forwards a message of another chat. */
  forward(chat: string, person: Person, from: { chat: string; id: string }): string {
    const message = this.hub.world.find(from.chat, from.id)
    const copy = messageOf(this.hub, message, 1)
    return post(this.hub, { channelId: chat, author: person.id, ...forwardOf(this.hub, message, copy) }).id
  }

  edit(chat: string, id: string, text: string): void {
    edit(this.hub, this.hub.world.find(chat, id), { content: text.trim() })
  }

  /** The preview of a link comes after the message, by an update that edits nothing. */
  unfurl(chat: string, id: string, embed: Fields): void {
    unfurl(this.hub, this.hub.world.find(chat, id), embed)
  }

  unreact(chat: string, id: string, person: Person, emoji: string): void {
    react(this.hub, this.hub.world.find(chat, id), person.id, emoji, false)
  }

  /** Several at once, by a moderator. */
  deleteMany(chat: string, ids: readonly string[]): void {
    removeAll(
      this.hub,
      ids.map((id) => this.hub.world.find(chat, id)),
    )
  }

  pin(chat: string, id: string, person: Person): void {
    pin(this.hub, this.hub.world.find(chat, id), person.id)
  }

  type(chat: string, person: Person): void {
    type(this.hub, this.hub.world.channel(chat), person.id)
  }

  /** Somebody boosts the server: a message that Discord writes. */
  boost(chat: string, person: Person): string {
    return post(this.hub, { channelId: chat, author: person.id, type: 8 }).id
  }

  /** @throws Error when the message has no such button: a person cannot press it */
  press(chat: string, id: string, person: Person, value: string): void {
    const message = this.hub.world.find(chat, id)
    const channel = this.hub.world.channel(message.channelId)
    const { buttons } = showComponents(message.components, namesIn(this.hub, channel.guildId))
    const button = buttons.find((one) => one.value === value && one.url === undefined && !one.disabled)
    if (button === undefined)
      throw new Error(`The message ${id} in ${chat} has no button with the value ${JSON.stringify(value)}`)
    this.#interactions.press(channel, message, person.id, button)
  }

  /** `/name option:value`. @throws Error when the app has no such command */
  slash(chat: string, person: Person, name: string, options: Readonly<Record<string, unknown>> = {}): string {
    return this.#interactions.slash(this.hub.world.channel(chat), person.id, name, options)
  }

  /** A command of a message's menu ("Apps"). */
  messageCommand(chat: string, id: string, person: Person, name: string): string {
    const message = this.hub.world.find(chat, id)
    return this.#interactions.messageCommand(
      this.hub.world.channel(message.channelId),
      person.id,
      name,
      message,
    )
  }

  /** A command of a person's menu. */
  userCommand(chat: string, person: Person, name: string, target: Person): string {
    return this.#interactions.userCommand(this.hub.world.channel(chat), person.id, name, target.id)
  }

  #attached(options: DiscordSaid): Partial<Draft> {
    const { world } = this.hub
    const attachments = (options.files ?? []).map((file) => ({
      id: world.nextId(),
      name: file.name.replace(/\s+/g, '_'),
      mime: file.mime,
      bytes: Buffer.from(file.bytes),
      ...(options.voiceSeconds !== undefined && { seconds: options.voiceSeconds }),
    }))
    const { stickers, poll } = options
    return {
      attachments,
      flags:
        (options.silent === true ? FLAGS.suppressNotifications : 0) |
        (options.voiceSeconds === undefined ? 0 : FLAGS.voice),
      ...(options.embeds !== undefined && { embeds: [...options.embeds] }),
      ...(stickers !== undefined && {
        stickers: stickers.map((name) => ({ id: world.nextId(), name, format_type: 1 })),
      }),
      ...(poll !== undefined && {
        poll: {
          question: { text: poll.question },
          answers: poll.answers.map((text, at) => ({ answer_id: at + 1, poll_media: { text } })),
          expiry: new Date(this.hub.clock.now() + 86_400_000).toISOString(),
          allow_multiselect: false,
          layout_type: 1,
        },
      }),
    }
  }

  #reply(chat: string, channel: Channel, id: string, isPing: boolean): Partial<Draft> {
    const target: Message = this.hub.world.find(chat, id)
    const { guildId } = channel
    return {
      type: 19,
      reference: {
        type: 0,
        channelId: target.channelId,
        messageId: target.id,
        ...(guildId !== undefined && { guildId }),
      },
      allowed: {
        parse: new Set(['users', 'roles', 'everyone']),
        users: new Set(),
        roles: new Set(),
        repliedUser: isPing,
      },
    }
  }

  /** A thread that is not there yet is made on the message of that id. */
  #place(chat: string, thread: string | undefined, user: User): Channel {
    const { world } = this.hub
    if (thread === undefined) return world.channel(chat)
    const known = world.channels.get(thread)
    if (known !== undefined) return known
    return threads.threadFrom(this.hub, world.find(chat, thread), 'Thread', user.id)
  }

  #user(person: Person): User {
    return this.hub.world.user(person.id)
  }
}
