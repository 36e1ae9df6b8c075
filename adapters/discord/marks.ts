/**
 * The bot's mark on a message, as an emoji. Discord has many reactions a person and no way to replace one: a change of
 * mark adds the new one and takes away the earlier one.
 */
import type { React } from '../../src/messaging/contract.js'

export type Mark = React['mark']

/** Unicode emoji, as they stand URL-encoded in a reaction's path. ❌ and ✅ carry no variation selector. */
export const EMOJI: Readonly<Record<Mark, string>> = {
  received: '👀',
  done: '✅',
  failed: '❌',
  stopped: '⏹️',
}
