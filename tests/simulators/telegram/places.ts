/** What happens to chats: made, joined, left, renamed, moved; topics; channels. */
import type { BotState } from './bot-state.js'
import { messageJson, userJson } from './shapes.js'
import {
  type Account,
  type Chat,
  type ChatType,
  type Membership,
  type NewPost,
  type Post,
  SERVICE,
} from './world.js'

export interface BotRole {
  admin?: boolean
}

export class Places {
  readonly #api: BotState
  readonly #botIsAdmin: boolean

  constructor(api: BotState, botIsAdmin: boolean) {
    this.#api = api
    this.#botIsAdmin = botIsAdmin
  }

  /** A chat with these people and the bot in it, without a word about how it was made. The first person owns it. */
  make(
    type: Exclude<ChatType, 'private'>,
    title: string,
    people: readonly Account[],
    more: { isForum?: boolean; username?: string } = {},
  ): Chat {
    const { world } = this.#api
    const chat = world.addChat(type, title, more)
    people.forEach((person, index) => {
      world.join(chat, person.id, { status: index === 0 ? 'creator' : 'member' })
    })
    // A bot is in a channel as an administrator or not at all: https://core.telegram.org/bots/api#channel-posts
    world.join(chat, world.bot.id, this.#botMembership(type === 'channel' || this.#botIsAdmin))
    return chat
  }

  /** What the bot is given is settled when it joins: https://core.telegram.org/bots/features#privacy-mode */
  #botMembership(admin: boolean): Partial<Membership> {
    return { status: admin ? 'administrator' : 'member', seesAll: !this.#api.privacyMode }
  }

  addBot(chat: Chat, by: Account, { admin = this.#botIsAdmin }: BotRole = {}): void {
    const { world } = this.#api
    const before = chat.members.get(world.bot.id)
    world.join(chat, world.bot.id, this.#botMembership(admin))
    this.#api.teller.membership(chat, by.id, world.bot.id, before)
    if (chat.type !== 'channel') this.#joined(chat, by, world.bot)
  }

  promoteBot(chat: Chat, by: Account, admin = true): void {
    const { world } = this.#api
    const before = chat.members.get(world.bot.id)
    world.join(chat, world.bot.id, { ...before, status: admin ? 'administrator' : 'member' })
    this.#api.teller.membership(chat, by.id, world.bot.id, before)
  }

  removeBot(chat: Chat, by: Account): void {
    const { world } = this.#api
    this.setBotStatus(chat, by, 'kicked')
    this.#service(chat, by, {
      left_chat_member: userJson(world.bot),
      left_chat_participant: userJson(world.bot),
    })
  }

  /** Any other standing of the bot, e.g. `restricted`. */
  setBotStatus(chat: Chat, by: Account, status: Membership['status']): void {
    const { world } = this.#api
    const before = chat.members.get(world.bot.id)
    world.join(chat, world.bot.id, { ...before, status })
    this.#api.teller.membership(chat, by.id, world.bot.id, before)
  }

  join(chat: Chat, person: Account, by: Account = person): void {
    const before = chat.members.get(person.id)
    this.#api.world.join(chat, person.id)
    this.#api.teller.membership(chat, by.id, person.id, before)
    this.#joined(chat, by, person)
  }

  leave(chat: Chat, person: Account, by: Account = person): void {
    const before = chat.members.get(person.id)
    const left = userJson(person)
    this.#api.world.join(chat, person.id, { status: by.id === person.id ? 'left' : 'kicked' })
    this.#api.teller.membership(chat, by.id, person.id, before)
    this.#service(chat, by, { left_chat_member: left, left_chat_participant: left })
  }

  #joined(chat: Chat, by: Account, who: Account): void {
    const user = userJson(who)
    this.#service(chat, by, { new_chat_participant: user, new_chat_member: user, new_chat_members: [user] })
  }

  rename(chat: Chat, by: Account, title: string): void {
    chat.title = title
    this.#service(chat, by, { new_chat_title: title })
  }

  pin(chat: Chat, by: Account, post: Post): void {
    this.#service(chat, by, { pinned_message: messageJson(this.#api.world, post, true) })
  }

  promote(chat: Chat, person: Account, more: Partial<Membership> = {}): void {
    this.#api.world.join(chat, person.id, { status: 'administrator', ...more })
  }

  /**
   * A group becomes a supergroup: it goes on under a new id, each of the two says so, and calls for the old one are
   * refused with `migrate_to_chat_id` (https://core.telegram.org/bots/api#responseparameters).
   */
  migrate(group: Chat, by: Account): Chat {
    const { world } = this.#api
    if (group.type !== 'group')
      throw new Error(`Chat ${group.id} is a ${group.type}: only a group becomes a supergroup`)
    const chat = world.addChat('supergroup', group.title)
    for (const [id, membership] of group.members) world.join(chat, id, membership)
    this.#service(group, by, { migrate_to_chat_id: chat.id })
    this.#service(chat, by, { migrate_from_chat_id: group.id })
    group.movedTo = chat.id
    return chat
  }

  topic(chat: Chat, by: Account, name: string): Post {
    if (!chat.isForum) throw new Error(`Chat ${chat.id} has no topics`)
    const root = this.#api.createTopic(chat, by.id, name)
    this.#api.teller.message(root)
    return root
  }

  closeTopic(chat: Chat, by: Account, thread: number, closed = true): void {
    const topic = chat.topics.get(thread)
    if (!topic) throw new Error(`Chat ${chat.id} has no topic ${thread}`)
    topic.closed = closed
    const service = closed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} }
    this.#tell({ chat: chat.id, from: by.id, thread, isTopic: true, replyTo: thread, service })
  }

  /** The group where a channel's posts are discussed: each is forwarded there by itself. */
  link(channel: Chat, group: Chat): void {
    channel.linked = group.id
    group.linked = channel.id
  }

  /** A post of the channel; in its discussion group it appears as forwarded by Telegram. */
  channelPost(channel: Chat, post: Pick<NewPost, 'body' | 'media'>): Post {
    const { world } = this.#api
    const said = this.#tell({ chat: channel.id, senderChat: channel.id, ...post })
    if (channel.linked === undefined) return said
    const { date } = said
    this.#tell({
      chat: channel.linked,
      from: SERVICE.id,
      senderChat: channel.id,
      isAutomaticForward: true,
      origin: { type: 'channel', chat: channel.id, post: said.id, date },
      body: said.body,
      ...(said.media && { media: said.media }),
    })
    return world.post(channel, said.id)
  }

  #service(chat: Chat, by: Account, service: Readonly<Record<string, unknown>>): Post {
    return this.#tell({ chat: chat.id, from: by.id, service })
  }

  #tell(post: NewPost): Post {
    const added = this.#api.world.add(post)
    this.#api.teller.message(added)
    return added
  }
}
