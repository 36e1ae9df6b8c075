/**
 * Performs the operations of the outbox: in order within a conversation, side by side between conversations, within the
 * write budgets, and never twice without saying so.
 *
 * It never invents an operation, never keeps state that a restart would miss, and never concludes "not sent" from
 * silence: a row is `sending` in the store before the platform is called, and what a dead process was sending comes back
 * as ambiguous.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import { Attempts, RETRY_FIRST, RETRY_MOST } from './attempt.js'
import { type Write, WriteLedger } from './budget.js'
import type { Directory } from './directory.js'
import { Holds } from './holds.js'
import { LateEdits } from './late.js'
import { peopleOf } from './member-lists.js'
import { Nudge } from './nudge.js'
import { kindOf } from './operation.js'
import type { Language, ReplyStyle } from './roster.js'
import type { ClaimedOperation, OperationResult, Store } from './store.js'

/** Operations at work at the same time, over all connections. */
const PARALLEL = 32
/** What is sent just before the end is given so long all the same: cut off, it might be said twice. */
const LAST_WORD: Millis = 1_500

export interface CourierOptions {
  store: Pick<Store, 'claimOperations' | 'recordReceipt' | 'members'>
  directory: Directory
  clock: Clock
  log: Logger
  language: Language
  /** How a chat wants its answers. */
  replyStyle(chatKey: string): ReplyStyle
  /** Keeps a text that is too long for a chat as a file, and says where. Durable when it resolves. */
  keepAsFile(operation: number, text: string): Promise<string>
  /** Told of a status post that stands in its chat now, under this native id. */
  standing?(claimed: ClaimedOperation, id: string): void
}

/** Something held back is looked at again after this long. */
const HELD: Millis = 1_000

export class Courier {
  readonly #options: CourierOptions
  readonly #attempts: Attempts
  /** Waits that platforms asked for. Also what is written past the outbox (typing, private notes) keeps to them. */
  readonly holds = new Holds()
  /** Edits past the outbox. */
  readonly late: LateEdits
  readonly #ledger: WriteLedger
  /** What the last look found ready, and the budgets did not let go. */
  #held: readonly Write[] = []
  readonly #idle = new Set<() => void>()
  /** Calls that the platform has not answered yet. */
  #atWork = 0
  /** Operations handed out whose end is not stored yet. */
  #recording = 0
  #claiming = 0
  /** A look is asked for while one is under way that spends budgets: it must know what that one took. */
  #again = false
  #closed = false
  #cancelTimer: (() => void) | null = null
  #timerAt: Millis | null = null
  /** The last look found more than could be taken: whoever is done looks again. */
  #starved = false
  readonly #nudge = new Nudge(() => void this.#claim())
  #unwatch: () => void

  constructor(options: CourierOptions) {
    this.#options = options
    this.#ledger = new WriteLedger((id) => options.directory.get(id)?.platform.limits.budgets ?? [])
    this.late = new LateEdits(options.clock)
    this.#attempts = new Attempts({
      ...options,
      late: this.late,
      members: (chatKey) => peopleOf(options.store, chatKey),
      limited: ({ connection, chatKey }, { kind }, failure) =>
        this.holds.add({ connection, chatKey, kind }, failure, options.clock.now()),
    })
    this.#unwatch = options.directory.watch(() => this.kick())
  }

  /** Something may be ready. Called in the tick of a store command, the claim shares that command's commit. */
  kick(): void {
    if (!this.#closed) this.#nudge.call()
  }

  /** When something past the outbox may be written: not before what waits in it, nor into what is kept for it. */
  freeAt(write: Write): Millis {
    const now = this.#options.clock.now()
    if (this.holds.holds(write, now) || this.#held.some(({ connection }) => connection === write.connection))
      return now + HELD
    return this.#ledger.freeAt(write, now)
  }

  /** Counts a write past the outbox. @returns to be told when the platform has answered */
  spend(write: Write): () => void {
    const { clock } = this.#options
    const answered = this.#ledger.spend(write, clock.now())
    return () => answered(clock.now())
  }

  /**
   * Waits until nothing is being sent, and no longer than until `deadline`: a call without an answer is cut off then, and
   * remembered as one that may have had its effect. What is not sent yet stays in the outbox.
   */
  async close(deadline: Millis): Promise<void> {
    this.#closed = true
    this.#unwatch()
    this.#cancelTimer?.()
    if (this.#recording + this.#claiming === 0) return
    const { clock } = this.#options
    const cancel = clock.at(Math.max(deadline, clock.now() + LAST_WORD), () => this.#attempts.cut())
    await new Promise<void>((resolve) => this.#idle.add(resolve))
    cancel()
  }

  async #claim(): Promise<void> {
    const { store, directory, clock, log } = this.#options
    if (this.#closed) return
    const now = clock.now()
    const nextHold = this.holds.expire(now)
    const connections = directory.up().filter((id) => !this.holds.account(id, now))
    const max = PARALLEL - this.#atWork
    if (max <= 0) this.#starved = true
    if (nextHold !== null) this.wakeBy(nextHold)
    if (connections.length === 0 || max <= 0) return
    const budgets = this.#ledger.allowances(connections, now)
    const scarce = Object.keys(budgets).length > 0
    if (scarce && this.#claiming > 0) {
      this.#again = true
      return
    }
    this.#claiming++
    try {
      const claimed = await store.claimOperations({
        now,
        max,
        connections,
        blocked: this.holds.chats(),
        kinds: this.holds.kinds(),
        budgets,
      })
      this.#starved = claimed.operations.length === max
      this.#held = claimed.held
      for (const operation of claimed.operations) void this.#send(operation)
      this.#wakeAt(this.#soonest(claimed.nextAt, claimed.held))
    } catch (error) {
      log.warn({ error: String(error) }, 'the outbox could not be read; trying again')
      this.#wakeAt(clock.now() + RETRY_FIRST)
    } finally {
      this.#claiming--
      if (this.#again && this.#claiming === 0) {
        this.#again = false
        this.kick()
      }
      this.#settleIdle()
    }
  }

  /** When the first of what waits may go, as far as it is known. */
  #soonest(next: Millis | null, held: readonly Write[]): Millis | null {
    const now = this.#options.clock.now()
    const times = held.map((write) => this.#ledger.freeAt(write, now))
    if (next !== null) times.push(next)
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Something becomes ready at `when`, now or later. */
  wakeBy(when: Millis): void {
    if (when <= this.#options.clock.now()) this.kick()
    else if (this.#timerAt === null || when < this.#timerAt) this.#wakeAt(when)
  }

  #wakeAt(when: Millis | null): void {
    // An earlier call stays: looking once too often is cheap, once too late is not.
    if (this.#closed || when === null || (this.#timerAt !== null && this.#timerAt <= when)) return
    this.#cancelTimer?.()
    this.#timerAt = when
    this.#cancelTimer = this.#options.clock.at(when, () => {
      this.#timerAt = null
      this.kick()
    })
  }

  async #send(claimed: ClaimedOperation): Promise<void> {
    const { clock } = this.#options
    this.#atWork++
    this.#recording++
    const answered = this.#ledger.spend(writeOf(claimed), clock.now())
    const result = await this.#attempts.run(claimed)
    answered(clock.now())
    this.#atWork--
    await this.#record(claimed, result)
    this.#recording--
    this.#settleIdle()
    // Not before it is stored where the post stands: what is shown in it can be taken away again, whatever happens.
    if (result.state === 'sent' && claimed.role === 'status' && result.receipt.id !== undefined)
      this.#options.standing?.(claimed, result.receipt.id)
  }

  /** The platform has answered: that must be stored, however often it takes. */
  async #record(claimed: ClaimedOperation, result: OperationResult): Promise<void> {
    const { store, clock, log } = this.#options
    for (let wait = RETRY_FIRST; ; wait = Math.min(wait * 2, RETRY_MOST)) {
      try {
        const recorded = store.recordReceipt(claimed.id, result)
        // In the same tick: the next operation of the conversation shares this commit.
        const looks = claimed.more || this.#starved || result.state !== 'sent'
        if (looks) this.kick()
        const { more } = await recorded
        // It turned up while this one was on its way: nobody else looks into a lane at work.
        if (more && !looks) this.kick()
        return
      } catch (error) {
        log.error(
          { operation: claimed.id, error: String(error) },
          'a receipt could not be stored; trying again',
        )
        // Not recorded: a restart finds the row `sending`, hence ambiguous, and settles it.
        if (this.#closed) return
        await new Promise<void>((resolve) => clock.at(clock.now() + wait, resolve))
      }
    }
  }

  #settleIdle(): void {
    if (this.#recording + this.#claiming > 0) return
    for (const resolve of this.#idle) resolve()
    this.#idle.clear()
  }
}

function writeOf({ connection, chatKey, chat = 'group', op, yields }: ClaimedOperation): Write {
  return { connection, chatKey, chat, kind: kindOf(op), yields }
}
