import { expect, test } from 'vitest'
import { FakeClock } from '../../tests/fixtures/agents/kit.js'
import type { EngineEvent } from '../messaging/engine.js'
import { consume } from './consume.js'
import { Watch } from './watch.js'

test('a handler that fails ends the engine', async () => {
  let ended = false
  const watch = new Watch(new AbortController().signal, new FakeClock())
  async function* events(): AsyncGenerator<EngineEvent> {
    try {
      yield { type: 'text', text: 'a' }
      yield { type: 'text', text: 'b' }
    } finally {
      ended = true
    }
  }
  await expect(
    consume(events(), watch, async () => {
      throw new Error('no disk')
    }),
  ).rejects.toThrow('no disk')
  expect(ended).toBe(true)
  watch.close()
})
