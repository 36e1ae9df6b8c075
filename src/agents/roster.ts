/** From settings to a runner: one engine for each agent, made by the factory that its `engine` names. */
import { createHash, randomUUID } from 'node:crypto'
import type { Clock, Logger } from '../messaging/ambient.js'
import type { Engine } from '../messaging/engine.js'
import type { PostDesk } from '../messaging/poster.js'
import { createRedactor, redactingLogger } from '../messaging/redact.js'
import type { Policy } from '../messaging/roster.js'
import type { TurnRunner } from '../messaging/runner.js'
import type { ScheduleDesk } from '../messaging/scheduler.js'
import type { TranscriptStore } from '../messaging/voice.js'
import { sweep } from './engines/command/sweep.js'
import type { McpHost } from './mcp/host.js'
import type { Memory } from './memory.js'
import type { Skill } from './prompt/prompt.js'
import { AgentRunner } from './runner.js'
import type { Worker } from './shop.js'
import { SkillCopies } from './skills/copies.js'
import type { ToolStore } from './tools/tool.js'
import { createTranscriber, type TranscribeOptions } from './voice/transcriber.js'

/** An agent as golem.yaml has it. */
export interface AgentPlan {
  name: string
  role: string
  /** `id`: key of an {@link EngineFactory}, which checks the options. */
  engine: { id: string; options: unknown }
  /** Work of one of its turns, in milliseconds; default TURN_LIMIT. */
  turnLimitMs?: number
}

export interface EngineDeps {
  clock: Clock
  log: Logger
  skills: readonly Skill[]
  /** Absolute. What an engine keeps lies in a folder of its own below it. */
  dataDir: string
  /** Begins the mark of every process of this start; see `sweep`. */
  mark: string
  /** Golem's own environment. */
  environment: NodeJS.ProcessEnv
}

export interface EngineFactory {
  /** The engine runs programs: they get a copy of group memory, and strays of an earlier start are looked for. */
  program: boolean
  /** The engine never touches its working folder, so none is made for it. Files from people make one all the same. */
  folderless?: boolean
  create(agent: AgentPlan, deps: EngineDeps): Engine
}

export interface RunnerOptions {
  agents: readonly AgentPlan[]
  engines: Readonly<Record<string, EngineFactory>>
  store: ToolStore & TranscriptStore
  memory: Memory
  /** What schedules are made with; without it there are none. */
  schedules?: ScheduleDesk
  /** Who writes voice notes down; without it they are files like others. */
  transcribe?: TranscribeOptions | undefined
  /** What posts beside an answer; without it there are none. */
  posts?: PostDesk
  /** Serves a turn's tools to programs; without it they have the command protocol's calls only. */
  mcp?: McpHost
  skills: readonly Skill[]
  policy: Policy
  /** Absolute; work folders and outgoing files lie below it. */
  dataDir: string
  /** Further absolute folders whose files no agent may send: the memory of other chats, golem.yaml's secrets. */
  denied?: readonly string[]
  clock: Clock
  log: Logger
  /** Values that stand in no prompt, receipt, log line, post or file. */
  secrets: Iterable<string>
  /** Time without any event, in milliseconds; default STALL_LIMIT. */
  stallLimitMs?: number
  environment?: NodeJS.ProcessEnv
}

/** @throws Error for an unknown engine or options it does not take; the message names the agent and the cure */
export function createRunner(options: RunnerOptions): TurnRunner {
  const { agents, engines, clock, skills, dataDir, environment = process.env } = options
  const secrets = [...options.secrets]
  const redactor = createRedactor(secrets)
  const log = redactingLogger(options.log, redactor)
  const owner = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}:`
  const mark = `${owner}${randomUUID().slice(0, 8)}:`
  const workers = agents.map((agent): Worker => {
    const factory = Object.hasOwn(engines, agent.engine.id) ? engines[agent.engine.id] : undefined
    if (factory === undefined) {
      throw new Error(
        `The agent ${agent.name} has engine ${agent.engine.id}, which is not there: use one of ${Object.keys(engines).join(', ')}.`,
      )
    }
    const engine = factory.create(agent, { clock, log, skills, dataDir, mark, environment })
    const limits = {
      ...(agent.turnLimitMs === undefined ? {} : { turn: agent.turnLimitMs }),
      ...(options.stallLimitMs === undefined ? {} : { stall: options.stallLimitMs }),
    }
    const { program, folderless = false } = factory
    const contextTokens = tokensOf(agent.engine.options)
    return { name: agent.name, role: agent.role, engine, program, folderless, limits, contextTokens }
  })
  // A daemon that was killed could not end its agents: the next one does, before they meet the new turns.
  const strays =
    workers.some((worker) => worker.program) || options.transcribe?.command !== undefined
      ? sweep((run) => run.startsWith(owner) && !run.startsWith(mark))
      : Promise.resolve(0)
  return new AgentRunner(
    workers,
    {
      store: options.store,
      memory: options.memory,
      schedules: options.schedules,
      posts: options.posts,
      transcriber: options.transcribe && createTranscriber(options.transcribe, { clock, mark, environment }),
      mcp: options.mcp,
      skills,
      copies: new SkillCopies(skills, log),
      policy: options.policy,
      dataDir,
      denied: options.denied ?? [],
      clock,
      log,
      secrets,
      redactor,
    },
    strays.then((ended) => {
      if (ended > 0) log.warn({ ended }, 'ended programs that an earlier start had left behind')
    }),
  )
}

/** Whatever its engine is: the bound of its window, where it has one. */
function tokensOf(options: unknown): number | null {
  const { contextTokens } = (options ?? {}) as { contextTokens?: unknown }
  return typeof contextTokens === 'number' ? contextTokens : null
}
