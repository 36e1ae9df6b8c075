/** The bot's account as the methods of its API see it. */
import type { Teller } from './delivery.js'
import { badRequest } from './errors.js'
import type { Feed } from './feed.js'
import type { SendLimits } from './limits.js'
import type { Params } from './params.js'
import type { Json } from './shapes.js'
import type { Webhook } from './webhook.js'
import type { Chat, Origin, Post, StoredFile, World } from './world.js'

export interface Result {
  result: unknown
  description?: string
  /** It changed what people see. */
  effect?: boolean
}

export type Method = (api: BotState, params: Params, gone: AbortSignal) => Result | Promise<Result>

/** A button press that waits for `answerCallbackQuery`. */
export interface Query {
  id: string
  person: number
}

/** What a person who pressed a button was shown by `answerCallbackQuery`. */
export interface CallbackAnswer {
  query: string
  to: number
  text: string
  alert: boolean
}

export interface BotParts {
  world: World
  feed: Feed
  teller: Teller
  webhook: Webhook
  limits: SendLimits
  token: string
  privacyMode: boolean
}

/** How long a link of `getFile` works at least: https://core.telegram.org/bots/api#getfile */
const DOWNLOAD_MS = 3600 * 1000

/** What the bot's account holds, and what several methods of the API need of it. */
export class BotState {
  readonly world: World
  readonly feed: Feed
  readonly teller: Teller
  readonly webhook: Webhook
  readonly limits: SendLimits
  readonly queries = new Map<string, Query>()
  readonly answers: CallbackAnswer[] = []
  readonly commands = new Map<string, readonly Json[]>()
  /** When the bot last said it was typing, by chat. */
  readonly typing = new Map<number, number>()
  /** The answer that the bot is writing, by chat. */
  readonly drafts = new Map<number, { id: number; text: string; at: number }>()
  readonly downloads = new Map<string, { file: StoredFile; until: number }>()
  token: string
  revoked = false
  privacyMode: boolean

  constructor({ world, feed, teller, webhook, limits, token, privacyMode }: BotParts) {
    this.world = world
    this.feed = feed
    this.teller = teller
    this.webhook = webhook
    this.limits = limits
    this.token = token
    this.privacyMode = privacyMode
  }

  /** @throws ApiError when the bot may not write in this chat */
  mayWrite(chat: Chat): void {
    const { bot } = this.world
    if (chat.type === 'channel' && !this.world.isAdmin(chat, bot.id))
      throw badRequest('need administrator rights in the channel chat')
    if (chat.members.get(bot.id)?.status === 'restricted') {
      throw badRequest('not enough rights to send text messages to the chat')
    }
  }

  /** Where a forwarded post comes from. */
  originOf(post: Post): Origin {
    if (post.origin) return post.origin
    const { date } = post
    const chat = this.world.chat(post.chat)
    if (chat.type === 'channel') return { type: 'channel', chat: chat.id, post: post.id, date }
    if (post.senderChat !== undefined) return { type: 'chat', chat: post.senderChat, date }
    return { type: 'user', account: post.from ?? this.world.bot.id, date }
  }

  /** The topic's first message is the service message that says it was made; its id is the topic's. */
  createTopic(chat: Chat, by: number, name: string): Post {
    const root = this.world.add({
      chat: chat.id,
      from: by,
      isTopic: true,
      service: { forum_topic_created: { name, icon_color: 0x6fb9f0 } },
    })
    root.thread = root.id
    chat.topics.set(root.id, { name, closed: false })
    return root
  }

  botLeaves(chat: Chat): void {
    const { bot } = this.world
    const before = chat.members.get(bot.id)
    chat.members.set(bot.id, { status: 'left', anonymous: false, seesAll: false })
    this.teller.membership(chat, bot.id, bot.id, before)
  }

  grantDownload(file: StoredFile): void {
    this.downloads.set(file.path, { file, until: this.world.clock.now() + DOWNLOAD_MS })
  }
}
