import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeClock, realClock, turnInput } from '../../../../tests/fixtures/agents/kit.js'
import type { Ruling } from '../../../messaging/approval.js'
import { EngineError, type EngineRun } from '../../../messaging/engine.js'
import { Bench, line, play, talk } from './acp.fixture.js'

let bench: Bench
beforeEach(async () => {
  bench = await Bench.open()
})
afterEach(() => bench.close())

const HELLO = [{ act: 'say', text: 'Hello.' }]
const ann = { id: 'u1', name: 'Ann' }

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
      while ((await bench.living()).length > 0);
      for (let round = 0; round < 100; round += 1) await new Promise((resolve) => setImmediate(resolve))
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

describe('stopping', () => {
  async function stopped(
    engine: ReturnType<Bench['engine']>,
  ): Promise<{ took: number; text: string; error: unknown }> {
    const stop = new AbortController()
    let at = 0
    let text = ''
    let error: unknown
    try {
      for await (const event of engine.run(bench.run({ signal: stop.signal }))) {
        if (event.type !== 'text') continue
        text += event.text
        if (text === 'Half of it') {
          at = Date.now()
          stop.abort('stopped')
        }
      }
    } catch (thrown) {
      error = thrown
    }
    return { took: Date.now() - at, text, error }
  }
  const HANG = [{ act: 'say', text: 'Half of it' }, { act: 'hang' }]

  test('an agent that obeys stays warm, and its session goes on', async () => {
    const engine = bench.engine(HANG)
    const { took, text, error } = await stopped(engine)
    expect([text, error]).toEqual(['Half of it', undefined])
    expect(took).toBeLessThan(1_000)
    expect(await bench.living()).toHaveLength(1)
    await stopped(engine)
    expect(await bench.pids()).toHaveLength(1)
  })

  test('an agent that does not is ended within a second, with what it started', async () => {
    const engine = bench.engine([{ act: 'child' }, ...HANG], { deaf: true })
    const { took, text, error } = await stopped(engine)
    expect([text, error]).toEqual(['Half of it', undefined])
    expect(took).toBeLessThan(1_000)
    expect(await bench.pids()).toHaveLength(2)
    expect(await bench.living()).toEqual([])
  })

  test('one that lives through SIGTERM is ended after the grace', async () => {
    const clock = new FakeClock()
    const engine = bench.engine(HANG, { deaf: true, stubborn: true }, {}, { clock })
    const stop = new AbortController()
    const events = engine.run(bench.run({ signal: stop.signal }))[Symbol.asyncIterator]()
    let said = ''
    while (said !== 'Half of it') {
      const { value } = await events.next()
      if (value?.type === 'text') said += value.text
    }
    stop.abort('stopped')
    const end = events.next()
    const isOver = end.then(() => true)
    while (!(await Promise.race([isOver, new Promise<false>((resolve) => setImmediate(resolve, false))])))
      clock.advance(100)
    expect(await bench.living()).toEqual([])
  })

  test('in front of a question, it is withdrawn', async () => {
    const engine = bench.engine([{ act: 'ask', text: 'write notes.txt' }, { act: 'repeat' }])
    const stop = new AbortController()
    const { error } = await play(
      engine,
      bench.run({
        signal: stop.signal,
        decide: () => {
          stop.abort('stopped')
          return new Promise(() => {})
        },
      }),
    )
    expect(error).toBeUndefined()
    expect(await bench.heard()).toContain('{"outcome":{"outcome":"cancelled"}}')
  })

  test('while the agent still starts, it is ended', async () => {
    const engine = bench.engine(HELLO, { mute: true })
    const stop = new AbortController()
    const turn = play(engine, bench.run({ signal: stop.signal }))
    while (!(await bench.heard()).includes('initialize'))
      await new Promise((resolve) => setImmediate(resolve))
    stop.abort('stopped')
    expect(await turn).toEqual({ events: [], text: '', error: undefined })
    expect(await bench.living()).toEqual([])
  })
})

describe('permissions', () => {
  const ASK = [{ act: 'ask', text: 'write notes.txt' }, { act: 'repeat' }]
  const never = async (): Promise<Ruling> => {
    throw new Error('nobody is asked')
  }

  test('are a question in the agent’s own options, for this once', async () => {
    const questions: unknown[] = []
    const { text, events } = await play(
      bench.engine(ASK),
      bench.run({
        decide: async (question) => {
          questions.push(question)
          return { kind: 'chosen', option: 'allow', by: ann }
        },
      }),
    )
    expect(questions).toMatchObject([
      {
        kind: 'permission',
        text: '**Change files**\n```\nwrite notes.txt\n```\n```\n{"file":"notes.txt"}\n```',
        options: [
          { id: 'allow', label: 'Allow' },
          { id: 'deny', label: 'Deny', deny: true },
        ],
      },
    ])
    expect(text).toBe('allow')
    expect(events).toContainEqual({ type: 'progress', note: 'write notes.txt' })
  })

  test.each([
    ['allow', 'allow'],
    ['deny', 'deny'],
    [{ read: 'deny', edit: 'allow', execute: 'deny', fetch: 'deny', other: 'deny' }, 'allow'],
    [{ read: 'allow', edit: 'deny', execute: 'allow', fetch: 'allow', other: 'allow' }, 'deny'],
  ] as const)('%j decides by itself: %s', async (permissions, outcome) => {
    const { text } = await play(bench.engine(ASK, {}, { permissions }), bench.run({ decide: never }))
    expect(text).toBe(outcome)
  })

  test('are refused where nobody decides, by the agent’s option where it has one', async () => {
    const decide = async (): Promise<Ruling> => ({ kind: 'refused', why: 'expired' })
    expect((await play(bench.engine(ASK), bench.run({ decide }))).text).toBe('deny')
    const only = [
      { act: 'ask', text: 'x', options: [{ optionId: 'yes', name: '', kind: 'allow_once' }] },
      { act: 'repeat' },
    ]
    await play(bench.engine(only), bench.run({ decide }))
    expect(await bench.heard()).toContain('{"outcome":{"outcome":"cancelled"}}')
  })
})

describe('models and modes', () => {
  test.each([{ options: true }, { options: false }])(
    'the configured one, the chosen one, and back again: %j',
    async (traits) => {
      const engine = bench.engine(HELLO, { models: ['small', 'large'], ...traits }, { model: 'Large' })
      const chosen = async () =>
        [
          ...(await bench.requests('session/set_model')),
          ...(await bench.requests('session/set_config_option')),
        ].map(({ modelId, value }) => modelId ?? value)
      await play(engine, bench.run())
      expect(await chosen()).toEqual(['large'])
      await play(engine, bench.run({ model: 'small' }))
      await play(engine, bench.run({ model: 'small' }))
      await play(engine, bench.run())
      expect(await chosen()).toEqual(['large', 'small', 'large'])
    },
  )

  test('one that the agent does not have is said, and the turn goes on', async () => {
    const engine = bench.engine(HELLO, { models: ['small'] }, { model: 'huge', mode: 'nowhere' })
    const { text, events } = await play(engine, bench.run())
    expect(text).toBe('Hello.')
    expect(events.at(-1)).toMatchObject({
      type: 'usage',
      model: 'small',
      note: expect.stringMatching(/no model huge, only small; .*mode nowhere/),
    })
  })
})

describe('what goes wrong', () => {
  async function failure(
    engine: ReturnType<Bench['engine']>,
    over: Partial<EngineRun> = {},
  ): Promise<EngineError> {
    const { error } = await play(engine, bench.run(over))
    if (error instanceof EngineError) return error
    throw new Error(`no failure: ${String(error)}`)
  }

  test('nobody is logged in: the cure names how', async () => {
    const preset = {
      commands: [],
      install: '',
      login: 'tester login',
      variables: ['TESTER_KEY'],
      methods: {},
    }
    const error = await failure(
      bench.engine(HELLO, { auth: 'TESTER_KEY' }, {}, { preset, environment: { PATH: process.env.PATH } }),
    )
    expect(error).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining(
        'log in by running `tester login` as the user that runs Golem, or give it TESTER_KEY under env',
      ),
    })
    expect(error.message).not.toContain('`tester login`.`')
  })

  test('a key in the environment logs it in by itself', async () => {
    const preset = { commands: [], install: '', login: 'x', variables: ['TESTER_KEY'], methods: {} }
    const environment = { PATH: process.env.PATH, TESTER_KEY: 'k', SLACK_BOT_TOKEN: 'xoxb-1' }
    const engine = bench.engine(
      [{ act: 'environment' }, ...HELLO],
      { auth: 'TESTER_KEY' },
      {},
      { preset, environment },
    )
    expect((await play(engine, bench.run())).text).toBe('Hello.')
    expect(await bench.requests('authenticate')).toEqual([{ methodId: 'by-key' }])
    expect(await bench.heard()).not.toContain('xoxb-1')
  })

  test.each([
    [
      { act: 'fail', message: 'Internal error', details: 'Invalid API key · Please run /login' },
      'unauthorized',
    ],
    [{ act: 'fail', message: 'Rate limit reached' }, 'rate-limited'],
    [{ act: 'fail', message: 'Internal error', details: 'the disk is full' }, 'reported'],
    [{ act: 'end', reason: 'refusal' }, 'refused'],
    [{ act: 'end', reason: 'max_tokens' }, 'model'],
    [{ act: 'end', reason: 'cancelled' }, 'reported'],
    [{ act: 'break' }, 'exit'],
    [{ act: 'garbage' }, 'protocol'],
  ])('%j is %s', async (act, code) => {
    const error = await failure(bench.engine([act]))
    expect(error.code).toBe(code)
  })

  test('a limit after words: the answer stands, and the receipt says it', async () => {
    const { text, events, error } = await play(
      bench.engine([...HELLO, { act: 'end', reason: 'max_tokens' }]),
      bench.run(),
    )
    expect([text, error]).toEqual(['Hello.', undefined])
    expect(events.at(-1)).toMatchObject({ note: expect.stringContaining('max_tokens') })
  })

  test('it dies in the middle: what it said, its last words, and nothing of it is left', async () => {
    const { text, error } = await play(
      bench.engine([{ act: 'say', text: 'So far' }, { act: 'child' }, { act: 'break' }]),
      bench.run(),
    )
    expect(text).toBe('So far')
    expect(error).toMatchObject({ code: 'exit', message: expect.stringContaining('SIGKILL') })
    expect(await bench.pids()).toHaveLength(2)
    expect(await bench.living()).toEqual([])
  })

  test('noise is passed over', async () => {
    const { text, error } = await play(
      bench.engine([{ act: 'noise' }, ...HELLO, { act: 'noise' }]),
      bench.run(),
    )
    expect([text, error]).toEqual(['Hello.', undefined])
  })

  test('no agent at all: the sentence says what the command has to start', async () => {
    const error = await failure(
      bench.engine(HELLO, {}, { command: [process.execPath, '-e', 'console.log("hi"); process.exit(3)'] }),
    )
    expect(error).toMatchObject({
      code: 'exit',
      message: expect.stringMatching(/exit code 3 before.*It wrote: hi\./),
    })
    expect(await failure(bench.engine(HELLO, { version: 99 }))).toMatchObject({ code: 'protocol' })
    expect(await failure(bench.engine(HELLO, {}, { command: ['/nowhere/agent'] }))).toMatchObject({
      code: 'spawn',
    })
  })

  test('one that never greets is given up', async () => {
    const clock = new FakeClock()
    const turn = failure(bench.engine(HELLO, { mute: true }, {}, { clock }))
    while (!(await bench.heard()).includes('initialize'))
      await new Promise((resolve) => setImmediate(resolve))
    const isOver = turn.then(() => true)
    while (!(await Promise.race([isOver, new Promise<false>((resolve) => setImmediate(resolve, false))])))
      clock.advance(1_000)
    expect(await turn).toMatchObject({
      code: 'protocol',
      message: expect.stringContaining('initialize within 60 s'),
    })
    expect(await bench.living()).toEqual([])
  })
})

describe('a coding agent by name', () => {
  const preset = {
    commands: [['golem-test-agent', 'acp'], ['golem-other-agent']],
    install: 'npm install -g golem-test-agent',
    login: 'x',
    variables: [],
    methods: {},
  }

  test('is looked for in PATH', async () => {
    const bin = join(bench.folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'golem-other-agent'), '#!/bin/sh\nexit 7\n')
    await chmod(join(bin, 'golem-other-agent'), 0o755)
    const environment = { PATH: `${bin}:${process.env.PATH ?? ''}` }
    const engine = bench.engine(HELLO, {}, { command: undefined }, { preset, environment })
    const { error } = await play(engine, bench.run())
    expect(error).toMatchObject({ message: expect.stringContaining('exit code 7') })
    expect(engine.id).toBe('tester')
  })

  test('that is not installed: the cure is how', async () => {
    const engine = bench.engine(
      HELLO,
      {},
      { command: undefined },
      { preset, environment: { PATH: '/nowhere' } },
    )
    const { error } = await play(engine, bench.run())
    expect(error).toMatchObject({
      code: 'spawn',
      message:
        'The program golem-test-agent or golem-other-agent was not found in PATH: install it with `npm install -g golem-test-agent`, or write its full path as this agent’s command.',
    })
  })
})

test('files go along: images where the agent takes them, else their places', async () => {
  const picture = join(bench.folder, 'a.png')
  const text = join(bench.folder, 'b.txt')
  await writeFile(picture, 'png')
  await writeFile(text, 'text')
  const files = [
    { name: 'a.png', path: picture, mime: 'image/png' },
    { name: 'b.txt', path: text },
    { name: 'gone', path: join(bench.folder, 'gone') },
  ]
  await play(bench.engine(HELLO, { image: true }), bench.run({ input: turnInput({ files }) }))
  await play(bench.engine(HELLO), bench.run({ input: turnInput({ files }) }))
  const [first, second] = (await bench.requests('session/prompt')).map(({ prompt }) =>
    (prompt as object[]).slice(1),
  )
  expect(first).toEqual([
    { type: 'image', data: 'cG5n', mimeType: 'image/png', uri: `file://${picture}` },
    { type: 'resource_link', uri: `file://${text}`, name: 'b.txt', size: 4 },
  ])
  expect(second).toMatchObject([{ type: 'resource_link', mimeType: 'image/png' }, { type: 'resource_link' }])
})

test('nothing is begun before the first event is dealt with: what is cut off before may be run again', async () => {
  const engine = bench.engine(HELLO)
  const events = engine.run(bench.run({}))[Symbol.asyncIterator]()
  expect((await events.next()).value).toEqual({ type: 'progress' })
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(await bench.requests('session/prompt')).toEqual([])
  const rest: unknown[] = []
  for (let step = await events.next(); step.done !== true; step = await events.next()) rest.push(step.value)
  expect(rest).not.toEqual([])
  expect(await bench.requests('session/prompt')).toHaveLength(1)
  expect(realClock.now()).toBeGreaterThan(0)
})
