import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy, T0 } from '../../tests/support/policy.js'
import { type Connection, PlatformFailure } from './contract.js'

type History = NonNullable<Connection['history']>

function start(history: History | undefined) {
  const core = new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`)
  const platform = new TestPlatform(core.clock)
  platform.history = history
  return { core, platform, host: core.connect(platform) }
}
const shown = (core: Core, turn = 0) => core.worked[turn]?.turn.lines.map(({ text }) => text)
const asked: Parameters<History>[] = []
const past: History = async function* (...args) {
  asked.push(args)
  yield message('we ship on Friday', { id: '1', at: T0 - 60_000 })
  yield message('fine', { id: '2', at: T0 - 50_000 })
}

describe('the first turn of a conversation', () => {
  it('is shown what was said before, read once', async () => {
    asked.length = 0
    const { core, platform, host } = start(past)
    await host.accept(message('@Golem when?', { id: '9' }))
    await settled()
    expect(asked).toEqual([[{ chat: 'lobby' }, { limit: 30, before: '9' }]])
    expect(shown(core)).toEqual(['we ship on Friday', 'fine', 'when?'])
    await host.accept(message('@Golem and now?', { id: '10' }))
    await settled()
    expect(asked).toHaveLength(1)
    expect(platform.posts()).toEqual(['re: when?', 're: and now?'])
    expect((await core.store.receipt('local:lobby:9'))?.turns[0]?.gates.map(({ gate }) => gate)).toContain(
      'history',
    )
  })

  it('asks no more in a chat before which nothing was said', async () => {
    let calls = 0
    const { core, host } = start(async function* () {
      calls++
      yield* []
    })
    await host.accept(message('@Golem hi', { id: '1' }))
    await settled()
    await host.accept(message('@Golem hi', { id: '2', place: { chat: 'lobby', thread: 't' } }))
    await settled()
    expect(calls).toBe(1)
    expect(core.worked).toHaveLength(2)
    expect((await core.store.receipt('local:lobby:1'))?.turns[0]?.gates.at(-1)?.gate).toBe('admit')
  })

  it.each([
    [
      'fails',
      async function* () {
        yield* []
        throw new PlatformFailure({ kind: 'unreachable' }, 'the line is dead')
      } satisfies History,
      /the line is dead/,
      [true, true],
    ],
    [
      'is forbidden',
      async function* () {
        yield* []
        throw new PlatformFailure({ kind: 'forbidden' }, 'the scope channels:history is missing')
      } satisfies History,
      /scope/,
      [true, undefined],
    ],
    [
      'throws what it should not',
      async function* () {
        yield* []
        throw new TypeError('x is not a function')
      } satisfies History,
      /x is not a function/,
      [true, true],
    ],
    ['is not there', undefined, /does not let a bot read/, [true, undefined]],
  ] as const)('goes on without where reading back %s, and says so', async (_, history, why, unread) => {
    const { core, platform, host } = start(history)
    for (const id of ['1', '2']) {
      await host.accept(message('@Golem hi', { id }))
      await settled()
    }
    expect(platform.posts()).toEqual(['re: hi', 're: hi'])
    expect(core.worked.map(({ turn }) => turn.unread)).toEqual(unread)
    const gate = (await core.store.receipt('local:lobby:1'))?.turns[0]?.gates.at(-1)
    expect(gate?.why).toMatch(why)
  })

  it('waits three seconds and no longer', async () => {
    const { core, platform, host } = start(async function* () {
      yield message('half of it', { id: '1', at: T0 - 60_000 })
      await new Promise(() => undefined)
    })
    await host.accept(message('@Golem hi', { id: '9' }))
    await core.pass(2_900, 100)
    expect(core.worked).toEqual([])
    await core.pass(200, 100)
    expect(platform.posts()).toEqual(['re: hi'])
    expect(shown(core)).toEqual(['hi'])
    expect((await core.store.receipt('local:lobby:9'))?.turns[0]?.gates.at(-1)?.why).toMatch(/within 3 s/)
  })

  it('is worked on when what was read cannot be stored', async () => {
    const { core, platform, host } = start(past)
    core.memory.failing.set('backfill', new Error('the disk is full'))
    await host.accept(message('@Golem hi', { id: '9' }))
    await settled()
    expect(platform.posts()).toEqual(['re: hi'])
  })

  it('of an agent that reads everything has a gap as well', async () => {
    const core = new Core(() => '[PASS]', policy({ groupPolicy: 'smart' }))
    const platform = new TestPlatform(core.clock)
    platform.history = past
    const host = core.connect(platform)
    await host.accept(message('lunch?', { id: '9' }))
    await settled()
    expect(shown(core)).toEqual(['we ship on Friday', 'fine', 'lunch?'])
  })
})
