import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../tests/fixtures/agents/kit.js'
import { agent, claimed, FakeMemory, FakeStore, SETTINGS } from '../../../tests/fixtures/agents/workshop.js'
import { ToolError } from '../../messaging/engine.js'
import type { ClaimedTurn } from '../../messaging/store.js'
import { offered, TOOLS, toolNamed } from './registry.js'
import type { ToolOutcome, ToolScope } from './tool.js'

let store: FakeStore
let memory: FakeMemory
let asked: string[]
beforeEach(() => {
  store = new FakeStore()
  memory = new FakeMemory()
  asked = []
})

function scope(turn: Partial<ClaimedTurn> = {}, over: Partial<ToolScope> = {}): ToolScope {
  return {
    turn: claimed(turn),
    teammates: [agent('Reviewer', { aliases: ['评审'] }), agent('Scout')],
    store,
    memory,
    clock: new FakeClock(),
    attach: async (path, name) => name ?? path,
    asked: (name) => asked.push(name),
    handedOff: () => {},
    posted: () => {},
    settings: SETTINGS,
    ...over,
  }
}

function call(name: string, args: unknown, within = scope()): Promise<ToolOutcome> {
  return toolNamed(name, within).call(args, within)
}

describe('the registry', () => {
  test('offers each tool with a closed JSON Schema', () => {
    const specs = offered(scope())
    expect(specs.map((spec) => spec.name)).toEqual([
      'ask_teammate',
      'hand_off',
      'memory_read',
      'memory_remember',
      'memory_forget',
      'fact_remember',
      'fact_forget',
      'history_search',
      history(),
      'knowledge_search',
      'attach_file',
    ])
    for (const spec of specs) {
      expect(spec.parameters).toMatchObject({ type: 'object', additionalProperties: false })
      expect(spec.description).not.toBe('')
    }
  })

  test('no argument of any tool but post_to_place names a chat, a conversation or a connection', async () => {
    for (const tool of TOOLS) {
      if (tool.name === 'post_to_place') continue
      const { properties = {} } = tool.spec.parameters as { properties?: Record<string, unknown> }
      expect(Object.keys(properties).join()).not.toMatch(/chat|conversation|connection|room|channel|place/i)
      await expect(tool.call({ conversation: 'slack:C2', chat: 'slack:C2' }, scope())).rejects.toThrow(
        ToolError,
      )
    }
  })

  test('who works on a task may ask, and does not own the conversation', () => {
    const ask = { id: 1, asker: 'Golem', task: 't', depth: 1, chain: ['Golem'] }
    const names = offered(scope({ kind: 'ask', ask })).map((spec) => spec.name)
    expect(names).toContain('ask_teammate')
    expect(names).not.toContain('hand_off')
    expect(() => toolNamed('hand_off', scope({ kind: 'ask', ask }))).toThrow(/not to be had in this turn/)
  })

  test('alone in the room there is nobody to ask', () => {
    expect(offered(scope({}, { teammates: [] })).map((spec) => spec.name)).not.toContain('ask_teammate')
  })

  test('an unknown tool is named with the known ones', () => {
    expect(() => toolNamed('constructor', scope())).toThrow(/no tool constructor.*history_search/)
  })
})

/** Split, so that the list above reads in the registry's order. */
function history(): string {
  return 'history_read'
}

describe('arguments', () => {
  test.each([
    ['ask_teammate', { name: 'Reviewer' }, /task/],
    ['ask_teammate', 'Reviewer', /arguments/],
    ['history_search', { query: '', limit: 5 }, /query/],
    ['history_search', { query: 'x', limit: 500 }, /limit/],
    ['memory_read', { file: 'x' }, /file/],
    ['attach_file', {}, /path/],
  ])('%s %j is told what is wrong', async (name, args, message) => {
    const error = await call(name, args).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ToolError)
    expect(String(error)).toMatch(message)
    expect(String(error)).toMatch(/Correct the arguments/)
  })

  test('none at all are as good as an empty object', async () => {
    expect((await call('memory_read', undefined)).result).toEqual({ text: '' })
  })
})

describe('the team', () => {
  test.each(['Reviewer', 'reviewer', '@Reviewer', '评审'])('%s is asked', async (name) => {
    expect(await call('ask_teammate', { name, task: 'look' })).toEqual({
      result: { status: 'asked', name: 'Reviewer' },
      note: 'asked Reviewer',
    })
    expect(store.asks).toMatchObject([{ turn: 1, teammate: 'Reviewer', task: 'look' }])
    expect(asked).toEqual(['Reviewer'])
  })

  test('nobody unknown, not oneself, and what the store refuses is told', async () => {
    await expect(call('ask_teammate', { name: 'Zoe', task: 'x' })).rejects.toThrow(
      /Your teammates: Reviewer, Scout/,
    )
    await expect(call('ask_teammate', { name: 'golem', task: 'x' })).rejects.toThrow(/That is you/)
    store.refuse = 'This request has already asked 8 times.'
    await expect(call('ask_teammate', { name: 'Scout', task: 'x' })).rejects.toThrow(
      /Scout was not asked: This request/,
    )
    await expect(call('hand_off', { name: 'Scout' })).rejects.toThrow(/stays with you/)
    expect(asked).toEqual([])
  })

  test('a hand-off, its reason in the receipt', async () => {
    const { note } = await call('hand_off', { name: 'Scout', reason: 'all about\nmaps' })
    expect(note).toBe('handed off to Scout: all about maps')
    expect(store.handedOff).toEqual(['Scout'])
  })
})

describe('memory, of this chat only', () => {
  test('remember, read, forget', async () => {
    memory.texts['slack:C2'] = 'another chat'
    const { note } = await call('memory_remember', { line: 'Friday is free' })
    expect(note).toBe('one line in context')
    expect((await call('memory_read', {})).result).toEqual({ text: '- Friday is free\n' })
    await call('memory_remember', { section: 'decisions', line: 'Friday is not' })
    await expect(call('memory_forget', { line: 'Friday' })).rejects.toThrow(/several lines fit/)
    await expect(call('memory_forget', { line: 'Sunday' })).rejects.toThrow(/no line of the memory says this/)
    expect((await call('memory_forget', { line: 'is free' })).note).toBe('1 removed')
    expect(memory.texts['slack:C2']).toBe('another chat')
  })
})

describe('search, of this conversation only', () => {
  const hit = (id: string, at: number, text: string) => ({ id, at, text, author: 'An\nn', score: 1 })

  test('finds and reads back', async () => {
    store.transcripts['slack:C1'] = [hit('1', 1_000, 'alpha'), hit('2', 2_000, 'beta')]
    store.transcripts['slack:C2'] = [hit('9', 1_500, 'alpha elsewhere')]
    expect(await call('history_search', { query: 'alpha' })).toEqual({
      result: { messages: [{ id: '1', author: 'An n', at: '1970-01-01T00:00:01.000Z', text: 'alpha' }] },
      note: '1 found',
    })
    const { result } = await call('history_read', { before: '1970-01-01T00:00:02.000Z' })
    expect(JSON.stringify(result)).toContain('alpha')
    expect(JSON.stringify(result)).not.toMatch(/beta|elsewhere/)
    await expect(call('history_read', { before: 'yesterday' })).rejects.toThrow(ToolError)
  })

  test('knowledge comes with its source', async () => {
    store.knowledge = [{ source: 'skill faq', title: 'T', text: 'body', score: 3 }]
    expect((await call('knowledge_search', { query: 'x' })).result).toEqual({
      passages: [{ source: 'skill faq', title: 'T', text: 'body' }],
    })
  })
})
