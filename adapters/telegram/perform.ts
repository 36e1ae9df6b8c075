/** Carries out operations: at most one request each. */
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import {
  type Clock,
  type Operation,
  PlatformFailure,
  type Receipt,
  type Upload,
} from '../../src/messaging/contract.js'
import { type Api, ApiError, isUnauthorized } from './api.js'
import { asFailure, isUnchanged } from './failures.js'
import { CALL_MS, PHOTO_BYTES, UPLOAD_BYTES, UPLOAD_MS } from './limits.js'
import type { Presses } from './presses.js'
import { dict, id } from './raw.js'
import { callOf, placed, quoting } from './request.js'

const PHOTOS = new Set(['.jpg', '.jpeg', '.png'])
/** Uploads and moved chats that are remembered; the oldest are forgotten. */
const MOST_REMEMBERED = 1_000

export interface PerformOptions {
  api: Api
  clock: Clock
  /** Who pressed a button and waits. */
  presses: Presses
  /** A group became a supergroup: it goes on under another id. Resolves when the core knows. */
  moved(from: string, to: string): Promise<void>
  /** Telegram does not take the token any more. */
  unauthorized(): void
}

export class Performer {
  readonly #options: PerformOptions
  /** Old chat id -> new one. */
  readonly #moved = new Map<string, string>()
  /** Pictures that Telegram refused to show: they go as files. */
  readonly #asFile = new Set<string>()

  constructor(options: PerformOptions) {
    this.#options = options
  }

  /** Throws {@link PlatformFailure} only. */
  async perform(op: Operation, key: string, signal: AbortSignal): Promise<Receipt> {
    const { clock } = this.#options
    const target = this.#followed(op)
    try {
      const answer =
        target.kind === 'upload' ? await this.#upload(target, key, signal) : await this.#call(target, signal)
      return { ...receiptOf(op, answer), at: clock.now() }
    } catch (error) {
      if (isUnchanged(error)) return { ...receiptOf(op, null), at: clock.now() }
      await this.#learn(error, target, key)
      throw asFailure(error, op, clock)
    }
  }

  /** The same operation where the chat is now. */
  #followed<T extends Operation>(op: T): T {
    const chat = this.#moved.get(op.place.chat)
    return chat === undefined ? op : { ...op, place: { ...op.place, chat } }
  }

  async #call(op: Exclude<Operation, Upload>, signal: AbortSignal): Promise<unknown> {
    const call = this.#toPresser(op) ?? callOf(op)
    if (call === null) return null
    return this.#options.api.call(call.method, call.parameters, { signal, timeoutMs: CALL_MS })
  }

  /** A note for somebody whose button still turns is shown in the chat itself, where they look. */
  #toPresser(op: Operation): ReturnType<typeof callOf> {
    if (op.kind !== 'whisper') return null
    const { text } = op.part
    const query = this.#options.presses.take(op.place.chat, op.to, text)
    if (query === undefined) return null
    return { method: 'answerCallbackQuery', parameters: { callback_query_id: query, text, show_alert: true } }
  }

  async #upload(op: Upload, key: string, signal: AbortSignal): Promise<unknown> {
    const size = await stat(op.path).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    )
    const what = `the file ${fileName(op.name)}`
    if (size === 0)
      throw new PlatformFailure({ kind: 'invalid', field: 'file' }, `${what} is empty or not there any more`)
    if (size > UPLOAD_BYTES)
      throw new PlatformFailure(
        { kind: 'invalid', field: 'file' },
        `${what} has ${size} bytes, a bot may send ${UPLOAD_BYTES}`,
      )
    const photo = PHOTOS.has(extname(op.name).toLowerCase()) && size <= PHOTO_BYTES && !this.#asFile.has(key)
    const { api } = this.#options
    const file = api.file(op.path, fileName(op.name))
    const parameters = { ...placed(op.place), ...quoting(op.replyTo), [photo ? 'photo' : 'document']: file }
    return api.call(photo ? 'sendPhoto' : 'sendDocument', parameters, { signal, timeoutMs: UPLOAD_MS })
  }

  /** What a refusal tells about the next attempt. */
  async #learn(error: unknown, op: Operation, key: string): Promise<void> {
    if (!(error instanceof ApiError)) return
    const { migrateTo } = error.parameters
    if (migrateTo !== undefined) {
      remember(this.#moved, op.place.chat, migrateTo)
      await this.#options.moved(op.place.chat, migrateTo)
    }
    if (isUnauthorized(error)) this.#options.unauthorized()
    if (error.method === 'sendPhoto' && error.status === 400 && /photo|image/i.test(error.description)) {
      if (this.#asFile.size >= MOST_REMEMBERED) this.#asFile.clear()
      this.#asFile.add(key)
      // Nothing was posted, and the file itself is good.
      throw new PlatformFailure({ kind: 'unreachable' }, `${error.description}; it goes as a file`, {
        cause: error,
      })
    }
  }
}

function receiptOf(op: Operation, answer: unknown): { id?: string } {
  if (op.kind === 'edit' || op.kind === 'delete') return { id: op.id }
  const native = id(dict(answer)?.message_id)
  return native === undefined || op.kind === 'whisper' ? {} : { id: native }
}

/** The name in a multipart head: grammY writes it there as it is. */
function fileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return name.replace(/[\0-\x1f\x7f";\\/]/g, '_').slice(-200) || 'file'
}

function remember(map: Map<string, string>, from: string, to: string): void {
  if (map.size >= MOST_REMEMBERED)
    for (const oldest of map.keys()) {
      map.delete(oldest)
      break
    }
  map.set(from, to)
}
