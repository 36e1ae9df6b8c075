import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message } from '../../tests/support/policy.js'
import type { Operation } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'

function refuse(failure: Failure): never {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}
const isAnswer = (op: Operation): op is Extract<Operation, { kind: 'post' }> =>
  op.kind === 'post' && !op.silent

/** A core whose one agent answers with what it was asked. */
function echo(platformIs: { idempotent: boolean } = { idempotent: true }) {
  const core = new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`)
  const platform = new TestPlatform(core.clock, platformIs.idempotent)
  const host = core.connect(platform)
  return { core, platform, host }
}

describe('field cases', () => {
  it('any-429-must-not-reorder-a-chat: a wait holds its own chat, in order, and no other', async () => {
    const { core, platform, host } = echo()
    platform.before = (op, _, attempt) => {
      if (isAnswer(op) && op.part.text === 're: part 1' && attempt === 1)
        refuse({ kind: 'rate-limited', retryAt: core.clock.now() + 2_000 })
    }
    await host.accept(message('@Golem part 1', { place: { chat: 'A' } }))
    await settled()
    await host.accept(message('@Golem part 2', { place: { chat: 'A' } }))
    await host.accept(message('@Golem other', { place: { chat: 'B' } }))
    await core.pass(900)
    expect(platform.posts('B')).toEqual(['re: other'])
    expect(platform.posts('A')).toEqual([])
    await core.pass(2_000)
    expect(platform.posts('A')).toEqual(['re: part 1', 're: part 2'])
  })

  it('any-network-error-does-not-end-the-daemon: the other connection goes on, this one recovers', async () => {
    const core = new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`)
    const broken = new TestPlatform(core.clock)
    const sound = new TestPlatform(core.clock)
    const one = core.connect(broken)
    const two = core.connect(sound, 'other')
    const until = core.clock.now() + 60_000
    broken.before = () => {
      if (core.clock.now() < until) throw new TypeError('fetch failed', { cause: { code: 'ENETUNREACH' } })
    }
    await one.accept(message('@Golem a'))
    await two.accept(message('@Golem b'))
    await settled()
    expect(sound.posts()).toEqual(['re: b'])
    await core.pass(1_000)
    expect(broken.posts()).toEqual([])
    await core.pass(120_000, 5_000)
    expect(broken.posts()).toEqual(['re: a'])
  })
})

describe('an ambiguous send', () => {
  it('is repeated under the same key where the platform knows keys', async () => {
    const { core, platform, host } = echo()
    const keys: string[] = []
    platform.before = (op, key, attempt) => {
      if (!isAnswer(op)) return
      keys.push(key)
      if (attempt === 1) refuse({ kind: 'ambiguous' })
    }
    await host.accept(message('@Golem hi'))
    await core.pass(5_000)
    expect(platform.posts()).toEqual(['re: hi'])
    expect(new Set(keys).size).toBe(1)
  })

  it('is not sent again when the read-back finds it', async () => {
    const { core, platform, host } = echo({ idempotent: false })
    platform.settles = async () => ({ id: 'found', at: core.clock.now() })
    core.directory.set('local', { connection: platform.connection })
    platform.before = (op) => {
      if (isAnswer(op)) refuse({ kind: 'ambiguous' })
    }
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(10_000)
    expect(platform.posts()).toEqual([])
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt?.turns[0]?.operations[0]).toMatchObject({ state: 'sent', native: 'found', attempts: 2 })
  })

  it('is sent again with a label where nobody can know', async () => {
    const { core, platform, host } = echo({ idempotent: false })
    platform.before = (op, _, attempt) => {
      if (isAnswer(op) && attempt === 1) refuse({ kind: 'ambiguous' })
    }
    await host.accept(message('@Golem hi'))
    await core.pass(10_000)
    expect(platform.posts()).toEqual(['(may be a duplicate: the connection broke while posting)\n\nre: hi'])
  })

  it('is what a platform that does not answer in time leaves behind', async () => {
    const { core, platform, host } = echo()
    platform.before = (op, _, attempt) =>
      isAnswer(op) && attempt === 1 ? new Promise<void>(() => undefined) : undefined
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(60_000, 1_000)
    expect(platform.posts()).toEqual(['re: hi'])
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt?.turns[0]?.operations[0]?.log.map(({ what }) => what)).toEqual([
      'sending',
      'ambiguous: the platform did not answer in time',
      'sending again',
      'sent',
    ])
  })
})

describe('the ladder', () => {
  it('a question that was deleted is answered by a plain post', async () => {
    const { core, platform, host } = echo()
    platform.before = (op) => {
      if (isAnswer(op) && op.replyTo !== undefined) refuse({ kind: 'gone', what: 'target' })
    }
    await host.accept(message('@Golem hi'))
    await core.pass(1_000)
    expect(platform.sent.map(({ op }) => op).filter(isAnswer)).toMatchObject([{ part: { text: 're: hi' } }])
    expect(platform.sent.map(({ op }) => op).filter(isAnswer)[0]).not.toHaveProperty('replyTo')
  })

  it('refused markup becomes plain text, with every character literal', async () => {
    const { core, platform, host } = echo()
    platform.before = (op, _, attempt) => {
      if (isAnswer(op) && attempt === 1) refuse({ kind: 'invalid', field: 'markup' })
    }
    await host.accept(message('@Golem **hi**'))
    await core.pass(1_000)
    expect(platform.posts()).toEqual(['re: hi'])
  })

  it('a text that is too long even in parts goes as a file', async () => {
    const { core, platform, host } = echo()
    platform.before = (op) => {
      if (isAnswer(op)) refuse({ kind: 'invalid', field: 'length' })
    }
    await host.accept(message('@Golem hi'))
    await core.pass(1_000)
    expect(platform.sent.map(({ op }) => op).filter(({ kind }) => kind === 'upload')).toMatchObject([
      { name: 'answer.md' },
    ])
  })

  it('what cannot be posted at all is reported in the receipt, and holds up nothing', async () => {
    const { core, platform, host } = echo()
    platform.before = (op) => {
      if (isAnswer(op) && op.part.text === 're: one') refuse({ kind: 'forbidden' })
    }
    await host.accept(message('@Golem one', { id: 'q1' }))
    await core.pass(500)
    await host.accept(message('@Golem two'))
    await core.pass(1_000)
    expect(platform.posts()).toEqual(['re: two'])
    const receipt = await core.store.receipt('local:lobby:q1')
    expect(receipt?.turns[0]?.operations[0]).toMatchObject({ state: 'failed', failure: 'forbidden' })
    expect(core.logged.join('\n')).toMatch(/given up/)
  })
})

it('what is ready while a connection is down is sent when it comes up', async () => {
  const core = new Core(() => 'hello')
  const platform = new TestPlatform(core.clock)
  const host = core.connect(platform, 'local', false)
  await host.accept(message('@Golem hi'))
  await core.pass(5_000)
  expect(platform.sent).toEqual([])
  core.directory.set('local', { connection: platform.connection })
  await settled()
  expect(platform.posts()).toEqual(['hello'])
})
