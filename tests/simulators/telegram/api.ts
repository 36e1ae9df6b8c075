/** The Bot API over HTTP: `POST /bot<token>/<method>` and `GET /file/bot<token>/<path>`. https://core.telegram.org/bots/api */
import { BadBody } from '../kit/body.js'
import type { Answer, Calls } from '../kit/calls.js'
import { type Incoming, type NoReply, type Reply, readParams } from '../kit/server.js'
import { CHAT_METHODS } from './api-chats.js'
import { EDIT_METHODS } from './api-edit.js'
import { SEND_METHODS } from './api-send.js'
import { UPDATE_METHODS } from './api-updates.js'
import type { BotState, Method } from './bot-state.js'
import { ApiError, badRequest, notFound, unauthorized, unknownMethod } from './errors.js'
import { Params } from './params.js'
import type { Json } from './shapes.js'
import { findChat } from './targets.js'

const METHODS: ReadonlyMap<string, [string, Method]> = new Map(
  // Names are read without regard to case.
  Object.entries({ ...UPDATE_METHODS, ...CHAT_METHODS, ...SEND_METHODS, ...EDIT_METHODS }).map(
    ([name, run]) => [name.toLowerCase(), [name, run]],
  ),
)

export class Api {
  readonly #bot: BotState
  readonly #calls: Calls

  constructor(bot: BotState, calls: Calls) {
    this.#bot = bot
    this.#calls = calls
  }

  async serve(request: Incoming): Promise<Reply | NoReply> {
    const path = decodeURI(request.url.pathname)
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path)
    if (file) return this.#download(request, file[1] ?? '', file[2] ?? '')
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
      ...(chat !== undefined && { chat: String(findChat(this.#bot.world, chat)?.id ?? chat) }),
      params: params.log(),
    }
    return this.#calls.answer(request, asked, () => this.#run(token, run, params, request.gone))
  }

  /** A method that a webhook's answer calls. Its result goes nowhere. */
  async runQuietly({ method, ...fields }: Json): Promise<void> {
    const [name, run] = METHODS.get(String(method).toLowerCase()) ?? [String(method), null]
    const params = new Params(fields)
    const gone = new AbortController().signal
    const chat = params.has('chat_id') ? { chat: params.text('chat_id') } : {}
    await this.#calls.answer(
      { gone, isMute: () => false },
      { method: name, ...chat, params: params.log() },
      () => this.#run(this.#bot.token, run, params, gone),
    )
  }

  async #run(token: string, run: Method | null, params: Params, gone: AbortSignal): Promise<Answer> {
    try {
      this.#checkToken(token)
      if (!run) throw unknownMethod()
      const { effect = false, ...rest } = await run(this.#bot, params, gone)
      return { status: 200, body: { ok: true, ...rest }, effect }
    } catch (error) {
      if (error instanceof ApiError) return failure(error)
      throw error
    }
  }

  #checkToken(token: string): void {
    if (token !== this.#bot.token || this.#bot.revoked) throw unauthorized()
  }

  #download(request: Incoming, token: string, path: string): Promise<Reply | NoReply> {
    return this.#calls.answer(request, { method: 'file', params: { path } }, () => {
      try {
        this.#checkToken(token)
        const granted = this.#bot.downloads.get(path)
        if (!granted || granted.until < this.#bot.world.clock.now()) throw notFound()
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

/** A refusal as a reply. HTTP's status is the error's code; a wait stands in a header too. */
export function failure(error: ApiError): Reply {
  const wait = error.parameters?.retry_after
  return {
    status: error.code,
    ...(wait !== undefined && { headers: { 'retry-after': String(wait) } }),
    body: error.body(),
  }
}
