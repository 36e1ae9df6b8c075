/** golem.yaml after it was loaded: every default filled in, every path absolute, every name the roster's own. */
import type { Access, DefaultResponder, Language, RoomSettings } from '../messaging/roster.js'
import type { SchedulePlan } from '../messaging/schedule.js'
import type { ENGINES, EngineChoice, EngineSchemas } from './engines.js'
import type { TranscribeConfig } from './transcribe.js'

/** One bot account to connect. */
export interface ConnectionConfig {
  /** `slack`, or `slack.<account>` for every account but the first. */
  connection: string
  platform: string
  /** What the platform's own schema made of it. */
  settings: unknown
  access: Access
  /** The agent that the account belongs to. Absent: it is the team's. */
  agent?: string
}

export interface AgentConfig<E extends EngineSchemas = typeof ENGINES> {
  name: string
  role: string
  aliases: readonly string[]
  orchestrator: boolean
  archived: boolean
  hidden: boolean
  engine: EngineChoice<E>
  /** Its own limit, or the general one. */
  turnLimitMs: number
}

/** What `groupChat` says for every room. */
export type GroupChatConfig = Omit<
  RoomSettings,
  'members' | 'defaultResponder' | 'bulletin' | 'description' | 'workingFolder'
>

/** What a room says for itself. */
export type RoomConfig = Partial<Omit<RoomSettings, 'coalesceWindowMs' | 'debounceMs'>>

export interface GatewayConfig {
  host: string
  port: number
  /** Null only on a loopback address. */
  token: string | null
  /** Further names the server is reached by. */
  hosts: readonly string[]
}

export interface Config<E extends EngineSchemas = typeof ENGINES> {
  /** Absolute path of golem.yaml. */
  file: string
  /** Its folder: what relative paths were resolved against. */
  folder: string
  name: string
  language: Language
  groupChat: GroupChatConfig
  connections: readonly ConnectionConfig[]
  gateway: GatewayConfig
  /** By chat key, `connection:*` or `*`. */
  rooms: Readonly<Record<string, RoomConfig>>
  /** In the order of the file. Exactly one is the orchestrator. */
  agents: readonly AgentConfig<E>[]
  /** Who answers in a room that names nobody for it. */
  defaultResponder: DefaultResponder
  schedules: readonly SchedulePlan[]
  agentConcurrency: number
  turnLimitMs: number
  approvals: { expireMs: number; parkMs: number }
  transcribe?: TranscribeConfig
  dataDir: string
  memoryDir: string
  skillsDir: string
  /** Values that must never be shown: for `createRedactor`. */
  secrets: ReadonlySet<string>
}
