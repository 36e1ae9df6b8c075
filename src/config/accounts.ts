/** Accounts of agents' own: `agent` in an entry of `channels`. */
import type { Account } from '../messaging/accounts.js'
import type { ConnectionConfig } from './config.js'
import type { Entry } from './connections.js'
import { type Finding, showPath } from './errors.js'
import { foldName } from './names.js'
import { agentName } from './room-keys.js'
import { listOf, type Mapping, mappingOf } from './shape.js'
import { nearest } from './suggest.js'

export const accountAgent = agentName.exactOptional().meta({
  description:
    "The account is this agent's own: a mention of it calls the agent, and the agent answers through it. Absent: the account is the whole team's.",
  examples: ['Reviewer'],
})

/** Whether each account's agent is there and can be called. */
export function checkAccountAgents(root: Mapping, entries: readonly Entry[]): Finding[] {
  const agents = listOf(root.agents).map(mappingOf)
  const known = agents.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
  return entries.flatMap(({ platform, value, index }): Finding[] => {
    const { agent } = mappingOf(value)
    if (typeof agent !== 'string') return []
    const path = ['channels', platform, ...(index === undefined ? [] : [index]), 'agent']
    const found = agents.find(({ name, aliases }) =>
      [name, ...listOf(aliases)].some((own) => typeof own === 'string' && foldName(own) === foldName(agent)),
    )
    const shown = showPath(path)
    if (found?.archived === true)
      return [
        {
          path,
          message: `${shown}: ${agent} is archived and answers nobody. Name another agent, or leave the key out.`,
        },
      ]
    if (found?.hidden === true)
      return [
        {
          path,
          message: `${shown}: ${agent} is hidden, so that nobody can call it. Name another agent, or leave the key out.`,
        },
      ]
    if (found !== undefined) return []
    const near = nearest(agent, known)
    const cure = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`
    const message = `${shown}: no agent is named ${agent}. ${cure}`
    return [near === undefined ? { path, message } : { path, message, nearest: near }]
  })
}

/** The accounts of all platforms on which an agent has one of its own. */
export function accountsOf(
  connections: readonly ConnectionConfig[],
  traits: (platform: string) => { hear: boolean; sameIds: boolean } | undefined,
): { accounts?: readonly Account[] } {
  const platforms = new Set(
    connections.flatMap(({ platform, agent }) => (agent === undefined ? [] : [platform])),
  )
  if (platforms.size === 0) return {}
  return {
    accounts: connections
      .filter(({ platform }) => platforms.has(platform))
      .map(({ connection, platform, agent }) => {
        const { hear = true, sameIds = true } = traits(platform) ?? {}
        return { connection, platform, agent: agent ?? null, hears: hear, sameIds }
      }),
  }
}
