import type { Millis } from './ambient.js'

/**
 * Why an operation did not happen. `ambiguous` is the only one after which the effect may exist; `unreachable` means
 * the request surely never arrived.
 */
export type Failure =
  | { kind: 'rate-limited'; retryAt: Millis; scope?: string }
  | { kind: 'unauthorized' }
  | { kind: 'forbidden' }
  | { kind: 'gone'; what: 'chat' | 'target' }
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
