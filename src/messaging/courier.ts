/**
 * Performs the operations of the outbox: in order within a conversation, side by side between conversations, within the
 * write budgets, and never twice without saying so.
 *
 * It never invents an operation, never keeps state that a restart would miss, and never concludes "not sent" from
 * silence: a row is `sending` in the store before the platform is called, and what a dead process was sending comes back
 * as ambiguous.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Connection, Operation, Receipt } from './contract.js'
import type { Directory, Entry } from './directory.js'
import { parseDoc } from './doc/index.js'
import { type Failure, PlatformFailure } from './failure.js'
import { labelled, nextStep } from './ladder.js'
import { OPERATION_STUCK } from './limits.js'
import { wording } from './notices.js'
import { Nudge } from './nudge.js'
import type { Language } from './roster.js'
import type { ButtonLabel, ClaimedOperation, Note, OperationResult, Store } from './store.js'

/** Operations at work at the same time, over all connections. */
const PARALLEL = 32
/** Waits between tries of an unreachable platform: doubled each time, with jitter, up to the last. */
const RETRY_FIRST = 1_000
const RETRY_MOST = 60_000
/** Tries of an operation that fails inside Golem itself. */
const FAULTS = 8

export interface CourierOptions {
  store: Pick<Store, 'claimOperations' | 'recordReceipt'>
  directory: Directory
  clock: Clock
  log: Logger
  language: Language
  /** Keeps a text that is too long for a chat as a file, and says where. Durable when it resolves. */
  keepAsFile(operation: number, text: string): Promise<string>
}

export class Courier {
  readonly #options: CourierOptions
  readonly #blocked = new Map<string, Millis>()
  readonly #idle = new Set<() => void>()
  /** Calls that the platform has not answered yet. */
  #atWork = 0
  /** Operations handed out whose end is not stored yet. */
  #recording = 0
  #claiming = 0
  #closed = false
  #cancelTimer: (() => void) | null = null
  #timerAt: Millis | null = null
  /** The last look found more than could be taken: whoever is done looks again. */
  #starved = false
  readonly #nudge = new Nudge(() => void this.#claim())
  #unwatch: () => void

  constructor(options: CourierOptions) {
    this.#options = options
    this.#unwatch = options.directory.watch(() => this.kick())
  }

  /** Something may be ready. Called in the tick of a store command, the claim shares that command's commit. */
  kick(): void {
    if (!this.#closed) this.#nudge.call()
  }

  /** Waits until nothing is being sent. What is not sent yet stays in the outbox. */
  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch()
    this.#cancelTimer?.()
    if (this.#recording + this.#claiming > 0) await new Promise<void>((resolve) => this.#idle.add(resolve))
  }

  async #claim(): Promise<void> {
    const { store, directory, clock, log } = this.#options
    if (this.#closed) return
    const connections = directory.up()
    const max = PARALLEL - this.#atWork
    if (max <= 0) this.#starved = true
    if (connections.length === 0 || max <= 0) return
    this.#claiming++
    try {
      const now = clock.now()
      for (const [chat, until] of this.#blocked) if (until <= now) this.#blocked.delete(chat)
      const claimed = await store.claimOperations({
        now,
        max,
        connections,
        blocked: Object.fromEntries(this.#blocked),
      })
      this.#starved = claimed.operations.length === max
      for (const operation of claimed.operations) void this.#send(operation)
      this.#wakeAt(this.#soonest(claimed.nextAt))
    } catch (error) {
      log.warn({ error: String(error) }, 'the outbox could not be read; trying again')
      this.#wakeAt(clock.now() + RETRY_FIRST)
    } finally {
      this.#claiming--
      this.#settleIdle()
    }
  }

  #soonest(next: Millis | null): Millis | null {
    const times = [...this.#blocked.values(), ...(next === null ? [] : [next])]
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
    this.#atWork++
    this.#recording++
    const result = await this.#attempt(claimed).catch((error: unknown) => this.#fault(claimed, error))
    this.#atWork--
    await this.#record(claimed, result)
    this.#recording--
    this.#settleIdle()
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

  async #attempt(claimed: ClaimedOperation): Promise<OperationResult> {
    const { clock, directory, language } = this.#options
    const entry = directory.get(claimed.connection)
    const at = () => clock.now()
    if (!entry?.connection)
      return this.#retry(claimed, { kind: 'unreachable' }, 'the connection is down', false)
    let op = toOperation(claimed, entry, language)
    try {
      if (claimed.ambiguous && !repeatable(op, entry)) {
        const verdict = (await entry.connection.settle?.(op, claimed.key)) ?? 'unknown'
        if (typeof verdict === 'object') return { state: 'sent', receipt: verdict, at: at() }
        if (verdict === 'unknown' && isPassing(claimed.op))
          return {
            state: 'failed',
            at: at(),
            failure: { kind: 'ambiguous' },
            message: 'it may stand in the chat, and is not worth a second one',
          }
        if (verdict === 'unknown') op = labelled(op, entry.platform, language)
      }
      const receipt = await this.#perform(entry.connection, op, claimed.key, entry)
      return { state: 'sent', receipt, at: at() }
    } catch (error) {
      return await this.#failed(claimed, op, entry, error)
    }
  }

  async #perform(connection: Connection, op: Operation, key: string, entry: Entry): Promise<Receipt> {
    const { clock } = this.#options
    const abort = new AbortController()
    const cancel = clock.at(clock.now() + entry.platform.limits.timeoutMs, () => abort.abort())
    try {
      const timedOut = new Promise<never>((_, reject) => {
        abort.signal.addEventListener('abort', () =>
          reject(new PlatformFailure({ kind: 'ambiguous' }, 'the platform did not answer in time')),
        )
      })
      return await Promise.race([connection.perform(op, key, abort.signal), timedOut])
    } finally {
      cancel()
    }
  }

  async #failed(
    claimed: ClaimedOperation,
    op: Operation,
    entry: Entry,
    error: unknown,
  ): Promise<OperationResult> {
    const { clock, log } = this.#options
    // Whatever is not a platform's own word may have had its effect.
    const failure: Failure = error instanceof PlatformFailure ? error.failure : { kind: 'ambiguous' }
    const message = error instanceof Error ? error.message : String(error)
    log.warn({ operation: claimed.id, kind: op.kind, failure: failure.kind }, message)
    switch (failure.kind) {
      case 'rate-limited':
        this.#blocked.set(claimed.chatKey, failure.retryAt)
        return {
          state: 'retry',
          at: clock.now(),
          retryAt: failure.retryAt,
          failure,
          ambiguous: false,
          message,
        }
      case 'unreachable':
      case 'unauthorized':
        return this.#retry(claimed, failure, message, false)
      case 'ambiguous':
        return this.#retry(claimed, failure, message, true)
      default: {
        const step = nextStep(op, failure, claimed.ladder, entry.platform)
        const at = clock.now()
        if (step.do === 'accept') return { state: 'sent', receipt: { at }, at }
        if (step.do === 'replace') return { state: 'replace', at, op: step.op, failure, message }
        if (step.do === 'file') {
          let path: string
          try {
            path = await this.#options.keepAsFile(claimed.id, step.text)
          } catch (cause) {
            return this.#retry(
              claimed,
              failure,
              `the text could not be kept as a file: ${String(cause)}`,
              false,
            )
          }
          const { place } = op as Extract<Operation, { kind: 'post' }>
          return {
            state: 'replace',
            at,
            op: { kind: 'upload', place, path, name: 'answer.md' },
            failure,
            message,
          }
        }
        log.error({ operation: claimed.id, kind: op.kind, failure: failure.kind }, `given up: ${message}`)
        return { state: 'failed', at, failure, message }
      }
    }
  }

  /** Golem's own fault, before or after the platform was asked: a text that its codec does not take. Not for ever. */
  #fault(claimed: ClaimedOperation, error: unknown): OperationResult {
    const { clock, log } = this.#options
    const message = error instanceof Error ? error.message : String(error)
    log.error(
      { operation: claimed.id, kind: claimed.op.kind, error: String(error) },
      'an operation failed inside Golem',
    )
    const failure: Failure = { kind: 'invalid', field: 'other' }
    return claimed.attempt < FAULTS
      ? this.#retry(claimed, failure, message, false)
      : { state: 'failed', at: clock.now(), failure, message }
  }

  /** Marks and status posts are not worth waiting for; everything else is tried until it stands. */
  #retry(claimed: ClaimedOperation, failure: Failure, message: string, ambiguous: boolean): OperationResult {
    const now = this.#options.clock.now()
    if (isPassing(claimed.op) && now - claimed.createdAt > OPERATION_STUCK)
      return { state: 'failed', at: now, failure, message: `${message}; no longer worth a try` }
    const wait = Math.min(RETRY_FIRST * 2 ** Math.min(claimed.attempt - 1, 10), RETRY_MOST)
    const jitter = 0.75 + (claimed.id % 100) / 200
    return { state: 'retry', at: now, retryAt: now + Math.round(wait * jitter), failure, ambiguous, message }
  }

  #settleIdle(): void {
    if (this.#recording + this.#claiming > 0) return
    for (const resolve of this.#idle) resolve()
    this.#idle.clear()
  }
}

/** Marks, typing and status posts: they are about a moment. */
function isPassing(op: ClaimedOperation['op']): boolean {
  return op.kind === 'note' ? PASSING.has(op.notice.kind) : op.kind === 'react' || op.kind === 'typing'
}
const PASSING: ReadonlySet<Note['notice']['kind']> = new Set(['working', 'waiting', 'asked'])

/** The same call twice is the same as once: the platform knows the key, or the operation sets a state. */
function repeatable(op: Operation, entry: Entry): boolean {
  return op.kind === 'post' || op.kind === 'upload' ? entry.platform.can.idempotentPosts : true
}

function toOperation(claimed: ClaimedOperation, entry: Entry, language: Language): Operation {
  return claimed.op.kind === 'note' ? renderNote(claimed.op, claimed.tokens, entry, language) : claimed.op
}

const BUTTON_TEXT: Record<Language, Record<ButtonLabel, string>> = {
  en: { stop: 'Stop', retry: 'Retry', redo: 'Answer again' },
  zh: { stop: '停止', retry: '重试', redo: '重新回答' },
}

/** A line of Golem's own, in the room's language, as a silent post or an edit of one. */
export function renderNote(
  note: Note,
  tokens: readonly string[],
  entry: Pick<Entry, 'platform'>,
  language: Language,
): Operation {
  const text = wording(note.notice, language)
  const part = entry.platform.codec.write(parseDoc(text), entry.platform.limits)[0] ?? {
    text,
    body: { text },
    mentions: [],
  }
  if (note.edits !== undefined) return { kind: 'edit', place: note.place, id: note.edits, part, buttons: [] }
  const buttons = (note.buttons ?? []).flatMap(({ label }, index) => {
    const value = tokens[index]
    return value === undefined ? [] : [{ label: BUTTON_TEXT[language][label], value }]
  })
  return {
    kind: 'post',
    place: note.place,
    part,
    silent: true,
    ...(note.replyTo === undefined ? {} : { replyTo: note.replyTo }),
    ...(buttons.length === 0 ? {} : { buttons }),
  }
}
