import type { EngineEvent } from '../messaging/engine.js'
import type { TurnEnd } from '../messaging/runner.js'

/** Longest note on an answer's model. */
const MODEL_NOTE_CHARACTERS = 2_000

/** What a turn has used, with what it has just used besides. */
export function sumUsage(
  before: TurnEnd['usage'],
  event: Extract<EngineEvent, { type: 'usage' }>,
  redact: (text: string) => string,
): NonNullable<TurnEnd['usage']> {
  const model = event.model ?? before?.model
  const notes = [before?.note, event.note].filter((note) => note !== undefined)
  const cached = (before?.cachedTokens ?? 0) + (event.cachedTokens ?? 0)
  const cost = (before?.costUsd ?? 0) + (event.costUsd ?? 0)
  return {
    inputTokens: (before?.inputTokens ?? 0) + event.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + event.outputTokens,
    ...(before?.cachedTokens === undefined && event.cachedTokens === undefined
      ? {}
      : { cachedTokens: cached }),
    ...(before?.costUsd === undefined && event.costUsd === undefined ? {} : { costUsd: cost }),
    ...(model === undefined ? {} : { model }),
    ...(notes.length === 0 ? {} : { note: redact(notes.join('; ')).slice(0, MODEL_NOTE_CHARACTERS) }),
  }
}
