import { digest } from '../memory/digest.js'
import type { ToolSpec, TurnInput, TurnMessage } from '../messaging/engine.js'
import type { Agent, Language, RoomSettings } from '../messaging/roster.js'
import type { ClaimedTurn, ContextLine } from '../messaging/store.js'
import { safeName } from '../messaging/text/index.js'
import { cutTo } from './budget.js'
import type { Incoming } from './files/incoming.js'
import { buildPrompt, type Skill } from './prompt/prompt.js'

export interface ContextParts {
  turn: ClaimedTurn
  settings: RoomSettings
  agent: { name: string; role: string }
  /** Active agents of the room, in its order, this one among them. */
  roster: readonly Agent[]
  language: Language
  skills: readonly Skill[]
  memory: { path: string; text: string } | null
  incoming: Incoming
  tools: readonly ToolSpec[]
  cwd: string
  /** Where a program reaches these tools by MCP. */
  mcp?: TurnInput['mcp']
  /** Tokens that the memory may have in the prompt; all of it, where it is null or left out. */
  memoryTokens?: number | null
  now: number
  again: readonly string[] | null
  /** Takes secrets out of what people and files say. */
  redact(text: string): string
}

/**
 * What an engine is given for a turn. Pure, and made of this turn's chat alone: nothing that belongs to another chat is
 * at hand here, so nothing of it can be in it.
 */
export function buildInput(parts: ContextParts): TurnInput {
  const { turn, settings, agent, roster, redact, now } = parts
  const lines = redactedLines(linesFor(turn, now), redact)
  const memory = parts.memory === null ? null : { path: parts.memory.path, text: redact(parts.memory.text) }
  const { files, missing } = parts.incoming
  return {
    v: 1,
    agent: { name: agent.name, role: agent.role },
    turn: {
      id: String(turn.id),
      conversation: turn.conversation,
      chat: turn.chatKey,
      platform: turn.connection.split('.')[0] ?? turn.connection,
      addressed: turn.addressed,
      policy: settings.groupPolicy,
      kind: turn.kind,
      language: parts.language,
      context: turn.context,
    },
    prompt: buildPrompt({
      agent,
      turn: cleaned(turn, redact),
      // The task stands in a block of its own.
      lines: turn.kind === 'ask' ? lines.filter((line) => !line.new) : lines,
      settings,
      teammates: roster.filter((other) => other.name !== agent.name),
      mayAsk: parts.tools.some((tool) => tool.name === 'ask_teammate'),
      skills: parts.skills,
      readsSkills: parts.tools.some((tool) => tool.name === 'skill_read'),
      memory: shortened(memory, parts.memoryTokens ?? null),
      files,
      missing,
      cwd: parts.cwd,
      now,
      again: parts.again,
    }),
    messages: lines.map(message),
    memory,
    roster: roster.map(({ name, role, orchestrator }) => ({ name, role, orchestrator })),
    peers: [],
    files: files.map(({ name, path, mime }) => ({ name, path, ...(mime === undefined ? {} : { mime }) })),
    tools: [...parts.tools],
    mcp: parts.mcp ?? null,
  }
}

function shortened(memory: TurnInput['memory'], tokens: number | null): TurnInput['memory'] {
  if (memory === null) return null
  const { text } = digest(memory.text)
  return { ...memory, text: tokens === null ? text : cutTo(text, tokens) }
}

/** Without secrets. Lines that hold none stay as they are. */
export function redactedLines(
  lines: readonly ContextLine[],
  redact: (text: string) => string,
): readonly ContextLine[] {
  return lines.map((line) => {
    const text = redact(line.text)
    return text === line.text ? line : { ...line, text }
  })
}

/** What stands in the turn itself and comes from people. */
function cleaned(turn: ClaimedTurn, redact: (text: string) => string): ClaimedTurn {
  const { ask, facts } = turn
  return {
    ...turn,
    ...(ask !== null && { ask: { ...ask, task: redact(ask.task) } }),
    ...(facts !== undefined && { facts: facts.map((fact) => ({ ...fact, text: redact(fact.text) })) }),
  }
}

/** A task is the one new line of its turn, whole: the window's bounds are for what people say. */
function linesFor(turn: ClaimedTurn, now: number): ContextLine[] {
  if (turn.kind !== 'ask' || turn.ask === null) return [...turn.lines]
  const { id, asker, task } = turn.ask
  const at = turn.lines.find((line) => line.new)?.at ?? now
  const author = { id: asker, name: asker }
  const line: ContextLine = {
    message: id,
    native: `ask-${id}`,
    author,
    kind: 'agent',
    text: task,
    at,
    new: true,
  }
  return [...turn.lines.filter((other) => !other.new), line]
}

function message(line: ContextLine): TurnMessage {
  return {
    id: line.native ?? String(line.message),
    author: { id: line.author.id, name: safeName(line.author.name) },
    // The words of a schedule are a person's, asked for beforehand.
    kind: line.kind === 'schedule' ? 'person' : line.kind,
    text: line.text,
    at: iso(line.at),
    new: line.new,
  }
}

/** A platform's clock may say anything; a time that is none is the epoch's. */
function iso(at: number): string {
  const date = new Date(at)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}
