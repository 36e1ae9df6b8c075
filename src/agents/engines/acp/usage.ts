import type { EngineEvent } from '../../../messaging/engine.js'
import type { AcpTurnEnd } from './turn.js'

/**
 * Tokens and cost of one turn, as far as the agent says.
 *
 * @param before what the session had cost before, in USD: agents tell the sum
 * @returns null where there is nothing to tell
 */
export function usageEvent(
  { usage, cost }: AcpTurnEnd,
  before: number,
  model: string | undefined,
  notes: readonly (string | null)[],
): EngineEvent | null {
  const note = notes.filter((one) => one !== null).join('; ')
  if (usage === undefined && cost === undefined && note === '') return null
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
  const cached = usage?.cachedReadTokens ?? 0
  // Some agents count what was read before as input, others beside it: their sum tells.
  const isBeside = (usage?.totalTokens ?? 0) >= inputTokens + outputTokens + cached && cached > 0
  return {
    type: 'usage',
    inputTokens: inputTokens + (isBeside ? cached : 0),
    outputTokens,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
    ...(cost === undefined ? {} : { costUsd: Math.max(0, cost - before) }),
    ...(model === undefined ? {} : { model }),
    ...(note === '' ? {} : { note }),
  }
}
