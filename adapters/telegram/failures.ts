/** What Telegram's refusals mean. Its error texts are the only thing that tells most of them apart. */
import { type Clock, type Failure, type Operation, PlatformFailure } from '../../src/messaging/contract.js'
import { ApiError, isUnauthorized } from './api.js'
import { TransportError } from './transport.js'

/** First match wins. Texts as the Bot API server writes them (tdlib/telegram-bot-api, telegram-bot-api/Client.cpp). */
const REFUSALS: readonly [RegExp, Failure][] = [
  [/chat.restricted/i, { kind: 'forbidden' }],
  // A closed topic takes nothing more: what was asked there is answered in the chat around it.
  [/thread not found|topic.(?:closed|deleted|id.invalid)/i, { kind: 'gone', what: 'thread' }],
  [
    /(?:group|chat) (?:chat )?was (?:deleted|deactivated)|chat not found|user not found|peer.id.invalid/i,
    { kind: 'gone', what: 'chat' },
  ],
  [/repl(?:y|ied) (?:message )?not found|message to be replied not found/i, { kind: 'gone', what: 'target' }],
  [/message to \w+ not found|message not found|message.id.invalid/i, { kind: 'gone', what: 'target' }],
  [/too long/i, { kind: 'invalid', field: 'length' }],
  [/can't parse|entit|text must be encoded/i, { kind: 'invalid', field: 'markup' }],
  [
    /not enough rights|no rights|have no write|need administrator|admin.required|write.forbidden|can't be (?:edited|deleted)|not a member|was kicked|was blocked|is.blocked|can't initiate|deactivated/i,
    { kind: 'forbidden' },
  ],
  [/photo|image|file|document|wrong remote|content/i, { kind: 'invalid', field: 'file' }],
]

/** Nothing but a {@link PlatformFailure} leaves `perform`. */
export function asFailure(error: unknown, op: Operation, clock: Clock): PlatformFailure {
  if (error instanceof PlatformFailure) return error
  const message = `${op.kind} in the Telegram chat ${op.place.chat}: ${error instanceof Error ? error.message : 'failed'}`
  return new PlatformFailure(failureOf(error, op, clock), message, { cause: error })
}

function failureOf(error: unknown, op: Operation, clock: Clock): Failure {
  if (error instanceof TransportError) return { kind: error.sent ? 'ambiguous' : 'unreachable' }
  if (!(error instanceof ApiError)) return { kind: 'invalid', field: 'other' }
  const { status, description, parameters } = error
  if (status === 429) {
    return {
      kind: 'rate-limited',
      retryAt: clock.now() + (parameters.retryAfter ?? 1) * 1_000,
      scope: 'chat',
    }
  }
  // Told by the caller: the next attempt goes to the new id.
  if (parameters.migrateTo !== undefined) return { kind: 'unreachable' }
  if (isUnauthorized(error)) return { kind: 'unauthorized' }
  // Something broke on their side, perhaps after the effect.
  if (status >= 500) return { kind: 'ambiguous' }
  if (status === 413) return { kind: 'invalid', field: op.kind === 'upload' ? 'file' : 'length' }
  const known = REFUSALS.find(([shape]) => shape.test(description))?.[1]
  if (known?.kind === 'invalid' && known.field === 'file' && op.kind !== 'upload')
    return { kind: 'invalid', field: 'other' }
  return known ?? (status === 403 ? { kind: 'forbidden' } : { kind: 'invalid', field: 'other' })
}

/** The message says already what it was to say, or has that mark already: what was wanted holds. */
export function isUnchanged(error: unknown): boolean {
  return error instanceof ApiError && /message is not modified/i.test(error.description)
}
