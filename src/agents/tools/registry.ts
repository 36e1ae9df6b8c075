/** The one list of tools that the gateway gives to agents; every engine offers what it says, in its own way. */
import { ToolError, type ToolSpec } from '../../messaging/engine.js'
import { safeLine } from '../../messaging/text/index.js'
import { askPerson } from './ask-person.js'
import { factForget, factRemember } from './facts.js'
import { attachFile } from './files.js'
import { memoryForget, memoryRead, memoryRemember } from './memory.js'
import { listPlaces, postToPlace, postToRoom, setBulletin, setDescription } from './posts.js'
import { schedule, scheduleCancel, scheduleList } from './schedule.js'
import { historyRead, historySearch, knowledgeSearch } from './search.js'
import { skillRead } from './skills.js'
import { askTeammate, handOff } from './team.js'
import type { Tool, ToolScope } from './tool.js'

export const TOOLS: readonly Tool[] = [
  askTeammate,
  handOff,
  postToRoom,
  memoryRead,
  memoryRemember,
  memoryForget,
  factRemember,
  factForget,
  historySearch,
  historyRead,
  knowledgeSearch,
  skillRead,
  attachFile,
  askPerson,
  schedule,
  scheduleList,
  scheduleCancel,
  listPlaces,
  postToPlace,
  setBulletin,
  setDescription,
]

/** The tools of a turn. */
export function offered(scope: ToolScope): ToolSpec[] {
  return TOOLS.filter((tool) => tool.offered(scope)).map(({ spec }) => spec)
}

/** Whether a call of this tool has an effect. */
export function writes(name: string): boolean {
  return TOOLS.some((tool) => tool.name === name && tool.writes)
}

/** @throws ToolError when this turn has no such tool */
export function toolNamed(name: string, scope: ToolScope): Tool {
  const tool = TOOLS.find((item) => item.name === name)
  if (tool?.offered(scope) === true) return tool
  const names = offered(scope).map((item) => item.name)
  throw new ToolError(
    tool === undefined
      ? `There is no tool ${safeLine(name, 60)}. There are: ${names.join(', ')}.`
      : `${name} is not to be had in this turn. There are: ${names.join(', ')}.`,
  )
}
