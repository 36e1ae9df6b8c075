/** The part of the configuration that the core decides with. */
import { BOUNDS } from '../messaging/limits.js'
import type { Effects, Policy, RoomSettings } from '../messaging/roster.js'
import { accountsOf } from './accounts.js'
import type { AgentConfig, Config } from './config.js'
import type { EngineSchemas } from './engines.js'

/** What golem.yaml does not say about an agent. */
export interface AgentFacts<E extends EngineSchemas> {
  /** Words to route by, besides name and role: names and descriptions of its skills. */
  skills(agent: AgentConfig<E>): readonly string[]
  /** What its engine may have done when a run was cut off. */
  effects(agent: AgentConfig<E>): Effects
  /** What several accounts of a platform know of each other; see `Capabilities.accounts`. */
  accounts?(platform: string): { hear: boolean; sameIds: boolean } | undefined
}

/** A snapshot of plain data: it may cross into a worker. */
export function toPolicy<E extends EngineSchemas>(config: Config<E>, facts: AgentFacts<E>): Policy {
  const defaults: RoomSettings = {
    ...config.groupChat,
    // Hidden agents are members as well: a teammate may ask them. Addressing is decided elsewhere.
    members: config.agents.map((agent) => agent.name),
    defaultResponder: config.defaultResponder,
    bulletin: null,
    description: null,
    workingFolder: null,
  }
  return {
    name: config.name,
    language: config.language,
    agents: config.agents.map((agent) => ({
      name: agent.name,
      role: agent.role,
      aliases: [...agent.aliases],
      orchestrator: agent.orchestrator,
      archived: agent.archived,
      hidden: agent.hidden,
      effects: facts.effects(agent),
      skills: [...facts.skills(agent)],
      ...modelsOf(agent.engine.options),
    })),
    defaults,
    rooms: config.rooms,
    access: Object.fromEntries(config.connections.map(({ connection, access }) => [connection, access])),
    ...accountsOf(config.connections, (platform) => facts.accounts?.(platform)),
    agentConcurrency: config.agentConcurrency,
    bounds: BOUNDS,
    approvals: config.approvals,
  }
}

/** Whatever its engine is: the model it has, and those that people may choose. */
function modelsOf(options: unknown): { model: string | null; models: string[] } {
  const { model, models } = options as { model?: unknown; models?: unknown }
  const own = typeof model === 'string' ? model : null
  const listed = Array.isArray(models) ? models.filter((one) => typeof one === 'string') : []
  // Its own is one of them: it can be gone back to by its name.
  return { model: own, models: listed.length === 0 || own === null ? listed : [...new Set([own, ...listed])] }
}
