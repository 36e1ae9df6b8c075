import type { Clock } from '../messaging/ambient.js'
import { STALL_LIMIT, STOP_GRACE, TURN_LIMIT } from '../messaging/limits.js'
import type { AbortReason } from '../messaging/runner.js'

/** Beyond an engine's own grace: then it is left alone and the turn goes on without it. */
export const ABANDON_AFTER = STOP_GRACE + 6_000

/** How often a limit is looked at that moves on with the time. */
const PAUSED_LOOK = 1_000

export interface TurnLimits {
  /** Work of one turn, in milliseconds. Default TURN_LIMIT. */
  turn?: number
  /** Time without any event. Default STALL_LIMIT. */
  stall?: number
}

export type Cause =
  | { kind: 'aborted'; reason: AbortReason }
  | { kind: 'timeout'; message: string }
  | { kind: 'stalled'; message: string }

/** What may end a turn from outside: a person, an edit, the daemon's end, the turn's limits. The first cause counts. */
export class Watch {
  readonly signal: AbortSignal
  #cause: Cause | undefined
  readonly #controller = new AbortController()
  readonly #clock: Clock
  readonly #outer: AbortSignal
  readonly #stall: number
  readonly #undo = new Set<() => void>()
  #last: number
  #isOverdue = false
  /** Questions that are open now, since when, and how long there were any before. */
  #pauses = 0
  #pausedAt = 0
  #paused = 0
  #release: () => void = () => {}

  constructor(outer: AbortSignal, clock: Clock, limits: TurnLimits = {}) {
    const { turn = TURN_LIMIT, stall = STALL_LIMIT } = limits
    this.signal = this.#controller.signal
    this.#clock = clock
    this.#outer = outer
    this.#stall = stall
    this.#last = clock.now()
    outer.addEventListener('abort', this.#aborted, { once: true })
    if (outer.aborted) this.#aborted()
    else {
      this.#watchTurn(clock.now() + turn, turn)
      this.#watchStall()
    }
  }

  get cause(): Cause | undefined {
    return this.#cause
  }

  /** Settles as the engine's work does, or to null when the engine has had its time to end and has not. */
  inTime<T>(work: Promise<T>): Promise<T | null> {
    // No race with one long-lived promise: that would keep something of every event until the turn's end.
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(null)
      if (this.#isOverdue) this.#release()
      work.then(resolve, reject)
    })
  }

  /** The engine gave a sign of life. */
  touch(): void {
    this.#last = this.#clock.now()
  }

  /** A person is asked something: until the returned function is called, none of the turn's time goes by. */
  pause(): () => void {
    const since = this.#clock.now()
    if (this.#pauses++ === 0) this.#pausedAt = since
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.touch()
      if (--this.#pauses > 0) return
      this.#paused += this.#clock.now() - this.#pausedAt
    }
  }

  close(): void {
    this.#outer.removeEventListener('abort', this.#aborted)
    for (const undo of this.#undo) undo()
    this.#undo.clear()
  }

  readonly #aborted = (): void => this.#end({ kind: 'aborted', reason: reasonOf(this.#outer.reason) })

  #end(cause: Cause): void {
    if (this.#cause !== undefined) return
    this.#cause = cause
    for (const undo of this.#undo) undo()
    this.#undo.clear()
    this.#at(this.#clock.now() + ABANDON_AFTER, () => {
      this.#isOverdue = true
      this.#release()
    })
    this.#controller.abort(cause.kind === 'aborted' ? cause.reason : cause.kind)
  }

  /** Time that went by while somebody was asked something does not count. */
  #watchTurn(end: number, limit: number): void {
    const due = end + this.#standstill()
    // While somebody is asked, its end moves on with the time.
    this.#at(Math.max(due, this.#clock.now() + (this.#pauses > 0 ? PAUSED_LOOK : 0)), () => {
      if (this.#pauses > 0 || end + this.#standstill() > this.#clock.now()) this.#watchTurn(end, limit)
      else
        this.#end({
          kind: 'timeout',
          message: `The turn was stopped after ${words(limit)} of work, its limit: ask for less at once, or raise the limit.`,
        })
    })
  }

  #standstill(): number {
    return this.#paused + (this.#pauses > 0 ? this.#clock.now() - this.#pausedAt : 0)
  }

  /** One timer however many events there are: it looks at the last one when it is due. */
  #watchStall(): void {
    const due = this.#last + this.#stall
    this.#at(due, () => {
      if (this.#pauses > 0) this.touch()
      if (this.#last + this.#stall > this.#clock.now()) this.#watchStall()
      else {
        this.#end({
          kind: 'stalled',
          message: `The agent gave no sign of life for ${words(this.#stall)} and was stopped: see whether its program waits for something.`,
        })
      }
    })
  }

  #at(when: number, run: () => void): void {
    const undo = this.#clock.at(when, () => {
      this.#undo.delete(undo)
      run()
    })
    this.#undo.add(undo)
  }
}

const REASONS: readonly AbortReason[] = ['stopped', 'edited', 'deleted', 'shutdown', 'parked']

function reasonOf(reason: unknown): AbortReason {
  return REASONS.find((known) => known === reason) ?? 'stopped'
}

function words(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 1) return `${Math.round(ms / 100) / 10} s`
  return `${Math.round(minutes * 10) / 10} min`
}
