import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../messaging/limits.js'
import { type Policy, roomAgents, settingsFor } from '../messaging/roster.js'
import { effectsOf } from './engines.js'
import { load } from './harness.fixture.js'
import { toPolicy } from './policy.js'

function policyOf(yaml: string): Policy {
  return toPolicy(load(yaml), {
    skills: (agent) => (agent.name === 'Docs' ? ['faq'] : []),
    effects: (agent) => effectsOf(agent.engine),
  })
}

const TEAM = `
agents:
  - { name: Golem, role: orchestrator, engine: offline }
  - { name: Docs, aliases: [Librarian], engine: offline }
  - { name: Coder, engine: command, command: [coder] }
  - { name: Ghost, engine: command, command: [ghost], effects: none, hidden: true }
`

describe('toPolicy', () => {
  const policy = policyOf(`${TEAM}
name: golem
language: zh
agentConcurrency: 2
channels: { local: { deny: { users: [mallory] } }, slack: { botToken: a, appToken: b, allow: { chats: [C1] } } }
`)

  it('carries the roster with skills and effects', () => {
    expect(
      policy.agents.map(({ name, orchestrator, effects, skills, hidden }) => [
        name,
        orchestrator,
        effects,
        skills,
        hidden,
      ]),
    ).toEqual([
      ['Golem', true, 'none', [], false],
      ['Docs', false, 'none', ['faq'], false],
      ['Coder', false, 'unknown', [], false],
      ['Ghost', false, 'none', [], true],
    ])
  })

  it('carries what decides besides', () => {
    expect(policy).toMatchObject({ name: 'golem', language: 'zh', agentConcurrency: 2, bounds: BOUNDS })
    expect(policy.access).toEqual({
      local: { deny: { users: ['mallory'] } },
      slack: { allow: { chats: ['C1'] } },
    })
    expect(policy.defaults).toMatchObject({
      groupPolicy: 'mention-only',
      members: ['Golem', 'Docs', 'Coder', 'Ghost'],
      defaultResponder: { kind: 'agent', agent: 'Golem' },
      bulletin: null,
      coalesceWindowMs: 120_000,
    })
  })

  it('is plain data that crosses into a worker', () => {
    expect(structuredClone(policy)).toEqual(policy)
  })
})

describe('rooms', () => {
  const policy = policyOf(`${TEAM}
groupChat: { historyLimit: 10, maxTurns: 4 }
channels: { slack: [{ id: acme, botToken: a, appToken: b }, { id: labs, botToken: c, appToken: d }] }
rooms:
  "local:lobby": { groupPolicy: always, members: [librarian, CODER], bulletin: null }
  "*": { groupPolicy: smart, bulletin: Be brief., historyLimit: 7 }
  "local:*": { historyLimit: 5, reply: thread }
  "slack.labs:*": { maxTurns: 2, defaultResponder: auto }
  "slack:C1": { members: [Golem, Docs], defaultResponder: Librarian }
`)

  it('take the most specific entry, key by key, whatever the order of the file', () => {
    expect(settingsFor(policy, 'local:lobby')).toMatchObject({
      groupPolicy: 'always', // local:lobby
      historyLimit: 5, // local:*
      reply: 'thread', // local:*
      maxTurns: 4, // groupChat
      bulletin: null, // cleared by local:lobby
    })
    expect(settingsFor(policy, 'local:other')).toMatchObject({
      groupPolicy: 'smart',
      historyLimit: 5,
      bulletin: 'Be brief.',
    })
    expect(settingsFor(policy, 'slack:C9')).toMatchObject({
      groupPolicy: 'smart',
      historyLimit: 7,
      maxTurns: 4,
    })
  })

  it('tell the accounts of a platform apart', () => {
    expect(settingsFor(policy, 'slack.labs:C1')).toMatchObject({
      maxTurns: 2,
      defaultResponder: { kind: 'auto' },
    })
    expect(settingsFor(policy, 'slack:C1')).toMatchObject({
      maxTurns: 4,
      defaultResponder: { kind: 'agent', agent: 'Docs' },
    })
  })

  it("use the roster's own names", () => {
    expect(roomAgents(policy, settingsFor(policy, 'local:lobby')).map((agent) => agent.name)).toEqual([
      'Docs',
      'Coder',
    ])
  })

  it('without the orchestrator are answered by their first member', () => {
    expect(settingsFor(policy, 'local:lobby').defaultResponder).toEqual({ kind: 'agent', agent: 'Docs' })
    expect(settingsFor(policy, 'local:other').defaultResponder).toEqual({ kind: 'agent', agent: 'Golem' })
  })

  it('keep an inherited choice when they only change their members', () => {
    const inherited = policyOf(`${TEAM}
rooms: { "*": { defaultResponder: mentions }, "local:a": { members: [Docs] } }
`)
    expect(settingsFor(inherited, 'local:a').defaultResponder).toEqual({ kind: 'mentions' })
  })
})
