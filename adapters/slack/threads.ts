/** Where a post goes. */
import type { Place } from '../../src/messaging/contract.js'
import { timestamp } from './shape.js'

/** The thread of a post: its own, else the one that the quoted message opens. A command or shortcut opens none. */
export function threadOf(op: { place: Place; replyTo?: string }): string | undefined {
  return timestamp(op.place.thread) ?? timestamp(op.replyTo)
}
