/** golem.yaml as zod schemas: exactly the keys that do something, each with its description, default and limits. */
import { type ZodType, z } from 'zod'
import {
  AGENT_CONCURRENCY,
  COALESCE_WINDOW,
  DEBOUNCE,
  HISTORY_LIMIT,
  MAX_TURNS,
  TURN_LIMIT,
} from '../messaging/limits.js'
import { accountAgent } from './accounts.js'
import { approvals } from './approvals.js'
import { duration, showDuration } from './duration.js'
import type { EngineSchemas } from './engines.js'
import * as room from './room-keys.js'
import { schedules } from './schedules.js'
import { transcribe } from './transcribe.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** A platform's part of golem.yaml by platform id: the `settings` of each `Platform`, a zod object. */
export type PlatformSchemas = Readonly<Record<string, ZodType>>

export const DEFAULT_NAME = 'Golem'

const groupChat = z
  .strictObject({
    groupPolicy: room.groupPolicy.default('mention-only'),
    historyLimit: room.historyLimit.default(HISTORY_LIMIT),
    maxTurns: room.maxTurns.default(MAX_TURNS),
    sessionScope: room.sessionScope.default('auto'),
    threadFollowUps: room.threadFollowUps.default('one-person'),
    reply: room.reply.default('quote'),
    answer: room.answer.default('new'),
    smartGate: room.smartGate.default('off'),
    respondToEveryone: room.respondToEveryone.default(false),
    cjkNames: room.cjkNames.default('strict'),
    coalesceWindow: duration('s', 0, 60 * MINUTE)
      .prefault(showDuration(COALESCE_WINDOW))
      .meta({
        description:
          "A person's lines that wait behind a running turn are answered together when each comes at most this long after the one before. Seconds, or text with a unit.",
        examples: [90, '2m'],
      }),
    debounce: duration('s', 0, MINUTE)
      .prefault(showDuration(DEBOUNCE))
      .meta({
        description:
          'How long a bare mention or an attachment without text waits for the words that belong to it. Seconds, or text with a unit.',
        examples: [0.5, '1.5s'],
      }),
  })
  .prefault({})
  .meta({ description: 'How Golem behaves in every group. `rooms` changes it for single chats.' })

const gateway = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').meta({
      description: 'Address the HTTP server listens on. Any address but a loopback one needs `token`.',
    }),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(3000)
      .meta({ description: 'Port of the HTTP server and the console. 0 takes a free one.' }),
    hosts: z
      .array(z.string().regex(/^[A-Za-z0-9.-]+$/, 'must be a host name without a port'))
      .default([])
      .meta({
        description:
          'Further host names under which the console is reached, e.g. through a reverse proxy. Requests for any other name are refused.',
        examples: [['golem.example.com']],
      }),
    token: z
      .string()
      .min(1)
      .regex(/^[\x21-\x7e]*$/, 'must be letters, digits and marks of ASCII, without blanks')
      .optional()
      .meta({
        description: 'Bearer token that the HTTP API and the console ask for.',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
        examples: ['${GOLEM_TOKEN}'],
      }),
  })
  .prefault({})
  .meta({ description: 'The HTTP server.' })

export const groupChatKeys: readonly string[] = Object.keys(groupChat.unwrap().shape)
export const gatewayKeys: readonly string[] = Object.keys(gateway.unwrap().shape)

const idList = (what: string) =>
  z
    .array(z.string().min(1))
    .exactOptional()
    .meta({ description: `Ids of ${what}.` })

const audience = (description: string) =>
  z
    .strictObject({ users: idList('people'), chats: idList('chats') })
    .exactOptional()
    .meta({ description, examples: [{ users: ['U0123'], chats: ['C0123'] }] })

const access = {
  agent: accountAgent,
  allow: audience('Only these people, in these chats, are heard. Absent: everybody.'),
  deny: audience('These people and chats are never heard. Wins over `allow`.'),
}

const accountId = z
  .string()
  .regex(/^[a-z0-9]+$/, 'must be made of a-z and 0-9 only')
  .meta({
    description:
      'Name of the account. The first account of a list is the connection `<platform>`, the others `<platform>.<id>`.',
  })

function channelEntry(id: string, settings: ZodType): ZodType {
  if (!(settings instanceof z.ZodObject)) {
    throw new TypeError(
      `The settings of the platform ${id} must be a zod object (z.strictObject), so that golem.yaml can name its keys.`,
    )
  }
  const strict = settings.strict()
  return z
    .union([
      z.literal(false),
      strict.safeExtend(access),
      z.array(strict.safeExtend({ id: accountId, ...access })).min(1),
    ])
    .meta({
      description:
        settings.description ??
        `Connects ${id}: the settings of one account, a list of accounts, or \`false\` for off.`,
    })
}

/** Keys every agent has, whatever its engine. */
export const agentKeys = {
  name: room.agentName.meta({
    description: 'What people call it: `@Name`. Unique in the file, aliases included.',
    examples: ['Reviewer'],
  }),
  role: z
    .string()
    .max(2_000)
    .default('')
    .meta({
      description:
        'What it is for, in a few words. `auto` rooms and the orchestrator choose by it. The role `orchestrator` marks the agent that takes what nobody else was named for, and gives it the duty of one; an orchestrator with words of its own for its role stands first in the list.',
      examples: ['code reviewer'],
    }),
  aliases: z
    .array(room.agentName)
    .default([])
    .meta({ description: 'Other names it answers to.', examples: [['Rev']] }),
  archived: z
    .boolean()
    .default(false)
    .meta({ description: 'It no longer answers; naming it brings one line that says so.' }),
  hidden: z.boolean().default(false).meta({ description: 'People cannot address it.' }),
}

function agentOf(engines: EngineSchemas) {
  const members = Object.entries(engines).map(([id, options]) =>
    z.strictObject({
      ...agentKeys,
      engine: z.literal(id).meta({ description: options.description ?? `The engine ${id}.` }),
      ...options.shape,
    }),
  )
  const [first, ...rest] = members
  if (first === undefined) throw new TypeError('golem.yaml needs at least one engine to be known.')
  return z.discriminatedUnion('engine', [first, ...rest])
}

function topKeys(platforms: PlatformSchemas, engines: EngineSchemas) {
  const entries = Object.entries(platforms).map(
    ([id, settings]) => [id, channelEntry(id, settings).optional()] as const,
  )
  return {
    name: room.agentName
      .default(DEFAULT_NAME)
      .meta({ description: "The bot's own name.", examples: ['golem'] }),
    language: z.enum(['en', 'zh']).default('en').meta({
      description:
        'Language of the lines that Golem itself says in a chat, and of the headings in new group memory files.',
    }),
    groupChat,
    channels: z.strictObject(Object.fromEntries(entries)).prefault({}).meta({
      description: 'The platforms to connect. `local` (rooms in the console) is on unless it says `false`.',
    }),
    gateway,
    rooms: z
      .record(z.string(), room.roomOverride)
      .default({})
      .meta({
        description:
          'Settings of single chats, by chat key: `"slack:C123"` one chat, `"slack:*"` all of a connection, `"*"` all. The most specific match wins, key by key.',
        examples: [{ 'local:lobby': { groupPolicy: 'smart' } }],
      }),
    agents: z.array(agentOf(engines)).min(1).optional().meta({
      description:
        'The agents. One is the orchestrator: the first with the role `orchestrator`, else the first. Without this list there is one agent, described by the keys at the top of the file.',
    }),
    schedules,
    agentConcurrency: z
      .int()
      .min(1)
      .max(1_000)
      .default(AGENT_CONCURRENCY)
      .meta({ description: 'Turns of one agent that may run at the same time, over all conversations.' }),
    turnLimit: duration('m', MINUTE, 1_440 * MINUTE)
      .prefault(TURN_LIMIT / MINUTE)
      .meta({
        description:
          'Work one turn may take before it is stopped. Minutes (1 to 1,440), or text with a unit.',
        examples: [15, '90s'],
      }),
    approvals,
    transcribe,
    dataDir: z.string().min(1).default('.golem').meta({
      description: "Folder of the database and of rooms' working folders, relative to golem.yaml's folder.",
    }),
    memoryDir: z
      .string()
      .min(1)
      .default('memory')
      .meta({ description: "Folder of the group memory files, relative to golem.yaml's folder." }),
    skillsDir: z.string().min(1).default('skills').meta({
      description:
        "Folder of your skills, relative to golem.yaml's folder. The built-in ones are always there.",
    }),
  }
}

/** The keys of the one-agent form: what an agent has, at the top of the file. `turnLimit` already stands there. */
export function oneAgentKeys(engines: EngineSchemas): string[] {
  const keys = new Set(['engine', 'role', 'aliases'])
  for (const options of Object.values(engines)) for (const key of Object.keys(options.shape)) keys.add(key)
  keys.delete('turnLimit')
  return [...keys]
}

/** The schema the loader checks with. The one-agent form has been turned into a list of one before. */
export function fileSchema(platforms: PlatformSchemas, engines: EngineSchemas) {
  return z.strictObject(topKeys(platforms, engines))
}

/** The schema editors and the reference see: the same, with the one-agent form. */
export function editorSchema(platforms: PlatformSchemas, engines: EngineSchemas) {
  const engine = z.enum(Object.keys(engines)).optional().meta({
    description: 'Engine of the only agent, in a file without `agents`. Its options stand beside it.',
  })
  const options = Object.assign({}, ...Object.values(engines).map((each) => each.shape)) as Record<
    string,
    ZodType
  >
  delete options.turnLimit
  const optional = Object.fromEntries(
    Object.entries(options).map(([key, type]) => [
      key,
      type.optional().meta({ description: type.description ?? '' }),
    ]),
  )
  const { role, aliases } = agentKeys
  return z.strictObject({ ...topKeys(platforms, engines), engine, role, aliases, ...optional })
}

export type FileSchema = ReturnType<typeof fileSchema>
export type FileValues = z.output<FileSchema>
