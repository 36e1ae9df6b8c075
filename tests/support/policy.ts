/** A policy and messages for tests: small defaults, everything can be said otherwise. */
import type { InboundMessage } from '../../src/messaging/contract.js'
import { parseDoc } from '../../src/messaging/doc/index.js'
import { BOUNDS, COALESCE_WINDOW, DEBOUNCE, HISTORY_LIMIT, MAX_TURNS } from '../../src/messaging/limits.js'
import type { Agent, Policy, RoomSettings } from '../../src/messaging/roster.js'

export const SELF = { id: 'golem', name: 'Golem' }
export const T0 = 1_772_000_000_000

export function agent(name: string, change: Partial<Agent> = {}): Agent {
  return {
    name,
    role: '',
    aliases: [],
    orchestrator: false,
    archived: false,
    hidden: false,
    effects: 'none',
    skills: [],
    ...change,
  }
}

export function policy(
  settings: Partial<RoomSettings> = {},
  agents: readonly Agent[] = [
    agent('Golem', { orchestrator: true }),
    agent('Librarian', { role: 'finds answers in the documents' }),
    agent('Scribe', { role: 'keeps notes and decisions' }),
  ],
  change: Partial<Policy> = {},
): Policy {
  return {
    name: 'Golem',
    language: 'en',
    agents,
    defaults: {
      groupPolicy: 'mention-only',
      historyLimit: HISTORY_LIMIT,
      maxTurns: MAX_TURNS,
      sessionScope: 'auto',
      threadFollowUps: 'one-person',
      reply: 'quote',
      answer: 'new',
      smartGate: 'off',
      respondToEveryone: false,
      cjkNames: 'strict',
      members: agents.map((one) => one.name),
      defaultResponder: { kind: 'agent', agent: agents[0]?.name ?? '' },
      bulletin: null,
      description: null,
      workingFolder: null,
      coalesceWindowMs: COALESCE_WINDOW,
      debounceMs: DEBOUNCE,
      ...settings,
    },
    rooms: {},
    access: {},
    agentConcurrency: 4,
    bounds: BOUNDS,
    ...change,
  }
}

let next = 0

/** A message of Ann's in the lobby. */
export function message(text: string, change: Partial<InboundMessage> = {}): InboundMessage {
  const id = change.id ?? String(++next)
  return {
    kind: 'message',
    event: `message:${id}`,
    id,
    at: T0,
    place: { chat: 'lobby' },
    author: { id: 'ann', name: 'Ann', kind: 'person' },
    chat: { kind: 'group' },
    doc: parseDoc(text),
    ...change,
  }
}
