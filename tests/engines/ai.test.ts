import { createAi } from '../../src/agents/engines/ai/ai.js'
import { aiSettings } from '../../src/agents/engines/ai/settings.js'
import { realClock } from '../fixtures/agents/kit.js'
import { conformance } from './kit.js'
import { acting, ModelServer } from './model-server.js'

/** A clock whose pauses are over at once: the laws are about engines, not about waiting. */
const hasty = {
  now: () => realClock.now(),
  at(_when: number, run: () => void): () => void {
    const handle = setImmediate(run)
    return () => clearImmediate(handle)
  },
}

for (const [provider, path] of [
  ['openai-compatible', '/v1'],
  ['openai', '/v1'],
  ['anthropic', '/v1'],
  ['google', '/v1beta'],
] as const) {
  conformance({
    name: `ai (${provider})`,
    effects: 'recorded',
    can: { acts: true, streams: true, tools: true, asks: false, usage: true },
    async open(acts, environment) {
      const server = await ModelServer.start(acting(acts))
      const engine = createAi(
        aiSettings({
          model: `${provider}/scripted-1`,
          baseUrl: `${server.url}${path}`,
          apiKey: 'key-of-the-kit',
        }),
        { clock: hasty, environment, chance: () => 0 },
      )
      return {
        engine,
        heard: () => JSON.stringify(server.heard),
        processes: () => [],
        busy: () => server.busy,
        close: () => server.close(),
      }
    },
  })
}
