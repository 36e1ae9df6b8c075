/** One run of a scenario: a scene, a daemon in it, and what the scenario asks of both. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Seen } from '../simulators/kit/stage.js'
import type { Daemon } from './daemon.js'
import { leftOver, type Rules } from './judge.js'
import type { Scene } from './scene.js'

/** What is only about a moment goes within this time after everything else is done, in milliseconds. */
const TIDY = 8_000

export class Play {
  readonly daemon: Daemon
  readonly scene: Scene
  readonly rules: Rules
  /** Longest text of one post on this platform. */
  readonly textMax: number

  constructor(daemon: Daemon, scene: Scene, rules: Rules, textMax: number) {
    this.daemon = daemon
    this.scene = scene
    this.rules = rules
    this.textMax = textMax
  }

  /** Nothing is on its way to Golem or from it: what is in the chat now is what people see. */
  async quiet(): Promise<void> {
    const { daemon, scene } = this
    await daemon.until(
      async () => scene.isDelivered() && (await daemon.isIdle()) && scene.isDelivered(),
      'the daemon never came to rest',
    )
  }

  /** The planned death has come, and everything was done that there was to do. */
  async rest(): Promise<void> {
    await this.quiet()
    await this.daemon.dead()
    await this.quiet()
  }

  /**
   * What is in the chat at the end. Status posts get a moment to go; one stays whose receipt was lost where nobody can
   * say whether it stands, and the receipts of `ids` say so.
   */
  async end(ids: readonly string[]): Promise<{ seen: readonly Seen[]; problems: string[] }> {
    await this.rest()
    const until = Date.now() + TIDY
    for (;;) {
      const seen = await this.scene.seen()
      const found = leftOver(seen)
      if (found.length === 0) return { seen, problems: [] }
      const lost = this.rules.labels === 0 ? 0 : await this.#lostStatus(ids)
      if (found.length <= lost) return { seen, problems: [] }
      if (Date.now() > until) return { seen, problems: found }
      await delay(100)
    }
  }

  /** Status posts that may stand in the chat, as far as anybody knows. */
  async #lostStatus(ids: readonly string[]): Promise<number> {
    const receipts = await Promise.all(ids.map((id) => this.daemon.receipt(this.scene.key(id))))
    const operations = receipts.flatMap(({ turns }) => turns.flatMap((turn) => turn.operations))
    return operations.filter(
      ({ role, state, failure }) => role === 'status' && state === 'failed' && failure === 'ambiguous',
    ).length
  }

  /** Receipts that do not say that these messages were answered. */
  async unanswered(ids: readonly string[]): Promise<string[]> {
    const problems: string[] = []
    for (const id of ids) {
      const { outcome } = await this.daemon.receipt(this.scene.key(id))
      if (outcome !== 'answered') problems.push(`the receipt of ${id} says ${outcome}`)
    }
    return problems
  }

  /** The agent is at work, or has been. */
  async begun(): Promise<void> {
    await this.daemon.until(async () => {
      const { turns } = await this.daemon.get<{ turns: { state: string }[] }>('/api/queue')
      return turns.some(({ state }) => state === 'running') || (await this.#hasSpoken())
    }, 'the agent never began')
  }

  async #hasSpoken(): Promise<boolean> {
    return (await this.scene.seen()).some(({ author }) => author.bot)
  }
}
