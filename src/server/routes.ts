/**
 * The one table of the API: what is routed, what is answered with 405, and what `/api/openapi.json` says all follow
 * from it.
 */
import { z } from 'zod'
import type { Store } from '../messaging/store.js'
import {
  approvalSchema,
  queueSchema,
  receiptSchema,
  roomMessageSchema,
  roomSchema,
  statusSchema,
} from '../messaging/views.js'
import type { Doorkeeper } from './auth.js'
import { HttpError } from './error.js'
import { type Health, healthSchema } from './health.js'

export const roomsSchema = z.object({ rooms: z.array(roomSchema) })
export const roomMessagesSchema = z.object({ messages: z.array(roomMessageSchema).describe('oldest first') })
export const approvalsSchema = z.object({ approvals: z.array(approvalSchema).describe('oldest first') })
export const sessionSchema = z.object({
  required: z.boolean().describe('this server asks for a token'),
  loggedIn: z.boolean().describe('this request carried a valid token or cookie'),
})
export const loginSchema = z.strictObject({ token: z.string().min(1).max(1_024) })
export const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** What a handler is given: the request in parts, nothing of the web framework. */
export interface Ask {
  /** Decoded. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  headers: Headers
  json(): Promise<unknown>
  /** Where it came from, for counting wrong guesses. */
  address: string
}

export interface Answer {
  status?: number
  body: unknown
  headers?: Record<string, string>
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  description: string
  schema: { type: 'string' } | { type: 'integer'; minimum: number; maximum?: number; default?: number }
}

export interface Route {
  method: 'get' | 'post' | 'put' | 'delete'
  /** In the form of OpenAPI: `/api/rooms/{key}/messages`. */
  path: string
  id: string
  summary: string
  /** Answers without a token. */
  open?: true
  parameters?: readonly Parameter[]
  takes?: z.ZodType
  gives: z.ZodType
  /** Statuses besides 200 and those that every route may give. */
  also?: Readonly<Record<string, { description: string; gives?: z.ZodType }>>
  handle(ask: Ask): Promise<Answer>
}

const PAGE = { least: 1, most: 200, usual: 50 }

/** A whole number in the query, or undefined where it is absent. */
function wholeNumber(query: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most))
    throw new HttpError(
      400,
      'bad-parameter',
      most === Number.MAX_SAFE_INTEGER
        ? `"${name}" must be a whole number, ${least} or more.`
        : `"${name}" must be a whole number from ${least} to ${most}.`,
    )
  return value
}

const messageId = (name: string, what: string): Parameter => ({
  name,
  in: 'query',
  description: what,
  schema: { type: 'integer', minimum: 0 },
})

export interface RouteParts {
  store: Pick<Store, 'receipt' | 'rooms' | 'roomMessages' | 'queue' | 'status' | 'approvals'>
  doorkeeper: Doorkeeper
  health(): Promise<Health>
}

/** Set by a proxy that speaks TLS to the browser. Believed only for marking the visitor's own cookie. */
function overTls(headers: Headers): boolean {
  return headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https'
}

export function routes({ store, doorkeeper, health }: RouteParts): readonly Route[] {
  return [
    {
      method: 'get',
      path: '/health',
      id: 'health',
      summary: 'Whether Golem and each of its connections work.',
      open: true,
      gives: healthSchema,
      also: { 503: { description: 'Nothing can be answered.', gives: healthSchema } },
      async handle() {
        const body = await health()
        return { status: body.status === 'failed' ? 503 : 200, body }
      },
    },
    {
      method: 'get',
      path: '/api/session',
      id: 'session',
      summary: 'Whether a token is needed, and whether this request had one.',
      open: true,
      gives: sessionSchema,
      async handle({ headers }) {
        return { body: { required: doorkeeper.required, loggedIn: doorkeeper.knows(headers) } }
      },
    },
    {
      method: 'post',
      path: '/api/session',
      id: 'login',
      summary: 'Trades the token for a cookie that no script can read.',
      open: true,
      takes: loginSchema,
      gives: sessionSchema,
      also: { 429: { description: 'Too many wrong tokens from this address.' } },
      async handle({ json, address, headers }) {
        const input = loginSchema.safeParse(await json())
        if (!input.success) throw new HttpError(400, 'bad-body', 'Send {"token": "<gateway.token>"}.')
        const cookie = doorkeeper.login(input.data.token, address, overTls(headers))
        return {
          body: { required: doorkeeper.required, loggedIn: true },
          ...(cookie === null ? {} : { headers: { 'set-cookie': cookie } }),
        }
      },
    },
    {
      method: 'delete',
      path: '/api/session',
      id: 'logout',
      summary: 'Ends the session of the console.',
      open: true,
      gives: sessionSchema,
      async handle({ headers }) {
        return {
          body: { required: doorkeeper.required, loggedIn: !doorkeeper.required },
          headers: { 'set-cookie': doorkeeper.logout(overTls(headers)) },
        }
      },
    },
    {
      method: 'get',
      path: '/api/rooms',
      id: 'rooms',
      summary: 'The chats Golem has seen, with their settings and what is going on in them.',
      gives: roomsSchema,
      async handle() {
        return { body: { rooms: await store.rooms() } }
      },
    },
    {
      method: 'get',
      path: '/api/rooms/{key}/messages',
      id: 'roomMessages',
      summary: 'Messages of a room, oldest first: the newest page, or the one before or after a message.',
      parameters: [
        {
          name: 'key',
          in: 'path',
          description: 'chatKey of the room, e.g. `local:lobby`',
          schema: { type: 'string' },
        },
        messageId('before', 'only messages before this internal id'),
        messageId('after', 'only messages after this internal id'),
        {
          name: 'limit',
          in: 'query',
          description: 'most messages to answer with',
          schema: { type: 'integer', minimum: PAGE.least, maximum: PAGE.most, default: PAGE.usual },
        },
      ],
      gives: roomMessagesSchema,
      async handle({ params, query }) {
        const before = wholeNumber(query, 'before', 0, Number.MAX_SAFE_INTEGER)
        const after = wholeNumber(query, 'after', 0, Number.MAX_SAFE_INTEGER)
        const limit = wholeNumber(query, 'limit', PAGE.least, PAGE.most) ?? PAGE.usual
        const key = params.key ?? ''
        const messages = await store.roomMessages(key, {
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
          limit,
        })
        if (messages === null)
          throw new HttpError(404, 'unknown-room', 'There is no room of that key; GET /api/rooms lists them.')
        return { body: { messages } }
      },
    },
    {
      method: 'get',
      path: '/api/messages/{id}/receipt',
      id: 'receipt',
      summary: 'What became of a message: every gate, every turn, every post.',
      parameters: [
        {
          name: 'id',
          in: 'path',
          description: 'internal id, or `chatKey:nativeId` (URL-encoded), or `last`',
          schema: { type: 'string' },
        },
      ],
      gives: receiptSchema,
      async handle({ params }) {
        const receipt = await store.receipt(params.id ?? '')
        if (receipt === null)
          throw new HttpError(
            404,
            'unknown-message',
            'There is no message of that id; name it by its internal id, as chatKey:nativeId, or say last.',
          )
        return { body: receipt }
      },
    },
    {
      method: 'get',
      path: '/api/queue',
      id: 'queue',
      summary: 'Turns that run or wait, and operations on their way to a platform.',
      gives: queueSchema,
      async handle() {
        return { body: await store.queue() }
      },
    },
    {
      method: 'get',
      path: '/api/approvals',
      id: 'approvals',
      summary: 'Questions of agents that wait for a person. They are decided in the chat they were asked in.',
      gives: approvalsSchema,
      async handle() {
        return { body: { approvals: await store.approvals() } }
      },
    },
    {
      method: 'get',
      path: '/api/status',
      id: 'status',
      summary: 'How much there is of everything.',
      gives: statusSchema,
      async handle() {
        return { body: await store.status() }
      },
    },
  ]
}
