/**
 * Engine `offline`: an agent without network, key or model. It searches what it may read, quotes it with its source,
 * keeps notes, picks key lines, and gives work to the teammate whose role fits. The same turn always gets the same
 * answer, and it never makes up a sentence: all it says is quoted or one of the sentences in `wording.ts`.
 */
import { type Engine, EngineError, type EngineEvent, type EngineRun } from '../../../messaging/engine.js'
import { OfflineTurn } from './turn.js'

export interface OfflineOptions {
  /** Words besides its role that say what an agent is for (its skills), by agent name. */
  fields?: Readonly<Record<string, readonly string[]>>
}

export function createOffline(options: OfflineOptions = {}): Engine {
  return {
    id: 'offline',
    effects: 'none',
    async *run(run: EngineRun): AsyncGenerator<EngineEvent> {
      if (run.signal.aborted) return
      let text: string | null
      try {
        text = await new OfflineTurn(run, options.fields ?? {}).answer()
      } catch (error) {
        if (run.signal.aborted) return
        if (error instanceof EngineError) throw error
        const why = error instanceof Error ? error.message : String(error)
        throw new EngineError('reported', `The offline agent could not finish: ${why}`, { cause: error })
      }
      // Null: a teammate was asked; the follow-up turn will speak.
      if (text !== null && !run.signal.aborted) yield { type: 'final', text }
    },
    async close() {
      // Nothing is held between turns.
    },
  }
}
