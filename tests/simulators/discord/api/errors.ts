/** Refusals in Discord's shape. https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes */
import type { Reply } from '../../kit/server.js'
import type { Fields } from '../world.js'

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors?: Fields,
  ) {
    super(message)
  }
}

const KNOWN: Readonly<Record<number, readonly [status: number, message: string]>> = {
  0: [401, '401: Unauthorized'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10013: [404, 'Unknown User'],
  10014: [400, 'Unknown Emoji'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  20009: [403, 'Explicit content cannot be sent to the desired recipient(s)'],
  20028: [429, 'The write action you are performing on the channel has hit the write rate limit.'],
  30010: [400, 'Maximum number of reactions reached (20)'],
  40005: [413, 'Request entity too large'],
  40058: [400, 'Cannot send a message in a forum channel'],
  40060: [400, 'Interaction has already been acknowledged.'],
  50001: [403, 'Missing Access'],
  50003: [403, 'Cannot execute action on a DM channel'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50007: [403, 'Cannot send messages to this user'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50021: [403, 'Cannot execute action on a system message'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50035: [400, 'Invalid Form Body'],
  50083: [400, 'Thread is archived'],
  50109: [400, 'The request body contains invalid JSON.'],
  160002: [403, 'Cannot reply without permission to read message history'],
  160004: [400, 'A thread has already been created for this message'],
  160005: [403, 'Thread is locked'],
  240000: [400, 'Message was blocked by harmful links filter'],
}

export const apiError = (code: number): ApiError => {
  const [status, message] = KNOWN[code] ?? [400, 'Error']
  return new ApiError(status, code, message)
}

/** One field of a form that is not as it must be: `embeds.0.title`. https://docs.discord.com/developers/reference#error-messages */
export function invalid(path: string, code: string, message: string): ApiError {
  let errors: Fields = { _errors: [{ code, message }] }
  for (const part of path === '' ? [] : path.split('.').reverse()) errors = { [part]: errors }
  return new ApiError(400, 50035, 'Invalid Form Body', errors)
}

export const tooLong = (path: string, most: number): ApiError =>
  invalid(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`)

export const missing = (path: string): ApiError =>
  invalid(path, 'BASE_TYPE_REQUIRED', 'This field is required')

export const notSnowflake = (path: string, value: unknown): ApiError =>
  invalid(path, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not snowflake.`)

export const replyOf = ({ status, code, message, errors }: ApiError): Reply => ({
  status,
  body: { message, code, ...(errors !== undefined && { errors }) },
})

/**
 * What a fault is told to say: a JSON error code, or an HTTP status below 1,000. `description` of 50035 may name the
 * field and its own code: `content: BASE_TYPE_MAX_LENGTH`.
 */
export function refused(code: string | number, description?: string): Reply {
  const number = Number(code)
  if (!Number.isInteger(number))
    return { status: 400, body: { message: description ?? String(code), code: 0 } }
  if (number === 401) return replyOf(apiError(0))
  if (number >= 400 && number < 600)
    return { status: number, body: { message: description ?? `${number}: Refused`, code: 0 } }
  const field = /^([\w.]+): ?([A-Z_]+)$/.exec(description ?? '')
  if (number === 50035 && field !== null)
    return replyOf(invalid(field[1] ?? '', field[2] ?? '', 'This value is not allowed'))
  const error = apiError(number)
  return replyOf(description === undefined ? error : new ApiError(error.status, number, description))
}

/** https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
export function rateLimited(waitMs: number, scope: 'user' | 'global' | 'shared' = 'user'): Reply {
  const seconds = waitMs / 1000
  return {
    status: 429,
    headers: {
      'retry-after': String(Math.max(1, Math.ceil(seconds))),
      'x-ratelimit-reset-after': seconds.toFixed(3),
      'x-ratelimit-scope': scope,
      ...(scope === 'global' ? { 'x-ratelimit-global': 'true' } : { 'x-ratelimit-remaining': '0' }),
    },
    body: {
      message: 'You are being rate limited.',
      retry_after: Number(seconds.toFixed(3)),
      global: scope === 'global',
    },
  }
}
