import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answers, policy, ScriptEngine, workshop } from '../../tests/fixtures/agents/workshop.js'
import { noAnswer, noResult } from './sentences.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-silence-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const ask = { id: 5, asker: 'Golem', task: 'look at the diff', depth: 1, chain: ['Golem'] }

describe('silence', () => {
  test('unaddressed: nothing is posted and nothing is asked again', async () => {
    const end = await workshop(dir, answers('`[pass]`.')).run({ addressed: false })
    expect(end.result).toEqual({ kind: 'silence', reason: 'Golem passed: nothing to add.' })
  })

  test('nothing of a text that may become silence is previewed', async () => {
    const engine = new ScriptEngine(async function* () {
      for (const text of ['[PA', 'SS', ']']) yield { type: 'text', text }
    })
    const shop = workshop(dir, engine)
    await shop.run({ addressed: false })
    expect(shop.progress).toEqual([])
  })

  test('addressed: asked once more, and that is the answer', async () => {
    const engine = answers('[PASS]', 'The build is red.')
    const end = await workshop(dir, engine).run()
    expect(end.result).toEqual({ kind: 'answer', text: 'The build is red.' })
    expect(engine.runs[1]?.input.prompt).toMatch(/ended without an answer.*1-3 lines/s)
  })

  test.each([
    ['en', noAnswer('en')],
    ['zh', noAnswer('zh')],
  ] as const)('addressed and twice silent: an honest sentence (%s)', async (language, text) => {
    const end = await workshop(dir, answers('', '[SKIP]'), { policy: policy({ language }) }).run()
    expect(end.result).toEqual({ kind: 'answer', text })
  })

  test('a task that brought nothing says so to the asker', async () => {
    const end = await workshop(dir, answers('', '')).run({ kind: 'ask', ask, addressed: false })
    expect(end.result).toEqual({ kind: 'answer', text: noResult('en') })
  })

  test('reply.reask.01: tools used and no words: asked once more, then silence', async () => {
    const engine = new ScriptEngine(async function* (run) {
      yield { type: 'progress' }
      await run.call('memory_remember', { line: 'Friday is free' })
    })
    const shop = workshop(dir, engine)
    const end = await shop.run({ addressed: false })
    expect(engine.runs).toHaveLength(2)
    expect(engine.runs[1]?.input.prompt).toContain('You already used memory_remember')
    expect(end.result.kind).toBe('silence')
    // Said twice by the agent, done once.
    expect(shop.memory.texts['slack:C1']).toBe('- Friday is free\n')
    expect(end.tools.map((call) => call.note)).toEqual(['one line in context', 'done already in this turn'])
  })

  test('reply.reask.03: an answer is not asked for again', async () => {
    const engine = answers('All is well.', 'never said')
    await workshop(dir, engine).run()
    expect(engine.runs).toHaveLength(1)
  })

  test('reply.reask.05: a turn that failed is not asked for again', async () => {
    const engine = new ScriptEngine(async function* () {
      yield { type: 'progress' }
      throw new Error('the program died')
    })
    const end = await workshop(dir, engine).run()
    expect(end.result.kind).toBe('failed')
    expect(engine.runs).toHaveLength(1)
  })

  test('a turn that only asked a teammate is not silent and not asked again', async () => {
    const engine = new ScriptEngine(async function* (run) {
      yield { type: 'progress' }
      expect(await run.call('ask_teammate', { name: 'reviewer', task: 'look' })).toEqual({
        status: 'asked',
        name: 'Reviewer',
      })
    })
    const end = await workshop(dir, engine).run()
    expect(end).toMatchObject({ result: { kind: 'answer', text: '' }, asked: ['Reviewer'] })
    expect(engine.runs).toHaveLength(1)
  })

  test('a token at the end of an answer is not posted', async () => {
    const end = await workshop(dir, answers('No need to worry.\n[SKIP]')).run()
    expect(end.result).toEqual({ kind: 'answer', text: 'No need to worry.' })
  })
})

describe('previews', () => {
  const streaming = new ScriptEngine(async function* () {
    yield { type: 'text', text: 'The key is ' }
    yield { type: 'text', text: 'xoxb-111111111111' }
    yield { type: 'text', text: '-abcdefghijkl. Done.' }
  })

  test('hold no secret, and are not made for every word', async () => {
    const shop = workshop(dir, streaming)
    const end = await shop.run()
    expect(shop.progress).toEqual(['The key is '])
    expect(end.result).toEqual({ kind: 'answer', text: 'The key is [redacted]. Done.' })
  })

  test('are not made of a task’s result', async () => {
    const shop = workshop(dir, streaming)
    await shop.run({ kind: 'ask', ask })
    expect(shop.progress).toEqual([])
  })
})
