/**
 * The bot's mark on a message. Slack has many reactions a person and no way to replace one, so a change of mark is two
 * calls, the one operation beside an upload that has more than one request: the new mark is added, the earlier one taken
 * away. That is no breach of what the rule is for: neither call can be seen twice (`already_reacted`, `no_reaction`), so
 * an operation that is in doubt is simply repeated, and only its first call decides whether it succeeded. Because both
 * belong to the operation, a process that dies between them does the second one in its next life.
 *
 * What stands is remembered. After a restart it is not, but marks have an order: whatever ends began with `received`.
 */
import type { React } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import type { Web } from './web.js'

type Mark = React['mark']

const EMOJI: Readonly<Record<Mark, string>> = {
  received: 'eyes',
  done: 'white_check_mark',
  failed: 'x',
  stopped: 'black_square_for_stop',
}
const MOST = 5_000

export class Marks {
  readonly #standing = new Map<string, Mark>()

  constructor(private readonly web: Web) {}

  async set(channel: string, ts: string, mark: Mark, signal: AbortSignal): Promise<void> {
    const args = { channel, timestamp: ts }
    await this.web
      .call('reactions.add', { ...args, name: EMOJI[mark] }, { signal })
      .catch(unless('already_reacted'))
    const key = `${channel}:${ts}`
    const earlier = this.#standing.get(key) ?? (mark === 'received' ? undefined : 'received')
    if (earlier !== undefined && earlier !== mark) {
      // Two marks are untidy, not wrong: of the two the later one says how it ended.
      await this.web
        .call('reactions.remove', { ...args, name: EMOJI[earlier] }, { signal })
        .catch(unless('no_reaction', 'message_not_found', 'missing_scope'))
    }
    this.#standing.delete(key)
    this.#standing.set(key, mark)
    if (this.#standing.size > MOST) {
      const oldest = this.#standing.keys().next().value
      if (oldest !== undefined) this.#standing.delete(oldest)
    }
  }
}

/** Passes over these refusals: what was wanted holds already, or never can. */
function unless(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof CallFailed) || !codes.includes(error.code)) throw error
  }
}
