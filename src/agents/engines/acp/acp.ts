/**
 * Engine `acp`: a coding agent as a subprocess, by the Agent Client Protocol.
 *
 * A conversation has a session of its own in a program of its own, which stays warm for the next turn; after a restart
 * the session is taken up again. The agent acts by itself, so a run that was cut off is never repeated by itself; and
 * nothing that a turn started outlives the engine.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Clock, Logger } from '../../../messaging/ambient.js'
import type { Engine, EngineEvent, EngineRun } from '../../../messaging/engine.js'
import { loggable } from '../../loggable.js'
import { set } from '../../prompt/frame.js'
import { Channel } from '../channel.js'
import { environment } from '../command/environment.js'
import { Pool } from '../command/pool.js'
import {
  freshRecord,
  hashOf,
  SESSION_DAYS,
  SESSION_LINES,
  SessionBook,
  type SessionRecord,
  withAnswer,
} from './book.js'
import { Connection } from './connection.js'
import { blocksOf } from './content.js'
import { deltaPrompt, shown, wholePrompt } from './delta.js'
import { installed, type Preset } from './program.js'
import { McpRelay, type RelaySeat } from './relay.js'
import { forget, Session, type SessionPlan } from './session.js'
import type { AcpSettings } from './settings.js'
import { AcpTurn, type AcpTurnEnd } from './turn.js'
import { usageEvent } from './usage.js'

export interface AcpDeps {
  /** The agent's name in the roster: its sessions are kept under it. */
  agent: string
  clock: Clock
  log: Logger
  /** Begins the mark that strays of this daemon are found by. */
  mark: string
  /** Golem's own environment. */
  environment: NodeJS.ProcessEnv
  /** Where what is known of sessions is kept. Absolute. */
  folder: string
}

/** @param known a coding agent's name and facts, where golem.yaml calls it by name */
export function createAcp(
  settings: AcpSettings,
  deps: AcpDeps,
  known?: { id: string; preset: Preset },
): Engine {
  return new AcpEngine(settings, deps, known)
}

/** A program with its session, which belongs to one conversation. */
class Seat {
  session: Session | null = null

  constructor(
    readonly connection: Connection,
    readonly tools: RelaySeat | null,
  ) {
    void connection.closed.then(() => tools?.close())
  }

  get ended(): boolean {
    return this.connection.ended
  }

  get closed(): Promise<unknown> {
    return this.connection.closed
  }

  stop(): Promise<unknown> {
    return this.connection.stop()
  }
}

/** A session that waits for its prompt. */
interface Ready {
  seat: Seat
  session: Session
  record: SessionRecord
  /** Why it is not as it was wanted. */
  notes: readonly (string | null)[]
}

/** A program serves one conversation in one folder. */
const keyOf = ({ cwd, input }: EngineRun): string => JSON.stringify([cwd, input.turn.conversation])

class AcpEngine implements Engine {
  readonly id: string
  readonly effects = 'unknown'
  readonly #settings: AcpSettings
  readonly #deps: AcpDeps
  readonly #preset: Preset | undefined
  readonly #book: SessionBook
  readonly #pool: Pool<Seat>
  readonly #relay = new McpRelay()
  readonly #running = new Set<Promise<unknown>>()
  readonly #busy = new Set<string>()
  readonly #closing = new AbortController()
  /** Identity of the program: another one does not know its sessions. */
  readonly #program: string

  constructor(settings: AcpSettings, deps: AcpDeps, known?: { id: string; preset: Preset }) {
    this.id = known?.id ?? 'acp'
    this.#settings = settings
    this.#deps = deps
    this.#preset = known?.preset
    this.#book = new SessionBook(deps.folder, deps.agent)
    this.#pool = new Pool(deps.clock, { idle: settings.pool.idle, programs: settings.pool.max })
    this.#program = createHash('sha256')
      .update(JSON.stringify([this.id, settings.command]))
      .digest('hex')
      .slice(0, 16)
  }

  async *run(run: EngineRun): AsyncGenerator<EngineEvent, void, undefined> {
    const { signal, abort, release } = any(run.signal, this.#closing.signal)
    if (signal.aborted) return
    const events = new Channel<EngineEvent>(joined)
    let begin: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const work = this.#work({ ...run, signal }, events, begun).then(
      () => events.close(),
      (error: unknown) => (signal.aborted ? events.close() : events.fail(error)),
    )
    this.#running.add(work)
    let isOver = false
    try {
      for await (const event of events) {
        yield event
        // Whoever asks for more has dealt with the first event: from here on the agent may act.
        begin()
      }
      isOver = true
    } finally {
      // Nobody reads on: what still works has no more use.
      if (!isOver) abort()
      begin()
      await work
      release()
      this.#running.delete(work)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running)
    await this.#pool.close()
    await this.#relay.close()
  }

  async #work(run: EngineRun, events: Channel<EngineEvent>, begun: Promise<void>): Promise<void> {
    const { conversation } = run.input.turn
    // Two turns at once in one conversation: only one of them goes on with what is known.
    const isFirst = !this.#busy.has(conversation)
    if (isFirst) this.#busy.add(conversation)
    let ready: Ready | undefined
    try {
      ready = await this.#ready(run, isFirst)
      // Durable before the agent can do anything: a run that is cut off from here on is not begun again by itself.
      events.push({ type: 'progress' })
      await begun
      await this.#turn(run, ready, isFirst, events)
    } finally {
      if (isFirst) this.#busy.delete(conversation)
      if (ready !== undefined) await this.#release(keyOf(run), ready.seat)
    }
  }

  /** A program whose session waits for the prompt. One that stayed and has died meanwhile is started again. */
  async #ready(run: EngineRun, isFirst: boolean): Promise<Ready> {
    const warm = this.#pool.take(keyOf(run))
    if (warm !== undefined) {
      try {
        return await this.#prepared(run, warm, isFirst)
      } catch (error) {
        if (!warm.ended || run.signal.aborted) throw error
      }
    }
    return this.#prepared(run, await this.#start(run), isFirst)
  }

  async #prepared(run: EngineRun, seat: Seat, isFirst: boolean): Promise<Ready> {
    const stop = (): void => void seat.stop()
    run.signal.addEventListener('abort', stop, { once: true })
    if (run.signal.aborted) stop()
    try {
      seat.tools?.lend(run.input.mcp)
      const { session, record } = await this.#session(run, seat, isFirst)
      const { model = null, mode } = this.#settings
      const notes = [await session.choose(run.model ?? model), await session.enter(mode)]
      return { seat, session, record, notes }
    } catch (error) {
      await this.#release(keyOf(run), seat)
      throw error
    } finally {
      run.signal.removeEventListener('abort', stop)
    }
  }

  /** Between turns no tool can be called, and nobody hears the agent. */
  async #release(key: string, seat: Seat): Promise<void> {
    seat.tools?.lend(null)
    seat.connection.detach()
    if (this.#closing.signal.aborted || this.#settings.pool.max === 0) await seat.stop()
    else if (seat.ended) await seat.closed
    else this.#pool.give(key, seat)
  }

  async #turn(
    run: EngineRun,
    { seat, session, record, notes }: Ready,
    isFirst: boolean,
    events: Channel<EngineEvent>,
  ): Promise<void> {
    const { input, signal } = run
    const { clock, log, agent } = this.#deps
    const { connection } = seat
    const own = this.#settings.systemPrompt === undefined ? [] : set(this.#settings.systemPrompt)
    const text = record.proven ? deltaPrompt(input, record, own) : wholePrompt(input, own)
    const next = shown(record, input, clock.now())
    if (isFirst) await this.#note(input.turn.conversation, next)
    const turn = new AcpTurn({
      run,
      signal,
      connection,
      session,
      permissions: this.#settings.permissions,
      clock,
      push: (event) => events.push(event),
    })
    connection.attach(turn)
    const { image } = connection.facts.agentCapabilities.promptCapabilities
    const end = await turn.play(await blocksOf(text, input.files, image))
    if (isFirst) await this.#note(input.turn.conversation, ended(next, end))
    for (const note of notes) if (note !== null) log.warn({ agent }, note)
    const used = usageEvent(end, record.cost, session.model, [...notes, end.note])
    if (used !== null) events.push(used)
  }

  /** The session that goes on where the conversation was left, or a fresh one. */
  async #session(
    run: EngineRun,
    seat: Seat,
    isFirst: boolean,
  ): Promise<{ session: Session; record: SessionRecord }> {
    const { connection } = seat
    const { conversation, context } = run.input.turn
    const known = isFirst ? await this.#book.read(conversation) : null
    const plan = this.#plan(run, seat)
    if (known !== null && (await this.#isGood(known, run))) {
      const session =
        seat.session?.id === known.session
          ? seat.session
          : await Session.takenUp(connection, known.session, plan)
      if (session !== null) {
        seat.session = session
        return { session, record: known }
      }
    } else if (known !== null && known.program === this.#program) await forget(connection, known.session)
    const session = await Session.fresh(connection, plan)
    seat.session = session
    const { program, at } = { program: this.#program, at: this.#deps.clock.now() }
    return { session, record: freshRecord({ session: session.id, context, cwd: run.cwd, program, at }) }
  }

  #plan(run: EngineRun, { connection, tools }: Seat): SessionPlan {
    const takes = connection.facts.agentCapabilities.mcpCapabilities.http
    return {
      cwd: run.cwd,
      servers: takes && tools !== null && run.input.mcp !== null ? [tools.server] : [],
      methods: this.#preset?.methods ?? {},
      given: new Set(Object.keys(this.#variables())),
    }
  }

  /** Whether a session may go on: it is this context's, and nothing that it was shown is not so any more. */
  async #isGood(known: SessionRecord, run: EngineRun): Promise<boolean> {
    const age = this.#deps.clock.now() - known.at
    if (known.context !== run.input.turn.context || known.cwd !== run.cwd || known.program !== this.#program)
      return false
    if (known.lines.length >= SESSION_LINES || age > SESSION_DAYS * DAY) return false
    const lines = new Map(known.lines.map(([id, hash, at]) => [id, { hash, at }]))
    const changes = await run.changes([...lines.keys()])
    return changes.every(({ id, text, at }) => {
      const line = lines.get(id)
      if (line === undefined) return true
      if (text === null) return false
      // A long line may have been shown shortened: of it only the time tells.
      return hashOf(known, text) === line.hash || (text.length > LONG && at < line.at)
    })
  }

  async #start(run: EngineRun): Promise<Seat> {
    const { pool, command } = this.#settings
    const { clock, environment: own } = this.#deps
    // This turn is not among the running ones yet.
    this.#pool.trim(Math.max(0, pool.max - this.#running.size - 1))
    const found = command ?? (this.#preset === undefined ? [] : await installed(this.#preset, own))
    const mark = `${this.#deps.mark}${randomUUID()}`
    const connection = await Connection.open(
      {
        command: found,
        cwd: run.cwd,
        env: environment(own, this.#variables(), mark),
        run: mark,
        access: {
          login: this.#preset?.login,
          program: found[0] ?? '',
          variables: this.#preset?.variables ?? [],
        },
      },
      clock,
      run.signal,
    )
    // Lent to its turns one by one; an agent that takes none has no use for it.
    const tools = connection.facts.agentCapabilities.mcpCapabilities.http ? await this.#relay.open() : null
    return new Seat(connection, tools)
  }

  /** What the program is given besides the minimal environment. */
  #variables(): Record<string, string> {
    const own = this.#deps.environment
    const usual = (this.#preset?.variables ?? []).flatMap((name): [string, string][] => {
      const value = own[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    })
    return { ...Object.fromEntries(usual), ...this.#settings.env }
  }

  /** A session that is not written down is not taken up: the turn goes on all the same. */
  async #note(conversation: string, record: SessionRecord): Promise<void> {
    try {
      await this.#book.write(conversation, record)
    } catch (error) {
      this.#deps.log.warn({ ...loggable(error), agent: this.#deps.agent }, 'a session could not be noted')
    }
  }
}

const DAY = 24 * 60 * 60_000
/** Shorter lines are always shown whole. */
const LONG = 200

function ended(record: SessionRecord, { inOrder, text, cost }: AcpTurnEnd): SessionRecord {
  const answered = text.trim() === '' ? record : withAnswer(record, text)
  return { ...answered, proven: inOrder, cost: cost ?? record.cost }
}

/** A signal that is aborted with the first of two, or by hand. */
function any(
  one: AbortSignal,
  other: AbortSignal,
): { signal: AbortSignal; abort: () => void; release: () => void } {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  for (const signal of [one, other]) {
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  }
  return {
    signal: controller.signal,
    abort,
    release: () => {
      for (const signal of [one, other]) signal.removeEventListener('abort', abort)
    },
  }
}

/** Many small pieces of text are one event, as long as nobody waits for them; signs of life need no queue. */
function joined(last: EngineEvent, next: EngineEvent): EngineEvent | null {
  if (last.type === 'text' && next.type === 'text') return { type: 'text', text: last.text + next.text }
  return last.type === 'progress' && next.type === 'progress' && next.note === undefined ? last : null
}
