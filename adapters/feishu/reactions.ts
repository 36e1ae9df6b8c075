/**
 * The bot's mark on a message. Feishu has many reactions a person and no way to replace one, so a change of mark is two
 * calls: the new mark is added, the earlier one taken away by its own id. Neither can be seen twice, so an operation
 * that is in doubt is simply repeated, and only its first call decides whether it succeeded.
 *
 * What stands is remembered. After a restart it is not, but marks have an order: whatever ends began with `received`,
 * and which of those is ours is looked up.
 */
import type { React } from '../../src/messaging/contract.js'
import { type Api, idPath } from './api.js'
import { CallFailed } from './failures.js'
import { EMOJI } from './marks.js'
import { Bounded } from './remembered.js'
import { fields, list, nativeId, text } from './shape.js'

type Mark = React['mark']

const MOST = 5_000
const PAGE = 50

export class Reactions {
  readonly #standing = new Bounded<{ mark: Mark; id: string }>(MOST)

  constructor(
    private readonly api: Api,
    private readonly appId: string,
  ) {}

  /** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/create */
  async set(message: string, mark: Mark, signal: AbortSignal): Promise<void> {
    const path = `im/v1/messages/${idPath(message)}/reactions`
    const body = { reaction_type: { emoji_type: EMOJI[mark] } }
    const made = await this.api.call('POST', path, { body, signal })
    const earlier = this.#standing.get(message)
    const id = text(made.reaction_id)
    if (id === undefined) this.#standing.delete(message)
    else this.#standing.set(message, { mark, id })
    // Two marks are untidy, not wrong: of the two the later one says how it ended.
    await this.#takeAway(path, mark, earlier, signal).catch((error: unknown) => {
      if (!(error instanceof CallFailed)) throw error
    })
  }

  async #takeAway(
    path: string,
    mark: Mark,
    earlier: { mark: Mark; id: string } | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (earlier?.mark === mark || (earlier === undefined && mark === 'received')) return
    const id = earlier?.id ?? (await this.#ours(path, signal))
    if (id !== undefined) await this.api.call('DELETE', `${path}/${idPath(id)}`, { signal })
  }

  /** Of an earlier life. https://open.feishu.cn/document/server-docs/im-v1/message-reaction/list */
  async #ours(path: string, signal: AbortSignal): Promise<string | undefined> {
    const query = { reaction_type: EMOJI.received, page_size: PAGE }
    const found = await this.api.call('GET', path, { query, signal })
    for (const value of list(found.items)) {
      const { operator, reaction_id: id } = fields(value)
      if (fields(operator).operator_id === this.appId) return nativeId(id) ?? text(id)
    }
    return undefined
  }
}
