/** What an agent's refusals and ends mean, as errors with their cures. */
import { EngineError } from '../../../messaging/engine.js'
import { safeLine } from '../../../messaging/text/index.js'
import type { Exit } from '../command/child.js'
import type { AgentFacts } from './wire.js'

/** JSON-RPC code of the protocol: the agent wants a login first. */
const AUTH_REQUIRED = -32_000
/** Longest words of an agent that are kept. */
const SAID = 600

const LOGIN =
  /\b401\b|missing environment variable|unauthori[sz]ed|authentication (?:required|failed|error)|not logged in|log ?in (?:first|again)|\/login|invalid (?:api|x-api) ?-?key|api key (?:is )?(?:missing|invalid|not)/i
const BUSY = /\b429\b|rate.?limit|too many requests|usage limit|quota|overloaded/i

/** Whether the agent says that nobody is logged in. */
export function wantsLogin(error: unknown): boolean {
  return codeOf(error) === AUTH_REQUIRED
}

/** How people who run Golem let an agent in. */
export interface Access {
  /** A command that logs in, where it is known. */
  login?: string | undefined
  /** The program of the agent. */
  program: string
  /** Environment variables that hold its key. */
  variables: readonly string[]
}

/** The failure of a request, for the receipt. */
export function requestFailure(error: unknown, access: Access, facts?: AgentFacts): EngineError {
  if (error instanceof EngineError) return error
  const said = wordsOf(error)
  if (wantsLogin(error) || LOGIN.test(said)) return unauthorized(said, access, facts)
  if (BUSY.test(said))
    return new EngineError(
      'rate-limited',
      `The agent’s model takes no more for now: ${said}. Ask again later, or give it another model.`,
      { cause: error },
    )
  return new EngineError('reported', `The agent reported an error: ${said || 'without a word'}.`, {
    cause: error,
  })
}

function unauthorized(said: string, access: Access, facts: AgentFacts | undefined): EngineError {
  const { login, program, variables } = access
  const own = facts?.authMethods.flatMap(({ vars }) => vars.map(({ name }) => name)) ?? []
  const keys = [...new Set([...variables.filter((name) => /KEY|TOKEN/.test(name)), ...own])]
  const key =
    keys.length === 0 ? '' : `, or give it ${keys.map((name) => safeLine(name, 60)).join(' or ')} under env`
  const methods = (facts?.authMethods ?? []).map(({ id, name }) => safeLine(name ?? id, 60)).join(', ')
  const offers = login === undefined && methods !== '' ? ` It offers: ${methods}.` : ''
  const how = login === undefined ? `log in by running ${program} by hand` : `log in by running \`${login}\``
  return new EngineError(
    'unauthorized',
    `Nobody is logged in to the agent (${said || 'authentication required'}): ${how} as the user that runs Golem${key}.${offers}`,
  )
}

/** The agent's program is gone although a turn needed it. @param garbage what it wrote that is no protocol */
export function endFailure(exit: Exit, began: boolean, garbage: string): EngineError {
  const how =
    exit.signal !== null ? `was ended by ${exit.signal}` : `ended with exit code ${exit.code ?? 'unknown'}`
  if (began)
    return new EngineError(
      'exit',
      `The agent ${how} in the middle of this turn; it is started again for the next one.`,
    )
  const wrote = garbage === '' ? '' : ` It wrote: ${safeLine(garbage)}.`
  return new EngineError(
    'exit',
    `The agent ${how} before it could take a turn: see that its command starts it as an agent of the Agent Client Protocol.${wrote}`,
  )
}

function codeOf(error: unknown): number | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  return typeof code === 'number' ? code : undefined
}

/** Message and details of a JSON-RPC error, on one line. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return safeLine(String(error), SAID)
  const data: unknown = Reflect.get(error, 'data')
  const details: unknown =
    typeof data === 'object' && data !== null
      ? (Reflect.get(data, 'details') ?? Reflect.get(data, 'message'))
      : data
  const words = [error.message, details].filter(
    (word): word is string => typeof word === 'string' && word !== '',
  )
  return safeLine([...new Set(words)].join(': '), SAID).replace(/[.\s]+$/, '')
}
