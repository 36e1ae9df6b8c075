/** One session of an agent: made or taken up, given its model, prompted. */

import type { Connection } from './connection.js'
import type { Block } from './content.js'
import { wantsLogin } from './failure.js'
import type { RelaySeat } from './relay.js'
import { type PromptEnd, readOpened, readPromptEnd, type SessionFacts } from './wire.js'

/** What making, loading or authenticating may take: agents start tool servers and read old conversations. */
const OPEN_LIMIT = 90_000
const AUTHENTICATE_LIMIT = 20_000
/** Choosing a model or a mode, and forgetting. */
const SET_LIMIT = 15_000

export interface SessionPlan {
  /** Absolute. */
  cwd: string
  servers: readonly RelaySeat['server'][]
  /** Ways to authenticate that need nobody, with the variable that each needs. */
  methods: Readonly<Record<string, string | null>>
  /** Names of variables that the program was given. */
  given: ReadonlySet<string>
}

export class Session {
  readonly id: string
  readonly #connection: Connection
  #facts: SessionFacts
  /** The agent's own choice, before anybody made another. */
  readonly #own: string | undefined

  private constructor(connection: Connection, id: string, facts: SessionFacts) {
    this.#connection = connection
    this.id = id
    this.#facts = facts
    this.#own = this.model
  }

  /** @throws EngineError */
  static async fresh(connection: Connection, plan: SessionPlan): Promise<Session> {
    const params = { cwd: plan.cwd, mcpServers: plan.servers }
    const make = (): Promise<unknown> => connection.ask('session/new', params, OPEN_LIMIT)
    let made: unknown
    try {
      made = await make()
    } catch (error) {
      if (!wantsLogin(error) || !(await authenticate(connection, plan))) throw connection.failureOf(error)
      made = await make().catch((again: unknown) => {
        throw connection.failureOf(again)
      })
    }
    const facts = readOpened(made)
    if (facts.sessionId === undefined)
      throw connection.failureOf(new Error('it made a session without a name'))
    return new Session(connection, facts.sessionId, facts)
  }

  /** @returns null when the agent cannot, or has it no more */
  static async takenUp(connection: Connection, id: string, plan: SessionPlan): Promise<Session | null> {
    const { loadSession, sessionCapabilities } = connection.facts.agentCapabilities
    // `resume` says nothing of the past; `load` tells it all again, which nobody listens to.
    const method = sessionCapabilities.resume ? 'session/resume' : loadSession ? 'session/load' : null
    if (method === null) return null
    const params = { sessionId: id, cwd: plan.cwd, mcpServers: plan.servers }
    try {
      return new Session(connection, id, readOpened(await connection.ask(method, params, OPEN_LIMIT)))
    } catch {
      return null
    }
  }

  /** The model that works in it, by the agent's name, where the agent says so. */
  get model(): string | undefined {
    const option = this.#option('model')
    if (typeof option?.currentValue === 'string') return option.currentValue
    return this.#facts.models?.currentModelId
  }

  /**
   * @param wanted null: the agent's own choice
   * @returns why it works with another model all the same; null when it does not
   */
  async choose(wanted: string | null): Promise<string | null> {
    const name = wanted ?? this.#own
    if (name === undefined || name === this.model) return null
    const option = this.#option('model')
    const offered = option?.options ?? this.#facts.models?.availableModels.map(asChoice) ?? []
    const found = matching(offered, name)
    if (found === undefined)
      return `the agent offers no model ${name}${offered.length === 0 ? '' : `, only ${offered.map(({ value }) => value).join(', ')}`}`
    if (found === this.model) return null
    try {
      await this.#set(option?.id, found)
      return null
    } catch (error) {
      return `the agent did not take the model ${name}: ${this.#connection.failureOf(error).message}`
    }
  }

  /** @returns why it works in another mode; null when it does not */
  async enter(modeId: string | undefined): Promise<string | null> {
    if (modeId === undefined) return null
    try {
      await this.#connection.ask('session/set_mode', { sessionId: this.id, modeId }, SET_LIMIT)
      return null
    } catch (error) {
      return `the agent did not take the mode ${modeId}: ${this.#connection.failureOf(error).message}`
    }
  }

  /** Settles when the agent's turn has ended. @throws EngineError */
  async prompt(blocks: readonly Block[]): Promise<PromptEnd> {
    const answer = await this.#connection.request('session/prompt', { sessionId: this.id, prompt: blocks })
    try {
      return readPromptEnd(answer)
    } catch (error) {
      throw this.#connection.failureOf(error)
    }
  }

  /** Asks the agent to end the turn that runs. */
  cancel(): void {
    this.#connection.notify('session/cancel', { sessionId: this.id })
  }

  async #set(option: string | undefined, value: string): Promise<void> {
    const [method, params] =
      option === undefined
        ? ['session/set_model', { sessionId: this.id, modelId: value }]
        : ['session/set_config_option', { sessionId: this.id, configId: option, value }]
    const answer = readOpened(await this.#connection.ask(method, params, SET_LIMIT))
    const { models, configOptions } = this.#facts
    if (option === undefined)
      this.#facts = { ...this.#facts, models: models && { ...models, currentModelId: value } }
    else {
      const told = answer.configOptions.length > 0 ? answer.configOptions : configOptions
      this.#facts = {
        ...this.#facts,
        configOptions: told.map((one) => (one.id === option ? { ...one, currentValue: value } : one)),
      }
    }
  }

  #option(category: string): SessionFacts['configOptions'][number] | undefined {
    return this.#facts.configOptions.find((option) => (option.category ?? option.id) === category)
  }
}

/** Has an agent forget a session that nobody goes on with, where it can. What becomes of it is not waited for long. */
export async function forget(connection: Connection, id: string): Promise<void> {
  const { sessionCapabilities } = connection.facts.agentCapabilities
  const method = sessionCapabilities.delete
    ? 'session/delete'
    : sessionCapabilities.close
      ? 'session/close'
      : null
  if (method === null || connection.ended) return
  await connection.ask(method, { sessionId: id }, SET_LIMIT).catch(() => {})
}

/** @returns whether the agent now takes it that somebody is logged in */
async function authenticate(connection: Connection, { methods, given }: SessionPlan): Promise<boolean> {
  for (const { id, vars } of connection.facts.authMethods) {
    const known = Object.hasOwn(methods, id) ? methods[id] : undefined
    const needs = known === null ? [] : known === undefined ? vars.map(({ name }) => name) : [known]
    if (known === undefined && needs.length === 0) continue
    if (!needs.every((name) => given.has(name))) continue
    try {
      await connection.ask('authenticate', { methodId: id }, AUTHENTICATE_LIMIT)
      return true
    } catch {
      // Another way may do.
    }
  }
  return false
}

function asChoice({ modelId, name }: { modelId: string; name?: string | undefined }) {
  return { value: modelId, name }
}

/** By its id, else by its name, in any case. */
function matching(
  offered: readonly { value: string; name?: string | undefined }[],
  wanted: string,
): string | undefined {
  const folded = wanted.toLowerCase()
  const found =
    offered.find(({ value }) => value === wanted) ??
    offered.find(({ value, name }) => value.toLowerCase() === folded || name?.toLowerCase() === folded)
  return found?.value
}
