/** What the courier must not miss: work that turns up while it is at work, and what goes wrong around it. */
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy } from '../../tests/support/policy.js'
import type { Operation } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'

function refuse(failure: Failure): never {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}
/** Lets go when the test says so. */
function gate(): { open: () => void; passed: Promise<void> } {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), passed }
}
const isAnswer = (op: Operation): op is Extract<Operation, { kind: 'post' }> =>
  op.kind === 'post' && !op.silent

describe('work that turns up meanwhile', () => {
  it('an answer that is ready while a mark is on its way follows it at once', async () => {
    const work = gate()
    const mark = gate()
    const core = new Core(async () => {
      await work.passed
      return 'hello'
    })
    const platform = new TestPlatform(core.clock)
    platform.before = (op) => (op.kind === 'react' && op.mark === 'received' ? mark.passed : undefined)
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(1_000)
    work.open()
    await settled()
    expect(platform.posts()).toEqual([])
    mark.open()
    await settled()
    expect(platform.posts()).toEqual(['hello'])
  })

  it('an answer that is ready while the one before it is on its way follows it at once', async () => {
    const core = new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`, policy({ groupPolicy: 'always' }))
    const platform = new TestPlatform(core.clock)
    const first = gate()
    platform.before = (op) => (isAnswer(op) && op.part.text === 're: one' ? first.passed : undefined)
    const host = core.connect(platform)
    await host.accept(message('one'))
    await settled()
    await host.accept(message('two', { author: { id: 'bob', name: 'Bob', kind: 'person' } }))
    await settled()
    first.open()
    await settled()
    expect(platform.posts()).toEqual(['re: one', 're: two'])
  })

  it('more than may be sent at once goes out as places become free', async () => {
    const core = new Core(() => 'hello')
    const platform = new TestPlatform(core.clock)
    const first = gate()
    platform.before = (op) => (isAnswer(op) ? first.passed : undefined)
    const host = core.connect(platform)
    for (let n = 0; n < 100; n++) await host.accept(message('@Golem hi', { place: { chat: `c${n}` } }))
    await core.pass(200)
    first.open()
    await settled(200)
    expect(platform.posts()).toHaveLength(100)
  })
})

describe('what goes wrong around a post', () => {
  it('a disk that takes no file: the text is tried again, nothing hangs, nothing is lost', async () => {
    const core = new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`)
    const platform = new TestPlatform(core.clock)
    const host = core.connect(platform)
    platform.before = (op) => {
      if (isAnswer(op) && op.part.text === 're: long') refuse({ kind: 'invalid', field: 'length' })
    }
    core.keepAsFile = async () => {
      if (core.clock.now() < start + 5_000) throw new Error('ENOSPC: no space left on device')
      return '/kept/answer.md'
    }
    const start = core.clock.now()
    await host.accept(message('@Golem long'))
    await core.pass(20_000)
    expect(platform.sent.map(({ op }) => op.kind)).toContain('upload')
    await host.accept(message('@Golem short'))
    await core.pass(1_000)
    expect(platform.posts()).toContain('re: short')
  })

  it('a codec that fails on one text is reported, and holds up nothing for ever', async () => {
    const core = new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`)
    const platform = new TestPlatform(core.clock)
    const host = core.connect(platform)
    const { codec } = platform.platform
    const entry = core.directory.get('local')
    if (!entry) throw new Error('not connected')
    Object.assign(entry, {
      platform: {
        ...entry.platform,
        codec: {
          ...codec,
          write: (...args: Parameters<typeof codec.write>) => {
            const parts = codec.write(...args)
            if (parts.some(({ text }) => text.startsWith('Nothing of yours')))
              throw new Error('no such letter')
            return parts
          },
        },
      },
    })
    await host.accept(message('/stop', { id: 's', command: { name: 'stop' } }))
    await core.pass(2_000)
    await host.accept(message('@Golem hi'))
    await core.pass(30 * 60_000, 20_000)
    expect(platform.posts()).toEqual(['re: hi'])
    expect((await core.store.receipt('local:lobby:s'))?.operations[0]).toMatchObject({ state: 'failed' })
  })

  it('a status post that may stand in the chat is not posted a second time', async () => {
    const work = gate()
    const core = new Core(async () => {
      await work.passed
      return 'hello'
    })
    const platform = new TestPlatform(core.clock, false)
    const host = core.connect(platform)
    platform.before = (op) => {
      if (op.kind === 'post' && op.part.text === 'Working on it…') refuse({ kind: 'ambiguous' })
    }
    await host.accept(message('@Golem hi'))
    await core.pass(20_000)
    work.open()
    await core.pass(5_000)
    // Typing has no key: it is shown again and again.
    platform.attempts.delete('')
    expect([...platform.attempts.values()].every((attempts) => attempts === 1)).toBe(true)
    expect(platform.posts()).toEqual(['hello'])
  })
})
