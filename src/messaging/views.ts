/**
 * What people read about the store: receipts, rooms, queue, status. One zod schema each; the HTTP API, its OpenAPI
 * description, the command line and the console all use these.
 */
import { z } from 'zod'
import { GATES } from './decision.js'

const millis = z.number().int().describe('milliseconds since the epoch')
const author = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['person', 'bot', 'self', 'agent']),
  outside: z.boolean().optional().describe("of another organisation than the bot's"),
})

export const gateSchema = z.object({
  gate: z.enum(GATES),
  verdict: z.enum(['pass', 'stop', 'note']),
  saw: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
  why: z.string().describe('one sentence'),
})

export const operationViewSchema = z.object({
  id: z.number().int(),
  kind: z.string(),
  role: z.enum(['answer', 'status', 'notice']),
  state: z.enum(['pending', 'sending', 'sent', 'ambiguous', 'failed', 'cancelled']),
  attempts: z.number().int(),
  createdAt: millis,
  sendingAt: millis.nullable(),
  settledAt: millis.nullable(),
  native: z.string().nullable().describe("the platform's own id of what was made"),
  text: z.string().nullable().describe('what a person sees, shortened'),
  to: z.string().optional().describe('the chat it went to, where that is another one'),
  failure: z.string().nullable(),
  log: z.array(z.object({ at: millis, what: z.string() })).describe('what happened to it, oldest first'),
})

const decider = z.object({ id: z.string(), name: z.string() })

/** A question that an agent has put to a person. */
export const questionViewSchema = z.object({
  id: z.number().int(),
  kind: z.enum(['question', 'permission']),
  agent: z.string(),
  text: z.string(),
  options: z.array(z.string()),
  code: z.string().describe('answers in words name it: `approve CODE`'),
  state: z.enum(['open', 'chosen', 'expired', 'withdrawn']),
  createdAt: millis,
  expiresAt: millis.describe('without an answer it counts as refused then'),
  settledAt: millis.nullable(),
  choice: z.string().nullable().describe('the option that was chosen'),
  by: decider.nullable().describe('who decided'),
  how: z.enum(['button', 'text']).nullable(),
  usedAt: millis.nullable().describe('when the agent was given the decision: once'),
})
export type QuestionView = z.infer<typeof questionViewSchema>

export const approvalSchema = questionViewSchema.extend({
  turn: z.number().int(),
  chatKey: z.string(),
  conversation: z.string(),
  requester: decider.nullable().describe('whose message the agent works on'),
  approvers: z.array(z.string()).describe('ids of those who may decide'),
  parked: z.boolean().describe('the agent begins again with the decision; until then nothing of it runs'),
})
export type ApprovalView = z.infer<typeof approvalSchema>

export const turnViewSchema = z.object({
  id: z.number().int(),
  kind: z.enum(['message', 'follow-up', 'ask', 'wake', 'schedule']),
  agent: z.string(),
  state: z.enum(['queued', 'running', 'parked', 'settled', 'passed', 'failed', 'cancelled', 'interrupted']),
  reason: z.string().nullable().describe('why it ended as it did'),
  attempts: z.number().int(),
  createdAt: millis,
  startedAt: millis.nullable(),
  firstEventAt: millis.nullable(),
  settledAt: millis.nullable(),
  messages: z.array(z.string()).describe('references of the messages it answers'),
  gates: z.array(gateSchema).describe('gates asked again when it was dispatched'),
  shown: z
    .object({
      lines: z.number().int(),
      characters: z.number().int(),
      cut: z.number().int(),
      memoryHash: z.string().nullable(),
      memoryCut: z.number().int().optional().describe('characters of the memory file that were left out'),
      facts: z.number().int().optional().describe('facts that were shown'),
      template: z.string(),
      engine: z.string(),
      model: z.string().optional().describe('where people chose another than the configured one'),
      tokens: z.number().int().optional().describe('what the prompt was estimated at'),
      budget: z.number().int().optional().describe('most tokens that its prompts may have'),
    })
    .nullable()
    .describe('what the agent was shown'),
  tools: z.array(z.object({ name: z.string(), at: millis, ok: z.boolean(), note: z.string() })),
  usage: z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cachedTokens: z.number().optional(),
      costUsd: z.number().optional(),
      model: z.string().optional().describe('the one that answered'),
      note: z.string().optional().describe('what went wrong before it answered'),
    })
    .nullable(),
  files: z.array(z.object({ name: z.string(), refused: z.string().optional() })),
  previews: z
    .object({ edits: z.number().int(), drafts: z.number().int(), at: millis })
    .optional()
    .describe('how often people were shown the answer before it was there, and when last'),
  questions: z.array(questionViewSchema).optional().describe('what it asked people'),
  operations: z.array(operationViewSchema),
})

export const OUTCOMES = [
  'kept',
  'refused',
  'waiting',
  'running',
  'sending',
  'answered',
  'passed',
  'failed',
  'stopped',
  'interrupted',
  'skipped',
  'said',
  'read',
] as const

export const receiptSchema = z.object({
  message: z.object({
    id: z.number().int(),
    reference: z.string().describe('chatKey:nativeId'),
    chatKey: z.string(),
    conversation: z.string(),
    native: z.string().nullable(),
    author,
    at: millis.describe('when the platform says it was said'),
    receivedAt: millis.describe('when it was durable'),
    text: z.string().nullable().describe('null once it was deleted'),
    editedAt: millis.nullable(),
    deletedAt: millis.nullable(),
  }),
  outcome: z.enum(OUTCOMES),
  summary: z.string().describe('one or two sentences: what happened and why'),
  decision: z
    .object({
      verdict: z.enum(['run', 'keep', 'refuse']),
      addressed: z.boolean(),
      reason: z.string(),
      route: z.string(),
      responders: z.array(z.string()),
      gates: z.array(gateSchema),
    })
    .nullable()
    .describe('null for what Golem said itself'),
  turns: z.array(turnViewSchema),
  operations: z.array(operationViewSchema).describe('notices and marks that belong to no turn'),
  answers: z.array(z.string()).describe('for a post of Golem: references of the messages it answers'),
})
export type ReceiptView = z.infer<typeof receiptSchema>
export type OperationView = z.infer<typeof operationViewSchema>
export type TurnView = z.infer<typeof turnViewSchema>

export const roomMessageSchema = z.object({
  id: z.number().int(),
  reference: z.string(),
  native: z.string().nullable(),
  conversation: z.string(),
  thread: z.string().nullable(),
  author,
  kind: z.enum(['person', 'agent', 'bot', 'result', 'notice', 'schedule']),
  text: z.string().nullable(),
  at: millis,
  replyTo: z.string().nullable(),
  editedAt: millis.nullable(),
  deletedAt: millis.nullable(),
  outcome: z.enum(OUTCOMES),
})
export type RoomMessage = z.infer<typeof roomMessageSchema>

export const roomSchema = z.object({
  key: z.string(),
  connection: z.string(),
  kind: z.enum(['dm', 'group']),
  title: z.string().nullable(),
  policy: z.enum(['mention-only', 'smart', 'always']),
  policyNote: z.string().nullable().describe('why the room does not follow the policy it was given'),
  members: z.array(z.string()).describe('agents of the room'),
  messages: z.number().int(),
  lastAt: millis.nullable(),
  running: z.number().int(),
  waiting: z.number().int(),
  quiet: z.boolean().describe('bots have reached maxTurns; a person must speak'),
})
export type RoomView = z.infer<typeof roomSchema>

export const queueSchema = z.object({
  turns: z.array(
    z.object({
      turn: z.number().int(),
      conversation: z.string(),
      agent: z.string(),
      kind: z.string(),
      state: z.enum(['running', 'queued', 'waiting-for-teammates', 'waiting-for-decision']),
      position: z.number().int().describe('0 = running'),
      since: millis,
      requester: z.string().nullable(),
      waitsFor: z.array(z.string()).describe('agents ahead of it, or teammates asked'),
    }),
  ),
  operations: z.array(
    z.object({
      operation: z.number().int(),
      chatKey: z.string(),
      kind: z.string(),
      state: z.string(),
      attempts: z.number().int(),
      since: millis,
      failure: z.string().nullable(),
    }),
  ),
})
export type QueueView = z.infer<typeof queueSchema>

export const statusSchema = z.object({
  rooms: z.number().int(),
  messages: z.number().int(),
  turns: z.record(z.string(), z.number().int()),
  operations: z.record(z.string(), z.number().int()),
  asks: z.number().int(),
  schedules: z.number().int().describe('schedules that are still to run'),
  nextSchedule: millis.nullable().describe('when the next of them is due'),
  usage: z
    .object({
      turns: z.number().int(),
      inputTokens: z.number().int(),
      outputTokens: z.number().int(),
      cachedTokens: z.number().int(),
      costUsd: z.number(),
    })
    .describe('tokens of the last 30 days, as the engines reported them'),
  moved: z
    .array(z.object({ from: z.string(), to: z.string(), at: millis }))
    .describe('chats that go on under another id: settings written under the old key still apply'),
  schema: z.number().int(),
  bytes: z.number().int(),
})
export type StatusView = z.infer<typeof statusSchema>
