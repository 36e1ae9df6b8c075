/** The decided vectors of rooms that are about decisions: notices, chains, responders, windows, re-asks. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { roomState } from '../../tests/support/decision.js'
import { agent, message, policy, SELF, T0 } from '../../tests/support/policy.js'
import { decide } from './decide.js'
import { normaliseDefault, routedBy } from './gates/responders.js'
import { CONTEXT_LINES } from './limits.js'
import { wakesOf } from './render.js'
import type { Agent, DefaultResponder } from './roster.js'
import { isEligible, windowOf } from './window.js'

interface Vector {
  id: string
  mechanism: string
  // Each mechanism has its own shape; a test reads what it knows of it.
  input: never
  expected: never
  data?: never
}
const file = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/rooms-vectors.json', import.meta.url), 'utf8'),
) as {
  fixtures: Record<string, { id?: string; name: string; hidden?: boolean }[]>
  vectors: Vector[]
}
const vectors = (mechanism: string) => file.vectors.filter((vector) => vector.mechanism === mechanism)

function decided(text: string, agents: readonly Agent[], defaultResponder: DefaultResponder) {
  const given = policy({ groupPolicy: 'always', defaultResponder }, agents)
  return decide(given, {
    connection: 'local',
    self: SELF,
    message: message(text),
    conversation: 'local:lobby',
    settings: given.defaults,
    state: roomState(),
    now: T0,
  }).decision
}

/** `Old(archived)` and plain names. */
function named(member: string): Agent {
  const archived = member.endsWith('(archived)')
  return agent(member.replace('(archived)', ''), { archived })
}

function defaultOf(
  raw: string | { kind: string; botId?: string; fallbackBotId?: string },
  names: Map<string, string>,
) {
  const kind = typeof raw === 'string' ? raw : raw.kind
  if (kind === 'member' && typeof raw === 'object')
    return { kind: 'agent', agent: names.get(raw.botId ?? '') ?? raw.botId ?? '' } as const
  return { kind } as DefaultResponder
}

describe('notices of a room', () => {
  it.each(vectors('mention.notice'))('$id', ({ input, expected }) => {
    const { members, text, default: wanted } = input as { members: string[]; text: string; default: string }
    const { responders, notices, hint } = expected as {
      responders: string[]
      notices: string[]
      hint?: string
    }
    const decision = decided(text, members.map(named), defaultOf(wanted, new Map()))
    expect(decision.responders).toEqual(responders)
    const said = decision.notices
      .filter(({ kind }) => kind !== 'mention-hint')
      .map((notice) =>
        notice.kind === 'archived'
          ? `archived: ${notice.agents.join(', ')}`
          : notice.kind.replaceAll('-', ' '),
      )
    expect(said).toEqual(notices)
    expect(decision.notices.some(({ kind }) => kind === 'mention-hint')).toBe(hint !== undefined)
  })
})

describe('agents that an answer wakes', () => {
  it.each(vectors('mention.chain').filter(({ input }) => !('mode' in (input as object))))(
    '$id',
    ({ input, expected }) => {
      const {
        hop,
        speaker,
        reply,
        members,
        alreadySpoken = [],
      } = input as {
        hop: number
        speaker: string
        reply: string
        members: string[]
        alreadySpoken?: string[]
      }
      const agents = members.map(named)
      expect(wakesOf(reply, speaker, hop, agents, alreadySpoken)).toEqual(
        (expected as { wakes: string[] }).wakes,
      )
    },
  )

  it('no one at the second hop', () => {
    expect(wakesOf('@Maren go on', 'Otto', 1, [agent('Otto'), agent('Maren')], [])).toEqual([])
  })
})

describe('responders', () => {
  it.each(vectors('responders.normalise'))('$id', ({ input, expected }) => {
    const { raw, memberIds, dm } = input as {
      raw?: { kind: string; botId?: string }
      memberIds: string[]
      dm: boolean
    }
    const wanted = expected as { kind: string; botId?: string }
    const result = normaliseDefault(raw === undefined ? undefined : defaultOf(raw, new Map()), memberIds, dm)
    expect(result).toEqual(
      wanted.kind === 'member' ? { kind: 'agent', agent: wanted.botId } : { kind: wanted.kind },
    )
  })

  it.each(vectors('responders.select'))('$id', ({ input, expected }) => {
    const {
      members,
      text,
      default: raw,
    } = input as {
      members: string
      text: string
      default: { kind: string; botId?: string; fallbackBotId?: string }
    }
    const roster = file.fixtures[members] ?? []
    const names = new Map(roster.map(({ id, name }) => [id ?? name, name]))
    // `auto` falls back to the orchestrator.
    const agents = roster.map(({ id, name, hidden }) =>
      agent(name, { hidden: hidden ?? false, orchestrator: id === raw.fallbackBotId }),
    )
    const ids = new Map([...names].map(([id, name]) => [name, id]))
    const { responders } = decided(text, agents, defaultOf(raw, names))
    expect(responders.map((name) => ids.get(name))).toEqual(expected)
  })

  it.each(vectors('responders.auto').filter(({ input }) => 'activeIds' in (input as object)))(
    '$id',
    ({ input, expected }) => {
      const { activeIds, fallback, answer } = input as {
        activeIds: string[]
        fallback: string[]
        answer: { id: string; probability: number } | { error: string }
      }
      expect(routedBy(activeIds, fallback, answer)).toEqual(expected)
    },
  )
})

describe('the context window', () => {
  it.each(vectors('window.eligible'))('$id', ({ input, expected }) => {
    const { kind, text, narration, phase } = input as {
      kind: string
      text?: string
      narration?: boolean
      phase?: string
    }
    const line = {
      kind: kind === 'text' ? 'person' : kind === 'roomRequest' && phase === 'result' ? 'result' : kind,
      text: text ?? (phase === 'result' ? 'done' : null),
      ...(narration === undefined ? {} : { narration }),
    }
    expect(isEligible(line)).toBe(expected)
  })

  it.each(vectors('window.slice'))('$id', ({ data, expected }) => {
    const { kindsFromId1 } = data as unknown as { kindsFromId1: string[] }
    const { firstId, count } = expected as { firstId: number; count: number }
    const lines = kindsFromId1
      .map((kind, index) => ({
        id: index + 1,
        kind: kind === 'text' ? 'person' : kind,
        text: `line ${index + 1}`,
      }))
      .filter(isEligible)
    const shown = windowOf(lines, 1, CONTEXT_LINES).lines
    expect(shown).toHaveLength(count)
    expect(shown[0]?.id).toBe(firstId)
  })
})
