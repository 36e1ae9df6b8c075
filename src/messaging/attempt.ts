/**
 * One attempt of an operation: looks up what became of the one before, calls the platform at most once, and says what
 * the store is to remember. It keeps nothing that a restart would miss: the times it knows only make it more patient.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { ConnectionId, Member, Operation, Receipt } from './contract.js'
import type { Directory, Entry } from './directory.js'
import { type Failure, PlatformFailure } from './failure.js'
import { labelled } from './label.js'
import { nextStep, type Refusal, type Step } from './ladder.js'
import type { LateEdits } from './late.js'
import { OPERATION_STUCK, UNSURE_SENDS, UNSURE_WAITS } from './limits.js'
import { renderNote } from './note.js'
import { isPassing } from './operation.js'
import type { Language, ReplyStyle } from './roster.js'
import type { ClaimedOperation, OperationResult } from './store.js'
import { failureOf, isKeyless, messageOf, type Trial } from './trial.js'

/** Waits between tries of an unreachable platform: doubled each time, with jitter, up to the last. */
export const RETRY_FIRST = 1_000
export const RETRY_MOST = 60_000
/** Tries of an operation that fails inside Golem itself. */
const FAULTS = 8

type RateLimited = Extract<Failure, { kind: 'rate-limited' }>

export interface AttemptOptions {
  directory: Directory
  clock: Clock
  log: Logger
  language: Language
  /** How a chat wants its answers. */
  replyStyle(chatKey: string): ReplyStyle
  members(chatKey: string): Promise<readonly Member[]>
  keepAsFile(operation: number, text: string): Promise<string>
  /** Edits past the outbox, which must not come after those of it. */
  late: LateEdits
  /** The platform named a time to wait for. */
  limited(claimed: ClaimedOperation, op: Operation, failure: RateLimited): void
}

export class Attempts {
  readonly #options: AttemptOptions
  /** When the last call for an operation began: until it can no longer arrive, "not there" proves nothing. */
  readonly #calledAt = new Map<number, Millis>()
  /** Since when an operation is tried in vain. */
  readonly #inVain = new Map<number, Millis>()
  /** When a connection last took an operation. */
  readonly #tookAt = new Map<ConnectionId, Millis>()
  /** Calls that the platform has not answered yet. */
  readonly #open = new Set<AbortController>()

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  /** Ends the calls that are still without an answer: whether they had their effect is not known. */
  cut(): void {
    for (const abort of this.#open) abort.abort()
  }

  async run(claimed: ClaimedOperation): Promise<OperationResult> {
    const result = await this.#try(claimed).catch((error: unknown) => this.#fault(claimed, error))
    if (result.state !== 'retry') {
      this.#calledAt.delete(claimed.id)
      this.#inVain.delete(claimed.id)
    }
    if (result.state === 'sent') this.#tookAt.set(claimed.connection, result.at)
    return result
  }

  async #try(claimed: ClaimedOperation): Promise<OperationResult> {
    const { directory, language, replyStyle } = this.#options
    const entry = directory.get(claimed.connection)
    if (!entry?.connection)
      return this.#retry(claimed, { kind: 'unreachable' }, 'the connection is down', false)
    const op =
      claimed.op.kind === 'note'
        ? renderNote(claimed.op, claimed.tokens, entry.platform, language, replyStyle(claimed.chatKey))
        : claimed.op
    const first = { claimed, op, entry, cleared: false }
    if (claimed.unsure === 0) return await this.#call(first)
    if (!this.#calledAt.has(claimed.id) && claimed.sendingAt !== null)
      this.#calledAt.set(claimed.id, claimed.sendingAt)
    const next = await this.#again(first)
    return 'state' in next ? next : await this.#call(next)
  }

  // ---- after an attempt that may have had its effect ----------------------------------------------------------------

  /** What to do about it: the result, where that is known; else what to send now. */
  async #again(trial: Trial): Promise<OperationResult | Trial> {
    const { claimed, op, entry } = trial
    if (!isKeyless(trial, this.#options.clock.now())) {
      // The platform knows its key, or there is nothing to undo.
      if (op.kind === 'post' || op.kind === 'upload' || op.kind === 'delete') return trial
      // It sets a state, so it may be said again. But a late first copy must not undo what is said after it.
      return this.#untilItCannotArrive(trial, 'it is said again then') ?? trial
    }
    const verdict = await this.#lookUp(trial)
    if (typeof verdict === 'object' && 'state' in verdict) return verdict
    if (typeof verdict === 'object') return this.#sent(trial, verdict)
    const wait = entry.connection?.settle
      ? this.#untilItCannotArrive(trial, 'it is looked up again then')
      : null
    if (wait !== null) return wait
    if (verdict === 'not-sent') return { ...trial, cleared: true }
    if (isPassing(claimed.op))
      return this.#failed(
        trial,
        { kind: 'ambiguous' },
        'it may stand in the chat, and is not worth a second one',
      )
    if (claimed.unsure >= UNSURE_SENDS) return this.#failed(trial, { kind: 'ambiguous' }, NEVER_SAID)
    return await this.#onceMore(trial)
  }

  /** Null once the last call can have no effect any more. */
  #untilItCannotArrive({ claimed, entry }: Trial, what: string): OperationResult | null {
    const now = this.#options.clock.now()
    // A clock that was set back since must not make it wait for the old time.
    const calledAt = Math.min(this.#calledAt.get(claimed.id) ?? now, now)
    this.#calledAt.set(claimed.id, calledAt)
    const until = calledAt + entry.platform.limits.timeoutMs
    if (until <= now) return null
    const message = `the last attempt may still arrive; ${what}`
    return {
      state: 'retry',
      at: now,
      retryAt: until,
      failure: { kind: 'ambiguous' },
      ambiguous: false,
      message,
    }
  }

  async #lookUp({ claimed, op, entry }: Trial): Promise<OperationResult | Receipt | 'not-sent' | 'unknown'> {
    const { connection } = entry
    if (!connection?.settle) return 'unknown'
    try {
      return await this.#inTime(
        entry,
        () => connection.settle?.(op, claimed.key) ?? Promise.resolve('unknown'),
      )
    } catch (error) {
      const failure = failureOf(error)
      const message = `what became of it could not be looked up: ${messageOf(error)}`
      if (failure.kind === 'rate-limited') return this.#wait(claimed, failure, message)
      return this.#retry(claimed, { kind: 'unreachable' }, message, false)
    }
  }

  /** In the place of the status post, where one stands: then there is never a second copy. Else with a label. */
  async #onceMore(trial: Trial): Promise<OperationResult | Trial> {
    const { claimed, op, entry } = trial
    const { language, members, clock } = this.#options
    const words =
      claimed.answer === undefined
        ? undefined
        : { markdown: claimed.answer, members: await members(claimed.chatKey) }
    const again = labelled(op, entry.platform, language, words)
    if (
      again.kind !== 'post' ||
      claimed.status === undefined ||
      !entry.platform.can.operations.includes('edit')
    )
      return { ...trial, op: again }
    const { place, part, agent } = again
    return {
      state: 'replace',
      at: clock.now(),
      op: {
        kind: 'edit',
        place,
        id: claimed.status,
        part,
        buttons: [],
        ...(agent === undefined ? {} : { agent }),
      },
      failure: { kind: 'ambiguous' },
      message: 'it may stand in the chat; the status post becomes the answer, with a label',
    }
  }

  // ---- the call -----------------------------------------------------------------------------------------------------

  async #call(trial: Trial): Promise<OperationResult> {
    const { claimed, op, entry } = trial
    const { connection } = entry
    if (!connection) return this.#retry(claimed, { kind: 'unreachable' }, 'the connection is down', false)
    const { late, clock } = this.#options
    await late.quiet(claimed.connection, op)
    this.#calledAt.set(claimed.id, clock.now())
    try {
      const say = () => this.#inTime(entry, (signal) => connection.perform(op, claimed.key, signal))
      let receipt = await say()
      if (await late.landed(claimed.connection, op)) receipt = await say()
      return late.assertAgain(trial) ?? this.#sent(trial, receipt)
    } catch (error) {
      return await this.#refused(trial, failureOf(error), messageOf(error))
    }
  }

  #sent({ claimed, op }: Trial, receipt: Receipt): OperationResult {
    const id = receipt.id ?? (op.kind === 'edit' && claimed.role === 'answer' ? op.id : undefined)
    return {
      state: 'sent',
      receipt: { at: receipt.at, ...(id === undefined ? {} : { id }) },
      at: this.#options.clock.now(),
    }
  }

  /** @throws PlatformFailure `ambiguous` when the platform has not answered after its own time limit */
  async #inTime<Answer>(entry: Entry, call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { clock } = this.#options
    const abort = new AbortController()
    this.#open.add(abort)
    const cancel = clock.at(clock.now() + entry.platform.limits.timeoutMs, () => abort.abort())
    try {
      const timedOut = new Promise<never>((_, reject) => {
        abort.signal.addEventListener('abort', () =>
          reject(new PlatformFailure({ kind: 'ambiguous' }, 'the platform did not answer in time')),
        )
      })
      return await Promise.race([call(abort.signal), timedOut])
    } finally {
      cancel()
      this.#open.delete(abort)
    }
  }

  async #refused(trial: Trial, failure: Failure, message: string): Promise<OperationResult> {
    const { claimed, op } = trial
    this.#options.log.warn({ operation: claimed.id, kind: op.kind, failure: failure.kind }, message)
    switch (failure.kind) {
      case 'rate-limited':
        this.#options.limited(claimed, op, failure)
        return this.#wait(claimed, failure, message, trial.cleared)
      case 'unreachable':
        return (
          (await this.#stuck(trial, failure, message)) ?? this.#retry(claimed, failure, message, false, trial)
        )
      case 'unauthorized':
        return this.#retry(claimed, failure, message, false, trial)
      case 'ambiguous':
        return await this.#unsure(trial, failure, message)
      default:
        return await this.#step(trial, failure, failure, message)
    }
  }

  async #unsure(trial: Trial, failure: Failure, message: string): Promise<OperationResult> {
    const { claimed, op, entry, cleared } = trial
    if (!isKeyless(trial, this.#options.clock.now())) {
      // As often as it is sent under a key, it is one send.
      const first = cleared || claimed.unsure === 0
      const result =
        (await this.#stuck(trial, failure, message)) ?? this.#retry(claimed, failure, message, first, trial)
      const wait =
        op.kind === 'post' || op.kind === 'upload' || op.kind === 'delete'
          ? null
          : this.#untilItCannotArrive(trial, '')
      if (result.state !== 'retry' || wait?.state !== 'retry') return result
      return { ...result, retryAt: Math.max(result.retryAt, wait.retryAt) }
    }
    const sends = (cleared ? 0 : claimed.unsure) + 1
    if (sends >= UNSURE_SENDS && !entry.connection?.settle) return this.#failed(trial, failure, NEVER_SAID)
    const wait = UNSURE_WAITS[Math.min(sends, UNSURE_WAITS.length) - 1] ?? RETRY_MOST
    return this.#retry(claimed, failure, message, true, trial, wait)
  }

  // ---- other ways ---------------------------------------------------------------------------------------------------

  /** Tried in vain for long, while the connection takes others: it is about this one. Null: it is not that, or not yet. */
  async #stuck(trial: Trial, failure: Failure, message: string): Promise<OperationResult | null> {
    const { claimed } = trial
    // Another way would begin without knowing what may stand already.
    if (claimed.unsure > 0 && !trial.cleared && isKeyless(trial, this.#options.clock.now())) return null
    const now = this.#options.clock.now()
    const since = this.#inVain.get(claimed.id)
    if (since === undefined) this.#inVain.set(claimed.id, now)
    const others = this.#tookAt.get(claimed.connection) ?? 0
    if (since === undefined || now - since < OPERATION_STUCK || others <= since) return null
    return await this.#step(
      trial,
      { kind: 'stuck' },
      failure,
      `${message}; tried in vain while others got through`,
    )
  }

  async #step(trial: Trial, refusal: Refusal, failure: Failure, message: string): Promise<OperationResult> {
    const { claimed, op, entry } = trial
    const { clock } = this.#options
    const step: Step = nextStep(op, refusal, claimed.ladder, entry.platform, claimed.role === 'answer')
    switch (step.do) {
      case 'accept':
        return { state: 'sent', receipt: { at: clock.now() }, at: clock.now() }
      case 'replace':
        return {
          state: 'replace',
          at: clock.now(),
          op: step.op,
          failure,
          message,
          ...(this.#mayStandUnderItsKey(trial, failure) ? { unsure: true } : {}),
        }
      case 'file':
        return await this.#asFile(trial, step.text, failure, message)
      case 'give-up':
        return this.#failed(trial, failure, message)
    }
  }

  /** The next way goes out under the same key: the platform tells a second copy as long as it remembers the first. */
  #mayStandUnderItsKey(trial: Trial, failure: Failure): boolean {
    const { claimed, cleared } = trial
    const unsure = (claimed.unsure > 0 && !cleared) || failure.kind === 'ambiguous'
    return unsure && !isKeyless(trial, this.#options.clock.now())
  }

  async #asFile(
    { claimed, op }: Trial,
    text: string,
    failure: Failure,
    message: string,
  ): Promise<OperationResult> {
    let path: string
    try {
      path = await this.#options.keepAsFile(claimed.id, text)
    } catch (error) {
      const why = `the text could not be kept as a file: ${messageOf(error)}`
      return this.#retry(claimed, failure, why, false)
    }
    const quote = op.kind === 'post' && op.replyTo !== undefined ? { replyTo: op.replyTo } : {}
    const upload: Operation = { kind: 'upload', place: op.place, path, name: 'answer.md', ...quote }
    return { state: 'replace', at: this.#options.clock.now(), op: upload, failure, message }
  }

  // ---- ends ---------------------------------------------------------------------------------------------------------

  #failed({ claimed, op, entry }: Trial, failure: Failure, message: string): OperationResult {
    const { log, clock } = this.#options
    log.error({ operation: claimed.id, kind: op.kind, failure: failure.kind }, `given up: ${message}`)
    const closed = failure.kind === 'forbidden' || (failure.kind === 'gone' && failure.what === 'chat')
    const tell = closed && (op.kind === 'post' || op.kind === 'upload') && entry.platform.can.direct
    return { state: 'failed', at: clock.now(), failure, message, ...(tell ? { tell: op } : {}) }
  }

  /** Golem's own fault, before or after the platform was asked: a text that its codec does not take. Not for ever. */
  #fault(claimed: ClaimedOperation, error: unknown): OperationResult {
    const { clock, log } = this.#options
    const message = messageOf(error)
    log.error(
      { operation: claimed.id, kind: claimed.op.kind, error: String(error) },
      'an operation failed inside Golem',
    )
    const failure: Failure = { kind: 'invalid', field: 'other' }
    return claimed.attempt < FAULTS
      ? this.#retry(claimed, failure, message, false)
      : { state: 'failed', at: clock.now(), failure, message }
  }

  /** To the millisecond. A platform that names no time to come is asked again after a while all the same. */
  #wait(claimed: ClaimedOperation, failure: RateLimited, message: string, cleared = false): OperationResult {
    const now = this.#options.clock.now()
    const retryAt = failure.retryAt > now ? failure.retryAt : now + RETRY_FIRST
    if (isPassing(claimed.op) && retryAt - claimed.createdAt > OPERATION_STUCK)
      return { state: 'failed', at: now, failure, message: `${message}; not worth the wait` }
    const seconds = (retryAt - now) / 1_000
    return {
      state: 'retry',
      at: now,
      retryAt,
      failure,
      ambiguous: false,
      ...(cleared ? { cleared } : {}),
      message: `${message}; again in ${seconds} s`,
    }
  }

  /** Marks and status posts are not worth waiting for; everything else is tried until it stands. */
  #retry(
    claimed: ClaimedOperation,
    failure: Failure,
    message: string,
    ambiguous: boolean,
    { cleared }: { cleared: boolean } = { cleared: false },
    first = Math.min(RETRY_FIRST * 2 ** Math.min(claimed.attempt - 1, 10), RETRY_MOST),
  ): OperationResult {
    const now = this.#options.clock.now()
    if (isPassing(claimed.op) && now - claimed.createdAt > OPERATION_STUCK)
      return { state: 'failed', at: now, failure, message: `${message}; no longer worth a try` }
    const jitter = 0.75 + (claimed.id % 100) / 200
    const retryAt = now + Math.round(first * jitter)
    return { state: 'retry', at: now, retryAt, failure, ambiguous, ...(cleared ? { cleared } : {}), message }
  }
}

const NEVER_SAID = `sent ${UNSURE_SENDS} times, and the platform never said whether it stands in the chat`
