/**
 * What Feishu's refusals mean. The codes of one call stand at the end of its page
 * (https://open.feishu.cn/document/server-docs/im-v1/message/reply), those of all calls in
 * https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code.
 */
import {
  ConnectFailure,
  type Failure,
  type Millis,
  type Operation,
  PlatformFailure,
} from '../../src/messaging/contract.js'

/** Why there is no word of Feishu's: the request surely never arrived, or nobody knows. */
export type Silence = 'unreachable' | 'unanswered'

/** A call that did not succeed. `message` holds no token and no address with one. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  constructor(
    /** Feishu's own code; 0 where it named none. */
    readonly code: number | Silence,
    /** The call, without ids. */
    readonly call: string,
    readonly details: {
      status?: number
      /** Feishu's sentence, shortened. */
      said?: string
      /** Milliseconds until a limit is over. */
      waitMs?: number
      /** Any one of these scopes would do. */
      scopes?: readonly string[]
      cause?: unknown
    } = {},
  ) {
    super(sentence(code, call, details), details.cause === undefined ? undefined : { cause: details.cause })
  }
}

function sentence(code: number | Silence, call: string, details: CallFailed['details']): string {
  const { said, scopes, status } = details
  const what =
    typeof code === 'string' ? code : code === 0 ? `refused with status ${status ?? '?'}` : `code ${code}`
  const needs = scopes === undefined || scopes.length === 0 ? '' : ` (needs the scope ${scopes.join(' or ')})`
  return `${call}: ${what}${said === undefined ? '' : `, ${said}`}${needs}`
}

/** Credentials or an app that are of no use until a person acts. The cure by code. */
const FATAL: Readonly<Record<number, string>> = {
  10003:
    'Feishu knows no such app: copy the App ID again from "Credentials & Basic Info", and check that domain is feishu or lark as the app is.',
  10014:
    'Copy App ID and App Secret again from "Credentials & Basic Info", and check that domain is feishu or lark as the app is.',
  10015: 'Copy the App Secret again from "Credentials & Basic Info" of the app.',
  10005: 'The app was deleted: make a new one and set its App ID and App Secret.',
  99991662: 'The app is switched off: an administrator has to enable it, and a version has to be published.',
  99991673: 'The app is not available: publish a version, and let an administrator enable it.',
  99991401: 'Add the address of this machine to the app’s IP allowlist under "Security Settings".',
  // Of the long connection: "forbidden", "authentication failed", "app_id or app_secret is invalid".
  403: 'Set "Receive events through persistent connection" under "Events & Callbacks" and publish a version.',
  514: 'Copy App ID and App Secret again from "Credentials & Basic Info".',
}
const ENDPOINT_REFUSED = 1_000_040_345

/** "Invalid access token for authorization" in its forms: a fresh one may do. */
const TOKEN: ReadonlySet<number> = new Set([99991661, 99991663, 99991664, 99991668, 99991671, 99991677])
/** The scope is missing, as the gateway and as messages say it. */
export const SCOPE_MISSING = 99991672

const RATE: ReadonlySet<number> = new Set([99991400, 230020, 11232])
/** A limit without a time to come: it is counted by the second. */
const SECOND: Millis = 1_000

export function isTokenRefused(error: unknown): error is CallFailed {
  return error instanceof CallFailed && typeof error.code === 'number' && TOKEN.has(error.code)
}

/** What a person can do about a code that no retry cures; undefined where a retry may. */
export function cureOf({ code, details }: CallFailed): string | undefined {
  if (typeof code !== 'number') return undefined
  // The same code says that Feishu is busy.
  if (code === ENDPOINT_REFUSED) return /invalid/i.test(details.said ?? '') ? FATAL[10014] : undefined
  return FATAL[code]
}

export function isFatal(error: unknown): error is CallFailed {
  return error instanceof CallFailed && cureOf(error) !== undefined
}

/** The failure to connect that a call means, or the call's own error where another try may help. */
export function connectFailure(error: unknown): Error {
  if (error instanceof CallFailed) {
    const cure = cureOf(error)
    if (cure !== undefined)
      return new ConnectFailure(`Feishu refused: ${error.message}.`, cure, { cause: error })
    if (error.code === SCOPE_MISSING)
      return new ConnectFailure(`Feishu refused: ${error.message}.`, scopeCure(error), { cause: error })
  }
  return error instanceof Error ? error : new Error(String(error))
}

/** Nothing but this leaves `perform`. */
export function asFailure(error: unknown, op: Operation, now: Millis): PlatformFailure {
  if (error instanceof PlatformFailure) return error
  if (!(error instanceof CallFailed)) {
    const reason = error instanceof Error ? error.message : String(error)
    // What threw may quote Feishu without being its answer.
    const failure: Failure = isWithdrawn(0, reason)
      ? { kind: 'gone', what: 'target' }
      : { kind: 'invalid', field: 'other' }
    return new PlatformFailure(failure, `${op.kind} in ${op.place.chat}: ${reason}`, { cause: error })
  }
  const message = `${op.kind} in ${op.place.chat}: ${error.message}${hint(error)}`
  return new PlatformFailure(failureOf(error, op, now), message, { cause: error })
}

function failureOf(error: CallFailed, op: Operation, now: Millis): Failure {
  const { code, details } = error
  if (code === 'unanswered') return { kind: 'ambiguous' }
  if (code === 'unreachable') return { kind: 'unreachable' }
  if (RATE.has(code) || details.status === 429) {
    const retryAt = now + (details.waitMs ?? SECOND)
    // A call's own limit is the app's for that call; the one of messages is that of a chat, shared by its bots.
    // https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control
    return code === 230020
      ? { kind: 'rate-limited', retryAt, scope: 'chat' }
      : { kind: 'rate-limited', retryAt, scope: 'kind' }
  }
  if (cureOf(error) !== undefined) return { kind: 'unauthorized' }
  // It was not even looked at, and a fresh token is on its way.
  if (TOKEN.has(code)) return { kind: 'unreachable' }
  return refusal(error, code, op)
}

function refusal({ details }: CallFailed, code: number, op: Operation): Failure {
  const said = details.said ?? ''
  const known = (op.kind === 'edit' ? EDITS.get(code) : undefined) ?? MEANING.get(code)
  if (known !== undefined) return known
  if (code === 230099 || (code >= 200_000 && code < 201_000)) return cardFailure(said)
  if (code === 230001 || code === 99992402) return parameterFailure(said)
  if (isWithdrawn(code, said)) return { kind: 'gone', what: 'target' }
  if (code >= 234_000 && code < 235_000) return { kind: 'invalid', field: 'file' }
  // "Internal error" under any code: Feishu itself does not know what became of it.
  if ((details.status ?? 0) >= 500 || /internal (?:server )?error|server error/i.test(said))
    return { kind: 'ambiguous' }
  return { kind: 'invalid', field: op.kind === 'upload' ? 'file' : 'other' }
}

/**
 * The message that was to be answered, edited or marked is not there any more. Feishu says so by three codes, and at
 * times by a sentence alone, with status 400 and no code.
 */
export function isWithdrawn(code: number, said: string): boolean {
  return WITHDRAWN.has(code) || /\b(?:230011|231003|230110)\b/.test(said) || GONE_WORDS.test(said)
}

const WITHDRAWN: ReadonlySet<number> = new Set([230011, 231003, 230110])
const GONE_WORDS =
  /message (?:was|is|has been|is already|was already)\s*(?:withdrawn|recalled|deleted|not found)|已(?:被)?撤回/i

const TARGET: Failure = { kind: 'gone', what: 'target' }
const THREAD: Failure = { kind: 'gone', what: 'thread' }
const CHAT: Failure = { kind: 'gone', what: 'chat' }
const FORBIDDEN: Failure = { kind: 'forbidden' }
const MARKUP: Failure = { kind: 'invalid', field: 'markup' }
const FILE: Failure = { kind: 'invalid', field: 'file' }
const LENGTH: Failure = { kind: 'invalid', field: 'length' }

const MEANING: ReadonlyMap<number, Failure> = new Map<number, Failure>([
  ...each(TARGET, 230011, 230050, 230110, 231003, 231018),
  // No such topic; topics are switched off in this chat; a topic from before the bot came.
  ...each(THREAD, 230019, 230071, 230073, 231005),
  ...each(CHAT, 230029, 230034, 231004, 232006, 232009, 99992351, 99992361),
  ...each(
    FORBIDDEN,
    ...[
      230002, 230006, 230012, 230013, 230015, 230017, 230018, 230022, 230026, 230027, 230028, 230035, 230038,
    ],
    ...[
      230053, 231002, 231007, 231008, 231019, 231020, 231021, 231022, 232010, 232011, 234004, 234007, 234009,
    ],
    ...[SCOPE_MISSING, 99991674, 99991676, 99991679],
  ),
  ...each(MARKUP, 230054),
  ...each(FILE, 230055),
  ...each(LENGTH, 230025),
  // The same request is under way: "the message is being sent".
  ...each({ kind: 'ambiguous' }, 230049),
  ...each({ kind: 'unreachable' }, 231015),
])

/** The same numbers mean something else where a message is edited. */
const EDITS: ReadonlyMap<number, Failure> = new Map<number, Failure>(
  each(FORBIDDEN, 230031, 230071, 230072, 230073, 230074, 230075),
)

function each(failure: Failure, ...codes: number[]): [number, Failure][] {
  return codes.map((code) => [code, failure])
}

/** `Failed to create card content, ext=ErrCode: 11310; ErrMsg: card table number over limit` and its kin. */
function cardFailure(said: string): Failure {
  return /\b(?:content|size|length|byte|body)s?\b[^;]*(?:exceed|too (?:large|long|big)|over)/i.test(said)
    ? LENGTH
    : MARKUP
}

/** "Your request contains an invalid request parameter", and which one behind `ext=`. */
function parameterFailure(said: string): Failure {
  if (/receive_id|chat_id|open_chat_id/i.test(said)) return CHAT
  if (/thread_id/i.test(said)) return THREAD
  if (/message_id/i.test(said)) return TARGET
  if (/file_key|image_key/i.test(said)) return FILE
  if (/content|card|json|msg_type|element/i.test(said)) return MARKUP
  return { kind: 'invalid', field: 'other' }
}

function hint(error: CallFailed): string {
  switch (error.code) {
    case SCOPE_MISSING:
      return `; ${scopeCure(error)}`
    case 230002:
      return '; add the bot to the group'
    case 230006:
      return '; add the bot feature to the app and publish a version'
    case 230013:
    case 231022:
      return '; add the person to the app’s availability, and publish a version'
    case 230018:
    case 230035:
      return '; the group does not let the bot write: its owner can'
    case 230022:
    case 230028:
      return '; Feishu’s content check refuses this text'
    default:
      return ''
  }
}

export function scopeCure({ details: { scopes = [] } }: CallFailed): string {
  const which = scopes.length === 0 ? 'the scope it needs' : `the scope ${scopes.join(' or ')}`
  return `Add ${which} under "Permissions & Scopes" and publish a version.`
}
