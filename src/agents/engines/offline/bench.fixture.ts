/** A turn of the offline engine on a bench: the real FAQ, a memory, a transcript, and tools that search them. */
import { fileURLToPath } from 'node:url'
import { type EngineRun, ToolError, type TurnInput, type TurnMessage } from '../../../messaging/engine.js'
import { tokens } from '../../../messaging/text/score.js'
import { loadSkills } from '../../skills/load.js'
import { createOffline, type OfflineOptions } from './index.js'

const SKILLS = fileURLToPath(new URL('../../../../skills/', import.meta.url))
export const PROMPT_SECRET = 'PROMPT-SECRET-93f1'

export const DEMO_TEAM: TurnInput['roster'] = [
  { name: 'Golem', role: 'orchestrator', orchestrator: true },
  {
    name: 'Librarian',
    role: 'finds answers in the skills and documents, explains how Golem works, quotes its sources',
    orchestrator: false,
  },
  { name: 'Scribe', role: 'keeps notes, summarises conversations, remembers decisions', orchestrator: false },
]

export interface Setting {
  agent?: string
  roster?: TurnInput['roster']
  peers?: TurnInput['peers']
  addressed?: boolean
  policy?: TurnInput['turn']['policy']
  kind?: TurnInput['turn']['kind']
  language?: 'en' | 'zh'
  /** Who said what before, oldest first. */
  before?: readonly (readonly [string, string])[]
  /** What this turn answers, where it is more than the one line. */
  fresh?: readonly TurnMessage[]
  memory?: string | null
  /** What a tool does instead. */
  tools?: Readonly<Record<string, (args: unknown) => unknown>>
  without?: readonly string[]
  options?: OfflineOptions
  signal?: AbortSignal
}

export interface Call {
  tool: string
  args: unknown
}

interface Document {
  source: string
  title: string
  text: string
}

let faq: Document[] | null = null

async function documents(): Promise<Document[]> {
  faq ??= (await loadSkills({ builtIn: SKILLS })).flatMap((skill) =>
    skill.entries.map(({ title, text }) => ({ source: `skill ${skill.name}`, title, text })),
  )
  return faq
}

/** Ranked by shared words, rare ones first: what a full-text index does, as plainly as can be. */
function searched<T>(query: string, limit: number, items: readonly T[], text: (item: T) => string): T[] {
  const wanted = [...new Set(tokens(query))]
  const held = items.map((item) => new Set(tokens(text(item))))
  const weight = (word: string): number =>
    Math.log(1 + items.length / (1 + held.filter((set) => set.has(word)).length))
  return items
    .map((item, index) => ({
      item,
      score: wanted.reduce((sum, word) => sum + (held[index]?.has(word) ? weight(word) : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ item }) => item)
}

function argument(args: unknown, key: string): string {
  const value: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, key) : undefined
  return typeof value === 'string' ? value : ''
}

function message(
  author: string,
  text: string,
  index: number,
  fresh: boolean,
  roster: TurnInput['roster'],
): TurnMessage {
  return {
    id: `m${index}`,
    author: { id: `id-${author}`, name: author },
    kind: roster.some((agent) => agent.name === author) ? 'agent' : 'person',
    text,
    at: new Date(Date.UTC(2026, 2, 1, 10, index)).toISOString(),
    new: fresh,
  }
}

export const TOOL_NAMES = [
  'ask_teammate',
  'memory_read',
  'memory_remember',
  'memory_forget',
  'history_search',
  'history_read',
  'knowledge_search',
]

/** Runs one turn and says what was answered and which tools were called. Null: no answer at all. */
export async function turn(
  text: string,
  setting: Setting = {},
): Promise<{ answer: string | null; calls: Call[] }> {
  const roster = setting.roster ?? DEMO_TEAM
  const name = setting.agent ?? roster[0]?.name ?? 'Golem'
  const before = (setting.before ?? []).map(([author, said], index) =>
    message(author, said, index, false, roster),
  )
  const asker = setting.kind === 'ask' ? (roster[0]?.name ?? 'Golem') : 'Ann'
  const fresh = setting.fresh ?? [message(asker, text, 50, true, roster)]
  const knowledge = await documents()
  const { memory } = setting
  const calls: Call[] = []
  const base: Record<string, (args: unknown) => unknown> = {
    memory_read: () => ({ text: memory ?? '' }),
    memory_remember: (args) => ({
      status: 'remembered',
      section: argument(args, 'section'),
      line: argument(args, 'line'),
    }),
    memory_forget: (args) => ({ status: 'forgotten', removed: [argument(args, 'line')] }),
    ask_teammate: (args) => ({ status: 'asked', name: argument(args, 'name') }),
    knowledge_search: (args) => ({
      hits: searched(
        argument(args, 'query'),
        10,
        knowledge,
        (item) => `${item.title} ${item.title} ${item.text}`,
      ),
    }),
    history_search: (args) => ({
      hits: searched(argument(args, 'query'), 20, [...before, ...fresh], (line) => line.text).map((line) => ({
        id: line.id,
        author: line.author.name,
        at: Date.parse(line.at),
        text: line.text,
      })),
    }),
    history_read: () => ({
      messages: before.map((line) => ({
        id: line.id,
        author: line.author.name,
        at: line.at,
        text: line.text,
      })),
    }),
    ...setting.tools,
  }
  const offered = TOOL_NAMES.filter((tool) => !setting.without?.includes(tool))
  const run: EngineRun = {
    input: {
      v: 1,
      agent: { name, role: roster.find((agent) => agent.name === name)?.role ?? '' },
      turn: {
        id: '1',
        conversation: 'local:lobby',
        chat: 'local:lobby',
        platform: 'local',
        addressed: setting.addressed ?? true,
        policy: setting.policy ?? 'smart',
        kind: setting.kind ?? 'message',
        language: setting.language ?? 'en',
        context: 'local:lobby',
      },
      prompt: `${PROMPT_SECRET} standing instructions\n${text}`,
      messages: [...before, ...fresh],
      memory: memory === null ? null : { path: '/memory/groups/local-lobby.md', text: memory ?? '' },
      roster: [...roster],
      peers: [...(setting.peers ?? [])],
      files: [],
      tools: offered.map((tool) => ({ name: tool, description: '', parameters: {} })),
      mcp: null,
    },
    decide: async () => ({ kind: 'refused', why: 'nobody-to-ask' }),
    changes: async () => [],
    model: null,
    async call(tool, args) {
      calls.push({ tool, args })
      const run = base[tool]
      if (!run || !offered.includes(tool)) throw new ToolError(`There is no tool ${tool}.`)
      return run(args)
    },
    cwd: '/tmp',
    signal: setting.signal ?? new AbortController().signal,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  }
  let answer: string | null = null
  for await (const event of createOffline(setting.options).run(run)) {
    if (event.type === 'final') answer = event.text
  }
  return { answer, calls }
}

export const MEMORY = `# Group: local-lobby

## Members
- Ann: front-end lead
- Bob

## Project context
- Building the API latency dashboard
- The demo is on Friday
- 服务器在法兰克福

## Decisions
- [2026-02-01] Use Postgres
- [2026-03-01] Prometheus rather than Datadog, for cost
`
const BEFORE = [
  ['Ann', 'The launch moved to June 12 because the vendor is late.'],
  ['Bob', 'ok'],
  ['Bob', 'I will write the migration script by Tuesday.'],
  ['Ann', 'The staging server is broken again, @Bob: disk full.'],
  ['Cid', '磁盘已经满了，明天扩容。'],
  ['Golem', 'Something an agent said about the launch.'],
] as const
export const ROOM: Setting = { memory: MEMORY, before: BEFORE }
export const SOLO: Setting = {
  ...ROOM,
  roster: [{ name: 'Golem', role: 'orchestrator', orchestrator: true }],
}

export const said = async (text: string, setting: Setting = ROOM): Promise<string> =>
  (await turn(text, setting)).answer ?? ''
export const called = async (text: string, tool: string, setting: Setting = ROOM): Promise<unknown[]> =>
  (await turn(text, setting)).calls.filter((call) => call.tool === tool).map((call) => call.args)
