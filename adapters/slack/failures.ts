/** What Slack's refusals mean. https://docs.slack.dev/reference/methods/chat.postMessage#errors and its siblings. */
import {
  ConnectFailure,
  type Failure,
  type Millis,
  type Operation,
  PlatformFailure,
} from '../../src/messaging/contract.js'

/** A call that did not succeed. `message` holds no token and no address with one. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  constructor(
    /** Slack's own code, or `rate_limited`, `unreachable`, `unanswered`. */
    readonly code: string,
    readonly method: string,
    readonly details: {
      retryAfterMs?: number
      /** The scope that is missing. */
      needed?: string
      /** Why nothing came, such as `ENOTFOUND`: without addresses. */
      reason?: string
      cause?: unknown
    } = {},
  ) {
    const { needed, reason } = details
    const why = needed === undefined ? reason : `needs the scope ${needed}`
    super(
      `${method}: ${code}${why === undefined ? '' : ` (${why})`}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    )
  }
}

/** The token is of no use until a person acts. The cure by code. */
const FATAL: Readonly<Record<string, string>> = {
  invalid_auth: 'Copy the tokens again from api.slack.com/apps: "Install App" has the bot token.',
  not_authed: 'Set botToken (xoxb-…) in golem.yaml.',
  account_inactive: 'The app was removed from the workspace: install it again and copy the new bot token.',
  token_revoked: 'The token was revoked: install the app again and copy the new bot token.',
  token_expired: 'Switch token rotation off for the app, install it again and copy the new bot token.',
  user_removed_from_team: 'The bot was removed from the workspace: install the app again.',
  team_disabled: 'The workspace is closed: connect another one.',
  team_access_not_granted: 'Ask an administrator of the organisation to grant the app to this workspace.',
  app_uninstalled: 'The app was removed from the workspace: install it again and copy the new bot token.',
  not_allowed_token_type:
    'The two tokens are mixed up: botToken begins with xoxb-, appToken with xapp-. Put each in its place.',
  org_login_required:
    'The workspace is being moved into an organisation: wait until that is done, then restart.',
  ekm_access_denied: 'An administrator has suspended access to the workspace’s keys.',
  access_denied: 'Ask an administrator to allow the app in this workspace.',
  enterprise_is_restricted: 'Ask an administrator of the organisation to allow the app.',
}

/** What a person can do about a code that no retry cures; undefined where a retry may. */
export function cureOf({ code, method, details }: CallFailed): string | undefined {
  if (code === 'missing_scope') {
    const scope = details.needed ?? (method === 'apps.connections.open' ? 'connections:write' : 'it needs')
    return method === 'apps.connections.open'
      ? `Give the app-level token the scope ${scope} under "Basic Information", "App-Level Tokens".`
      : `Add the scope ${scope} under "OAuth & Permissions" and install the app again.`
  }
  if (method === 'apps.connections.open' && code === 'invalid_auth')
    return 'Make an app-level token (xapp-…) with the scope connections:write under "Basic Information" and set it as appToken.'
  return FATAL[code]
}

export function isFatal(error: unknown): error is CallFailed {
  return error instanceof CallFailed && cureOf(error) !== undefined && error.code !== 'missing_scope'
}

/** The failure to connect that a call means, or the call's own error where another try may help. */
export function connectFailure(error: unknown): Error {
  if (error instanceof CallFailed) {
    const cure = cureOf(error)
    if (cure !== undefined)
      return new ConnectFailure(`Slack refused: ${error.message}.`, cure, { cause: error })
  }
  return error instanceof Error ? error : new Error(String(error))
}

const AMBIGUOUS: ReadonlySet<string> = new Set([
  'unanswered',
  // "It's possible some aspect of the operation succeeded before the error was raised."
  'fatal_error',
  'internal_error',
  'request_timeout',
])
const UNREACHABLE: ReadonlySet<string> = new Set([
  'unreachable',
  'service_unavailable',
  'team_added_to_org',
  'external_channel_migrating',
])
const UNAUTHORIZED: ReadonlySet<string> = new Set(Object.keys(FATAL))
const NO_CHAT: ReadonlySet<string> = new Set(['channel_not_found', 'user_not_found', 'users_not_found'])
const NO_TARGET: ReadonlySet<string> = new Set([
  'message_not_found',
  'bad_timestamp',
  'no_item_specified',
  'file_not_found',
  'file_deleted',
])
const NO_THREAD: ReadonlySet<string> = new Set([
  'thread_not_found',
  'invalid_thread_ts',
  'cannot_reply_to_message',
  'invalid_ts_latest',
])
const LENGTH: ReadonlySet<string> = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'markdown_text_too_long',
  'too_many_attachments',
])
const MARKUP: ReadonlySet<string> = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_attachments',
  'invalid_markdown_text',
  'markdown_text_conflict',
  'no_text',
])
const FORBIDDEN: ReadonlySet<string> = new Set([
  'not_in_channel',
  'is_archived',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_thread_only_channel',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'missing_scope',
  'no_permission',
  'cant_update_message',
  'edit_window_closed',
  'cant_delete_message',
  'compliance_exports_prevent_deletion',
  'messages_tab_disabled',
  'cannot_dm_bot',
  'as_user_not_supported',
  'team_not_found',
  'user_not_in_channel',
  'thread_locked',
  'storage_limit_reached',
  'file_uploads_disabled',
  'file_uploads_except_images_disabled',
])

/** Nothing but this leaves `perform`. */
export function asFailure(error: unknown, op: Operation, now: Millis): PlatformFailure {
  if (error instanceof PlatformFailure) return error
  if (!(error instanceof CallFailed)) {
    const reason = error instanceof Error ? error.message : String(error)
    return new PlatformFailure(
      { kind: 'invalid', field: 'other' },
      `${op.kind} in ${op.place.chat}: ${reason}`,
      {
        cause: error,
      },
    )
  }
  const message = `${op.kind} in ${op.place.chat}: ${error.message}${hint(error.code)}`
  return new PlatformFailure(failureOf(error, op, now), message, { cause: error })
}

function failureOf({ code, details }: CallFailed, op: Operation, now: Millis): Failure {
  if (code === 'rate_limited') {
    // Limits are counted by method, posts by channel. Slack also knows one of posts for the workspace, and does not say
    // which of the two was met: other channels may learn it by themselves, for one request each.
    // https://docs.slack.dev/apis/web-api/rate-limits
    const scope = op.kind === 'post' ? 'chat' : 'kind'
    return { kind: 'rate-limited', retryAt: now + (details.retryAfterMs ?? 30_000), scope }
  }
  if (AMBIGUOUS.has(code)) return { kind: 'ambiguous' }
  if (UNREACHABLE.has(code)) return { kind: 'unreachable' }
  if (UNAUTHORIZED.has(code)) return { kind: 'unauthorized' }
  if (NO_CHAT.has(code)) return { kind: 'gone', what: 'chat' }
  if (NO_TARGET.has(code)) return { kind: 'gone', what: 'target' }
  if (NO_THREAD.has(code)) {
    const quotes = 'replyTo' in op && op.replyTo !== undefined && op.place.thread === undefined
    return { kind: 'gone', what: quotes ? 'target' : 'thread' }
  }
  if (LENGTH.has(code)) return { kind: 'invalid', field: 'length' }
  if (MARKUP.has(code)) return { kind: 'invalid', field: 'markup' }
  if (FORBIDDEN.has(code)) return { kind: 'forbidden' }
  return { kind: 'invalid', field: op.kind === 'upload' ? 'file' : 'other' }
}

function hint(code: string): string {
  switch (code) {
    case 'not_in_channel':
      return '; invite the bot to the channel (/invite)'
    case 'is_archived':
      return '; the channel is archived'
    case 'channel_not_found':
      return '; the channel is gone, or private and without the bot'
    default:
      return ''
  }
}
