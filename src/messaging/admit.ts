/**
 * Asked again when a turn is dispatched: the roster, the count of bot turns and the time may have changed while it
 * waited. As pure as `decide`; its trace is appended to the turn's receipt.
 */
import type { Millis } from './contract.js'
import type { Admission, Gate } from './decision.js'
import { maxTurnsGate } from './gates/turns.js'
import { type Policy, type RoomSettings, roomAgents } from './roster.js'
import type { TurnKind } from './store.js'

/** Said of what waited longer than a room remembers. */
export const EXPIRED = 'It waited too long: the room has moved on.'

export interface AdmitInput {
  agent: string
  kind: TurnKind
  addressed: boolean
  /** A person's message is among those it answers, or it goes on with what a person asked for. */
  forPerson: boolean
  createdAt: Millis
  settings: RoomSettings
  botTurns: number
  quietNoticed: boolean
  now: Millis
}

export function admit(policy: Policy, input: AdmitInput): Admission {
  const trace: Gate[] = []
  const agent = roomAgents(policy, input.settings).find((one) => one.name === input.agent)
  const waited = input.now - input.createdAt
  const saw = { agent: input.agent, 'waited ms': waited, kind: input.kind }
  const drop = (reason: string, why: string, notices: Admission['notices'] = []): Admission => {
    trace.push({ gate: 'admit', verdict: 'stop', saw, why })
    return { verdict: 'drop', reason, notices, trace }
  }
  const told = (gone?: true): Admission['notices'] =>
    input.addressed ? [{ kind: 'archived', agents: [input.agent], ...(gone && { gone }) }] : []
  if (!agent) return drop('agent-gone', `${input.agent} is no longer in this room.`, told(true))
  if (agent.archived) return drop('archived', `${agent.name} was archived while this waited.`, told())
  if (input.kind === 'message' && waited > policy.bounds.waitingMs)
    return drop('expired', EXPIRED, input.addressed ? [{ kind: 'expired' }] : [])
  const turns = maxTurnsGate(input.settings, input.botTurns, input.forPerson)
  trace.push(turns)
  if (turns.verdict === 'stop')
    return {
      verdict: 'drop',
      reason: 'max-turns',
      notices: input.quietNoticed ? [] : [{ kind: 'quiet', maxTurns: input.settings.maxTurns }],
      trace,
    }
  trace.push({
    gate: 'admit',
    verdict: 'pass',
    saw,
    why: 'The conversation and the agent are idle, and a slot is free.',
  })
  return { verdict: 'run', reason: 'admitted', notices: [], trace }
}
