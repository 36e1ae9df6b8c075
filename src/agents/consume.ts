import type { EngineEvent } from '../messaging/engine.js'
import type { Watch } from './watch.js'

/**
 * Reads an engine's events to their end, or until the engine is overdue after a stop: an engine that does not end does
 * not hold the turn.
 *
 * @throws what the engine or `on` throws
 */
export async function consume(
  events: AsyncIterable<EngineEvent>,
  watch: Watch,
  on: (event: EngineEvent) => Promise<void>,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await watch.inTime(iterator.next())
      if (step === null || step.done === true) return
      watch.touch()
      await on(step.value)
    }
  } catch (error) {
    // Where the handler failed, the engine is told to end, and its own end waited for in bounds.
    const end = iterator.return?.()
    if (end !== undefined) await watch.inTime(end).catch(() => {})
    throw error
  }
}
