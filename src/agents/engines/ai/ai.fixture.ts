/** Engine ai in front of a scripted model server, by a clock that the test moves: what its tests share. */
import { afterEach, beforeEach } from 'vitest'
import { ModelServer, type Reply, type Script } from '../../../../tests/engines/model-server.js'
import { drain, engineRun, FakeClock, turnInput } from '../../../../tests/fixtures/agents/kit.js'
import { type Engine, EngineError, type EngineEvent, type EngineRun } from '../../../messaging/engine.js'
import { type AiDeps, createAi } from './ai.js'
import { type AiSettings, aiSettings } from './settings.js'

export let server: ModelServer
export let clock: FakeClock
const engines: Engine[] = []

beforeEach(async () => {
  server = await ModelServer.start()
  clock = new FakeClock()
})
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
  await server.close()
})

export const TOOL = {
  name: 'memory_remember',
  description: 'Remembers a line.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
export const BUSY: Reply = { status: 429, body: '{"error":{"message":"slow down, please"}}' }

export function engine(over: Partial<AiSettings> = {}, deps: Partial<AiDeps> = {}): Engine {
  const settings = aiSettings({
    model: 'main/one',
    providers: Object.fromEntries(['main', 'spare'].map((name) => [name, { baseUrl: `${server.url}/v1` }])),
    ...over,
  })
  const made = createAi(settings, { clock, environment: {}, chance: () => 0, ...deps })
  engines.push(made)
  return made
}

export function run(over: Partial<EngineRun> = {}): EngineRun {
  return engineRun({ cwd: '/nowhere', input: turnInput({ tools: [TOOL] }), ...over })
}

/** Replies in order; the last one again and again. */
export function replies(...all: readonly Reply[]): Script {
  return (_heard, count) => all[Math.min(count, all.length - 1)] ?? []
}

/** Reads a run; whenever the engine waits for the clock, the clock moves on. */
export async function answered(
  events: AsyncIterable<EngineEvent>,
): Promise<{ events: EngineEvent[]; text: string; error: unknown; waited: number }> {
  const begun = clock.now()
  const all: EngineEvent[] = []
  let isOver = false
  let error: unknown
  const collected = (async () => {
    for await (const event of events) all.push(event)
  })()
    .catch((thrown: unknown) => {
      error = thrown
    })
    .finally(() => {
      isOver = true
    })
  while (!isOver) {
    if (clock.waiting > 0) clock.advance(250)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await collected
  const { text } = await drain(
    (async function* () {
      yield* all
    })(),
  )
  return { events: all, text, error, waited: clock.now() - begun }
}

export function usageOf(events: readonly EngineEvent[]): Extract<EngineEvent, { type: 'usage' }>[] {
  return events.filter((event) => event.type === 'usage')
}

export function failure(error: unknown): { code: string; message: string } {
  if (!(error instanceof EngineError)) throw error
  return { code: error.code, message: error.message }
}
