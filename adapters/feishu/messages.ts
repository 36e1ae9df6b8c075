/** Messages that are asked for by their id: what somebody answers, marks or presses, and what a forward holds. */
import { type Api, idPath } from './api.js'
import type { Remembered } from './remembered.js'
import { type Fields, fields, list } from './shape.js'

const CALL = 5_000

/** Cards as they were sent; without it, the history says of them that the reader's app is too old. */
export const WHOLE_CARDS = { card_msg_content_type: 'user_card_content' } as const

export class Messages {
  readonly #asked = new Map<string, Promise<readonly Fields[]>>()

  constructor(
    private readonly api: Api,
    readonly remembered: Remembered,
  ) {}

  /**
   * The message, and behind it what it holds where it is a merged forward. Empty where there is none, or none the bot
   * may see. https://open.feishu.cn/document/server-docs/im-v1/message/get
   *
   * @throws CallFailed where it could not be asked
   */
  fetch(id: string): Promise<readonly Fields[]> {
    const going = this.#asked.get(id)
    if (going !== undefined) return going
    const asked = this.api
      .call('GET', `im/v1/messages/${idPath(id)}`, {
        query: { user_id_type: 'open_id', ...WHOLE_CARDS },
        timeoutMs: CALL,
      })
      .then((found) => {
        const items = list(found.items).map(fields)
        if (items[0] !== undefined) this.remembered.note(items[0])
        return items
      })
      .finally(() => this.#asked.delete(id))
    this.#asked.set(id, asked)
    return asked
  }

  /** Undefined where it is not known and cannot be had. */
  async find(id: string): Promise<Fields | undefined> {
    return this.remembered.message(id) ?? (await this.fetch(id).catch(() => []))[0]
  }
}
