/**
 * Engine `ai`: a language model through the AI SDK, with Golem's tools.
 *
 * Each reply of the model is one request of its own here, not a loop inside the SDK: so a request that fails is made
 * again, or made of another model, without any tool being called twice. It never retries what people have seen, and
 * has no effect but through `EngineRun.call`.
 */
import type { Clock } from '../../../messaging/ambient.js'
import type { Engine, EngineEvent, EngineRun } from '../../../messaging/engine.js'
import { Models, type ModelsOptions, partsOf } from './models.js'
import type { AiSettings } from './settings.js'
import { Talk } from './talk.js'

export interface AiDeps {
  clock: Clock
  /** Golem's own environment: the usual variables for keys. */
  environment: NodeJS.ProcessEnv
  /** 0 to 1; for pauses. */
  chance?: () => number
}

export function createAi(settings: AiSettings, deps: AiDeps): Engine {
  return new AiEngine(settings, deps)
}

class AiEngine implements Engine {
  readonly id = 'ai'
  readonly effects = 'recorded'
  readonly #settings: AiSettings
  readonly #deps: AiDeps
  readonly #models: Models
  readonly #closing = new AbortController()
  /** Models that want to be left alone, until when. */
  readonly #resting = new Map<string, number>()

  constructor(settings: AiSettings, deps: AiDeps) {
    this.#settings = settings
    this.#deps = deps
    this.#models = new Models(modelsOptions(settings, deps))
  }

  async *run(run: EngineRun): AsyncGenerator<EngineEvent, void, undefined> {
    if (run.signal.aborted || this.#closing.signal.aborted) return
    const { signal, release } = either(run.signal, this.#closing.signal)
    try {
      // Loaded with the first turn: a daemon whose agents use no model never has it in memory.
      const sdk = await import('ai')
      // Its warnings go to the console otherwise, which is the log's.
      globalThis.AI_SDK_LOG_WARNINGS = false
      const { clock, chance = Math.random } = this.#deps
      const talk = new Talk({
        run: { ...run, signal },
        settings: this.#settings,
        models: this.#models,
        candidates: this.#candidates(run),
        resting: this.#resting,
        sdk,
        clock,
        chance,
      })
      yield* talk.events()
    } finally {
      release()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#models.close()
  }

  /** The models of a turn, first choice first. */
  #candidates({ model, log }: EngineRun): string[] {
    const { model: own, models, fallback } = this.#settings
    const known = [own, ...models, ...fallback]
    const isKnown = model === null || known.includes(model)
    if (!isKnown)
      log.warn({ model, instead: own }, 'the model that people chose is not in golem.yaml any more')
    const first = model !== null && isKnown ? model : own
    return [...new Set([first, ...fallback])]
  }
}

function modelsOptions(settings: AiSettings, { environment }: AiDeps): ModelsOptions {
  const { baseUrl, apiKey, headers, providers, proxy } = settings
  const { provider } = partsOf(settings.model)
  return { own: { provider, baseUrl, apiKey, headers }, providers, proxy, environment }
}

/** A signal that is aborted with the first of two. */
function either(one: AbortSignal, other: AbortSignal): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  for (const signal of [one, other]) {
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of [one, other]) signal.removeEventListener('abort', stop)
    },
  }
}
