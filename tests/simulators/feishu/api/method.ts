/** What a method of the API is, and what all of them need. */
import type { UploadedFile } from '../../kit/body.js'
import type { Answer } from '../../kit/calls.js'
import { type Fields, textOf } from '../fields.js'
import type { Hub } from '../hub.js'
import type { App, Chat, Message } from '../world.js'
import { ApiError } from './errors.js'

export interface Asked {
  hub: Hub
  /** Whose token it came with. */
  app: App
  /** Query and body, and what stands in the path. */
  args: Args
  files: Readonly<Record<string, UploadedFile>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Counts towards a limit; false where limits are off or it is within. */
  isTooMuch(target: string, perSecond?: number): boolean
}

export interface Method {
  /** What it is called in `calls`. */
  name: string
  verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With names after a colon. */
  path: string
  /** Any one of them is enough; none: no scope is needed. */
  scopes: readonly string[]
  /** It changes what people see. */
  effect?: boolean
  /** `data` of the answer, or a whole answer. @throws ApiError */
  run(asked: Asked): { data: Fields } | { answer: Answer }
}

export class Args {
  readonly #values: Fields

  constructor(values: Fields) {
    this.#values = values
  }

  get(name: string): unknown {
    return this.#values[name]
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** @throws ApiError 99992402 that names the field, as Feishu does */
  need(name: string): string {
    const value = this.text(name)
    if (value !== undefined) return value
    const violation = { field: name, description: `${name} is required` }
    throw new ApiError(99992402, undefined, { field_violations: [violation] })
  }

  flag(name: string): boolean {
    const value = this.#values[name]
    return value === true || value === 'true'
  }

  /** @throws ApiError 230001 when it is not a whole number in range */
  number(name: string, fallback: number, most: number): number {
    const value = this.#values[name]
    if (value === undefined || value === '') return fallback
    const number = Number(value)
    if (!Number.isInteger(number) || number < 1 || number > most)
      throw new ApiError(230001, `invalid ${name}.`)
    return number
  }
}

/** @throws ApiError when there is none, or the bot is not in its chat */
export function messageArg(asked: Asked, missing = 230001): { message: Message; chat: Chat } {
  const { hub, app, args } = asked
  const id = textOf(args.get('message_id'))
  const message = hub.world.messages.get(id)
  if (message === undefined || (message.onlyFor !== undefined && message.sender !== app.appId)) {
    const code = /^om_[0-9a-z_]+$/i.test(id) ? missing : 230001
    throw new ApiError(code, code === 230001 ? 'invalid message_id.' : undefined)
  }
  const chat = hub.world.chat(message.chat)
  if (!chat.apps.has(app.appId)) throw new ApiError(230002)
  return { message, chat }
}

/** @throws ApiError when it was taken back, or its chat is no more */
export function mustBeThere(chat: Chat, message: Message): void {
  if (chat.disbanded) throw new ApiError(232009)
  if (message.isDeleted) throw new ApiError(230011)
}

export interface Page<Item> {
  items: Item[]
  more: { has_more: boolean; page_token: string }
}

/** One page of a list. @param most what a page may hold at most */
export function page<Item>(args: Args, items: readonly Item[], fallback: number, most: number): Page<Item> {
  const size = args.number('page_size', fallback, most)
  const token = args.text('page_token')
  const from = token === undefined ? 0 : offsetOf(token)
  const end = from + size
  const hasMore = end < items.length
  const next = hasMore ? Buffer.from(`from:${end}`).toString('base64') : ''
  return { items: items.slice(from, end), more: { has_more: hasMore, page_token: next } }
}

function offsetOf(token: string): number {
  const offset = /^from:(\d+)$/.exec(Buffer.from(token, 'base64').toString('utf8'))?.[1]
  if (offset === undefined) throw new ApiError(230001, 'invalid page_token.')
  return Number(offset)
}
