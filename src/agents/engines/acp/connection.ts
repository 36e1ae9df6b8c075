/** One agent's process, and the protocol on its two streams. */
import type { AnyMessage, ClientConnection } from '@agentclientprotocol/sdk'
import type { Clock } from '../../../messaging/ambient.js'
import { EngineError } from '../../../messaging/engine.js'
import { size } from '../../bytes.js'
import { Child, type Exit } from '../command/child.js'
import { type Access, endFailure, requestFailure } from './failure.js'
import {
  type AgentFacts,
  type PermissionRequest,
  readInitialized,
  readPermission,
  readUpdate,
  type Update,
} from './wire.js'

/** Bytes an agent may write in one turn, and in one message: tools bring whole files. */
const TURN_BYTES = 256_000_000
const MESSAGE_BYTES = 32_000_000
/** An agent that is not ready by then is none. */
const READY_LIMIT = 60_000
/** Characters of what is no protocol that are kept for the receipt. */
const GARBAGE_CHARACTERS = 200

export type PermissionOutcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }

/** The turn that works on a connection. */
export interface Hearer {
  update(session: string, update: Update): void
  permission(request: PermissionRequest): Promise<PermissionOutcome>
}

export interface ConnectionPlan {
  command: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** The mark in `env` by which strays are found. */
  run: string
  access: Access
}

/**
 * An agent that has been greeted. It serves one turn at a time. Whatever it writes besides the protocol is passed over;
 * when it ends, everything that waits for it fails.
 */
export class Connection {
  readonly #child: Child
  readonly #clock: Clock
  readonly #access: Access
  readonly #listener
  #rpc: ClientConnection | undefined
  #incoming: ReadableStreamDefaultController<AnyMessage> | undefined
  readonly #waiting = new Set<unknown>()
  #hearer: Hearer | undefined
  #facts: AgentFacts | undefined
  #fault: EngineError | undefined
  #garbage = ''
  #began = false

  private constructor(child: Child, plan: ConnectionPlan, clock: Clock) {
    this.#child = child
    this.#clock = clock
    this.#access = plan.access
    this.#listener = {
      line: (text: string) => this.#line(text),
      fault: (error: EngineError) => {
        this.#fault = overflow(error)
      },
      closed: (exit: Exit) => this.#closed(exit),
    }
    child.attach(this.#listener)
  }

  /** Starts and greets it. @throws EngineError */
  static async open(plan: ConnectionPlan, clock: Clock, signal: AbortSignal): Promise<Connection> {
    const { command, cwd, env, run } = plan
    const limits = { total: TURN_BYTES, line: MESSAGE_BYTES }
    const child = await Child.start({ command, cwd, env, run, limits }, clock)
    const connection = new Connection(child, plan, clock)
    const stop = (): void => void child.stop()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      await connection.#greet()
      return connection
    } catch (error) {
      await child.stop()
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** @throws Error before the greeting */
  get facts(): AgentFacts {
    if (this.#facts === undefined) throw new Error('an agent is greeted before it is asked')
    return this.#facts
  }

  get ended(): boolean {
    return this.#child.ended
  }

  /** Nothing of it is left. */
  get closed(): Promise<Exit> {
    return this.#child.closed
  }

  stop(): Promise<Exit> {
    return this.#child.stop()
  }

  /** A turn begins; its output is counted from here. */
  attach(hearer: Hearer): void {
    this.#began = true
    this.#hearer = hearer
    this.#child.attach(this.#listener)
  }

  detach(): void {
    this.#hearer = undefined
  }

  /** @param limit milliseconds it may take @throws EngineError */
  async request(method: string, params: object, limit?: number): Promise<unknown> {
    try {
      return await this.ask(method, params, limit)
    } catch (error) {
      throw this.failureOf(error)
    }
  }

  /** As {@link request}, with the agent's own error. */
  async ask(method: string, params: object, limit?: number): Promise<unknown> {
    const rpc = this.#rpc
    if (rpc === undefined || this.#child.ended) throw this.#end(await this.#child.closed)
    const answer = rpc.agent.request<unknown>(method, params)
    if (limit === undefined) return answer
    let undo = (): void => {}
    const late = new Promise<never>((_resolve, reject) => {
      undo = this.#clock.at(this.#clock.now() + limit, () => reject(this.#tooLate(method, limit)))
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      undo()
    }
  }

  notify(method: string, params: object): void {
    this.#rpc?.agent.notify(method, params).catch(() => {})
  }

  /** An error of a request, with the last words of a program that is gone. */
  failureOf(error: unknown): EngineError {
    return this.#withLastWords(requestFailure(error, this.#access, this.#facts))
  }

  async #greet(): Promise<void> {
    // Loaded with the first agent: a daemon without any never has it in memory.
    const acp = await import('@agentclientprotocol/sdk')
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#incoming = controller
      },
    })
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#send(message) })
    this.#rpc = acp
      .client({ name: 'golem' })
      .onRequest(acp.methods.client.session.requestPermission as string, readPermission, ({ params }) =>
        this.#permission(params),
      )
      .connect({ readable, writable })
    const greeting = {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'golem', title: 'Golem', version: '1' },
    }
    const answer = await this.request(acp.methods.agent.initialize, greeting, READY_LIMIT)
    try {
      this.#facts = readInitialized(answer)
    } catch (cause) {
      throw new EngineError(
        'protocol',
        'The agent’s greeting is not one of the Agent Client Protocol: see its command.',
        {
          cause,
        },
      )
    }
    const { protocolVersion } = this.#facts
    if (protocolVersion !== acp.PROTOCOL_VERSION)
      throw new EngineError(
        'protocol',
        `The agent speaks version ${protocolVersion} of the Agent Client Protocol, Golem version ${acp.PROTOCOL_VERSION}: install another version of the agent.`,
      )
  }

  #send(message: AnyMessage): void {
    if ('method' in message && 'id' in message) this.#waiting.add(message.id)
    this.#child.send(message)
  }

  /** Only what the protocol's library understands is handed to it: it complains on standard error otherwise. */
  #line(line: string): void {
    if (line.trim() === '') return
    const message = parsed(line)
    // In the order of the lines: an answer to a request must not overtake what was said before it.
    if (message !== undefined && 'method' in message && message.method === 'session/update')
      this.#update(message.params)
    else if (message !== undefined && this.#isExpected(message)) this.#incoming?.enqueue(message)
    else if (this.#garbage === '') this.#garbage = line.slice(0, GARBAGE_CHARACTERS)
  }

  #isExpected(message: AnyMessage): boolean {
    if ('method' in message) return typeof message.method === 'string'
    const isAnswer = 'result' in message || ('error' in message && isError(message.error))
    return isAnswer && this.#waiting.delete(message.id)
  }

  #update(params: unknown): void {
    const read = readUpdate(params)
    if (read !== null) this.#hearer?.update(read.session, read.update)
  }

  async #permission(request: PermissionRequest): Promise<{ outcome: PermissionOutcome }> {
    const outcome = (await this.#hearer?.permission(request)) ?? { outcome: 'cancelled' }
    return { outcome }
  }

  #closed(exit: Exit): void {
    this.#fault ??= endFailure(exit, this.#began, this.#garbage)
    this.#rpc?.close(this.#fault)
  }

  #end(exit: Exit): EngineError {
    return this.#fault ?? endFailure(exit, this.#began, this.#garbage)
  }

  #tooLate(method: string, limit: number): EngineError {
    const wrote = this.#garbage === '' ? '' : ' What it writes is no protocol.'
    return new EngineError(
      'protocol',
      `The agent did not answer ${method} within ${limit / 1_000} s: see that its command starts it as an agent of the Agent Client Protocol.${wrote}`,
    )
  }

  #withLastWords(error: EngineError): EngineError {
    const words = this.#child.lastWords
    if (words === '' || error.message.includes(words)) return error
    return new EngineError(error.code, `${error.message}\nThe end of its error output:\n${words}`, {
      cause: error.cause,
    })
  }
}

function parsed(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as AnyMessage)
      : undefined
  } catch {
    return undefined
  }
}

function isError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return typeof Reflect.get(value, 'code') === 'number' && typeof Reflect.get(value, 'message') === 'string'
}

/** Limits speak of the command protocol; an agent of this one can do nothing about its lines. */
function overflow(error: EngineError): EngineError {
  if (error.code !== 'output-limit') return error
  return new EngineError(
    'output-limit',
    `The agent wrote more than ${size(TURN_BYTES)} in one turn, or one message of more than ${size(MESSAGE_BYTES)}, and was stopped.`,
  )
}
