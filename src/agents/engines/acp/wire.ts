/**
 * What is read of an agent's messages, and no more: fields that are missing or of another type are passed over, so that
 * an older or a newer agent than the protocol's library knows is still understood. Field names: the schema of version 1,
 * and `models` as agents of 2025 send it.
 */
import { z } from 'zod'

const yes = z.boolean().catch(false).default(false)
/** An empty object says yes; absent and null say no. */
const present = z
  .unknown()
  .optional()
  .transform((value) => typeof value === 'object' && value !== null)
const text = z.string().optional().catch(undefined)
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((all) =>
      all.flatMap((one) => {
        const read = item.safeParse(one)
        return read.success ? [read.data] : []
      }),
    )

const none = {}
const initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({
      loadSession: yes,
      promptCapabilities: z.object({ image: yes }).catch({ image: false }).prefault(none),
      mcpCapabilities: z.object({ http: yes }).catch({ http: false }).prefault(none),
      sessionCapabilities: z
        .object({ resume: present, delete: present, close: present })
        .catch({ resume: false, delete: false, close: false })
        .prefault(none),
    })
    .prefault(none),
  authMethods: listOf(
    z.object({
      id: z.string(),
      name: text,
      type: text,
      vars: listOf(z.object({ name: z.string() })),
    }),
  ),
})

/** What an agent says of itself when a connection begins. */
export type AgentFacts = z.output<typeof initialized>
/** @throws ZodError */
export const readInitialized = (value: unknown): AgentFacts => initialized.parse(value)

const choice = z.object({ value: z.string(), name: text })
/** A list of choices, or of groups of them. */
const choices = listOf(
  z
    .object({ value: text, name: text, options: listOf(choice) })
    .transform(({ value, name, options }) => (value === undefined ? options : [{ value, name }])),
).transform((groups) => groups.flat())

const configOptions = listOf(
  z.object({
    id: z.string(),
    category: text,
    currentValue: z.union([z.string(), z.boolean()]).optional().catch(undefined),
    options: choices,
  }),
)

const opened = z.object({
  sessionId: text,
  configOptions,
  models: z
    .object({ currentModelId: text, availableModels: listOf(z.object({ modelId: z.string(), name: text })) })
    .optional()
    .catch(undefined),
})
/** What an agent says of a session that it has made or taken up. */
export type SessionFacts = z.output<typeof opened>
export const readOpened = (value: unknown): SessionFacts => opened.parse(value ?? {})

const count = z.number().nonnegative().transform(Math.round)
const ended = z.object({
  stopReason: z.string(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedReadTokens: count.nullish().catch(null),
      totalTokens: count.nullish().catch(null),
    })
    .optional()
    .catch(undefined),
})
export type PromptEnd = z.output<typeof ended>
/** @throws ZodError */
export const readPromptEnd = (value: unknown): PromptEnd => ended.parse(value)

const toolCall = z.object({
  toolCallId: z.string(),
  title: text,
  kind: text,
  status: text,
  rawInput: z.unknown().optional(),
  content: listOf(
    z.object({
      type: z.string(),
      path: text,
      newText: text,
      content: z.object({ text }).optional().catch(undefined),
    }),
  ),
  locations: listOf(z.object({ path: z.string() })),
})
export type ToolCall = z.output<typeof toolCall>

const permission = z.object({
  sessionId: z.string(),
  toolCall,
  options: listOf(z.object({ optionId: z.string(), name: z.string().catch(''), kind: z.string().catch('') })),
})
export type PermissionRequest = z.output<typeof permission>
/** @throws ZodError */
export const readPermission = (value: unknown): PermissionRequest => permission.parse(value)

const block = z.object({ type: z.string(), text, uri: text, name: text })
const updates = {
  agent_message_chunk: z.object({ content: block, messageId: text }),
  tool_call: toolCall,
  tool_call_update: toolCall,
  plan: z.object({ entries: listOf(z.object({ content: z.string(), status: text })) }),
  usage_update: z.object({
    cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }).nullish().catch(null),
  }),
  config_option_update: z.object({ configOptions }),
} as const
type Known = keyof typeof updates

/** `other`: a sign of life whose contents nobody here needs, thoughts among them. */
export type Update = { [K in Known]: { is: K } & z.output<(typeof updates)[K]> }[Known] | { is: 'other' }

const notification = z.object({ sessionId: z.string(), update: z.looseObject({ sessionUpdate: z.string() }) })

/** @returns null for what is no session update at all */
export function readUpdate(params: unknown): { session: string; update: Update } | null {
  const read = notification.safeParse(params)
  if (!read.success) return null
  const { sessionId, update } = read.data
  const kind = update.sessionUpdate
  if (!Object.hasOwn(updates, kind)) return { session: sessionId, update: { is: 'other' } }
  const parsed = updates[kind as Known].safeParse(update)
  if (!parsed.success) return { session: sessionId, update: { is: 'other' } }
  return { session: sessionId, update: { is: kind, ...parsed.data } as Update }
}
