/** One turn in a session: the prompt goes out, updates and questions come in, and it ends. */
import type { Clock } from '../../../messaging/ambient.js'
import { EngineError, type EngineEvent, type EngineRun } from '../../../messaging/engine.js'
import { Answer, merged } from './answer.js'
import type { Connection, Hearer, PermissionOutcome } from './connection.js'
import type { Block } from './content.js'
import { optionFor, type Permissions, questionOf, ruleFor } from './permission.js'
import type { Session } from './session.js'
import type { PermissionRequest, PromptEnd, Update } from './wire.js'

/** An agent that was asked to end its turn has this long, in milliseconds; then its program is ended. */
export const CANCEL_WAIT = 400

const CANCELLED: PermissionOutcome = { outcome: 'cancelled' }

export interface AcpTurnParts {
  run: EngineRun
  signal: AbortSignal
  connection: Connection
  session: Session
  permissions: Permissions
  clock: Clock
  push(event: EngineEvent): void
}

/** What the turn came to. */
export interface AcpTurnEnd {
  /** The agent ended it in order, so the session holds all of it. */
  inOrder: boolean
  /** What it said last. */
  text: string
  /** What the session has cost so far, in USD; undefined where nobody says. */
  cost: number | undefined
  usage: PromptEnd['usage']
  /** Why the answer may not be whole. */
  note: string | null
}

export class AcpTurn implements Hearer {
  readonly #parts: AcpTurnParts
  readonly #answer: Answer
  readonly #stopped: Promise<'stopped'>
  #text = ''

  constructor(parts: AcpTurnParts) {
    this.#parts = parts
    this.#answer = new Answer((event) => this.#event(event))
    this.#stopped = new Promise((resolve) => {
      const stop = (): void => resolve('stopped')
      if (parts.signal.aborted) stop()
      else parts.signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** @throws EngineError; never for what a stop breaks */
  async play(blocks: readonly Block[]): Promise<AcpTurnEnd> {
    const { session, connection, signal, clock } = this.#parts
    if (signal.aborted) return this.#end(false, undefined, null)
    let undo = (): void => {}
    const stop = (): void => {
      session.cancel()
      undo = clock.at(clock.now() + CANCEL_WAIT, () => void connection.stop())
    }
    signal.addEventListener('abort', stop, { once: true })
    let end: PromptEnd
    try {
      end = await session.prompt(blocks)
    } catch (error) {
      if (!signal.aborted) throw error
      return this.#end(false, undefined, null)
    } finally {
      signal.removeEventListener('abort', stop)
      undo()
    }
    const note = signal.aborted ? null : this.#judge(end)
    if (!signal.aborted) this.#answer.finish()
    return this.#end(end.stopReason !== 'refusal', end.usage, note)
  }

  update(session: string, update: Update): void {
    if (session === this.#parts.session.id) this.#answer.take(update)
  }

  async permission(request: PermissionRequest): Promise<PermissionOutcome> {
    const { run, permissions, signal, push } = this.#parts
    if (signal.aborted) return CANCELLED
    const before = this.#answer.call(request.toolCall.toolCallId)
    const call = before === undefined ? request.toolCall : merged(before, request.toolCall)
    const rule = ruleFor(permissions, call.kind)
    push({ type: 'progress' })
    if (rule !== 'ask') return optionFor(request.options, rule === 'allow')
    const question = questionOf(call, request.options, run.input.turn.language)
    if (question === null) return CANCELLED
    const ruling = await Promise.race([run.decide(question), this.#stopped])
    if (ruling === 'stopped' || signal.aborted) return CANCELLED
    if (ruling.kind === 'chosen') return { outcome: 'selected', optionId: ruling.option }
    return ruling.why === 'stopped' ? CANCELLED : optionFor(request.options, false)
  }

  #event(event: EngineEvent): void {
    if (event.type === 'text') this.#text += event.text
    if (event.type === 'final') this.#text = event.text
    this.#parts.push(event)
  }

  #end(inOrder: boolean, usage: PromptEnd['usage'], note: string | null): AcpTurnEnd {
    return { inOrder, text: this.#text, cost: this.#answer.cost, usage, note }
  }

  /** @returns why the answer may not be whole @throws EngineError where there is none */
  #judge({ stopReason }: PromptEnd): string | null {
    const { said } = this.#answer
    switch (stopReason) {
      case 'end_turn':
        return null
      case 'refusal':
        if (said) return 'the agent’s model declined to go on'
        throw new EngineError('refused', 'The agent’s model declined to answer. Ask in other words.')
      case 'cancelled':
        throw new EngineError(
          'reported',
          'The agent ended the turn as cancelled, although nobody had stopped it: see its own log.',
        )
      default:
        if (said) return `the agent stopped at a limit of its own (${stopReason})`
        throw new EngineError(
          'model',
          `The agent stopped at a limit of its own (${stopReason}) before it had said anything: ask for less at once.`,
        )
    }
  }
}
