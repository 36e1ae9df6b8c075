/** What became of a run, and what is left of it. */
import { expect } from 'vitest'
import { type Engine, EngineError, type EngineEvent, type EngineRun } from '../../src/messaging/engine.js'
import { alive } from '../fixtures/agents/kit.js'

/** A stop is obeyed within this, in milliseconds. */
export const STOP_WITHIN = 1_000
/** Nothing of a turn takes longer here. */
export const PATIENCE = 20_000

export interface Outcome {
  events: EngineEvent[]
  /** The answer as the turn takes it: the last `final`, with what came after it. */
  text: string
  error: unknown
}

/** Reads a run to its end. Fails when it does not end, or says something after it ended. */
export async function play(
  engine: Engine,
  run: EngineRun,
  on: (event: EngineEvent, text: string) => void = () => {},
): Promise<Outcome> {
  const events: EngineEvent[] = []
  let text = ''
  let error: unknown
  const iterator = engine.run(run)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await inTime(iterator.next(), 'the engine gave no event and did not end')
      if (step.done === true) break
      events.push(step.value)
      if (step.value.type === 'text') text += step.value.text
      if (step.value.type === 'final') text = step.value.text
      on(step.value, text)
    }
  } catch (thrown) {
    error = thrown
  }
  expect((await iterator.next()).done).toBe(true)
  return { events, text, error }
}

/** An engine ends by return, by EngineError, or - stopped - by the signal's own error. */
export function isOrderly(error: unknown): boolean {
  return error === undefined || error instanceof EngineError
}

export async function idle(busy: () => number | Promise<number>): Promise<void> {
  const begun = Date.now()
  while ((await busy()) > 0) {
    if (Date.now() - begun > STOP_WITHIN) throw new Error('the far side was not let go')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export async function living(
  processes: () => readonly number[] | Promise<readonly number[]>,
): Promise<number[]> {
  const all = await processes()
  const states = await Promise.all(all.map(async (pid) => ((await alive(pid)) ? [pid] : [])))
  return states.flat()
}

function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, PATIENCE, new Error(`${what} within ${PATIENCE} ms`))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
