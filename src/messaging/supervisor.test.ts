import { describe, expect, it } from 'vitest'
import { settled, TestClock } from '../../tests/support/clock.js'
import { TestPlatform } from '../../tests/support/core.js'
import { SELF } from '../../tests/support/policy.js'
import type { Logger } from './ambient.js'
import { type Closed, ConnectFailure, type Connection, type ConnectionState, type Host } from './contract.js'
import { Directory } from './directory.js'
import { CONNECT_LIMIT, Supervisor } from './supervisor.js'

function logInto(lines: string[]): Logger {
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}

/** A connection whose life is in the test's hands. */
class Line {
  readonly clock = new TestClock()
  readonly directory = new Directory()
  readonly attempts: number[] = []
  readonly closed: number[] = []
  end: (closed: Closed) => void = () => undefined
  break: (error: Error) => void = () => undefined
  refuse: Error | null = null
  /** The platform's library takes its time: until the test lets go. */
  hang: Promise<void> | null = null
  say: (state: ConnectionState) => void = () => undefined
  readonly logged: string[] = []
  readonly entry
  readonly supervisor: Supervisor

  constructor() {
    const platform = new TestPlatform(this.clock)
    this.entry = this.directory.add(
      'local',
      { ...platform.platform, connect: () => this.#connect(platform) },
      'Golem',
    )
    this.supervisor = new Supervisor({
      entry: this.entry,
      settings: undefined,
      directory: this.directory,
      clock: this.clock,
      log: logInto(this.logged),
      host: (state) => {
        this.say = state
        return {} as Host
      },
      random: () => 0.5,
    })
  }

  async #connect(platform: TestPlatform): Promise<Connection> {
    this.attempts.push(this.clock.now())
    if (this.hang) await this.hang
    if (this.refuse) throw this.refuse
    const done = new Promise<Closed>((resolve, reject) => {
      this.end = resolve
      this.break = reject
    })
    return {
      ...platform.connection,
      done,
      close: async (deadline) => {
        this.closed.push(deadline)
        this.end({ reason: 'closed' })
      },
    }
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms)
    await settled(5)
  }
}

describe('a connection', () => {
  it('is up once it is made, and says who it is', async () => {
    const line = new Line()
    await line.supervisor.start()
    expect(line.directory.up()).toEqual(['local'])
    expect(line.entry.self).toEqual(SELF)
  })

  it('that ends is made again, each time after a longer wait, up to a minute', async () => {
    const line = new Line()
    line.refuse = new Error('no route')
    await line.supervisor.start()
    expect(line.entry.state).toEqual({ phase: 'degraded', reason: 'no route' })
    for (let n = 0; n < 300; n++) await line.pass(1_000)
    const waits = line.attempts.slice(1).map((at, index) => at - (line.attempts[index] ?? 0))
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    line.refuse = null
    await line.pass(60_000)
    expect(line.directory.up()).toEqual(['local'])
  })

  it('waits little again after it has lived for a while', async () => {
    const line = new Line()
    await line.supervisor.start()
    line.end({ reason: 'reset' })
    await line.pass(0)
    expect(line.directory.up()).toEqual([])
    await line.pass(1_000)
    expect(line.attempts).toHaveLength(2)
    await line.pass(61_000)
    line.break(new Error('socket closed'))
    await line.pass(0)
    expect(line.entry.state).toEqual({ phase: 'degraded', reason: 'socket closed' })
    await line.pass(1_000)
    expect(line.attempts).toHaveLength(3)
  })

  it('that only a person can cure is not made again, and says the cure', async () => {
    const line = new Line()
    await line.supervisor.start()
    line.end({ reason: 'the token was revoked', fatal: true, cure: 'Put a new token into .env.' })
    await line.pass(600_000)
    expect(line.attempts).toHaveLength(1)
    expect(line.entry.state).toEqual({
      phase: 'failed',
      reason: 'the token was revoked',
      cure: 'Put a new token into .env. Then restart Golem.',
    })
  })

  it('is closed with its deadline, and not made again', async () => {
    const line = new Line()
    await line.supervisor.start()
    await line.supervisor.close(line.clock.now() + 5_000)
    expect(line.closed).toEqual([line.clock.now() + 5_000])
    await line.pass(600_000)
    expect(line.attempts).toHaveLength(1)
    expect(line.directory.up()).toEqual([])
  })

  it('that is being waited for ends with the house', async () => {
    const line = new Line()
    line.refuse = new Error('no route')
    await line.supervisor.start()
    await line.supervisor.close(line.clock.now())
    await line.pass(600_000)
    expect(line.attempts).toHaveLength(1)
  })

  it('that cannot come about until a person acts is not tried again, and the log says so', async () => {
    const line = new Line()
    line.refuse = new ConnectFailure('the token is wrong', 'Put the right one into .env and restart Golem.')
    await line.supervisor.start()
    await line.pass(600_000)
    expect(line.attempts).toHaveLength(1)
    expect(line.entry.state).toEqual({
      phase: 'failed',
      reason: 'the token is wrong',
      cure: 'Put the right one into .env and restart Golem.',
    })
    expect(line.supervisor.failure?.message).toBe('the token is wrong')
    expect(line.logged).toEqual([expect.stringMatching(/^error the token is wrong \(not connecting again\)/)])
  })

  it('is said to be made again when it is, not before an end', async () => {
    const line = new Line()
    line.refuse = new Error('no route')
    await line.supervisor.start()
    expect(line.logged.join()).not.toMatch(/again/)
    await line.pass(1_000)
    expect(line.logged.filter((entry) => entry.includes('connecting again'))).toHaveLength(1)
    await line.supervisor.close(line.clock.now())
    await line.pass(600_000)
    expect(line.logged.filter((entry) => entry.includes('connecting again'))).toHaveLength(1)
  })

  it('that has ended has no say any more', async () => {
    const line = new Line()
    await line.supervisor.start()
    line.say({ phase: 'ready', sees: 'all' })
    expect(line.entry.state).toEqual({ phase: 'ready', sees: 'all' })
    line.end({ reason: 'the token was revoked', fatal: true })
    await line.pass(0)
    line.say({ phase: 'ready', sees: 'all' })
    expect(line.entry.state).toMatchObject({ phase: 'failed', cure: 'See the log, then restart Golem.' })
  })

  it('whose library never answers is given up, made anew, and closed if it comes after all', async () => {
    const line = new Line()
    let letGo = (): void => undefined
    line.hang = new Promise((resolve) => {
      letGo = resolve
    })
    const started = line.supervisor.start()
    const { say } = line
    await line.pass(CONNECT_LIMIT)
    await started
    expect(line.entry.state).toMatchObject({
      phase: 'degraded',
      reason: expect.stringContaining('2 minutes'),
    })
    line.hang = null
    await line.pass(1_000)
    expect(line.directory.up()).toEqual(['local'])
    say({ phase: 'degraded', reason: 'from the grave' })
    expect(line.entry.state).not.toMatchObject({ reason: 'from the grave' })
    const { connection } = line.entry
    letGo()
    await line.pass(0)
    expect(line.closed).toHaveLength(1)
    expect(line.entry.connection).toBe(connection)
  })

  it('whose library never answers holds up no shutdown beyond its deadline', async () => {
    const line = new Line()
    line.hang = new Promise(() => undefined)
    void line.supervisor.start()
    await line.pass(0)
    const closed = line.supervisor.close(line.clock.now() + 5_000)
    await line.pass(5_000)
    await closed
    expect(line.directory.up()).toEqual([])
  })

  it('that fails while it is being closed leaves no rejection behind', async () => {
    const line = new Line()
    let letGo = (): void => undefined
    line.hang = new Promise((resolve) => {
      letGo = resolve
    })
    void line.supervisor.start()
    await line.pass(0)
    const closing = line.supervisor.close(line.clock.now() + 60_000)
    letGo()
    await line.pass(0)
    await closing
    line.break(new Error('too late'))
    await line.pass(0)
    expect(line.closed).toHaveLength(1)
  })
})

it('any-network-error-does-not-end-the-daemon: one platform down never touches another', async () => {
  const down = new Line()
  const up = new Line()
  down.refuse = new TypeError('fetch failed', { cause: { code: 'ENETUNREACH' } })
  await Promise.all([down.supervisor.start(), up.supervisor.start()])
  for (let n = 0; n < 60; n++) {
    await down.pass(1_000)
    await up.pass(1_000)
  }
  expect(up.attempts).toHaveLength(1)
  expect(up.directory.up()).toEqual(['local'])
  down.refuse = null
  await down.pass(60_000)
  expect(down.directory.up()).toEqual(['local'])
})
