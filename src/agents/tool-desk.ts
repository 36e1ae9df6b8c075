import type { Clock, Logger } from '../messaging/ambient.js'
import { ToolError, type ToolSpec } from '../messaging/engine.js'
import type { Redactor } from '../messaging/redact.js'
import type { ToolCall } from '../messaging/store.js'
import { safeLine } from '../messaging/text/index.js'
import { loggable } from './loggable.js'
import { offered, toolNamed, writes } from './tools/registry.js'
import type { Tool, ToolOutcome, ToolScope } from './tools/tool.js'

/** Calls of one turn; a program that calls without end is told to answer. */
export const CALLS_PER_TURN = 100

export interface DeskOptions {
  scope: Omit<ToolScope, 'asked' | 'handedOff' | 'posted'>
  /** Awaited before a call is carried out. @param writes it has an effect */
  before(writes: boolean): Promise<void>
  signal: AbortSignal
  clock: Clock
  log: Logger
  redactor: Redactor
}

/** Carries out one turn's tool calls, and keeps what the receipt tells of them. */
export class ToolDesk {
  /** For the receipt. */
  readonly calls: ToolCall[] = []
  readonly asked: string[] = []
  handedOff: string | null = null
  /** Something was said in the chat already, beside the answer. */
  posted = false
  readonly #options: DeskOptions
  readonly #scope: ToolScope
  /** Effects that this turn has had already: asked again for its answer, an agent may say the same call again. */
  readonly #done = new Map<string, Promise<ToolOutcome>>()
  /** Effects under way: a program may end, or call several tools at once, before it has their results. */
  readonly #working = new Set<Promise<unknown>>()
  /** Calls that were refused because there were so many. */
  #beyond = 0
  #closed = false

  constructor(options: DeskOptions) {
    this.#options = options
    this.#scope = {
      ...options.scope,
      asked: (teammate) => {
        if (!this.asked.includes(teammate)) this.asked.push(teammate)
      },
      handedOff: (teammate) => {
        this.handedOff = teammate
      },
      posted: () => {
        this.posted = true
      },
    }
  }

  specs(): ToolSpec[] {
    return offered(this.#scope)
  }

  /** Names of the tools that did something, once each. */
  get used(): string[] {
    return [...new Set(this.calls.filter((call) => call.ok).map((call) => call.name))]
  }

  /** The turn is over: an engine that goes on calling has no effect any more. Resolves when no effect is under way. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#working)
  }

  /** @throws ToolError for what the agent may correct; anything else is Golem's own fault */
  async call(name: string, args: unknown): Promise<unknown> {
    const { clock, redactor, log } = this.#options
    this.#check()
    await this.#options.before(writes(name))
    this.#check()
    if (this.calls.length >= CALLS_PER_TURN) {
      this.#noteBeyond(name)
      throw new ToolError(`This turn has made its ${CALLS_PER_TURN} tool calls. Answer with what you have.`)
    }
    const entry: ToolCall = { name: safeLine(name, 60), at: clock.now(), ok: false, note: '' }
    this.calls.push(entry)
    try {
      const tool = toolNamed(name, this.#scope)
      const { result, note } = await this.#once(tool, args)
      entry.ok = true
      entry.note = redactor.text(note)
      return redactor.value(result)
    } catch (error) {
      entry.note = redactor.error(error instanceof ToolError ? error.message : error).slice(0, 500)
      if (error instanceof ToolError) throw new ToolError(redactor.text(error.message))
      log.error({ ...loggable(error), tool: name }, 'a tool failed')
      throw error
    }
  }

  /** One line for all of them, that begins with the first. */
  #noteBeyond(name: string): void {
    this.#beyond++
    const first = this.calls[CALLS_PER_TURN] ?? { name: safeLine(name, 60), at: this.#options.clock.now() }
    const note = `refused: this turn has made its ${CALLS_PER_TURN} calls (${this.#beyond} more)`
    this.calls[CALLS_PER_TURN] = { ...first, ok: false, note }
  }

  async #once(tool: Tool, args: unknown): Promise<{ result: unknown; note: string }> {
    if (!tool.writes) return tool.call(args, this.#scope)
    const key = `${tool.name} ${JSON.stringify(args) ?? ''}`
    const before = this.#done.get(key)
    if (before !== undefined) return { result: (await before).result, note: 'done already in this turn' }
    const work = tool.call(args, this.#scope)
    this.#done.set(key, work)
    this.#working.add(work)
    try {
      return await work
    } catch (error) {
      this.#done.delete(key)
      throw error
    } finally {
      this.#working.delete(work)
    }
  }

  #check(): void {
    if (this.#closed || this.#options.signal.aborted)
      throw new ToolError('This turn is over; nothing was done.')
  }
}
