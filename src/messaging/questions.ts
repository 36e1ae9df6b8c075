/**
 * Runs that wait for a person. The question itself is a row: whatever is kept here is only who is to be told.
 *
 * It decides nothing, and hands out no decision twice: a ruling is taken from the store, once. A run that waits for long
 * ends (its turn is parked), so that its conversation, its agent and its program wait for nobody.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Question, Ruling } from './approval.js'
import type { ApprovalStore } from './approval-store.js'
import { APPROVAL_PARK } from './limits.js'
import type { AbortReason } from './runner.js'

const STOPPED: Ruling = { kind: 'refused', why: 'stopped' }

export interface QuestionsOptions {
  store: ApprovalStore
  clock: Clock
  log: Logger
  /** How long a run waits. Default APPROVAL_PARK. */
  parkMs?: Millis
  /** Something was put into the outbox, or a turn may start. */
  kick(): void
}

/** The run of a turn. */
export interface Asker {
  turn: number
  abort: AbortController
  /** It waits for these people, from now on; null: no longer. */
  asking(who: readonly string[] | null): void
}

interface Waiter {
  asker: Asker
  /** What is to happen once it waits no longer. */
  later: (() => void)[]
  ruled(): void
}

export class Questions {
  readonly #options: QuestionsOptions
  /** By question. */
  readonly #waiting = new Map<number, Waiter>()
  #closed = false
  #cancelExpiry: (() => void) | null = null
  #expiryAt: Millis | null = null

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** Asks, and waits for the decision as long as the run may wait. Never rejects for an abort: that is a refusal. */
  async ask(asker: Asker, question: Question): Promise<Ruling> {
    const { store, clock, kick } = this.#options
    const { turn, abort } = asker
    if (abort.signal.aborted) return STOPPED
    const opened = await store.openQuestion({ turn, question, at: clock.now() })
    kick()
    if (opened.status === 'ruled') return opened.ruling
    if (abort.signal.aborted) return STOPPED
    asker.asking(opened.who)
    this.#expireAt(opened.expiresAt)
    const isRuled = await this.#wait(opened.approval, asker)
    if (!isRuled) return STOPPED
    asker.asking(null)
    return (await store.takeRuling(opened.approval, clock.now())) ?? STOPPED
  }

  /** These are decided: whoever waits for one goes on. */
  ruled(approvals: readonly number[]): void {
    for (const approval of approvals) this.#waiting.get(approval)?.ruled()
  }

  /** Runs it once the turn waits for nobody; at once where it does not. */
  whenIdle(turn: number, run: () => void): void {
    const waiter = [...this.#waiting.values()].find(({ asker }) => asker.turn === turn)
    if (waiter) waiter.later.push(run)
    else run()
  }

  /** Refuses what nobody decided in time, and tells the runs whose decision they have not heard of. */
  async expire(): Promise<void> {
    const { store, clock, kick } = this.#options
    const { ruled, expired, nextAt } = await store.expireQuestions(clock.now())
    this.ruled(ruled)
    if (expired > 0) kick()
    if (nextAt !== null && this.#waiting.size > 0) this.#expireAt(nextAt)
  }

  /** Golem ends: no run is waited for that waits for a person. Their turns go on in its next life. */
  close(): void {
    this.#closed = true
    this.#cancelExpiry?.()
    for (const { asker } of [...this.#waiting.values()]) park(asker)
  }

  #wait(approval: number, asker: Asker): Promise<boolean> {
    const { clock, parkMs = APPROVAL_PARK } = this.#options
    const { signal } = asker.abort
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + parkMs, () => park(asker))
      const end = (isRuled: boolean): void => {
        cancel()
        signal.removeEventListener('abort', stopped)
        const later = this.#waiting.get(approval)?.later ?? []
        this.#waiting.delete(approval)
        resolve(isRuled)
        if (isRuled) for (const run of later) run()
      }
      const stopped = (): void => end(false)
      signal.addEventListener('abort', stopped, { once: true })
      this.#waiting.set(approval, { asker, later: [], ruled: () => end(true) })
      if (this.#closed) park(asker)
    })
  }

  /** One timer, for the first that expires. */
  #expireAt(when: Millis): void {
    if (this.#closed || (this.#expiryAt !== null && this.#expiryAt <= when)) return
    const { clock, log } = this.#options
    this.#cancelExpiry?.()
    this.#expiryAt = when
    this.#cancelExpiry = clock.at(when, () => {
      this.#expiryAt = null
      this.expire().catch((error: unknown) =>
        log.warn({ error: String(error) }, 'questions that nobody decided were not looked for; trying again'),
      )
    })
  }
}

function park({ abort }: Asker): void {
  abort.abort('parked' satisfies AbortReason)
}
