/** Which of what happens the bot is told. */
import type { Feed } from './feed.js'
import { chatJson, type Json, memberJson, messageJson, userJson } from './shapes.js'
import type { Chat, Membership, Post, World } from './world.js'

export class Teller {
  readonly #world: World
  readonly #feed: Feed
  readonly #botToBot: boolean

  /** @param botToBot the bot is given other bots' messages by the same rules as people's */
  constructor(world: World, feed: Feed, botToBot: boolean) {
    this.#world = world
    this.#feed = feed
    this.#botToBot = botToBot
  }

  /** A new message, or the new version of an edited one. */
  message(post: Post, isEdit = false): void {
    const chat = this.#world.chat(post.chat)
    if (!this.#isTold(chat, post)) return
    const kind = `${isEdit ? 'edited_' : ''}${chat.type === 'channel' ? 'channel_post' : 'message'}`
    if (!this.#feed.isAllowed(kind)) return
    this.#feed.push(kind, messageJson(this.#world, post), String(chat.id))
  }

  /** `chat.id` as a lane keeps a chat's updates in order. */
  other(kind: string, chat: Chat, body: Json): void {
    this.#feed.push(kind, body, String(chat.id))
  }

  /**
   * `message_reaction`: only where the bot is an administrator, and in private chats
   * (https://core.telegram.org/bots/api#update).
   */
  reaction(
    chat: Chat,
    post: Post,
    actor: number,
    before: string | undefined,
    after: string | undefined,
  ): void {
    const { bot } = this.#world
    if (chat.type !== 'private' && !this.#world.isAdmin(chat, bot.id)) return
    const types = (emoji: string | undefined): Json[] =>
      emoji === undefined ? [] : [{ type: 'emoji', emoji }]
    this.other('message_reaction', chat, {
      chat: chatJson(this.#world, chat),
      message_id: post.id,
      user: userJson(this.#world.account(actor)),
      date: this.#world.now(),
      old_reaction: types(before),
      new_reaction: types(after),
    })
  }

  /** `my_chat_member` for the bot itself; `chat_member` for others, only where it is an administrator. */
  membership(chat: Chat, by: number, account: number, before: Membership | undefined): void {
    const { bot } = this.#world
    if (account !== bot.id && !this.#world.isAdmin(chat, bot.id)) return
    const subject = this.#world.account(account)
    this.other(account === bot.id ? 'my_chat_member' : 'chat_member', chat, {
      chat: chatJson(this.#world, chat),
      from: userJson(this.#world.account(by)),
      date: this.#world.now(),
      old_chat_member: memberJson(subject, before),
      new_chat_member: memberJson(subject, chat.members.get(account)),
    })
  }

  /**
   * Privacy mode: https://core.telegram.org/bots/features#privacy-mode and
   * https://core.telegram.org/bots/faq#what-messages-will-my-bot-get. No bot is given its own messages; another bot's only
   * where the mode for that is on (https://core.telegram.org/api/bots/bot-to-bot).
   */
  #isTold(chat: Chat, post: Post): boolean {
    const { bot } = this.#world
    const membership = chat.members.get(bot.id)
    if (!membership || !this.#world.isMember(chat, bot.id)) return false
    if (post.from === bot.id) return false
    const isStandIn = post.senderChat !== undefined
    const isBots = post.from !== undefined && !isStandIn && this.#world.account(post.from).isBot
    if (isBots && !this.#botToBot) return false
    if (chat.type === 'private' || chat.type === 'channel') return true
    if (post.service !== undefined) return true
    if (membership.seesAll || this.#world.isAdmin(chat, bot.id)) return true
    return this.#isForBot(chat, post)
  }

  #isForBot(chat: Chat, post: Post): boolean {
    const { bot } = this.#world
    const root = post.isTopic ? post.thread : undefined
    // The root of a topic, which every message in it "replies" to, is no reply.
    if (post.replyTo !== undefined && post.replyTo !== root && chat.posts.get(post.replyTo)?.from === bot.id)
      return true
    const name = `@${bot.username ?? ''}`.toLowerCase()
    const { text, entities } = post.body
    return entities.some(({ type, offset, length, user }) => {
      const said = text.slice(offset, offset + length).toLowerCase()
      if (type === 'mention') return said === name
      if (type === 'text_mention') return user === bot.id
      if (type !== 'bot_command') return false
      return offset === 0 ? !said.includes('@') || said.endsWith(name) : said.endsWith(name)
    })
  }
}
