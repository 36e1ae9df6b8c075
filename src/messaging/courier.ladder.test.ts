/** Answers that a chat does not take as they are: every one of them becomes visible, or is reported. */
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { type Agents, Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy } from '../../tests/support/policy.js'
import type { Operation } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'

function refuse(failure: Failure): never {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}
const isAnswer = (op: Operation): op is Extract<Operation, { kind: 'post' }> =>
  op.kind === 'post' && !op.silent

function house(
  can: TestPlatform['can'] = {},
  agents: Agents = ({ turn }) => `re: ${turn.lines.at(-1)?.text}`,
) {
  const core = new Core(agents)
  const platform = new TestPlatform(core.clock)
  platform.can = can
  const host = core.connect(platform)
  return { core, platform, host }
}

describe('a chat that the bot may not post in', () => {
  const closed = (op: Operation): void => {
    if (op.place.chat === 'lobby' && op.kind !== 'typing') refuse({ kind: 'forbidden' })
  }

  it('who asked is told directly, once, and given the answer; nobody else is', async () => {
    const { core, platform, host } = house({ direct: true }, () => 'the **answer**')
    platform.before = closed
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(2_000)
    const posts = platform.sent.map(({ op }) => op).filter((op) => op.kind === 'post')
    expect(posts).toMatchObject([
      {
        place: { chat: 'ann' },
        part: { text: expect.stringMatching(/^I may not post in the chat where you asked.*local:lobby:q/) },
      },
      { place: { chat: 'ann' }, part: { body: { text: 'the **answer**' } } },
    ])
    expect(posts.some((op) => 'replyTo' in op)).toBe(false)
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt?.outcome).toBe('answered')
    expect(receipt?.turns[0]?.operations.map(({ kind, state, failure }) => [kind, state, failure])).toEqual(
      expect.arrayContaining([
        ['post', 'failed', 'forbidden'],
        ['note may-not-post', 'sent', null],
        ['post', 'sent', null],
      ]),
    )
    // The answer is not taken for a message of the group by the id it has elsewhere.
    const room = await core.store.roomMessages('local:lobby', { limit: 10 })
    expect(room?.map(({ native }) => native)).toEqual(['q', null])
  })

  it('is told of an answer in parts once, and in their order', async () => {
    const { core, platform, host } = house({ direct: true })
    platform.before = closed
    const entry = core.directory.get('local')
    if (!entry) throw new Error('not connected')
    const { codec } = entry.platform
    Object.assign(entry, {
      platform: {
        ...entry.platform,
        codec: {
          ...codec,
          write: (...args: Parameters<typeof codec.write>) =>
            codec
              .write(...args)
              .flatMap((part) =>
                part.text.startsWith('re:')
                  ? ['one', 'two', 'three'].map((text) => ({ ...part, text }))
                  : [part],
              ),
        },
      },
    })
    await host.accept(message('@Golem hi'))
    await core.pass(2_000)
    expect(platform.posts('ann').map((text) => text.slice(0, 5))).toEqual(['I may', 'one', 'two', 'three'])
  })

  it('is told with a label what may stand in the chat all the same', async () => {
    const { core, platform, host } = house({ direct: true, idempotentFor: 0 })
    let attempts = 0
    platform.settles = async () => 'unknown'
    core.directory.set('local', { connection: platform.connection })
    platform.before = (op) => {
      if (op.kind === 'post' && op.place.chat === 'lobby')
        refuse(++attempts === 1 ? { kind: 'ambiguous' } : { kind: 'forbidden' })
    }
    await host.accept(message('@Golem hi'))
    await core.pass(60_000, 1_000)
    expect(platform.posts('ann')).toEqual([
      expect.stringContaining('I may not post'),
      expect.stringMatching(/^\(may be a duplicate/),
    ])
  })

  it('a platform that cannot write to a person: the receipt and the log say it', async () => {
    const { core, platform, host } = house()
    platform.before = closed
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(2_000)
    expect(platform.posts()).toEqual([])
    expect((await core.store.receipt('local:lobby:q'))?.outcome).toBe('failed')
    expect(core.logged.join('\n')).toMatch(/given up/)
  })

  it('neither can the direct chat be written to: that is the end of it', async () => {
    const { core, platform, host } = house({ direct: true })
    platform.before = (op) => {
      if (op.kind === 'post') refuse({ kind: 'forbidden' })
    }
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(10_000)
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt?.outcome).toBe('failed')
    expect(
      receipt?.turns[0]?.operations.filter(({ kind }) => kind.startsWith('note may-not-post')),
    ).toHaveLength(1)
  })

  it('that is a direct chat already: nothing more is tried', async () => {
    const { core, platform, host } = house({ direct: true })
    platform.before = closed
    await host.accept(message('hi', { id: 'q', chat: { kind: 'dm' } }))
    await core.pass(10_000)
    expect(platform.posts()).toEqual([])
    expect((await core.store.receipt('local:lobby:q'))?.outcome).toBe('failed')
  })

  it('marks and status posts are told to nobody', async () => {
    const { core, platform, host } = house({ direct: true }, () => new Promise<string>(() => undefined))
    platform.before = closed
    await host.accept(message('@Golem hi'))
    await core.pass(10_000)
    expect(platform.posts()).toEqual([])
  })
})

it('dc-reply-target-deleted-multi-chunk: every part of an answer to what was deleted stands, without a quote', async () => {
  const { core, platform, host } = house({ threads: true })
  platform.before = (op) => {
    if (isAnswer(op) && op.replyTo !== undefined) refuse({ kind: 'gone', what: 'target' })
  }
  await host.accept(message('@Golem hi'))
  await core.pass(2_000)
  expect(platform.posts()).toEqual(['re: hi'])
})

it('a thread that is gone: the answer stands in the chat, quoting', async () => {
  const { core, platform, host } = house()
  platform.before = (op) => {
    if (isAnswer(op) && op.place.thread !== undefined) refuse({ kind: 'gone', what: 'thread' })
  }
  await host.accept(message('@Golem hi', { id: 'q', place: { chat: 'lobby', thread: 't' } }))
  await core.pass(2_000)
  expect(platform.sent.map(({ op }) => op).filter(isAnswer)).toMatchObject([
    { place: { chat: 'lobby' }, replyTo: 'q' },
  ])
  expect(platform.sent.map(({ op }) => op).filter(isAnswer)[0]?.place).toEqual({ chat: 'lobby' })
})

describe('an answer that is tried in vain for two minutes', () => {
  it('while others get through goes another way, and lets those behind it go on', async () => {
    const { core, platform, host } = house()
    platform.before = (op) => {
      if (isAnswer(op) && op.part.text === 're: one' && op.replyTo !== undefined)
        refuse({ kind: 'unreachable' })
    }
    await host.accept(message('@Golem one'))
    await core.pass(30_000, 1_000)
    await host.accept(message('@Golem two'))
    await host.accept(message('@Golem other', { place: { chat: 'B' } }))
    await core.pass(60_000, 1_000)
    expect(platform.posts()).toEqual(['re: other'])
    await core.pass(180_000, 1_000)
    expect(platform.posts()).toEqual(['re: other', 're: one', 're: two'])
  })

  it('because nothing at all gets through waits as it is', async () => {
    const { core, platform, host } = house()
    const until = core.clock.now() + 60 * 60_000
    platform.before = () => {
      if (core.clock.now() < until) refuse({ kind: 'unreachable' })
    }
    await host.accept(message('@Golem one', { id: 'q' }))
    await core.pass(62 * 60_000, 5_000)
    expect(platform.sent.map(({ op }) => op).filter(isAnswer)).toMatchObject([{ replyTo: 'q' }])
  })

  it('in every way is given up and reported', async () => {
    const { core, platform, host } = house()
    platform.before = (op) => {
      if (isAnswer(op) && op.place.chat === 'lobby') refuse({ kind: 'unreachable' })
    }
    await host.accept(message('@Golem one', { id: 'q' }))
    for (let n = 0; n < 40; n++) {
      await host.accept(message('@Golem other', { place: { chat: 'B' } }))
      await core.pass(60_000, 5_000)
    }
    expect((await core.store.receipt('local:lobby:q'))?.outcome).toBe('failed')
  })
})

describe('where a quote opens a thread', () => {
  const slackish = { quoteOpensThread: true, threads: true }

  it('the answer is known to stand in it, so that what is said there goes on without a mention', async () => {
    const { core, platform, host } = house(slackish)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await settled()
    expect(platform.sent.map(({ op }) => op).filter(isAnswer)).toMatchObject([
      { place: { chat: 'lobby', thread: 'q' }, replyTo: 'q' },
    ])
    await host.accept(message('and then?', { id: 'q2', place: { chat: 'lobby', thread: 'q' } }))
    await core.pass(1_000)
    expect(platform.posts()).toEqual(['re: hi', 're: and then?'])
  })

  it('status posts and notices stand in it too', async () => {
    const { core, platform, host } = house(slackish, () => new Promise<string>(() => undefined))
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(8_000)
    expect(platform.sent.map(({ op }) => op).filter((op) => op.kind === 'post')).toMatchObject([
      { place: { chat: 'lobby', thread: 'q' }, silent: true },
    ])
  })

  it('a room that wants plain replies has neither thread nor quote', async () => {
    const core = new Core(() => 'hello', policy({ reply: 'plain' }))
    const platform = new TestPlatform(core.clock)
    platform.can = slackish
    const host = core.connect(platform)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await host.accept(message('/why', { id: 'w', command: { name: 'why' } }))
    await core.pass(1_000)
    for (const op of platform.sent.map((one) => one.op).filter((one) => one.kind === 'post')) {
      expect(op.place).toEqual({ chat: 'lobby' })
      expect(op).not.toHaveProperty('replyTo')
    }
    expect(platform.posts()).toContain('hello')
  })
})
