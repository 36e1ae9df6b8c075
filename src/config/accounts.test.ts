import { describe, expect, it } from 'vitest'
import { load, problemsOf } from './harness.fixture.js'
import { toPolicy } from './policy.js'

const TEAM = `agents:
  - { name: Golem, role: orchestrator, engine: offline }
  - { name: Reviewer, aliases: [Rev], engine: offline }
  - { name: Old, engine: offline, archived: true }
  - { name: Ghost, engine: offline, hidden: true }
`
const slack = (agent: string): string => `${TEAM}channels:
  local: false
  slack:
    - { id: main, botToken: a, appToken: b }
    - { id: rev, botToken: c, appToken: d, agent: ${agent} }
`

describe('an account of an agent’s own', () => {
  it('is named by the agent, in any of its names', () => {
    for (const name of ['Reviewer', 'reviewer', 'Rev'])
      expect(load(slack(name)).connections).toMatchObject([
        { connection: 'slack', settings: { botToken: 'a', appToken: 'b' } },
        { connection: 'slack.rev', agent: 'Reviewer', settings: { botToken: 'c', appToken: 'd' } },
      ])
    expect(load(slack('Rev')).connections[0]).not.toHaveProperty('agent')
  })

  it('may be the only one', () => {
    const yaml = `${TEAM}channels: { local: false, slack: { botToken: a, appToken: b, agent: Rev } }\n`
    expect(load(yaml).connections).toMatchObject([{ connection: 'slack', agent: 'Reviewer' }])
  })

  it.each([
    ['nobody', 'Reviever', /no agent is named Reviever. Did you mean Reviewer\?/],
    [
      'an archived one',
      'Old',
      /Old is archived and answers nobody. Name another agent, or leave the key out/,
    ],
    ['a hidden one', 'Ghost', /Ghost is hidden, so that nobody can call it/],
  ])('of %s is an error with its cure', (_, name, expected) => {
    const [problem, ...more] = problemsOf(slack(name))
    expect(more).toEqual([])
    expect(problem?.message).toMatch(expected)
    expect(problem?.message).toMatch(/^channels.slack\[1\].agent/)
  })

  it('is known to what decides, with the accounts beside it; where there is none, nothing is', () => {
    const facts = {
      skills: () => [],
      effects: () => 'none' as const,
      accounts: () => ({ hear: false, sameIds: true }),
    }
    const of = (yaml: string) => toPolicy(load(yaml), facts).accounts
    const common = { platform: 'slack', hears: false, sameIds: true }
    expect(of(slack('Rev'))).toEqual([
      { connection: 'slack', agent: null, ...common },
      { connection: 'slack.rev', agent: 'Reviewer', ...common },
    ])
    expect(of(TEAM)).toBeUndefined()
  })
})
