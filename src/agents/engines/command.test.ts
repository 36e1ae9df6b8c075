import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  alive,
  drain,
  engineRun,
  FakeClock,
  program,
  realClock,
  turnInput,
} from '../../../tests/fixtures/agents/kit.js'
import type { Clock } from '../../messaging/ambient.js'
import { type Engine, EngineError, type EngineEvent, ToolError } from '../../messaging/engine.js'
import { STOP_GRACE } from '../../messaging/limits.js'
import { STDERR_TAIL } from './command/child.js'
import { IDLE_LIMIT } from './command/pool.js'
import { type CommandOptions, createCommand } from './command.js'

let cwd: string
const engines: Engine[] = []

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'golem-command-'))
})
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
  await rm(cwd, { recursive: true, force: true })
})

function engine(
  options: Partial<CommandOptions> & { run?: readonly string[] },
  clock: Clock = realClock,
): Engine {
  const { run = [], ...rest } = options
  const [name = '', ...args] = run
  const made = createCommand(
    { command: [process.execPath, program(name), ...args], ...rest },
    {
      clock,
      mark: `test:${process.pid}:`,
      environment: { ...process.env, SLACK_BOT_TOKEN: 'xoxb-secret' },
    },
  )
  engines.push(made)
  return made
}

async function failure(run: Promise<unknown>): Promise<EngineError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

/** Reads until an event satisfies, and goes on with the rest when asked. */
function reader(events: AsyncIterable<EngineEvent>) {
  const iterator = events[Symbol.asyncIterator]()
  return {
    async next(): Promise<string> {
      const { value } = await iterator.next()
      return value?.type === 'text' || value?.type === 'final' ? value.text : ''
    },
    rest: () => drain({ [Symbol.asyncIterator]: () => iterator }),
  }
}

/** Moves the clock in small steps, giving real processes and pipes their turn in between, until the promise settles. */
async function settle<T>(clock: FakeClock, promise: Promise<T>, step = 250): Promise<T> {
  let over = false
  const done = promise.finally(() => {
    over = true
  })
  done.catch(() => {})
  while (!over) {
    clock.advance(step)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return done
}

describe('what a program is given', () => {
  test('the turn as one line on its input, nothing in its arguments, a clean environment', async () => {
    const input = turnInput({ prompt: '--mcp-config=./evil.json' })
    const { text } = await drain(
      engine({ run: ['echo', 'fixed'], env: { MODEL: 'm1' } }).run(engineRun({ cwd, input })),
    )
    const seen = JSON.parse(text)
    expect(seen.input).toEqual(input)
    expect(seen.argv).toEqual(['fixed'])
    expect(seen.env.SLACK_BOT_TOKEN).toBeUndefined()
    expect(Object.keys(seen.env).sort()).toEqual(
      [
        'GOLEM_RUN',
        'MODEL',
        ...['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'].filter((name) => process.env[name] !== undefined),
      ].sort(),
    )
    expect(seen.cwd).toBe(cwd)
  })

  test('a prompt of 2 MB arrives whole: it is no argument', async () => {
    const input = turnInput({ prompt: '长'.repeat(700_000) })
    const messages = input.messages.map((message) => ({ ...message, text: 'size' }))
    const { text } = await drain(
      engine({ run: ['echo'] }).run(engineRun({ cwd, input: { ...input, messages } })),
    )
    expect(text).toBe('700000')
  })
})

describe('what a program may say', () => {
  test('characters cut at every byte, \\r\\n, a last line without an end', async () => {
    const { text } = await drain(engine({ run: ['utf8'] }).run(engineRun({ cwd })))
    expect(text).toBe('你好世界 👩‍👩‍👧 fin')
  })

  test('plain text is the answer', async () => {
    const { text } = await drain(engine({ run: ['plain'] }).run(engineRun({ cwd })))
    expect(text).toBe('first line\nsecond line')
  })

  test('nothing: an empty answer', async () => {
    const { events } = await drain(engine({ run: ['silent'] }).run(engineRun({ cwd })))
    expect(events).toEqual([])
  })

  test('a program that never reads its input answers all the same', async () => {
    const input = turnInput({ prompt: 'x'.repeat(5_000_000) })
    const { text } = await drain(engine({ run: ['deaf'] }).run(engineRun({ cwd, input })))
    expect(text).toBe('never listened')
  })

  test('a megabyte of error output blocks nothing', async () => {
    const { text } = await drain(engine({ run: ['stderr'] }).run(engineRun({ cwd })))
    expect(text).toBe('done')
  })
})

describe('tools', () => {
  test('are called in order; results and errors come back on the input', async () => {
    const called: unknown[] = []
    const { text } = await drain(
      engine({
        run: [
          'tools',
          JSON.stringify([
            ['history_search', { query: 'x' }],
            ['nope', {}],
            ['breaks', {}],
          ]),
        ],
      }).run(
        engineRun({
          cwd,
          call: async (tool, args) => {
            called.push([tool, args])
            if (tool === 'nope') throw new ToolError('There is no tool nope.')
            if (tool === 'breaks') throw new Error('/secret/path')
            return { hits: [] }
          },
        }),
      ),
    )
    expect(called).toEqual([
      ['history_search', { query: 'x' }],
      ['nope', {}],
      ['breaks', {}],
    ])
    expect(JSON.parse(text)).toEqual([
      { result: { hits: [] } },
      { error: 'There is no tool nope.' },
      { error: 'The tool failed inside Golem; go on without it.' },
    ])
  })

  test('a call made as the last deed has its effect before the turn ends', async () => {
    let asked = false
    await drain(
      engine({ run: ['fire-and-exit'] }).run(
        engineRun({
          cwd,
          call: async () => {
            await new Promise((resolve) => setImmediate(resolve))
            asked = true
          },
        }),
      ),
    )
    expect(asked).toBe(true)
  })
})

describe('faults are one failed turn with the cure', () => {
  test('death in the middle: exit code and last words', async () => {
    const error = await failure(drain(engine({ run: ['dies'] }).run(engineRun({ cwd }))))
    expect(error.code).toBe('exit')
    expect(error.message).toMatch(/exit code 3/)
    expect(error.message).toMatch(/refused/)
  })

  test('the last 4 kB of the error output are kept, no more', async () => {
    const error = await failure(drain(engine({ run: ['stderr', 'fail'] }).run(engineRun({ cwd }))))
    expect(error.message).toMatch(/the very end$/)
    expect(error.message.length).toBeLessThan(STDERR_TAIL + 300)
  })

  test.each([
    ['line', /line longer than 1 MB/],
    ['lines', /more than 4 MB/],
  ])('100 MB in %s', async (shape, message) => {
    const error = await failure(drain(engine({ run: ['flood', shape] }).run(engineRun({ cwd }))))
    expect(error.code).toBe('output-limit')
    expect(error.message).toMatch(message)
  })

  test('garbage', async () => {
    const error = await failure(drain(engine({ run: ['garbage'] }).run(engineRun({ cwd }))))
    expect(error.code).toBe('protocol')
    expect(error.message).toMatch(/UTF-8/)
  })

  test('a program that is not there, by name and by path', async () => {
    for (const command of [['golem-no-such-program'], [join(cwd, 'none')]]) {
      const error = await failure(drain(engine({ command }).run(engineRun({ cwd }))))
      expect(error.code).toBe('spawn')
      expect(error.message).toMatch(/was not found: install it/)
    }
  })

  test('a file that is not executable', async () => {
    const path = join(cwd, 'agent.sh')
    await writeFile(path, '#!/bin/sh\necho hi\n')
    const error = await failure(drain(engine({ command: [path] }).run(engineRun({ cwd }))))
    expect(error.message).toMatch(/chmod \+x/)
    await chmod(path, 0o755)
    expect((await drain(engine({ command: [path] }).run(engineRun({ cwd })))).text).toBe('hi')
  })

  test('a working folder that has gone is named, the program is not blamed', async () => {
    const gone = join(cwd, 'gone')
    const error = await failure(drain(engine({ run: ['silent'] }).run(engineRun({ cwd: gone }))))
    expect(error.code).toBe('folder')
    expect(error.message).toContain(`The working folder ${gone} is missing: create it again`)
  })
})

describe('stopping leaves nothing behind', () => {
  test('SIGTERM ignored: SIGKILL after the grace', async () => {
    const clock = new FakeClock()
    const stop = new AbortController()
    const events = reader(engine({ run: ['hang'] }, clock).run(engineRun({ cwd, signal: stop.signal })))
    const pid = Number(await events.next())
    stop.abort('stopped')
    clock.advance(STOP_GRACE - 1)
    expect(await alive(pid)).toBe(true)
    await settle(clock, events.rest())
    expect(await alive(pid)).toBe(false)
  })

  test.each(['polite', 'stubborn', 'quiet', 'stray'])(
    'a %s grandchild does not outlive the program',
    async (mode) => {
      const clock = new FakeClock()
      const events = reader(engine({ run: ['grandchild', mode] }, clock).run(engineRun({ cwd })))
      const pid = Number((await events.next()).replace('child ', ''))
      expect(pid).toBeGreaterThan(0)
      await settle(clock, events.rest())
      expect(await alive(pid)).toBe(false)
    },
  )

  test('a program that does not end after its answer is ended; the answer counts', async () => {
    const clock = new FakeClock()
    const { text } = await settle(clock, drain(engine({ run: ['lingers'] }, clock).run(engineRun({ cwd }))))
    expect(await alive(Number(text.replace('answer of ', '')))).toBe(false)
  })

  test('a reader that turns away stops the program', async () => {
    const clock = new FakeClock()
    let pid = 0
    const reading = (async () => {
      for await (const event of engine({ run: ['hang'] }, clock).run(engineRun({ cwd }))) {
        if (event.type === 'text') pid = Number(event.text)
        break
      }
    })()
    await settle(clock, reading)
    expect(await alive(pid)).toBe(false)
  })

  test('aborted before it began', async () => {
    const { events } = await drain(
      engine({ run: ['silent'] }).run(engineRun({ cwd, signal: AbortSignal.abort('stopped') })),
    )
    expect(events).toEqual([])
  })

  test('closing the engine ends what runs', async () => {
    const clock = new FakeClock()
    const made = engine({ run: ['hang'] }, clock)
    const events = reader(made.run(engineRun({ cwd })))
    const pid = Number(await events.next())
    const rest = failure(events.rest())
    await settle(clock, made.close())
    expect((await rest).code).toBe('exit')
    expect(await alive(pid)).toBe(false)
  })
})

describe('persistent', () => {
  const say = (id: string, text: string, conversation = 'local:room') => {
    const input = turnInput({}, { id, conversation })
    return engineRun({
      cwd,
      input: { ...input, messages: input.messages.map((message) => ({ ...message, text })) },
    })
  }

  test('one process serves many turns of a conversation, another conversation has its own', async () => {
    const made = engine({ run: ['persistent'], persistent: true })
    const first = await drain(made.run(say('1', 'a')))
    const second = await drain(made.run(say('2', 'b')))
    const other = await drain(made.run(say('3', 'c', 'local:other')))
    const [, pid] = first.text.split(' ')
    expect(first.text).toBe(`pid ${pid} served 1`)
    expect(second.text).toBe(`pid ${pid} served 2`)
    expect(other.text).not.toContain(`pid ${pid} `)
    expect(first.events).toContainEqual({ type: 'usage', inputTokens: 3, outputTokens: 4 })
    await made.close()
    expect(await alive(Number(pid))).toBe(false)
  })

  test('a death fails its own turn only; the next one has a new process', async () => {
    const made = engine({ run: ['persistent'], persistent: true })
    await drain(made.run(say('1', 'a')))
    const error = await failure(drain(made.run(say('2', 'die'))))
    expect(error.message).toMatch(/exit code 7.*started again for the next/)
    expect((await drain(made.run(say('3', 'a')))).text).toMatch(/served 1$/)
  })

  test('late words of an earlier turn never reach the next one', async () => {
    const made = engine({ run: ['persistent'], persistent: true })
    await drain(made.run(say('1', 'a')))
    const { events } = await drain(made.run(say('2', 'late')))
    expect(JSON.stringify(events)).not.toContain('late words')
    expect(JSON.stringify(events)).not.toContain('library')
  })

  test('a line that names no turn is refused', async () => {
    const error = await failure(
      drain(engine({ run: ['persistent'], persistent: true }).run(say('1', 'nameless'))),
    )
    expect(error.code).toBe('protocol')
    expect(error.message).toMatch(/turn’s id/)
  })

  test('tool results carry the turn', async () => {
    const { text } = await drain(
      engine({ run: ['persistent'], persistent: true }).run({
        ...say('1', 'tool'),
        call: async () => 'remembered',
      }),
    )
    expect(text).toBe('"remembered"')
  })

  test('an idle process is ended after a while', async () => {
    const clock = new FakeClock()
    const made = engine({ run: ['persistent'], persistent: true }, clock)
    const { text } = await drain(made.run(say('1', 'a')))
    const pid = Number(text.split(' ')[1])
    clock.advance(IDLE_LIMIT - 1)
    expect(await alive(pid)).toBe(true)
    clock.advance(1)
    const gone = (async () => {
      while (await alive(pid)) await new Promise((resolve) => setImmediate(resolve))
    })()
    await settle(clock, gone)
    expect((await drain(made.run(say('2', 'a')))).text).toMatch(/served 1$/)
  })
})
