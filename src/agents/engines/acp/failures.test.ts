import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../tests/fixtures/agents/kit.js'
import { EngineError, type EngineRun } from '../../../messaging/engine.js'
import { Bench, play } from './acp.fixture.js'

let bench: Bench
beforeEach(async () => {
  bench = await Bench.open()
})
afterEach(() => bench.close())

const HELLO = [{ act: 'say', text: 'Hello.' }]

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
