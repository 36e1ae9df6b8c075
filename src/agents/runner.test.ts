import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  answers,
  line,
  policy,
  ScriptEngine,
  SETTINGS,
  workshop,
} from '../../tests/fixtures/agents/workshop.js'
import { EngineError, ToolError } from '../messaging/engine.js'
import { STALL_LIMIT, TURN_LIMIT } from '../messaging/limits.js'
import type { AbortReason } from '../messaging/runner.js'
import { PROMPT_TEMPLATE } from './prompt/prompt.js'
import { ABANDON_AFTER } from './watch.js'

let dir: string
const rejections: unknown[] = []
const note = (reason: unknown): void => void rejections.push(reason)
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-runner-'))
  process.on('unhandledRejection', note)
})
afterEach(async () => {
  process.off('unhandledRejection', note)
  expect(rejections.splice(0)).toEqual([])
  await rm(dir, { recursive: true, force: true })
})

describe('an answer', () => {
  test('is what the engine said, with what it was shown', async () => {
    const engine = answers('All green.')
    const shop = workshop(dir, engine)
    shop.memory.texts['slack:C1'] = '- We deploy on Fridays\n'
    const end = await shop.run()
    expect(end.result).toEqual({ kind: 'answer', text: 'All green.' })
    const prompt = engine.runs[0]?.input.prompt ?? ''
    expect(prompt).toContain('> - We deploy on Fridays')
    expect(end.shown).toMatchObject({
      lines: 1,
      characters: prompt.length,
      cut: 0,
      template: PROMPT_TEMPLATE,
      engine: 'script',
    })
    expect(end.shown.memoryHash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('the first event is durable before anything comes of it', async () => {
    const order: string[] = []
    const engine = new ScriptEngine(async function* (run) {
      await run.call('memory_remember', { line: 'x' })
      order.push('remembered')
      yield { type: 'text', text: 'Hello' }
    })
    const shop = workshop(dir, engine)
    await shop.run(
      {},
      {
        firstEvent: async () => {
          await new Promise((resolve) => setImmediate(resolve))
          order.push('durable')
        },
        progress: () => order.push('preview'),
      },
    )
    expect(order).toEqual(['durable', 'remembered', 'preview'])
  })

  test('people are told what it does, without secrets, except of a task for a teammate', async () => {
    const engine = new ScriptEngine(async function* (run) {
      yield { type: 'progress', note: 'Reading xoxb-111111111111-abcdefghijkl' }
      yield { type: 'progress' }
      await run.call('list_things', {}).catch(() => undefined)
      yield { type: 'final', text: 'ok' }
    })
    const shop = workshop(dir, engine)
    await shop.run()
    expect(shop.doing).toEqual([
      { note: expect.stringMatching(/^Reading (?!xoxb)/) },
      { tool: 'list_things' },
    ])
    await shop.run({ ask: { id: 1, asker: 'Golem', task: 'do it', depth: 1, chain: [] } })
    expect(shop.doing).toHaveLength(2)
  })

  test('usage is summed', async () => {
    const engine = new ScriptEngine(async function* () {
      yield { type: 'usage', inputTokens: 10, outputTokens: 1, costUsd: 0.5 }
      yield { type: 'usage', inputTokens: 5, outputTokens: 2 }
      yield { type: 'final', text: 'ok' }
    })
    expect((await workshop(dir, engine).run()).usage).toEqual({
      inputTokens: 15,
      outputTokens: 3,
      costUsd: 0.5,
    })
  })

  test('people’s files are in the working folder, an agent’s file is copied out', async () => {
    const engine = new ScriptEngine(async function* (run) {
      const given = run.input.files[0]
      const text = await readFile(given?.path ?? '', 'utf8')
      await writeFile(join(run.cwd, 'report.txt'), text.toUpperCase())
      yield { type: 'file', path: 'report.txt', name: 'Report.txt' }
      yield { type: 'file', path: '/etc/hosts', name: '' }
      expect(await run.call('attach_file', { path: 'report.txt' })).toEqual({
        status: 'attached',
        name: 'report (2).txt',
      })
      await expect(run.call('attach_file', { path: '../../golem.yaml' })).rejects.toThrow(
        /outside the working folder/,
      )
    })
    const end = await workshop(dir, engine).run({
      files: [{ message: 1, file: { id: 'f', name: '../a.txt' } }],
    })
    expect(end.result).toEqual({ kind: 'answer', text: '' })
    expect(end.files.map((file) => file.name)).toEqual(['Report.txt', 'report (2).txt'])
    expect(await readFile(end.files[0]?.path ?? '', 'utf8')).toBe('BYTES OF ../A.TXT')
    expect(end.refused.map((file) => file.name)).toEqual(['hosts', 'golem.yaml'])
  })
})

describe('failures are results, and are not asked again', () => {
  test('the engine’s own, without secrets', async () => {
    const engine = new ScriptEngine(async function* () {
      yield { type: 'text', text: '' }
      throw new EngineError(
        'reported',
        'https://api.telegram.org/bot123456789:TESTTOKENNOTREALTESTTOKENNOTREAL123/x failed',
      )
    })
    const end = await workshop(dir, engine).run()
    expect(end.result).toEqual({
      kind: 'failed',
      code: 'reported',
      message: 'https://api.telegram.org/bot[redacted]/x failed',
    })
    expect(engine.runs).toHaveLength(1)
  })

  test('anything else is Golem’s own fault, found in the log by its reference, without secrets there', async () => {
    const engine = new ScriptEngine(() => {
      throw new TypeError('x is no function', { cause: new Error('at swordfish-77') })
    })
    const shop = workshop(dir, engine, { secrets: new Set(['swordfish-77']) })
    const { result } = await shop.run()
    expect(result).toMatchObject({ kind: 'failed', code: 'internal' })
    const reference =
      /look for (\w+) in the log/.exec('message' in result ? result.message : '')?.[1] ?? 'none'
    const logged = JSON.stringify(shop.log.lines)
    expect(logged).toContain(reference)
    expect(logged + JSON.stringify(result)).not.toContain('swordfish')
  })

  test('a store that cannot note the first event', async () => {
    const engine = answers('hello')
    const { result } = await workshop(dir, engine).run(
      {},
      { firstEvent: () => Promise.reject(new Error('disk full')) },
    )
    expect(result).toMatchObject({
      kind: 'failed',
      code: 'internal',
      message: expect.stringContaining('disk full'),
    })
  })

  test('a working folder that has gone', async () => {
    const settings = { ...SETTINGS, workingFolder: join(dir, 'gone') }
    const { result } = await workshop(dir, answers('x')).run({}, { settings })
    expect(result).toMatchObject({ kind: 'failed', code: 'folder' })
  })

  test('an agent that is not in the roster any more', async () => {
    const { result } = await workshop(dir, answers('x')).run({ agent: 'Nobody' })
    expect(result).toMatchObject({
      kind: 'failed',
      code: 'agent',
      message: expect.stringContaining('Nobody'),
    })
  })

  test('a download that fails is no failed turn: the agent is told', async () => {
    const engine = answers('I could not open it.')
    const end = await workshop(dir, engine).run(
      { files: [{ message: 1, file: { id: 'f', name: 'a.txt' } }] },
      { download: () => Promise.reject(new Error('410')) },
    )
    expect(end.result.kind).toBe('answer')
    expect(engine.runs[0]?.input.prompt).toContain('> a.txt: not available, it could not be fetched')
  })

  test('memory that cannot be read is no failed turn', async () => {
    const shop = workshop(dir, answers('fine'))
    shop.memory.read = () => Promise.reject(new Error('EIO'))
    expect((await shop.run()).result.kind).toBe('answer')
    expect(shop.log.lines.map((entry) => entry.level)).toContain('warn')
  })
})

describe('limits and stops', () => {
  /** Says something, then waits for the stop; `deaf` never ends. */
  function waiting(deaf = false, text = 'half') {
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const engine = new ScriptEngine(async function* (run) {
      if (text !== '') yield { type: 'text', text }
      begin()
      await new Promise<void>((resolve) => {
        if (!deaf) run.signal.addEventListener('abort', () => resolve(), { once: true })
      })
    })
    return { engine, begun }
  }

  test('work beyond the limit', async () => {
    const { engine, begun } = waiting()
    const shop = workshop(dir, engine)
    const running = shop.run()
    await begun
    shop.clock.advance(TURN_LIMIT)
    expect((await running).result).toMatchObject({
      kind: 'failed',
      code: 'timeout',
      message: expect.stringContaining('5 min'),
    })
  })

  test('no sign of life', async () => {
    const { engine, begun } = waiting()
    const shop = workshop(dir, engine, {
      agents: [
        { name: 'Golem', role: '', engine: { id: 'script', options: {} }, turnLimitMs: 24 * 3_600_000 },
      ],
    })
    const running = shop.run()
    await begun
    shop.clock.advance(STALL_LIMIT)
    expect((await running).result).toMatchObject({
      kind: 'failed',
      code: 'stalled',
      message: expect.stringContaining('20 min'),
    })
  })

  test('an engine that does not stop is left alone, and what it does then has no effect', async () => {
    let late: Promise<unknown> = Promise.resolve()
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let release = (): void => {}
    const engine = new ScriptEngine(async function* (run) {
      begin()
      await new Promise<void>((resolve) => {
        release = resolve
      })
      late = run.call('memory_remember', { line: 'late' })
      late.catch(() => {})
      yield { type: 'text', text: 'late' }
      throw new Error('late as well')
    })
    const shop = workshop(dir, engine)
    const stop = new AbortController()
    const running = shop.run({}, { signal: stop.signal })
    await begun
    stop.abort('stopped' satisfies AbortReason)
    shop.clock.advance(ABANDON_AFTER)
    expect((await running).result).toEqual({
      kind: 'aborted',
      reason: 'stopped',
      partial: '',
      started: false,
    })
    release()
    await new Promise((resolve) => setImmediate(resolve))
    await expect(late).rejects.toThrow(ToolError)
    expect(shop.memory.texts).toEqual({})
  })

  test.each(['stopped', 'edited', 'deleted', 'shutdown'] satisfies AbortReason[])(
    '%s keeps the partial text',
    async (reason) => {
      const { engine, begun } = waiting()
      const shop = workshop(dir, engine)
      const stop = new AbortController()
      const running = shop.run({}, { signal: stop.signal })
      await begun
      stop.abort(reason)
      expect((await running).result).toEqual({ kind: 'aborted', reason, partial: 'half', started: true })
      expect(engine.runs).toHaveLength(1)
      expect(shop.clock.waiting).toBe(0)
    },
  )

  test('stopped before it began', async () => {
    const engine = answers()
    const { result } = await workshop(dir, engine).run({}, { signal: AbortSignal.abort('shutdown') })
    expect(result).toEqual({ kind: 'aborted', reason: 'shutdown', partial: '', started: false })
    expect(engine.runs).toHaveLength(0)
  })
})

describe('any-delegation-cycle-refused', () => {
  test('two agents that always delegate: one delegation, the second is a tool error, the answer arrives', async () => {
    const told: string[] = []
    const delegating = (mate: string) =>
      new ScriptEngine(async function* (run) {
        yield { type: 'progress' }
        const answer = await run
          .call('ask_teammate', { name: mate, task: 'you do it' })
          .catch((error: Error) => {
            told.push(error.message)
            return null
          })
        if (answer === null) yield { type: 'final', text: `done by myself, not by ${mate}` }
      })
    const shop = workshop(
      dir,
      { Legal: delegating('Tech'), Tech: delegating('Legal') },
      {
        policy: policy({
          agents: ['Legal', 'Tech'].map((name) => ({ ...policy().agents[0], name }) as never),
        }),
      },
    )
    const settings = { ...SETTINGS, members: ['Legal', 'Tech'] }
    const first = await shop.run({ agent: 'Legal' }, { settings })
    const second = await shop.run(
      {
        id: 2,
        kind: 'ask',
        agent: 'Tech',
        ask: { id: 1, asker: 'Legal', task: 'you do it', depth: 1, chain: ['Legal'] },
      },
      { settings },
    )
    expect(shop.store.asks).toHaveLength(1)
    expect(first.asked).toEqual(['Tech'])
    expect(told[0]).toMatch(/Legal was not asked: Legal already waits.*Legal → Tech/)
    expect(second.result).toEqual({ kind: 'answer', text: 'done by myself, not by Legal' })
    expect(second.tools).toMatchObject([{ name: 'ask_teammate', ok: false }])
  })
})

describe('any-token-never-in-logs-or-chat', () => {
  const token = '123456789:TESTTOKENNOTREALTESTTOKENNOTREAL123'
  const link = `https://api.telegram.org/file/bot${token}/photos/1.jpg`

  test('not in the prompt, the tools’ results, the answer, the receipt or the log', async () => {
    const engine = new ScriptEngine(async function* (run) {
      const found = await run.call('history_read', {})
      yield {
        type: 'text',
        text: `${JSON.stringify(found)} and ${run.input.prompt} and ${encodeURIComponent(token)}`,
      }
    })
    const shop = workshop(dir, engine, { secrets: [token] })
    shop.store.transcripts['slack:C1'] = [{ id: 'a', author: 'Ann', at: 1, text: link, score: 1 }]
    shop.memory.texts['slack:C1'] = link
    const end = await shop.run({
      lines: [line(link)],
    })
    const sinks = JSON.stringify([engine.runs[0]?.input, end, shop.log.lines])
    expect(sinks).not.toMatch(/TESTTOKEN/)
    expect(end.result).toMatchObject({ kind: 'answer', text: expect.stringContaining('photos/1.jpg') })
  })
})

test('the data folder holds a turn’s outgoing files until they are sent, and nothing else of it', async () => {
  const engine = new ScriptEngine(async function* (run) {
    await writeFile(join(run.cwd, 'a.txt'), 'a')
    yield { type: 'file', path: 'a.txt', name: '' }
    yield { type: 'final', text: 'here' }
  })
  await workshop(dir, engine).run()
  expect(await readdir(join(dir, 'outgoing', '1'))).toEqual(['a.txt'])
  expect(await readdir(join(dir, 'work', 'slack-C1'))).toEqual(['a.txt'])
})
