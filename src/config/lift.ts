/** Brings the two forms of golem.yaml to one: a file without `agents` describes its only agent at the top. */
import type { EngineSchemas } from './engines.js'
import type { Finding, Path } from './errors.js'
import { ELSEWHERE } from './hints.js'
import { SECTIONS } from './left-margin.js'
import { DEFAULT_NAME, oneAgentKeys } from './schema.js'
import { isMapping, type Mapping } from './shape.js'

export interface Lifted {
  root: Mapping
  /** Where a path of `root` stands in the file. */
  origin(path: Path): Path
  /** The file has no `agents`. */
  oneAgent: boolean
  findings: Finding[]
}

export function lift(file: Mapping, engines: EngineSchemas): Lifted {
  const root: Mapping = { ...file }
  // A section may stand there with nothing in it, when all its keys are comments.
  for (const section of SECTIONS) if (root[section] === null) delete root[section]
  for (const section of ['channels', 'rooms']) {
    const entries = root[section]
    if (isMapping(entries)) root[section] = withoutNulls(entries)
  }
  const keys = oneAgentKeys(engines).filter((key) => Object.hasOwn(root, key))
  if (root.agents !== undefined) {
    for (const key of keys) delete root[key]
    const findings = keys.map((key): Finding => {
      const message = `${key} stands beside agents, where it describes nobody. Move it into one of the agents.`
      return { path: [key], at: 'key', message }
    })
    return { root, origin: (path) => path, oneAgent: false, findings }
  }
  const agent: Mapping = { name: root.name ?? DEFAULT_NAME }
  for (const key of keys) {
    agent[key] = root[key]
    delete root[key]
  }
  // What people bring along is explained better than by asking for an engine.
  const needsNone = keys.every((key) => key === 'role' || key === 'aliases' || Object.hasOwn(ELSEWHERE, key))
  if (needsNone) agent.engine = Object.keys(engines)[0]
  root.agents = [agent]
  const origin = (path: Path) => (path[0] === 'agents' ? path.slice(path[1] === 0 ? 2 : 1) : path)
  return { root, origin, oneAgent: true, findings: [] }
}

/** `local:` with nothing after it is `local: {}`. */
function withoutNulls(entries: Mapping): Mapping {
  const filled = Object.create(null) as Mapping
  for (const [key, value] of Object.entries(entries)) filled[key] = value === null ? {} : value
  return filled
}
