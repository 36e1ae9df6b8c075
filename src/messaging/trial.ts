/** What one attempt is about, and what is known of it: types and small judgements that the attempts share. */
import type { Millis } from './ambient.js'
import type { Operation } from './contract.js'
import type { Entry } from './directory.js'
import { type Failure, PlatformFailure } from './failure.js'
import type { ClaimedOperation } from './store.js'

/** What is tried, and on what connection. */
export interface Trial {
  claimed: ClaimedOperation
  op: Operation
  entry: Entry
  /** The attempts before this one surely had no effect. */
  cleared: boolean
}

/** Said once more it may stand twice, as far as the platform can tell: it knows no keys, or has forgotten this one. */
export function isKeyless({ claimed, op, entry }: Trial, now: Millis): boolean {
  if (op.kind !== 'post' && op.kind !== 'upload') return false
  const life = entry.platform.can.idempotentFor
  if (life === Number.POSITIVE_INFINITY) return false
  const age = now - (claimed.unsureSince ?? now)
  // A clock that was set back tells nothing of the key's age.
  return age < 0 || age >= life
}

/** Whatever is not a platform's own word may have had its effect. */
export function failureOf(error: unknown): Failure {
  return error instanceof PlatformFailure ? error.failure : { kind: 'ambiguous' }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
