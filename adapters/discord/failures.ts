/** What Discord's refusals mean. https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
import {
  ConnectFailure,
  type Failure,
  type Millis,
  type Operation,
  PlatformFailure,
} from '../../src/messaging/contract.js'

/** What is known of a request that did not succeed. */
export interface CallDetails {
  /** HTTP status; absent where no answer came. */
  status?: number
  /** Discord's own error code. */
  code?: number
  /** Names of what `errors` complains about, such as `content.BASE_TYPE_MAX_LENGTH`. */
  fields?: readonly string[]
  /** Milliseconds. */
  retryAfter?: Millis
  /** The limit is one of the whole account. */
  global?: boolean
  cause?: unknown
}

/**
 * A request that did not succeed. `refused`: Discord said no, and nothing happened. `limited`: not now. `unreachable`: it
 * surely never arrived. `unanswered`: it may have had its effect. `message` holds no token and no address with one.
 */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  constructor(
    readonly kind: 'refused' | 'limited' | 'unreachable' | 'unanswered',
    /** What was asked for, such as `POST messages`. */
    readonly what: string,
    said: string,
    readonly details: CallDetails = {},
  ) {
    super(`${what}: ${said}`, details.cause === undefined ? undefined : { cause: details.cause })
  }
}

const TOKEN_CURE =
  'Open the app at discord.com/developers/applications, choose "Bot", press "Reset Token", and set the new token as botToken.'

/** What a person can do about a refusal that no retry cures; undefined where a retry may. */
export function cureOf(error: unknown): string | undefined {
  return error instanceof CallFailed && isUnauthorized(error.details) ? TOKEN_CURE : undefined
}

/** 401 is said of the bot's own token, but for that of a webhook; and by Discord, whose refusals all bear a code. */
function isUnauthorized({ status, code }: CallDetails): boolean {
  return status === 401 && code !== undefined && code !== INVALID_WEBHOOK_TOKEN
}

/** The failure to connect that a refusal means, or the error itself where another try may help. */
export function connectFailure(error: unknown): Error {
  const cure = cureOf(error)
  if (cure !== undefined)
    return new ConnectFailure('Discord does not take the bot token.', cure, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}

/**
 * Close codes after which connecting again is of no use, with what to do.
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
export const FATAL_CLOSES: Readonly<Record<number, { reason: string; cure: string }>> = {
  4004: { reason: 'Discord does not take the bot token (gateway code 4004).', cure: TOKEN_CURE },
  4010: {
    reason: 'Discord does not know this share of the bot’s servers (gateway code 4010).',
    cure: 'Restart Golem: it asks anew how many shards the bot needs.',
  },
  4011: {
    reason: 'The bot is in too many servers for so few gateway connections (gateway code 4011).',
    cure: 'Restart Golem: it asks anew how many shards the bot needs.',
  },
  4012: {
    reason: 'Discord no longer speaks this version of its gateway (gateway code 4012).',
    cure: 'Update Golem.',
  },
  4013: {
    reason: 'Discord does not know the intents it was asked for (gateway code 4013).',
    cure: 'Update Golem; if apiUrl is set, check that it leads to Discord.',
  },
  4014: {
    reason: 'The bot may not have the intents it needs (gateway code 4014).',
    cure: 'Open the app at discord.com/developers/applications, choose "Bot", and switch on "Message Content Intent" and "Server Members Intent" under "Privileged Gateway Intents".',
  },
}

const INVALID_WEBHOOK_TOKEN = 50_027
const GONE_CHAT: ReadonlySet<number> = new Set([10_003, 10_004, 10_013])
// 160002: without "Read Message History" nothing can be quoted, and anything else be said.
const GONE_TARGET: ReadonlySet<number> = new Set([10_008, 10_015, 10_062, 160_002])
/** Archived or locked: it is there, and takes nothing any more. */
const CLOSED_THREAD: ReadonlySet<number> = new Set([50_083, 160_005])
/** A form that was not filled in right: `errors` says where. */
const INVALID_FORM = 50_035
const TOO_LARGE = 40_005
/** Limits that come as a refusal. https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const SLOWED: ReadonlySet<number> = new Set([20_016, 20_022, 20_028, 20_029, 30_046, 40_003])
/** Where a limit that names no end is tried again. */
const AGAIN = 30_000
/** Refusals of the text itself, by the server's own filters. */
const FILTERED: ReadonlySet<number> = new Set([200_000, 200_001, 240_000])
const FORBIDDEN: ReadonlySet<number> = new Set([
  30_010, 30_033, 50_001, 50_003, 50_005, 50_007, 50_008, 50_013, 50_021, 50_024, 50_278, 90_001, 160_006,
])

/** Nothing but this leaves `perform`. */
export function asFailure(error: unknown, op: Operation, now: Millis): PlatformFailure {
  if (error instanceof PlatformFailure) return error
  const where = `${op.kind} in ${op.place.thread ?? op.place.chat}`
  if (!(error instanceof CallFailed)) {
    const reason = error instanceof Error ? error.message : String(error)
    return new PlatformFailure({ kind: 'invalid', field: 'other' }, `${where}: ${reason}`, { cause: error })
  }
  const message = `${where}: ${error.message}${hint(error.details.code)}`
  return new PlatformFailure(failureOf(error, op, now), message, { cause: error })
}

function failureOf({ kind, details }: CallFailed, op: Operation, now: Millis): Failure {
  const { status = 0, code = 0, retryAfter, global } = details
  if (kind === 'unreachable') return { kind: 'unreachable' }
  if (kind === 'unanswered') return { kind: 'ambiguous' }
  if (kind === 'limited' || SLOWED.has(code)) {
    // Limits are counted by route, and within it by channel; the account has one of its own.
    // https://docs.discord.com/developers/topics/rate-limits
    const scope = global === true ? 'account' : POSTS.has(op.kind) ? 'chat' : 'kind'
    return { kind: 'rate-limited', retryAt: now + (retryAfter ?? AGAIN), scope }
  }
  if (isUnauthorized(details)) return { kind: 'unauthorized' }
  // Somebody on the way wants to know who asks, such as a proxy: Discord was not reached.
  if (status === 401 && details.code === undefined) return { kind: 'unreachable' }
  if (GONE_CHAT.has(code)) return { kind: 'gone', what: op.place.thread === undefined ? 'chat' : 'thread' }
  if (GONE_TARGET.has(code)) return { kind: 'gone', what: 'target' }
  if (CLOSED_THREAD.has(code))
    return POSTS.has(op.kind) ? { kind: 'gone', what: 'thread' } : { kind: 'forbidden' }
  if (code === INVALID_FORM) return invalidForm(details, op)
  if (code === TOO_LARGE || status === 413) return { kind: 'invalid', field: 'file' }
  if (status === 403 || FORBIDDEN.has(code) || FILTERED.has(code)) return { kind: 'forbidden' }
  if (status === 404) return { kind: 'gone', what: 'id' in op ? 'target' : 'chat' }
  return { kind: 'invalid', field: op.kind === 'upload' ? 'file' : 'other' }
}

const POSTS: ReadonlySet<Operation['kind']> = new Set(['post', 'upload', 'whisper'])

function invalidForm({ fields = [] }: CallDetails, op: Operation): Failure {
  const has = (pattern: RegExp): boolean => fields.some((field) => pattern.test(field))
  if (has(/^message_reference\b|UNKNOWN_MESSAGE/)) return { kind: 'gone', what: 'target' }
  if (has(/^content\.(?:BASE_TYPE_(?:MAX|BAD)_LENGTH|MAX)/)) return { kind: 'invalid', field: 'length' }
  if (has(/^(?:files|attachments)\b/)) return { kind: 'invalid', field: 'file' }
  if (has(/^(?:content|embeds|allowed_mentions)\b/)) return { kind: 'invalid', field: 'markup' }
  // The id in the path is none of Discord's.
  if (has(/^(?:channel_id|recipient_id)\b/)) return { kind: 'gone', what: 'chat' }
  if (has(/^message_id\b/)) return { kind: 'gone', what: 'target' }
  return { kind: 'invalid', field: op.kind === 'upload' ? 'file' : 'other' }
}

function hint(code: number | undefined): string {
  switch (code) {
    case 50_001:
      return '; the bot cannot see the channel: give its role "View Channel" there'
    case 50_013:
      return '; the bot lacks a permission: give its role "Send Messages", "Send Messages in Threads", "Attach Files", "Add Reactions" and "Read Message History" there'
    case 50_007:
    case 50_278:
      return '; the person takes no direct messages from the bot'
    case 10_003:
      return '; the channel is gone, or the bot is not in its server'
    default:
      return ''
  }
}
