import { fileURLToPath } from 'node:url'
import type { Play } from '../play.js'
import type { Loss } from '../scene.js'

/** What people do while the daemon is killed, and what they must see afterwards. */
export interface Scenario {
  name: string
  /** `agents` of golem.yaml. */
  agents: readonly Readonly<Record<string, unknown>>[]
  /** Settings of all rooms. */
  rooms?: Readonly<Record<string, unknown>>
  /** Default: `socket`, which is long polling on Telegram. */
  how?: 'webhook'
  /** Default: a group. */
  where?: 'dm'
  /** Whose answer to its first post is lost, after its effect. */
  lose?: Loss
  /** How long the daemon stays away after its death, in milliseconds. Default: a minute. */
  away?: number
  /** Killed at the points of the daemon's start as well. */
  fromStart?: true
  /** Only on these. Default: on all. */
  platforms?: readonly string[]
  /** Only where the bot is told of such events. */
  hears?: 'edit'
  /** Plays it, and returns what is wrong with what people see; empty when all is well. */
  run(play: Play): Promise<string[]>
}

const AGENT = fileURLToPath(new URL('../agent.mjs', import.meta.url))

export const OFFLINE: Scenario['agents'] = [
  { name: 'Golem', role: 'orchestrator', engine: 'offline' },
  { name: 'Scribe', role: 'keeps notes, summarises conversations, remembers decisions', engine: 'offline' },
]

/** A program as an agent: `tests/crash/agent.mjs`. */
export function program(effects: 'none' | 'unknown'): Scenario['agents'] {
  return [
    { name: 'Golem', role: 'orchestrator', engine: 'command', effects, command: [process.execPath, AGENT] },
  ]
}
