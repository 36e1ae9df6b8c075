/**
 * Engine `command`: any program as an agent, protocol version 1. One process a turn, or one a conversation with
 * `persistent`.
 *
 * The prompt goes to standard input and nowhere else: never into an argument (no length limit, no option injection).
 * The engine reads no other environment of Golem's than a handful of names, and nothing that a turn started outlives it.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../messaging/ambient.js'
import {
  type Engine,
  EngineError,
  type EngineEvent,
  type EngineRun,
  ToolError,
} from '../../messaging/engine.js'
import { STOP_GRACE } from '../../messaging/limits.js'
import type { Effects } from '../../messaging/roster.js'
import { loggable } from '../loggable.js'
import { Channel } from './channel.js'
import { Child, type Exit } from './command/child.js'
import { environment } from './command/environment.js'
import { Pool } from './command/pool.js'
import { type ProgramMessage, parseLine } from './command/protocol.js'

/** Bytes a program may write in one turn, and in one line of it. */
export const OUTPUT_LIMIT = 4_000_000
export const LINE_LIMIT = 1_000_000

export interface CommandOptions {
  /** The program and its arguments, given to it as they are: no shell. */
  command: readonly string[]
  /** Added to the minimal environment. */
  env?: Readonly<Record<string, string>> | undefined
  /** Whether a run that was cut off may simply be run again. Default `unknown`. */
  effects?: Exclude<Effects, 'recorded'> | undefined
  /** Bytes of output a turn. Default {@link OUTPUT_LIMIT}. */
  outputLimit?: number | undefined
  /** The program serves many turns; each line then carries its turn's id. */
  persistent?: boolean | undefined
}

export interface CommandDeps {
  clock: Clock
  /** Begins the mark that strays of this daemon are found by. */
  mark: string
  /** Golem's own environment. */
  environment: NodeJS.ProcessEnv
}

export function createCommand(options: CommandOptions, deps: CommandDeps): Engine {
  return new CommandEngine(options, deps)
}

class CommandEngine implements Engine {
  readonly id = 'command'
  readonly effects: Effects
  readonly #options: CommandOptions
  readonly #deps: CommandDeps
  readonly #pool: Pool<Child>
  readonly #running = new Set<Child>()
  #closed = false

  constructor(options: CommandOptions, deps: CommandDeps) {
    this.effects = options.effects ?? 'unknown'
    this.#options = options
    this.#deps = deps
    this.#pool = new Pool(deps.clock)
  }

  async *run(run: EngineRun): AsyncGenerator<EngineEvent, void, undefined> {
    const key = JSON.stringify([run.cwd, run.input.turn.conversation])
    const child = this.#pool.take(key) ?? (await this.#start(run.cwd))
    this.#running.add(child)
    const turn = new CommandTurn(run, child, this.#options, this.#deps)
    try {
      if (this.#closed) void child.stop()
      yield* turn.events()
    } finally {
      child.detach()
      if (!turn.mayStay || this.#closed) await child.stop()
      else this.#pool.give(key, child)
      this.#running.delete(child)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#pool.close(), ...[...this.#running].map((child) => child.stop())])
  }

  async #start(cwd: string): Promise<Child> {
    const { command, env = {}, outputLimit = OUTPUT_LIMIT } = this.#options
    const mark = `${this.#deps.mark}${randomUUID()}`
    return Child.start(
      {
        command,
        cwd,
        env: environment(this.#deps.environment, env, mark),
        run: mark,
        limits: { total: outputLimit, line: Math.min(LINE_LIMIT, outputLimit) },
      },
      this.#deps.clock,
    )
  }
}

/** One turn on one program: its lines become events, its tool calls are answered in the order they were made. */
class CommandTurn {
  readonly #run: EngineRun
  readonly #child: Child
  readonly #persistent: boolean
  readonly #clock: Clock
  readonly #events = new Channel<EngineEvent>(joined)
  #calls: Promise<void> = Promise.resolve()
  #plain = false
  #started = false
  /** The program has said that it is done. */
  #done = false
  #fault: EngineError | undefined
  #undo: (() => void) | undefined

  constructor(run: EngineRun, child: Child, options: CommandOptions, deps: CommandDeps) {
    this.#run = run
    this.#child = child
    this.#persistent = options.persistent ?? false
    this.#clock = deps.clock
  }

  /** The program ended this turn in order and may take the next one. */
  get mayStay(): boolean {
    return this.#persistent && this.#done && this.#fault === undefined && !this.#child.ended
  }

  async *events(): AsyncGenerator<EngineEvent, void, undefined> {
    const { signal, input } = this.#run
    const stop = (): void => void this.#child.stop()
    this.#child.attach({
      line: (text) => this.#line(text),
      fault: (error) => this.#fail(error),
      closed: (exit) => void this.#closed(exit),
    })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    else this.#child.send(input)
    try {
      yield* this.#events
    } finally {
      signal.removeEventListener('abort', stop)
      this.#undo?.()
    }
  }

  #line(line: string): void {
    if (this.#fault !== undefined) return
    let message: ReturnType<typeof parseLine>
    try {
      message = parseLine(line)
      if (this.#persistent && message.type !== 'plain' && message.turn === undefined) {
        throw new EngineError(
          'protocol',
          'A persistent program must write its turn’s id into each line: {"type":"text","turn":"7",…}.',
        )
      }
    } catch (error) {
      this.#fail(error instanceof EngineError ? error : new EngineError('protocol', String(error)))
      return
    }
    if (message.type === 'plain') this.#plainText(message.text)
    // What a program says late about an earlier turn belongs to nobody now.
    else if (!this.#persistent || message.turn === this.#run.input.turn.id) this.#message(message)
  }

  /** Of a program that stays, plain text cannot be told to belong to this turn: it is noise, as on its error output. */
  #plainText(text: string): void {
    if (this.#done || this.#persistent) return
    this.#events.push({ type: 'text', text: this.#started ? `\n${text}` : text })
    this.#started = true
    this.#plain = true
  }

  #message(message: ProgramMessage): void {
    switch (message.type) {
      case 'text':
        if (this.#done) return
        this.#events.push({ type: 'text', text: this.#plain ? `\n${message.text}` : message.text })
        this.#plain = false
        this.#started = true
        return
      case 'final':
        if (this.#done) return
        if (message.text !== undefined) this.#events.push({ type: 'final', text: message.text })
        this.#finish()
        return
      case 'tool':
        this.#events.push({ type: 'progress' })
        this.#calls = this.#calls.then(() => this.#call(message))
        return
      case 'file':
        this.#events.push({ type: 'file', path: message.path, name: message.name ?? '' })
        return
      case 'usage': {
        const { inputTokens, outputTokens, cachedTokens, costUsd, model } = message
        this.#events.push({
          type: 'usage',
          inputTokens,
          outputTokens,
          ...(cachedTokens === undefined ? {} : { cachedTokens }),
          ...(costUsd === undefined ? {} : { costUsd }),
          ...(model === undefined ? {} : { model }),
        })
        return
      }
      case 'error':
        this.#fail(new EngineError('reported', `The program reported an error: ${message.message}`))
    }
  }

  async #call(message: Extract<ProgramMessage, { type: 'tool' }>): Promise<void> {
    if (this.#run.signal.aborted) return
    const reply = {
      type: 'tool_result',
      ...(this.#persistent ? { turn: this.#run.input.turn.id } : {}),
      id: message.id,
    }
    try {
      const result = await this.#run.call(message.name, message.arguments ?? {})
      this.#child.send({ ...reply, result: result ?? null })
    } catch (error) {
      const told =
        error instanceof ToolError ? error.message : 'The tool failed inside Golem; go on without it.'
      if (!(error instanceof ToolError))
        this.#run.log.error({ ...loggable(error), tool: message.name }, 'a tool failed')
      this.#child.send({ ...reply, error: told })
    }
  }

  /** The answer is whole. A program of one turn may still send files and usage until it ends, which it must do soon. */
  #finish(): void {
    this.#done = true
    if (this.#persistent) {
      void this.#callsOver().then(() => this.#events.close())
      return
    }
    this.#child.endInput()
    this.#undo = this.#clock.at(this.#clock.now() + STOP_GRACE, () => void this.#child.stop())
  }

  #fail(error: EngineError): void {
    if (this.#fault !== undefined) return
    this.#fault = error
    void this.#child.stop()
  }

  /** A call whose result nobody reads any more still has its effect before the turn ends, unless the turn was stopped. */
  async #callsOver(): Promise<void> {
    const { signal } = this.#run
    let release = (): void => {}
    const stopped = new Promise<void>((resolve) => {
      release = resolve
    })
    if (signal.aborted) return
    signal.addEventListener('abort', release, { once: true })
    await Promise.race([this.#calls, stopped])
    signal.removeEventListener('abort', release)
  }

  async #closed(exit: Exit): Promise<void> {
    await this.#callsOver()
    if (this.#fault !== undefined) this.#events.fail(this.#withLastWords(this.#fault))
    else if (this.#done || this.#run.signal.aborted || (exit.code === 0 && !this.#persistent))
      this.#events.close()
    else this.#events.fail(this.#withLastWords(new EngineError('exit', ended(exit, this.#persistent))))
  }

  #withLastWords(error: EngineError): EngineError {
    const words = this.#child.lastWords
    if (words === '') return error
    return new EngineError(error.code, `${error.message}\nThe end of its error output:\n${words}`, {
      cause: error.cause,
    })
  }
}

/** Many small pieces of text are one event, as long as nobody waits for them. */
function joined(last: EngineEvent, next: EngineEvent): EngineEvent | null {
  return last.type === 'text' && next.type === 'text' ? { type: 'text', text: last.text + next.text } : null
}

function ended(exit: Exit, persistent: boolean): string {
  const how =
    exit.signal !== null ? `was ended by ${exit.signal}` : `ended with exit code ${exit.code ?? 'unknown'}`
  return persistent
    ? `The program ${how} in the middle of this turn; it is started again for the next one.`
    : `The program ${how}: run it by hand with the same input to see why.`
}
