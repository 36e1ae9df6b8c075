import type { Millis } from './ambient.js'

/**
 * Why an operation did not happen. `ambiguous` is the only one after which the effect may exist; `unreachable` means
 * the request surely never arrived.
 */
export type Failure =
  /** `scope`: what must wait until then: this chat (when absent), operations of this kind, or the whole account. */
  | { kind: 'rate-limited'; retryAt: Millis; scope?: 'chat' | 'kind' | 'account' }
  | { kind: 'unauthorized' }
  | { kind: 'forbidden' }
  | { kind: 'gone'; what: 'chat' | 'thread' | 'target' }
  | { kind: 'invalid'; field: 'length' | 'markup' | 'file' | 'other' }
  | { kind: 'unreachable' }
  | { kind: 'ambiguous' }

/** The one exception an adapter throws from `perform`. `message` never holds a token or a URL with one. */
export class PlatformFailure extends Error {
  override readonly name = 'PlatformFailure'
  constructor(
    readonly failure: Failure,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** A connection that cannot come about until a person acts: a wrong token, a missing scope. `message` holds no secret. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure'
  constructor(
    message: string,
    /** What the person can do, in one sentence. */
    readonly cure: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}
