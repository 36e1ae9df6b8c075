import type { Enqueue } from '../messaging/store.js'

/** A row of the outbox to be. */
export interface NewOperation extends Enqueue {
  /** Transcript line that this operation shows. */
  line?: number | null
  /** Outbox row whose receipt names what this operation changes. */
  target?: number
  /** Goes out as early as an answer. */
  first?: boolean
}
