/**
 * MessagingThreads: accept -> decide -> queue -> settle. The one class that ties the core together.
 *
 * It knows no platform, no SQL and no engine. It never holds a message only in memory: an event is in the store before
 * its platform is acknowledged, an answer before it is posted.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Host, Inbound, Platform, Skipped } from './contract.js'
import { Courier } from './courier.js'
import type { Notice } from './decision.js'
import type { Directory, Entry } from './directory.js'
import { parseDoc } from './doc/index.js'
import { RECEIVED_AFTER, STATUS_AFTER } from './limits.js'
import { Nudge } from './nudge.js'
import { outcomeOf } from './outcome.js'
import { renderAnswer, wakesOf } from './render.js'
import { type Policy, roomAgents, settingsFor } from './roster.js'
import type { AbortReason, TurnEnd, TurnRunner } from './runner.js'
import type { AcceptResult, ClaimedTurn, SettleTurn, Store } from './store.js'
import { showTyping } from './typing.js'

/** Turns at work at the same time over all rooms. */
export const TURN_SLOTS = 32
const TEND_EVERY = 30_000
const RETRY_FIRST = 500
const RETRY_MOST = 30_000

export interface ThreadsOptions {
  policy: Policy
  store: Store
  runner: TurnRunner
  directory: Directory
  clock: Clock
  log: Logger
  keepAsFile(operation: number, text: string): Promise<string>
  /** See `Host.thread`. */
  thread: Host['thread']
  /** Told, after a turn in a group, who had spoken there: for the group memory's list of members. */
  seen?(chatKey: string, names: readonly string[]): void
}

interface Running {
  turn: ClaimedTurn
  abort: AbortController
  done: Promise<void>
}

export class MessagingThreads {
  readonly #options: ThreadsOptions
  readonly #courier: Courier
  readonly #running = new Map<number, Running>()
  readonly #claims = new Set<Promise<void>>()
  #cancelTimer: (() => void) | null = null
  #cancelTend: (() => void) | null = null
  #closed = false
  readonly #nudge = new Nudge(() => this.#startClaim())

  constructor(options: ThreadsOptions) {
    this.#options = options
    this.#courier = new Courier({
      store: options.store,
      directory: options.directory,
      clock: options.clock,
      log: options.log,
      language: options.policy.language,
      replyStyle: (chatKey) => settingsFor(options.policy, chatKey).reply,
      keepAsFile: options.keepAsFile,
    })
  }

  /** Takes up what an earlier life left: waiting turns, unsent posts. */
  start(): void {
    this.#kick()
    this.#courier.kick()
    this.#tendLater()
  }

  /** What a connection may ask of the core. */
  host(entry: Entry, dataDir: string, name: string, state: Host['state']): Host {
    return {
      connection: entry.id,
      name,
      dataDir,
      thread: this.#options.thread,
      clock: this.#options.clock,
      log: this.#options.log,
      state,
      identify: (self) => this.#options.directory.set(entry.id, { self }),
      accept: (event) => this.#accept(entry, event),
    }
  }

  async #accept(entry: Entry, event: Inbound | Skipped): Promise<'new' | 'known'> {
    const { store, clock } = this.#options
    const accepted = store.accept({
      connection: entry.id,
      self: entry.self,
      can: entry.platform.can,
      event,
      receivedAt: clock.now(),
    })
    // Given in the same tick: one commit makes the event durable and starts its turn.
    this.#kick()
    const result = await accepted
    if (result.operationsAt !== null) this.#courier.wakeBy(result.operationsAt)
    if (result.awaited && result.message !== undefined) this.#markLater(result.message)
    if (result.status === 'new') this.#accepted(entry, result)
    return result.status
  }

  #accepted(entry: Entry, result: AcceptResult): void {
    for (const { turn, why } of result.abort) this.#running.get(turn)?.abort.abort(why satisfies AbortReason)
    if (result.abort.length > 0) this.#kick()
    if (result.whisper) void this.#whisper(entry, result.whisper)
  }

  async #whisper(entry: Entry, note: NonNullable<AcceptResult['whisper']>): Promise<void> {
    const part = entry.platform.codec.write(parseDoc(note.text), entry.platform.limits)[0]
    if (!part || !entry.connection || !entry.platform.can.operations.includes('whisper')) return
    try {
      const op = { kind: 'whisper', place: note.place, to: note.to, part } as const
      await entry.connection.perform(op, '', AbortSignal.timeout(entry.platform.limits.timeoutMs))
    } catch (error) {
      this.#options.log.warn({ connection: entry.id, error: String(error) }, 'a private note was not shown')
    }
  }

  // ---- turns ------------------------------------------------------------------------------------------------------

  /** Turns may start. Called in the tick of a store command, the claim shares that command's commit. */
  #kick(): void {
    if (!this.#closed) this.#nudge.call()
  }

  #startClaim(): void {
    if (this.#closed) return
    const claim = this.#claim().finally(() => this.#claims.delete(claim))
    this.#claims.add(claim)
  }

  async #claim(): Promise<void> {
    const { store, clock, log } = this.#options
    try {
      const { turns, nextAt, operationsAt } = await store.claimTurns({
        now: clock.now(),
        max: Math.max(0, TURN_SLOTS - this.#running.size),
      })
      for (const turn of turns) this.#begin(turn)
      if (operationsAt !== null) this.#courier.wakeBy(operationsAt)
      this.#wakeAt(nextAt)
    } catch (error) {
      if (this.#closed) return
      log.warn({ error: String(error) }, 'the queue could not be read; trying again')
      this.#wakeAt(clock.now() + RETRY_FIRST)
    }
  }

  #wakeAt(when: Millis | null): void {
    if (this.#closed || when === null) return
    this.#cancelTimer?.()
    this.#cancelTimer = this.#options.clock.at(when, () => this.#kick())
  }

  #begin(turn: ClaimedTurn): void {
    const abort = new AbortController()
    const done = this.#work(turn, abort).finally(() => {
      this.#running.delete(turn.id)
      this.#kick()
    })
    this.#running.set(turn.id, { turn, abort, done })
    // Claimed while closing: it goes back at once.
    if (this.#closed) abort.abort('shutdown' satisfies AbortReason)
  }

  async #work(turn: ClaimedTurn, abort: AbortController): Promise<void> {
    const { store, runner, policy, directory, clock, log } = this.#options
    const settings = settingsFor(policy, turn.chatKey)
    const entry = directory.get(turn.connection)
    const stopTyping = turn.addressed
      ? showTyping(entry, turn.place, this.#courier.holds, clock, log)
      : () => undefined
    const stopStatus = clock.at(clock.now() + STATUS_AFTER, () => this.#noteWorking(turn))
    const agent = roomAgents(policy, settings).find((one) => one.name === turn.agent)
    let firstEventAt: Millis | null = null
    let first: Promise<void> | null = null
    const end = await runner.run({
      turn,
      settings,
      signal: abort.signal,
      firstEvent: () => {
        firstEventAt ??= clock.now()
        // Only where it decides whether the turn may run again must it be durable before it has consequences.
        first ??= agent?.effects === 'none' ? Promise.resolve() : store.markFirstEvent(turn.id, firstEventAt)
        return first
      },
      download: async (file, maxBytes) => {
        if (!entry?.connection) throw new Error(`The connection ${turn.connection} is down.`)
        return entry.connection.download(file, maxBytes)
      },
      progress: () => undefined,
    })
    stopTyping()
    stopStatus()
    const settle = await this.#settlement(turn, end, firstEventAt, entry?.platform)
    await this.#settle(settle)
    const people = turn.lines.filter((line) => line.kind === 'person').map((line) => line.author.name)
    if (turn.chat.kind === 'group' && people.length > 0) this.#options.seen?.(turn.chatKey, people)
  }

  /** A message that is answered at once needs no mark: nobody would see it. */
  #markLater(message: number): void {
    const { store, clock, log } = this.#options
    clock.at(clock.now() + RECEIVED_AFTER, () => {
      if (this.#closed) return
      store
        .noteReceived(message, clock.now())
        .then((marked) => {
          if (marked) this.#courier.kick()
        })
        .catch((error: unknown) => log.warn({ message, error: String(error) }, 'a message was not marked'))
    })
  }

  #noteWorking(turn: ClaimedTurn): void {
    const { store, clock, log } = this.#options
    store
      .noteWorking(turn.id, clock.now())
      .then(() => this.#courier.kick())
      .catch((error: unknown) =>
        log.warn({ turn: turn.id, error: String(error) }, 'a status post was not made'),
      )
  }

  async #settlement(
    turn: ClaimedTurn,
    end: TurnEnd,
    firstEventAt: Millis | null,
    platform: Platform | undefined,
  ): Promise<SettleTurn> {
    const { policy, store, clock, log } = this.#options
    const settings = settingsFor(policy, turn.chatKey)
    const agents = roomAgents(policy, settings)
    const notices: Notice[] = []
    let operations: SettleTurn['operations'] = []
    let wakes: string[] = []
    const outcome = outcomeOf(
      turn,
      end,
      agents.find((agent) => agent.name === turn.agent)?.effects ?? 'unknown',
    )
    const text =
      end.result.kind === 'answer' ? end.result.text : end.result.kind === 'aborted' ? end.result.partial : ''
    const posts =
      outcome.state === 'settled' ||
      (outcome.state === 'cancelled' && end.result.kind === 'aborted' && end.result.reason === 'stopped')
    if (posts && turn.ask === null && platform) {
      try {
        const members = /[@＠]/u.test(text) ? await store.members(turn.chatKey) : []
        operations = renderAnswer(
          { text, agent: turn.agent, place: turn.place, replyTo: turn.replyTo, files: end.files },
          platform,
          members.filter((member) => member.kind === 'person'),
          settings.reply,
        )
        if (outcome.state === 'settled') wakes = wakesOf(text, turn.agent, turn.hop, agents, [turn.agent])
      } catch (error) {
        log.error(
          { turn: turn.id, error: String(error) },
          'the answer could not be rendered; posting it as it is',
        )
        operations = [
          {
            kind: 'post',
            place: turn.place,
            part: { text, body: { text }, mentions: [] },
            agent: turn.agent,
          },
        ]
      }
    }
    if (
      outcome.state === 'cancelled' &&
      turn.addressed &&
      turn.ask === null &&
      end.result.kind === 'aborted' &&
      end.result.reason === 'stopped'
    )
      notices.push({ kind: 'stopped', agent: turn.agent })
    if (turn.ask === null)
      for (const { name, why } of end.refused) notices.push({ kind: 'file-lost', name, why })
    return {
      turn: turn.id,
      at: clock.now(),
      firstEventAt,
      outcome,
      operations,
      notices,
      wakes,
      shown: end.shown,
      ...(end.usage ? { usage: end.usage } : {}),
      tools: end.tools,
      files: [
        ...end.files.map(({ name }) => ({ name })),
        ...end.refused.map(({ name, why }) => ({ name, refused: why })),
      ],
    }
  }

  /** A finished turn is stored however often it takes: its answer must not be lost to a full disk. */
  async #settle(settle: SettleTurn): Promise<void> {
    const { store, clock, log } = this.#options
    for (let wait = RETRY_FIRST; ; wait = Math.min(wait * 2, RETRY_MOST)) {
      try {
        const settled = store.settleTurn(settle)
        // In the same tick: the answer goes out with this commit.
        this.#courier.kick()
        await settled
        return
      } catch (error) {
        log.error(
          { turn: settle.turn, error: String(error) },
          'a finished turn could not be stored; trying again',
        )
        if (this.#closed) return
        await new Promise<void>((resolve) => clock.at(clock.now() + wait, resolve))
      }
    }
  }

  #tendLater(): void {
    const { store, clock, log } = this.#options
    this.#cancelTend = clock.at(clock.now() + TEND_EVERY, () => {
      store
        .tend(clock.now())
        .then(() => {
          this.#kick()
          this.#courier.kick()
        })
        .catch((error: unknown) =>
          log.warn({ error: String(error) }, 'housekeeping failed; trying again later'),
        )
        .finally(() => {
          if (!this.#closed) this.#tendLater()
        })
    })
  }

  /**
   * Ends in order: no new turns, running ones may finish until `deadline`, then they are cut off (and run again after a
   * restart where that is safe), then what is being sent is waited for.
   */
  async close(deadline: Millis): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    this.#cancelTend?.()
    const { clock } = this.#options
    const cut = clock.at(deadline, () => {
      for (const { abort } of this.#running.values()) abort.abort('shutdown' satisfies AbortReason)
    })
    await Promise.all(this.#claims)
    await Promise.all([...this.#running.values()].map(({ done }) => done))
    cut()
    await this.#courier.close()
  }

  /** Ids of the turns at work, for tests and status. */
  running(): number[] {
    return [...this.#running.keys()]
  }
}
