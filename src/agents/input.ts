import { digest } from '../memory/digest.js'
import type { TurnInput } from '../messaging/engine.js'
import type { Agent } from '../messaging/roster.js'
import type { TurnWork } from '../messaging/runner.js'
import type { Shown } from '../messaging/store.js'
import { fitTo } from './budget.js'
import { buildInput, type ContextParts, redactedLines } from './context.js'
import type { Shop, Worker } from './shop.js'

export interface InputParts
  extends Pick<ContextParts, 'memory' | 'skills' | 'incoming' | 'tools' | 'cwd' | 'mcp' | 'again'> {
  work: Pick<TurnWork, 'turn' | 'settings'>
  worker: Worker
  shop: Shop
  roster: readonly Agent[]
}

/** What an engine is given, within the budget of its window, and what the receipt tells of it. */
export function inputFor(parts: InputParts): {
  input: TurnInput
  shown: Pick<Shown, 'lines' | 'cut' | 'tokens' | 'budget' | 'facts' | 'memoryCut'>
} {
  const { work, worker, shop, roster, ...rest } = parts
  const { turn, settings } = work
  const { policy, clock, redactor } = shop
  const budget = worker.contextTokens
  const now = clock.now()
  // Secrets go before anything is cut: half a secret would not be known as one.
  const lines = redactedLines(turn.lines, redactor.text)
  const { input, window, tokens } = fitTo(budget, { lines, cut: turn.cut, memory: null }, (fitted) =>
    buildInput({
      ...rest,
      turn: { ...turn, lines: fitted.lines, cut: fitted.cut },
      settings,
      agent: { name: worker.name, role: worker.role },
      roster,
      language: policy.language,
      memoryTokens: fitted.memory,
      now,
      redact: redactor.text,
    }),
  )
  const memoryCut = input.memory === null ? 0 : digest(input.memory.text).cut
  return {
    input,
    shown: {
      lines: window.lines.length,
      cut: window.cut,
      ...(budget === null ? {} : { tokens, budget }),
      ...(turn.facts === undefined ? {} : { facts: turn.facts.length }),
      ...(memoryCut === 0 ? {} : { memoryCut }),
    },
  }
}
