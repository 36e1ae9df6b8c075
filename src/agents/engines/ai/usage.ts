import type { LanguageModelUsage } from 'ai'
import type { EngineEvent } from '../../../messaging/engine.js'

/** USD for a million tokens. */
export interface Price {
  input: number
  output: number
  /** Input that the provider had read before. Default: as other input. */
  cachedInput?: number | undefined
}

export type UsageEvent = Extract<EngineEvent, { type: 'usage' }>

/** Tokens of one reply, with their cost where the model has a price. Counts that a provider leaves out are 0. */
export function usageEvent(usage: LanguageModelUsage, model: string, price: Price | undefined): UsageEvent {
  const input = count(usage.inputTokens)
  const output = count(usage.outputTokens)
  const cached = Math.min(input, count(usage.inputTokenDetails.cacheReadTokens))
  return {
    type: 'usage',
    inputTokens: input,
    outputTokens: output,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
    ...(price === undefined ? {} : { costUsd: cost(price, input, cached, output) }),
    model,
  }
}

function cost(price: Price, input: number, cached: number, output: number): number {
  const { cachedInput = price.input } = price
  return ((input - cached) * price.input + cached * cachedInput + output * price.output) / 1_000_000
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0
}
