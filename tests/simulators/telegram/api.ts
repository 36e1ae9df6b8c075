/** The Bot API over HTTP: `POST /bot<token>/<method>` and `GET /file/bot<token>/<path>`. https://core.telegram.org/bots/api */
import { BadBody } from '../kit/body.js'
import type { Answer, Calls } from '../kit/calls.js'
import { type Incoming, type NoReply, type Reply, readParams } from '../kit/server.js'
import { CHAT_METHODS } from './api-chats.js'
import { EDIT_METHODS } from './api-edit.js'
import { SEND_METHODS } from './api-send.js'
import { UPDATE_METHODS } from './api-updates.js'
import type { Teller } from './delivery.js'
import { ApiError, badRequest, notFound, unauthorized, unknownMethod } from './errors.js'
import type { Feed } from './feed.js'
import type { SendLimits } from './limits.js'
import { Params } from './params.js'
import type { Json } from './shapes.js'
import { findChat } from './targets.js'
import type { Webhook } from './webhook.js'
import type { Chat, Origin, Post, StoredFile, World } from './world.js'

export interface Result {
  result: unknown
  description?: string
  /** It changed what people see. */
  effect?: boolean
}

export type Method = (api: Api, params: Params, gone: AbortSignal) => Result | Promise<Result>

const METHODS: ReadonlyMap<string, [string, Method]> = new Map(
  // Names are read without regard to case.
  Object.entries({ ...UPDATE_METHODS, ...CHAT_METHODS, ...SEND_METHODS, ...EDIT_METHODS }).map(
    ([name, run]) => [name.toLowerCase(), [name, run]],
  ),
)

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

export interface ApiParts {
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

export class Api {
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
  readonly #downloads = new Map<string, { file: StoredFile; until: number }>()
  token: string
  revoked = false
  privacyMode: boolean

  constructor({ world, feed, teller, webhook, limits, token, privacyMode }: ApiParts) {
    this.world = world
    this.feed = feed
    this.teller = teller
    this.webhook = webhook
    this.limits = limits
    this.token = token
    this.privacyMode = privacyMode
  }

  async serve(request: Incoming, calls: Calls): Promise<Reply | NoReply> {
    const path = decodeURI(request.url.pathname)
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path)
    if (file) return this.#download(request, calls, file[1] ?? '', file[2] ?? '')
    const [, token, name = ''] = /^\/bot([^/]+)\/(?:test\/)?([^/]*)$/.exec(path) ?? []
    // A token is a number, a colon and a secret; anything else is a wrong address.
    if (token === undefined || !/^\d+:[A-Za-z0-9_-]+$/.test(token)) return failure(notFound())
    let params: Params
    try {
      const { params: fields, files } = readParams(request)
      params = new Params(fields, files)
    } catch (error) {
      if (error instanceof BadBody) return failure(badRequest(error.message))
      throw error
    }
    const [method, run] = METHODS.get(name.toLowerCase()) ?? [name, null]
    const chat = params.has('chat_id') ? params.text('chat_id') : undefined
    const asked = {
      method,
      ...(chat !== undefined && { chat: String(findChat(this.world, chat)?.id ?? chat) }),
      params: params.log(),
    }
    return calls.answer(request, asked, () => this.#run(token, run, params, request.gone))
  }

  /** A method that a webhook's answer calls. Its result goes nowhere. */
  async runQuietly(calls: Calls, { method, ...fields }: Json): Promise<void> {
    const [name, run] = METHODS.get(String(method).toLowerCase()) ?? [String(method), null]
    const params = new Params(fields)
    const gone = new AbortController().signal
    const chat = params.has('chat_id') ? { chat: params.text('chat_id') } : {}
    await calls.answer({ gone, isMute: () => false }, { method: name, ...chat, params: params.log() }, () =>
      this.#run(this.token, run, params, gone),
    )
  }

  async #run(token: string, run: Method | null, params: Params, gone: AbortSignal): Promise<Answer> {
    try {
      this.#checkToken(token)
      if (!run) throw unknownMethod()
      const { effect = false, ...rest } = await run(this, params, gone)
      return { status: 200, body: { ok: true, ...rest }, effect }
    } catch (error) {
      if (error instanceof ApiError) return failure(error)
      throw error
    }
  }

  #checkToken(token: string): void {
    if (token !== this.token || this.revoked) throw unauthorized()
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
    this.#downloads.set(file.path, { file, until: this.world.clock.now() + DOWNLOAD_MS })
  }

  #download(request: Incoming, calls: Calls, token: string, path: string): Promise<Reply | NoReply> {
    return calls.answer(request, { method: 'file', params: { path } }, () => {
      try {
        this.#checkToken(token)
        const granted = this.#downloads.get(path)
        if (!granted || granted.until < this.world.clock.now()) throw notFound()
        return {
          status: 200,
          headers: { 'content-type': 'application/octet-stream' },
          body: Buffer.from(granted.file.bytes),
        }
      } catch (error) {
        if (error instanceof ApiError) return failure(error)
        throw error
      }
    })
  }
}

/** A refusal as a reply. HTTP's status is the error's code. */
export const failure = (error: ApiError): Reply => ({ status: error.code, body: error.body() })
