import type { TurnEnd, TurnRunner, TurnWork } from '../messaging/runner.js'
import { PRUNE_EVERY, pruneFiles } from './files/prune.js'
import { loggable } from './loggable.js'
import { PROMPT_TEMPLATE } from './prompt/prompt.js'
import type { Shop, Worker } from './shop.js'
import { TurnRun } from './turn.js'

/**
 * Works on turns. What goes wrong in a turn is that turn's result: it reaches no other turn, never the daemon, and
 * `run` never rejects.
 */
export class AgentRunner implements TurnRunner {
  readonly #workers: ReadonlyMap<string, Worker>
  readonly #shop: Shop
  readonly #ready: Promise<unknown>
  readonly #running = new Map<number, Promise<TurnEnd>>()
  #pruned = Number.NEGATIVE_INFINITY
  #pruning: Promise<void> = Promise.resolve()

  /** @param ready what must have happened before the first turn */
  constructor(workers: readonly Worker[], shop: Shop, ready: Promise<unknown> = Promise.resolve()) {
    this.#workers = new Map(workers.map((worker) => [worker.name, worker]))
    this.#shop = shop
    this.#ready = ready.catch((error: unknown) =>
      shop.log.warn(loggable(error), 'programs of an earlier start could not be looked for'),
    )
  }

  run(work: TurnWork): Promise<TurnEnd> {
    const running = this.#run(work).finally(() => this.#running.delete(work.turn.id))
    this.#running.set(work.turn.id, running)
    this.#prune()
    return running
  }

  /** Ends the engines; turns that still run end with them. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.engine.close()))
    await Promise.all(this.#running.values())
    await this.#pruning
  }

  /** Beside the turns, and only where there are turns: nothing piles up in a daemon at rest. */
  #prune(): void {
    const { clock, dataDir, log } = this.#shop
    const now = clock.now()
    if (now - this.#pruned < PRUNE_EVERY) return
    this.#pruned = now
    this.#pruning = pruneFiles(dataDir, now).then(
      (removed) => {
        if (removed > 0) log.info({ removed }, 'files of old turns removed')
      },
      (error: unknown) => log.warn(loggable(error), 'files of old turns could not be removed'),
    )
  }

  async #run(work: TurnWork): Promise<TurnEnd> {
    const { turn } = work
    const worker = this.#workers.get(turn.agent)
    if (worker === undefined) {
      return failed(
        'agent',
        `The agent ${turn.agent} is not in the roster any more: name another one, or add it to golem.yaml again.`,
      )
    }
    try {
      await this.#ready
      return await new TurnRun(work, worker, this.#shop).run((other) => this.#running.has(other))
    } catch (error) {
      this.#shop.log.error({ ...loggable(error), turn: turn.id }, 'a turn failed inside Golem')
      return failed('internal', `Something failed inside Golem: ${this.#shop.redactor.error(error)}`)
    }
  }
}

function failed(code: string, message: string): TurnEnd {
  return {
    result: { kind: 'failed', code, message },
    shown: { lines: 0, characters: 0, cut: 0, memoryHash: null, template: PROMPT_TEMPLATE, engine: 'none' },
    tools: [],
    files: [],
    refused: [],
    asked: [],
  }
}
