/**
 * Errors in Feishu's own shape: `{code, msg, error: {log_id, troubleshooter}}`, by HTTP 400 unless said otherwise.
 * https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code, and the pages of each method
 */
import type { Fields } from '../fields.js'

/** What the code says, and the HTTP status where it is not 400. */
const CODES: Readonly<Record<number, string | readonly [msg: string, status: number]>> = {
  10003: ['invalid param', 200],
  10014: ['app secret invalid', 200],
  41050: 'no user authority error',
  99991400: ['request trigger frequency limit', 429],
  99991661: 'Missing access token for authorization. Please make a request with token attached.',
  99991663: 'Invalid access token for authorization. Please make a request with token attached.',
  99991672: 'Access denied. One of the following scopes is required.',
  99992361: 'open_id cross app',
  99992402: 'field validation failed',
  230001: 'Your request contains an invalid request parameter.',
  230002: 'The bot can not be outside the group.',
  230006: 'Bot ability is not activated.',
  230011: 'The message was withdrawn.',
  230012: 'Bot is NOT the sender of the message.',
  230013: 'Bot has NO availability to this user.',
  230015: 'P2P chat can NOT be shared.',
  230017: 'Bot is NOT the owner of the resource.',
  230018: 'These operations are NOT allowed at current group settings.',
  230019: 'The topic does NOT exist.',
  230020: 'This operation triggers the frequency limit.',
  230022: 'The content of the message contains sensitive information.',
  230025: 'The length of the message content reaches its limit.',
  230026: 'No permission to recall this message.',
  230027: 'Lack of necessary permissions.',
  230029: 'User has resigned.',
  230031: 'The message can only be updated within 14 days after it was sent.',
  230034: 'The receive_id is invalid.',
  230035: 'Send Message Permission deny.',
  230049: 'The message is being sent.',
  230050: 'The message is invisible to the operator.',
  230054: 'This operation is not supported for this message type.',
  230055: 'The type of file upload does not match the type of message being sent.',
  230071: 'The operator is not the sender of the message.',
  230072: 'The message has reached the number of times it can be edited.',
  230075: 'The message has exceeded the time that can be edited.',
  230099: 'Failed to create card content.',
  230110: 'Action unavailable as the message has been deleted.',
  231001: 'reaction type is invalid.',
  231002: 'The operator has no permission to react on the specific message.',
  231003: 'The message is not found, maybe not exist or deleted.',
  231007: 'The operator has no permission to delete this reaction.',
  232006: 'Your request specifies a chat_id which is invalid.',
  232009: 'Your request specifies a chat which has already been dissolved.',
  232011: 'Operator can NOT be out of the chat.',
  234001: 'Invalid request param.',
  234003: 'File not in msg.',
  234006: 'The file size exceed the max value.',
  234010: "File's size can't be 0.",
  234011: "Can't recognize the image format.",
}

/** A refusal that a method answers with. */
export class ApiError extends Error {
  readonly status: number

  /**
   * @param ext what is wrong, as Feishu appends it to the message
   * @param more further fields of `error`
   */
  constructor(
    readonly code: number,
    ext?: string,
    readonly more: Fields = {},
  ) {
    super(ext === undefined ? messageOf(code) : `${messageOf(code).replace(/\.$/, '')}, ext=${ext}`)
    this.status = statusOf(code)
  }
}

/** The words that go with a code; those of an unknown one are "failed". */
export function messageOf(code: number): string {
  const known = CODES[code]
  return typeof known === 'string' ? known : (known?.[0] ?? 'failed')
}

export function statusOf(code: number): number {
  const known = CODES[code]
  return typeof known === 'string' || known === undefined ? 400 : known[1]
}

/** A card that is refused: 230099 with the reason in its message. */
export const cardError = (code: number, message: string, value = '', path = ''): ApiError =>
  new ApiError(
    230099,
    `ErrCode: ${code}; ${path === '' ? '' : `ErrPath: ${path}; `}ErrMsg: ${message}; ErrorValue: ${value}; `,
  )
