import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeClock, turnInput } from '../../../../tests/fixtures/agents/kit.js'
import { EngineError, type EngineRun } from '../../../messaging/engine.js'
import { Bench, line, play, talk } from './acp.fixture.js'

let bench: Bench
beforeEach(async () => {
  bench = await Bench.open()
})
afterEach(() => bench.close())

const HELLO = [{ act: 'say', text: 'Hello.' }]

describe('sessions', () => {
  const COUNT = [{ act: 'count' }]

  test('a conversation keeps its program and its session, and another one has its own', async () => {
    const engine = bench.engine(COUNT)
    const one = () =>
      play(
        engine,
        bench.run({ input: talk([], line('hello'), { conversation: 'local:one', context: 'local:one' }) }),
      )
    const two = () =>
      play(
        engine,
        bench.run({ input: talk([], line('hello'), { conversation: 'local:two', context: 'local:two' }) }),
      )
    expect((await one()).text).toMatch(/^prompt 1 /)
    expect((await one()).text).toMatch(/^prompt 2 /)
    expect((await two()).text).toMatch(/^prompt 1 /)
    expect((await one()).text).toMatch(/^prompt 3 /)
    expect(await bench.pids()).toHaveLength(2)
    await engine.close()
    expect(await bench.living()).toEqual([])
  })

  test.each(['load', 'resume'])(
    'after a restart its session is taken up again by %s, and the past is not said again',
    async (how) => {
      const traits = { sessions: bench.sessions, resume: how === 'resume' }
      const engine = bench.engine(COUNT, traits)
      await play(engine, bench.run({ input: talk([], line('hello')) }))
      await engine.close()
      const { text } = await play(bench.engine(COUNT, traits), bench.run({ input: talk([], line('again')) }))
      expect(text).toMatch(/^prompt 2 /)
      expect(await bench.requests(`session/${how}`)).toHaveLength(1)
    },
  )

  test('one that the agent has lost gives way to a fresh one, with the whole prompt', async () => {
    const traits = { sessions: bench.sessions }
    const engine = bench.engine(COUNT, traits)
    const first = line('hello')
    await play(engine, bench.run({ input: talk([], first) }))
    await engine.close()
    await writeFile(bench.sessions, '{}')
    const { text, error } = await play(
      bench.engine(COUNT, traits),
      bench.run({ input: talk([first], line('again')) }),
    )
    expect(error).toBeUndefined()
    expect(text).toMatch(/^prompt 1 /)
    expect((await bench.prompts())[1]).toContain('> [Ann] hello')
  })

  test('starting afresh, a line that was edited or deleted, another folder: each gets a fresh session', async () => {
    const engine = bench.engine(COUNT, { forgets: true })
    const asked = line('hello')
    const later = (over: Partial<EngineRun> = {}, context = 'local:room') =>
      play(engine, bench.run({ input: talk([asked], line('again'), { context }), ...over }))
    await play(engine, bench.run({ input: talk([], asked) }))
    expect((await later()).text).toMatch(/^prompt 2 /)
    const edited = async () => [{ id: asked.id, text: 'good bye', at: 1 }]
    expect((await later({ changes: edited })).text).toMatch(/^prompt 1 /)
    expect((await later()).text).toMatch(/^prompt 2 /)
    const unchanged = async () => [{ id: asked.id, text: 'hello', at: 1 }]
    expect((await later({ changes: unchanged })).text).toMatch(/^prompt 3 /)
    const deleted = async (lines: readonly string[]) =>
      lines.includes(asked.id) ? [{ id: asked.id, text: null, at: 1 }] : []
    expect((await later({ changes: deleted })).text).toMatch(/^prompt 1 /)
    expect((await later({}, 'local:room@7')).text).toMatch(/^prompt 1 /)
    // The agent forgets what nobody goes on with.
    expect(await bench.requests('session/delete')).toHaveLength(3)
    const folder = join(bench.folder, 'elsewhere')
    await mkdir(folder)
    expect((await later({ cwd: folder }, 'local:room@7')).text).toMatch(/^prompt 1 /)
  })

  test('one that goes on is told only what is new; one that was cut off is told everything', async () => {
    const traits = { sessions: bench.sessions }
    const engine = bench.engine('by-word', traits)
    const [first, second, third] = [line('first hello'), line('second crash'), line('third hello')]
    const blocks = { 'Standing instructions of this room': 'Be kind.' }
    await play(engine, bench.run({ input: talk([], first, {}, blocks) }))
    const answer = line('Hello from the agent.', { kind: 'agent', author: { id: 'Golem', name: 'Golem' } })
    const other = line('said in between')
    const { error } = await play(
      engine,
      bench.run({ input: talk([first, answer, other], second, {}, blocks) }),
    )
    expect(error).toBeInstanceOf(EngineError)
    await play(engine, bench.run({ input: talk([first, answer, other, second], third, {}, blocks) }))
    const [, delta = '', whole = ''] = await bench.prompts()
    expect(delta).toContain('> [Ann] second crash')
    expect(delta).toContain('> [Ann] said in between')
    expect(delta).not.toContain('> [Ann] first hello')
    expect(delta).not.toContain('> [Golem] Hello from the agent.')
    expect(delta).not.toContain('Be kind.')
    for (const said of ['first hello', 'second crash', 'third hello', 'Be kind.'])
      expect(whole).toContain(said)
    expect(await bench.requests('session/load')).toHaveLength(1)
  })

  test('what is noted of a session holds none of its words', async () => {
    const engine = bench.engine(HELLO, { sessions: bench.sessions })
    await play(engine, bench.run({ input: talk([], line('the code is swordfish')) }))
    const [name = ''] = await readdir(join(bench.folder, 'book'))
    const text = await readFile(join(bench.folder, 'book', name), 'utf8')
    expect(text).toContain('"proven":true')
    for (const word of ['swordfish', 'Hello', 'Ann']) expect(text).not.toContain(word)
  })

  test('a note that nobody can read or write is no reason to fail', async () => {
    const engine = bench.engine(COUNT, { sessions: bench.sessions })
    await play(engine, bench.run())
    const [name = ''] = await readdir(join(bench.folder, 'book'))
    await writeFile(join(bench.folder, 'book', name), '{"v":1,')
    expect((await play(engine, bench.run())).text).toMatch(/^prompt 1 /)
  })

  test('two turns at once in one conversation work side by side', async () => {
    const engine = bench.engine(HELLO)
    const both = await Promise.all([play(engine, bench.run()), play(engine, bench.run())])
    expect(both.map(({ text, error }) => [text, error])).toEqual([
      ['Hello.', undefined],
      ['Hello.', undefined],
    ])
  })
})

describe('warm programs', () => {
  test('are ended when they have been idle, and no more are kept than may be', async () => {
    const clock = new FakeClock()
    const engine = bench.engine(HELLO, {}, { pool: { max: 2, idle: 60_000 } }, { clock })
    for (const room of ['a', 'b', 'c'])
      await play(engine, bench.run({ input: turnInput({}, { conversation: room, context: room }) }))
    const until = async (living: number) => {
      while ((await bench.living()).length !== living) {
        clock.advance(50)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await until(2)
    clock.advance(60_000)
    await until(0)
    expect((await play(engine, bench.run())).text).toBe('Hello.')
  })

  test.each([{}, { models: ['small'] }])(
    'one that dies between turns is started again: %j',
    async (traits) => {
      const engine = bench.engine(HELLO, traits, { model: 'small' })
      await play(engine, bench.run())
      const [pid = 0] = await bench.living()
      process.kill(pid, 'SIGKILL')
      // Gone altogether: whoever started it was told of its end.
      while (isThere(pid)) await turnOfTheLoop()
      for (let round = 0; round < 100; round += 1) await turnOfTheLoop()
      const { error } = await play(engine, bench.run())
      expect(error).toBeUndefined()
      expect(await bench.pids()).toHaveLength(2)
    },
  )

  test('nothing of a turn that is over reaches the next one', async () => {
    const clock = new FakeClock()
    const engine = bench.engine(HELLO, {}, {}, { clock })
    await play(engine, bench.run())
    clock.advance(30_000)
    await play(engine, bench.run())
    expect(await bench.requests('session/cancel')).toEqual([])
    expect(await bench.pids()).toHaveLength(1)
  })

  test('one that dies while its session is made ready is started again', async () => {
    const engine = bench.engine(HELLO, { modes: true, dies: 'session/set_mode' }, { mode: 'plan' })
    expect((await play(engine, bench.run())).error).toMatchObject({ code: 'exit' })
    expect(await bench.living()).toEqual([])
  })
})

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
