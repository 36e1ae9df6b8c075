/**
 * MessagingThreads: accept -> decide -> queue -> settle. The one class that ties the core together.
 *
 * It knows no platform, no SQL and no engine. It never holds a message only in memory: an event is in the store before
 * its platform is acknowledged, an answer before it is posted.
 */

import { identified } from './accounts.js'
import type { Clock, Logger, Millis } from './ambient.js'
import { CatchUp, type CatchUpOptions } from './catch-up.js'
import type { ConnectionId, Host, Inbound, Skipped } from './contract.js'
import { Courier } from './courier.js'
import type { Directory, Entry } from './directory.js'
import { Errands } from './errands.js'
import type { Errand } from './facts.js'
import { MemberLists } from './member-lists.js'
import { Nudge } from './nudge.js'
import { Progress } from './progress.js'
import { Questions } from './questions.js'
import { readBack } from './read-back.js'
import { Reception } from './reception.js'
import { type Policy, type RoomSettings, roomAgents, settingsFor } from './roster.js'
import type { AbortReason, TurnRunner } from './runner.js'
import { settlementOf } from './settlement.js'
import type { AcceptItem, AcceptResult, ClaimedTurn, MovedChat, SettleTurn, Store } from './store.js'
import { whisper } from './whisper.js'

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
  /** Does what a command asks of a chat's memory. @returns the answer, as Markdown */
  errand?(errand: Errand): Promise<string>
  /** Told of a chat that goes on under another id, once when it happens. */
  moved?(move: MovedChat): void
}

interface Running {
  turn: ClaimedTurn
  abort: AbortController
  /** What people see of it meanwhile. */
  progress: Progress
  done: Promise<void>
}

export class MessagingThreads {
  readonly #options: ThreadsOptions
  readonly #courier: Courier
  readonly #members: MemberLists
  readonly #reception: Reception
  readonly #catchUp: CatchUp
  /** Keys that chats had before. */
  readonly #formerly = new Map<string, readonly string[]>()
  /** Connections whose platform shows no drafts after all. */
  readonly #draftless = new Set<ConnectionId>()
  /** Runs that wait for a person. */
  readonly #questions: Questions
  readonly #errands: Errands
  readonly #running = new Map<number, Running>()
  readonly #claims = new Set<Promise<void>>()
  #cancelTimer: (() => void) | null = null
  #cancelTend: (() => void) | null = null
  #closed = false
  readonly #nudge = new Nudge(() => this.#startClaim())

  constructor(options: ThreadsOptions) {
    this.#options = options
    this.#members = new MemberLists(options)
    this.#courier = new Courier({
      store: options.store,
      directory: options.directory,
      clock: options.clock,
      log: options.log,
      language: options.policy.language,
      replyStyle: (chatKey) => this.#settings(chatKey).reply,
      keepAsFile: options.keepAsFile,
      standing: (post, id) => this.#running.get(post.turn ?? 0)?.progress.standing(post, id),
    })
    this.#questions = new Questions({
      store: options.store,
      clock: options.clock,
      log: options.log,
      ...(options.policy.approvals && { parkMs: options.policy.approvals.parkMs }),
      kick: () => {
        this.#kick()
        this.#courier.kick()
      },
    })
    this.#reception = new Reception({ ...options, kick: () => this.#courier.kick() })
    this.#errands = new Errands({ ...options, kick: () => this.#courier.kick() })
    this.#catchUp = new CatchUp({
      store: options.store,
      directory: options.directory,
      clock: options.clock,
      log: options.log,
      accept: (entry, messages) => this.#acceptMissed(entry, messages),
    })
  }

  /** Takes up what an earlier life left: waiting turns, unsent posts. */
  start(): void {
    this.#kick()
    this.#courier.kick()
    this.#errands.look()
    this.#tendLater()
    const { store, log } = this.#options
    store
      .moves()
      .then((moves) => this.#remember(moves))
      .catch((error: unknown) => log.warn({ error: String(error) }, 'chats that moved could not be read'))
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
      identify: (self) => identified(entry, self, this.#options),
      accept: (event) => this.#accept(entry, event),
    }
  }

  #settings(chatKey: string): RoomSettings {
    return settingsFor(this.#options.policy, chatKey, this.#formerly.get(chatKey))
  }

  async #accept(entry: Entry, event: Inbound | Skipped): Promise<'new' | 'known'> {
    const accepted = this.#store(entry, event)
    // Given in the same tick: one commit makes the event durable and starts its turn.
    this.#kick()
    return this.#accepted(entry, await accepted)
  }

  /** What was missed: in one commit, in its order, and only then is it answered. */
  async #acceptMissed(entry: Entry, messages: Parameters<CatchUpOptions['accept']>[1]): Promise<number> {
    const accepted = Promise.all(messages.map(({ event, missed }) => this.#store(entry, event, missed)))
    this.#kick()
    const statuses = (await accepted).map((result) => this.#accepted(entry, result))
    return statuses.filter(
      (status, index) => status === 'new' && messages[index]?.event.author.kind !== 'self',
    ).length
  }

  #store(entry: Entry, event: Inbound | Skipped, missed?: AcceptItem['missed']): Promise<AcceptResult> {
    const { store, clock } = this.#options
    return store.accept({
      connection: entry.id,
      self: entry.self,
      can: entry.platform.can,
      event,
      receivedAt: clock.now(),
      sees: entry.sees,
      ...(missed === undefined ? {} : { missed }),
    })
  }

  #accepted(entry: Entry, result: AcceptResult): AcceptResult['status'] {
    if (result.operationsAt !== null) this.#courier.wakeBy(result.operationsAt)
    if (result.awaited && result.message !== undefined) this.#reception.later(result.message)
    if (result.status === 'known') return 'known'
    this.#abort(result.abort)
    if (result.abort.length > 0) this.#kick()
    if (result.ruled) this.#questions.ruled(result.ruled)
    if (result.errand) this.#errands.look()
    if (result.whisper) void whisper(entry, result.whisper, this.#options.log)
    if (result.moved) {
      this.#remember([result.moved])
      this.#options.moved?.(result.moved)
    }
    return 'new'
  }

  #abort(turns: AcceptResult['abort']): void {
    for (const { turn, why } of turns) this.#running.get(turn)?.abort.abort(why satisfies AbortReason)
  }

  #remember(moves: readonly MovedChat[]): void {
    for (const { from, to } of moves)
      this.#formerly.set(to, [
        ...new Set([...(this.#formerly.get(from) ?? []), ...(this.#formerly.get(to) ?? []), from]),
      ])
  }

  // ---- turns ------------------------------------------------------------------------------------------------------

  /** Turns may start. Called in the tick of a store command, the claim shares that command's commit. */
  #kick(): void {
    if (!this.#closed) this.#nudge.call()
  }

  /** Turns were made that no message brought. In the tick of the command that makes them, they start with its commit. */
  turnsWait(): void {
    this.#kick()
  }

  /** Operations were made that no message and no turn's end brought. In the tick of their command, as above. */
  operationsWait(): void {
    this.#courier.kick()
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
    const progress = this.#progressOf(turn)
    const done = this.#work(turn, abort, progress).finally(() => {
      this.#running.delete(turn.id)
      this.#kick()
    })
    this.#running.set(turn.id, { turn, abort, progress, done })
    // Claimed while closing: it goes back at once.
    if (this.#closed) abort.abort('shutdown' satisfies AbortReason)
  }

  #progressOf(turn: ClaimedTurn): Progress {
    const { policy, directory, clock, log } = this.#options
    return new Progress(turn, directory.get(turn.connection), {
      courier: this.#courier,
      clock,
      log,
      language: policy.language,
      style: settingsFor(policy, turn.chatKey, turn.formerly).reply,
      draftless: this.#draftless,
      working: (one, speaks) => this.#questions.whenIdle(one.id, () => this.#noteWorking(one, speaks)),
    })
  }

  async #work(claimed: ClaimedTurn, abort: AbortController, progress: Progress): Promise<void> {
    const { store, runner, policy, directory, clock, log } = this.#options
    const settings = { ...settingsFor(policy, claimed.chatKey, claimed.formerly), ...claimed.texts }
    const entry = directory.get(claimed.connection)
    const agent = roomAgents(policy, settings).find((one) => one.name === claimed.agent)
    const read = claimed.gap ? await readBack(claimed, entry, this.#options) : claimed
    const turn = read.unlisted ? await this.#members.listed(read, entry) : read
    let firstEventAt: Millis | null = null
    let first: Promise<void> | null = null
    const effects = agent?.effects ?? 'unknown'
    // Only where it decides whether the turn may run again must it be durable before it has consequences.
    const begun = (durable: boolean): Promise<void> => {
      firstEventAt ??= clock.now()
      if (!durable) return Promise.resolve()
      first ??= store.markFirstEvent(turn.id, firstEventAt)
      return first
    }
    const end = await runner.run({
      turn,
      settings,
      signal: abort.signal,
      firstEvent: () => begun(effects === 'unknown'),
      effect: () => begun(effects !== 'none'),
      decide: (question) =>
        this.#questions.ask(
          {
            turn: turn.id,
            abort,
            asking: (who) => progress.asking(who && (who.join(', ') || agent?.name || turn.agent)),
          },
          question,
        ),
      download: async (file, maxBytes) => {
        if (!entry?.connection) throw new Error(`The connection ${turn.connection} is down.`)
        return entry.connection.download(file, maxBytes)
      },
      progress: (text) => progress.text(text),
      doing: (what) => progress.doing(what),
    })
    const previews = progress.end()
    const settle = await settlementOf({ turn, end, firstEventAt, settings }, entry, {
      policy,
      members: this.#members,
      clock,
      log,
    })
    await this.#settle(previews === undefined ? settle : { ...settle, previews })
    const people = turn.lines.filter((line) => line.kind === 'person').map((line) => line.author.name)
    if (turn.chat.kind === 'group' && people.length > 0) this.#options.seen?.(turn.chatKey, people)
  }

  #noteWorking(turn: ClaimedTurn, speaks: boolean): void {
    const { store, clock, log } = this.#options
    store
      .noteWorking(turn.id, clock.now(), speaks)
      .then(() => this.#courier.kick())
      .catch((error: unknown) =>
        log.warn({ turn: turn.id, error: String(error) }, 'a status post was not made'),
      )
  }

  /** A finished turn is stored however often it takes: its answer must not be lost to a full disk. */
  async #settle(settle: SettleTurn): Promise<void> {
    const { store, clock, log } = this.#options
    for (let wait = RETRY_FIRST; ; wait = Math.min(wait * 2, RETRY_MOST)) {
      try {
        const settled = store.settleTurn(settle)
        // In the same tick: the answer goes out with this commit.
        this.#courier.kick()
        const { marked } = await settled
        for (const message of marked) this.#reception.off(message)
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
        .then(({ abort }) => this.#abort(abort))
        .then(() => this.#questions.expire())
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
   * restart where that is safe), and what is being sent is waited for as long.
   */
  async close(deadline: Millis): Promise<void> {
    this.#closed = true
    this.#reception.close()
    this.#cancelTimer?.()
    this.#cancelTend?.()
    const { clock } = this.#options
    this.#questions.close()
    await this.#errands.close()
    const cut = clock.at(deadline, () => {
      for (const { abort } of this.#running.values()) abort.abort('shutdown' satisfies AbortReason)
    })
    await this.#catchUp.close()
    await Promise.all(this.#claims)
    await Promise.all([...this.#running.values()].map(({ done }) => done))
    cut()
    await this.#courier.close(deadline)
  }

  /** Ids of the turns at work, for tests and status. */
  running(): number[] {
    return [...this.#running.keys()]
  }
}
