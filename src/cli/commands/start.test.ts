import { describe, expect, it } from 'vitest'
import { ServerError } from '../../server/error.js'
import { Captured, NOW, type TestWorld, world } from '../harness.fixture.js'
import { run } from '../run.js'
import type { RunningGateway, StartOptions } from '../world.js'

/** A gateway whose life the test decides about. */
class FakeGateway {
  options: StartOptions | null = null
  deadline: number | null = null
  readonly running = deferred()
  readonly closing = deferred()
  readonly ended = deferred()

  readonly start = async (options: StartOptions): Promise<RunningGateway> => {
    this.options = options
    return {
      url: 'http://127.0.0.1:3000',
      port: 3000,
      closed: this.ended.promise,
      close: (deadline) => {
        this.deadline = deadline
        return this.closing.promise
      },
    }
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}

interface Started {
  gateway: FakeGateway
  here: TestWorld
  code: Promise<number>
}

/** Starts, and waits until something is on standard output. */
async function started(line: string, changes: Partial<Parameters<typeof world>[0]> = {}): Promise<Started> {
  const gateway = new FakeGateway()
  const said = deferred()
  const here = world({ loadStart: async () => gateway.start, ...changes })
  const { stdout } = here
  const write = stdout.write.bind(stdout)
  stdout.write = (text) => {
    write(text)
    said.resolve()
  }
  const code = run(line.split(' '), here)
  await said.promise
  return { gateway, here, code }
}

describe('golem start', () => {
  it('tells a person where to go and what to try first', async () => {
    const { gateway, here, code } = await started('start')
    expect(here.stdout.text).toBe(
      'Golem is running: http://127.0.0.1:3000\n' +
        'Open http://127.0.0.1:3000, choose Lobby and write: @Golem what can you do?\n' +
        'Stop it with Ctrl-C.\n',
    )
    gateway.ended.resolve()
    expect(await code).toBe(0)
  })

  it('tells a program in exactly one line', async () => {
    const { gateway, here, code } = await started('start --json')
    expect(here.stdout.text).toBe('{"event":"ready","url":"http://127.0.0.1:3000","port":3000,"pid":4711}\n')
    gateway.ended.resolve()
    await code
    expect(here.stdout.text.split('\n')).toHaveLength(2)
  })

  it('hands the flags on, the configuration as an absolute path', async () => {
    const { gateway, here, code } = await started('start -c conf/golem.yaml --port 0 --host ::1')
    expect(gateway.options).toMatchObject({ configFile: `${here.cwd}/conf/golem.yaml`, port: 0, host: '::1' })
    gateway.ended.resolve()
    await code
  })

  it('leaves port and host to the configuration when there are no flags', async () => {
    const { gateway, code } = await started('start')
    expect(Object.keys(gateway.options ?? {})).toEqual(['configFile', 'version', 'log', 'hide'])
    gateway.ended.resolve()
    await code
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s closes it with 8 s for work under way, and ends with 0',
    async (signal) => {
      const { gateway, here, code } = await started('start')
      here.emit(signal)
      await Promise.resolve()
      gateway.closing.resolve()
      expect(await code).toBe(0)
      expect([gateway.deadline, here.exits, here.listeners()]).toEqual([NOW + 8_000, [], 0])
    },
  )

  it('a second signal does not wait', async () => {
    const { gateway, here, code } = await started('start')
    here.emit('SIGINT')
    here.emit('SIGINT')
    expect(here.exits).toEqual([1])
    gateway.closing.resolve()
    await code
  })

  it('a close that never ends is ended', async () => {
    const loading = deferred()
    const closing = deferred()
    const gateway = new FakeGateway()
    const here = world({
      loadStart: async () => {
        loading.resolve()
        return async (options) => ({
          ...(await gateway.start(options)),
          close: () => {
            closing.resolve()
            return new Promise(() => {})
          },
        })
      },
    })
    const code = run(['start', '--json'], here)
    await loading.promise
    here.emit('SIGTERM') // before it is even ready: it must not be forgotten
    await closing.promise
    here.forward(15_000)
    expect(await code).toBe(1)
    expect(here.stdout.text).toMatch(/^\{"event":"error","code":"stuck"/)
    expect(here.stderr.text).toContain('golem: Golem did not stop in time')
  })

  it('a rejection nobody looked at is logged and changes nothing', async () => {
    const { gateway, here, code } = await started('start')
    here.emit('unhandledRejection', new Error('forgotten'))
    expect(here.exits).toEqual([])
    expect(here.stderr.text).toContain('forgotten')
    gateway.ended.resolve()
    expect(await code).toBe(0)
  })

  it('an error nobody caught is logged and ends it with 1', async () => {
    const { gateway, here, code } = await started('start')
    here.emit('uncaughtException', new Error('state is unknown now'))
    expect(here.exits).toEqual([1])
    expect(here.stderr.text).toContain('state is unknown now')
    gateway.ended.resolve()
    await code
  })

  it('a gateway that ends by itself says why', async () => {
    const { gateway, here, code } = await started('start')
    gateway.ended.reject(Object.assign(new Error('write failed'), { code: 'ENOSPC' }))
    expect(await code).toBe(4)
    expect(here.stderr.text).toContain('golem: write failed. The disk is full.')
  })

  it('a start that fails: one sentence for people, one line for programs, and the exit code', async () => {
    const here = world({
      loadStart: async () => () =>
        Promise.reject(new ServerError('port-in-use', 'Port 3000 is in use; choose another.')),
    })
    expect(await run(['start', '--json'], here)).toBe(5)
    expect(here.stderr.text).toBe('golem: Port 3000 is in use; choose another.\n')
    expect(here.stdout.text).toBe(
      '{"event":"error","code":"port-in-use","message":"Port 3000 is in use; choose another."}\n',
    )
    expect(here.listeners()).toBe(0)
  })
})

describe('the log', () => {
  const lines = async (changes: Parameters<typeof world>[0]) => {
    const { gateway, here, code } = await started('start', changes)
    gateway.options?.hide(['hunter2-hunter2', 'quo"te-secret'])
    gateway.options?.log.debug({}, 'too quiet')
    gateway.options?.log.warn(
      { connection: 'slack', why: 'token hunter2-hunter2 and quo"te-secret' },
      'refused\u001b[2J',
    )
    gateway.options?.log.error({ error: new Error('broken') }, 'failed')
    gateway.ended.resolve()
    await code
    return here.stderr.text
  }

  it('is JSON on a pipe, without secrets', async () => {
    const text = await lines({})
    const [warning, error] = text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(warning).toMatchObject({
      level: 'warn',
      msg: expect.stringContaining('refused'),
      connection: 'slack',
      why: 'token [redacted] and [redacted]',
    })
    expect(error).toMatchObject({ level: 'error', error: { type: 'Error', message: 'broken' } })
    expect(text).not.toMatch(/hunter2|too quiet/)
  })

  it('is one readable line on a terminal, harmless and without secrets', async () => {
    const text = await lines({ stderr: new Captured(true, 80), env: { NO_COLOR: '1' } })
    const [warning, error, stack] = text.split('\n')
    expect(warning).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} warn {2}refused {2}connection=slack why="token \[redacted\] and .*\[redacted\]"$/,
    )
    expect(error).toMatch(/ error failed$/)
    expect(stack).toBe('    Error: broken')
    expect(text).not.toContain('\u001b')
  })

  it('says more or less by GOLEM_LOG', async () => {
    expect(await lines({ env: { GOLEM_LOG: 'debug' } })).toContain('too quiet')
    expect(await lines({ env: { GOLEM_LOG: 'error' } })).not.toContain('refused')
    expect(await lines({ env: { GOLEM_LOG: 'silent' } })).toBe('')
  })
})
