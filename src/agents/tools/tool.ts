import { z } from 'zod'
import type { Clock } from '../../messaging/ambient.js'
import type { Question, Ruling } from '../../messaging/approval.js'
import { ToolError, type ToolSpec } from '../../messaging/engine.js'
import type { PostDesk } from '../../messaging/poster.js'
import type { Agent, RoomSettings } from '../../messaging/roster.js'
import type { ScheduleDesk } from '../../messaging/scheduler.js'
import type { ClaimedTurn, Store } from '../../messaging/store.js'
import type { Memory } from '../memory.js'
import type { Skill } from '../prompt/prompt.js'

/** The store's part that tools reach. */
export type ToolStore = Pick<
  Store,
  | 'ask'
  | 'handOff'
  | 'searchTranscript'
  | 'readTranscript'
  | 'searchKnowledge'
  | 'lineChanges'
  | 'rememberFact'
  | 'forgetFact'
>

/** What a tool works within. It all comes from the turn: no argument names a chat, a conversation or a connection. Where
 * an argument names a place, the room's settings must allow it.
 */
export interface ToolScope {
  turn: ClaimedTurn
  /** Active agents of the room but this one. */
  teammates: readonly Agent[]
  store: ToolStore
  memory: Memory
  clock: Clock
  /** Left out where there are none. */
  schedules?: ScheduleDesk | undefined
  settings: RoomSettings
  /** What the agent may read of them; left out where it reads files by itself. */
  skills?: readonly Skill[] | undefined
  /** Posts beside the answer. Left out where nothing can be posted. */
  posts?: PostDesk | undefined
  /** Puts a question to a person, and waits for the decision. Left out where nobody can be asked. */
  decide?: ((question: Omit<Question, 'agent'>) => Promise<Ruling>) | undefined
  /** Takes a file for the answer. @returns its name; throws ToolError with the reason */
  attach(path: string, name: string | undefined): Promise<string>
  /** Noted, so that the turn knows what became of it. */
  asked(teammate: string): void
  handedOff(teammate: string): void
  /** It has said something in its own chat. */
  posted(): void
}

export interface ToolOutcome {
  /** Plain data for the agent. */
  result: unknown
  /** For the receipt: names, counts and verdicts, no contents. */
  note: string
}

/** One entry of the registry, whatever its arguments are. */
export interface Tool {
  readonly name: string
  /** As an engine is told of it: always the same object, so that what is known of it can be kept. */
  readonly spec: ToolSpec
  /** The same call twice in a turn would have its effect twice: an answer asked for once more gets the first result. */
  readonly writes: boolean
  /** Whether a turn is offered this tool. */
  offered(scope: ToolScope): boolean
  /** @throws ToolError for what the agent may correct */
  call(args: unknown, scope: ToolScope): Promise<ToolOutcome>
}

interface Definition<Schema extends z.ZodType> {
  name: string
  description: string
  args: Schema
  writes: boolean
  offered?: (scope: ToolScope) => boolean
  run(args: z.output<Schema>, scope: ToolScope): Promise<ToolOutcome>
}

export function defineTool<Schema extends z.ZodType>(definition: Definition<Schema>): Tool {
  const { name, description, args, writes, run, offered = () => true } = definition
  const { $schema: _, ...parameters } = z.toJSONSchema(args, { io: 'input' })
  return {
    name,
    spec: { name, description, parameters },
    writes,
    offered,
    async call(input, scope) {
      const parsed = args.safeParse(input ?? {})
      if (!parsed.success) throw new ToolError(`${name} was not carried out: ${complaint(parsed.error)}`)
      return run(parsed.data, scope)
    },
  }
}

function complaint(error: z.ZodError): string {
  const issues = error.issues.slice(0, 3)
  return `${issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`).join('; ')}. Correct the arguments and call again.`
}
