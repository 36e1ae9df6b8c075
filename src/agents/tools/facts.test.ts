import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../tests/fixtures/agents/kit.js'
import { claimed, FakeMemory, FakeStore } from '../../../tests/fixtures/agents/workshop.js'
import { toolNamed } from './registry.js'
import type { ToolScope } from './tool.js'

function scope(store: FakeStore): ToolScope {
  return {
    turn: claimed(),
    teammates: [],
    store,
    memory: new FakeMemory(),
    clock: new FakeClock(),
    attach: async () => '',
    asked: () => undefined,
    handedOff: () => undefined,
  } as unknown as ToolScope
}
const call = (store: FakeStore, name: string, args: unknown) =>
  toolNamed(name, scope(store)).call(args, scope(store))

describe('facts as tools', () => {
  it('tells the agent for whom a fact is, and the receipt no words of it', async () => {
    const store = new FakeStore()
    const { result, note } = await call(store, 'fact_remember', { text: 'The demo is on Friday' })
    expect(result).toEqual({ status: 'kept', audience: 'chat', text: 'The demo is on Friday' })
    expect(note).toBe('kept for the chat')
    expect((await call(store, 'fact_forget', { text: 'demo' })).note).toBe('one fact forgotten')
    expect(store.facts).toEqual([])
  })

  it('says why not, and what to name', async () => {
    const store = new FakeStore()
    store.facts.push('tea at four', 'tea at five')
    await expect(call(store, 'fact_forget', { text: 'tea' })).rejects.toThrow(
      'Name one: "tea at four", "tea at five"',
    )
    await expect(call(store, 'fact_forget', { text: 'coffee' })).rejects.toThrow('Nothing was forgotten')
    store.refuse = 'Not here.'
    await expect(call(store, 'fact_remember', { text: 'x' })).rejects.toThrow('Nothing was kept. Not here.')
  })

  it.each([{}, { text: '' }, { text: 'x', audience: 'everybody' }, { text: 'x', chat: 'slack:C2' }])(
    'takes no other arguments: %j',
    async (args) => {
      await expect(call(new FakeStore(), 'fact_remember', args)).rejects.toThrow('fact_remember')
    },
  )
})
