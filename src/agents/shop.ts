import type { Clock, Logger } from '../messaging/ambient.js'
import type { Engine } from '../messaging/engine.js'
import type { PostDesk } from '../messaging/poster.js'
import type { Redactor } from '../messaging/redact.js'
import type { Policy } from '../messaging/roster.js'
import type { ScheduleDesk } from '../messaging/scheduler.js'
import type { TranscriptStore } from '../messaging/voice.js'
import type { McpHost } from './mcp/host.js'
import type { Memory } from './memory.js'
import type { Skill } from './prompt/prompt.js'
import type { SkillCopies } from './skills/copies.js'
import type { ToolStore } from './tools/tool.js'
import type { Transcriber } from './voice/transcriber.js'
import type { TurnLimits } from './watch.js'

/** One agent, ready to work. */
export interface Worker {
  name: string
  role: string
  engine: Engine
  /** The engine is a program of its own: it gets a copy of group memory in its working folder. */
  program: boolean
  limits: TurnLimits
  /** Most tokens that its prompts may have, by estimate; null where nobody says. */
  contextTokens: number | null
  /** It never touches its working folder. */
  folderless: boolean
}

/** What every turn works with. */
export interface Shop {
  store: ToolStore & TranscriptStore
  memory: Memory
  schedules?: ScheduleDesk | undefined
  /** Writes voice notes down; left out where nobody does. */
  transcriber?: Transcriber | undefined
  /** Posts beside the answer; left out where nothing can be posted. */
  posts?: PostDesk | undefined
  /** Where programs reach a turn's tools by MCP; left out where they do not. */
  mcp?: McpHost | undefined
  skills: readonly Skill[]
  /** Where programs read them. */
  copies: SkillCopies
  policy: Policy
  /** Absolute. */
  dataDir: string
  /** Folders whose files no agent may send, besides the data folder. */
  denied: readonly string[]
  clock: Clock
  log: Logger
  secrets: readonly string[]
  redactor: Redactor
}
