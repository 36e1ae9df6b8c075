import type { Decision, Gate, Notice } from '../decision.js'
import { EVERYONE_AGENTS } from '../limits.js'
import type { Agent, DefaultResponder, RoomSettings } from '../roster.js'
import type { RoomState } from '../state.js'
import { fit as fitOf } from '../text/score.js'
import type { AddressedBy } from './addressed.js'
import type { Naming } from './naming.js'

export interface Responders {
  agents: readonly string[]
  route: Decision['route']
  notices: readonly Notice[]
  gate: Gate
}

/** A model's answer, or the local score, must be at least this sure before `auto` follows it. */
export const AUTO_CONFIDENCE = 0.6

/** Who answers, once the policy let the message in. The four rules of a room, first match wins. */
export function chooseResponders(
  agents: readonly Agent[],
  settings: RoomSettings,
  state: RoomState,
  naming: Naming,
  by: AddressedBy,
  person: boolean,
): Responders {
  const visible = agents.filter((agent) => !agent.hidden)
  const active = visible.filter((agent) => !agent.archived)
  const base = { everyone: naming.everyone, named: naming.named.map((agent) => agent.name) }
  const done = (
    names: readonly string[],
    route: Responders['route'],
    why: string,
    notices: readonly Notice[] = [],
  ): Responders => ({
    agents: names,
    route,
    notices,
    gate: {
      gate: 'responders',
      verdict: names.length > 0 ? 'pass' : 'stop',
      saw: {
        ...base,
        default: describe(settings.defaultResponder),
        owner: state.owner,
        active: active.length,
      },
      why,
    },
  })
  const archived: readonly Notice[] =
    naming.archived.length > 0
      ? [{ kind: 'archived', agents: naming.archived.map((agent) => agent.name) }]
      : []

  if (active.length === 0)
    return done([], 'none', 'The room has no active agent.', [archived[0] ?? { kind: 'no-active-members' }])
  if (naming.everyone && person)
    return done(
      active.slice(0, EVERYONE_AGENTS).map((agent) => agent.name),
      'everyone',
      `It is aimed at everyone: all active agents answer, at most ${EVERYONE_AGENTS}, one after another.`,
      archived,
    )
  if (naming.named.length > 0) {
    const members = naming.named.filter((agent) => active.includes(agent))
    if (members.length > 0)
      return done(
        members.map((agent) => agent.name),
        'named',
        'Exactly the agents it names answer.',
        archived,
      )
  }
  if (naming.archived.length > 0)
    return done([], 'none', 'It names an archived agent: nobody answers in its place.', archived)

  const replied = state.repliedTo?.ours ? find(active, state.repliedTo.agent) : undefined
  if (replied) return done([replied.name], 'reply', `It replies to a message of ${replied.name}.`)
  const owner = find(active, state.owner)
  if (owner) return done([owner.name], 'thread', `${owner.name} has taken over this conversation.`)
  return byDefault(active, settings.defaultResponder, state, naming, by, done)
}

function byDefault(
  active: readonly Agent[],
  wanted: DefaultResponder,
  state: RoomState,
  naming: Naming,
  by: AddressedBy,
  done: (
    names: readonly string[],
    route: Responders['route'],
    why: string,
    notices?: readonly Notice[],
  ) => Responders,
): Responders {
  const orchestrator = active.find((agent) => agent.orchestrator) ?? active[0]
  const lead = orchestrator ? [orchestrator.name] : []
  switch (wanted.kind) {
    case 'everyone':
      return done(
        active.slice(0, EVERYONE_AGENTS).map((agent) => agent.name),
        'default',
        'Nobody is named, and in this room everyone answers.',
      )
    case 'agent': {
      const agent = find(active, wanted.agent)
      if (agent)
        return done([agent.name], 'default', `Nobody is named: ${agent.name} is the default responder.`)
      const gone = `The default responder ${wanted.agent} is not active in this room`
      return by === null
        ? done([], 'none', `${gone}.`)
        : done(lead, 'orchestrator', `${gone}: the orchestrator answers.`)
    }
    case 'mentions':
      return by === null
        ? done(
            [],
            'none',
            'Nobody is named, and in this room only mentions are answered.',
            state.hintGiven ? [] : [{ kind: 'mention-hint' }],
          )
        : done(lead, 'orchestrator', 'The bot itself is addressed: the orchestrator answers.')
    case 'auto': {
      const choice = autoChoice(active, naming.text)
      return choice.agent === null
        ? done(lead, 'orchestrator', choice.why)
        : done([choice.agent], 'auto', choice.why)
    }
  }
}

/** The local router: the one agent whose role and skills fit best, if it is sure enough. */
export function autoChoice(active: readonly Agent[], text: string): { agent: string | null; why: string } {
  if (active.length < 2) return { agent: null, why: 'There is only one active agent.' }
  const scores = active
    .filter((agent) => !agent.orchestrator)
    .map((agent) => ({ agent: agent.name, score: fitOf(text, [agent.name, agent.role, ...agent.skills]) }))
    .sort((a, b) => b.score - a.score)
  const best = scores[0]
  const tie = scores[1] !== undefined && best !== undefined && scores[1].score === best.score
  if (best && !tie && best.score >= AUTO_CONFIDENCE)
    return { agent: best.agent, why: `Its role and skills fit best (${best.score.toFixed(2)}).` }
  return {
    agent: null,
    why: `No agent fits clearly (best ${best ? best.score.toFixed(2) : '0'}, needed ${AUTO_CONFIDENCE}): the orchestrator answers.`,
  }
}

/** A router model's answer, checked. Whatever is wrong with it, the fallback answers. */
export function routedBy(
  active: readonly string[],
  fallback: readonly string[],
  answer: { id: string; probability: number } | { error: string } | null,
): { ids: readonly string[]; asked: boolean; reason?: string } {
  if (active.length < 2) return { ids: fallback, reason: 'no_choice', asked: false }
  if (answer === null) return { ids: fallback, reason: 'timeout', asked: true }
  if ('error' in answer) return { ids: fallback, reason: answer.error, asked: true }
  if (!active.includes(answer.id)) return { ids: fallback, reason: 'unknown_id', asked: true }
  if (!(answer.probability >= AUTO_CONFIDENCE))
    return { ids: fallback, reason: 'low_confidence', asked: true }
  return { ids: [answer.id], asked: true }
}

/** What a stored or written default means for a room: a direct room has mentions only, and a lead is its first member. */
export function normaliseDefault(
  wanted: DefaultResponder | undefined,
  members: readonly string[],
  direct: boolean,
): DefaultResponder {
  if (direct) return { kind: 'mentions' }
  if (wanted === undefined || (wanted.kind === 'agent' && !members.includes(wanted.agent))) {
    const first = members[0]
    return first === undefined ? { kind: 'mentions' } : { kind: 'agent', agent: first }
  }
  return wanted
}

function find(agents: readonly Agent[], name: string | null | undefined): Agent | undefined {
  return name === null || name === undefined ? undefined : agents.find((agent) => agent.name === name)
}

function describe(wanted: DefaultResponder): string {
  return wanted.kind === 'agent' ? wanted.agent : wanted.kind
}
