import type { ToolSpec } from '../../messaging/engine.js'

/** What a turn lends out. */
export interface TurnTools {
  specs(): readonly ToolSpec[]
  /** @throws ToolError for what the agent may correct */
  call(tool: string, args: unknown): Promise<unknown>
}
