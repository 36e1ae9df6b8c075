import { describe, expect, it } from 'vitest'
import { settled, TestClock } from '../../tests/support/clock.js'
import { TestPlatform } from '../../tests/support/core.js'
import { SELF } from '../../tests/support/policy.js'
import type { Logger } from './ambient.js'
import type { Closed, Connection, Host } from './contract.js'
import { Directory } from './directory.js'
import { Supervisor } from './supervisor.js'

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
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
      log: quiet,
      host: () => ({}) as Host,
      random: () => 0.5,
    })
  }

  async #connect(platform: TestPlatform): Promise<Connection> {
    this.attempts.push(this.clock.now())
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
      cure: 'Put a new token into .env.',
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
})
