/** Sends of which nobody can say whether they stand: looked up, waited out, labelled, and reported in the end. */
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { type Agents, Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy } from '../../tests/support/policy.js'
import type { Operation, Receipt } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'
import { UNSURE_SENDS } from './limits.js'

function refuse(failure: Failure): never {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}
const isAnswer = (op: Operation): op is Extract<Operation, { kind: 'post' }> =>
  op.kind === 'post' && !op.silent
const LABEL = '(may be a duplicate: the connection broke while posting)'

/** A platform without keys on which posts are unsure as often as the test says. */
function keyless(unsure: number, agents: Agents = ({ turn }) => `re: ${turn.lines.at(-1)?.text}`) {
  const core = new Core(agents)
  const platform = new TestPlatform(core.clock, false)
  const start = core.clock.now()
  const sends: { at: number; op: Operation }[] = []
  platform.before = (op) => {
    if (!isAnswer(op) && op.kind !== 'upload' && op.kind !== 'edit') return
    sends.push({ at: core.clock.now() - start, op })
    if (sends.length <= unsure) refuse({ kind: 'ambiguous' })
  }
  return { core, platform, sends, start }
}

describe('without keys and without a way to look', () => {
  it('it is sent again with a label, whole: links and mentions as they were', async () => {
    const { core, platform, sends } = keyless(1, () => 'see [the docs](https://x.example), @Ann')
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(10_000)
    expect(sends).toHaveLength(2)
    expect(platform.sent.map(({ op }) => op).filter(isAnswer)[0]?.part).toMatchObject({
      text: expect.stringContaining(LABEL),
      body: { text: expect.stringContaining('see [the docs](https://x.example), <@ann>') },
    })
  })

  it('it is never sent without an end: a few times, each later, then it is reported', async () => {
    const { core, platform, sends } = keyless(100)
    const host = core.connect(platform)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(60 * 60_000, 5_000)
    expect(sends).toHaveLength(UNSURE_SENDS)
    const waits = sends.slice(1).map(({ at }, index) => at - (sends[index]?.at ?? 0))
    expect([...waits].sort((a, b) => a - b)).toEqual(waits)
    expect(sends.slice(1).every(({ op }) => isAnswer(op) && op.part.text.startsWith(LABEL))).toBe(true)
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt).toMatchObject({ outcome: 'failed' })
    expect(receipt?.turns[0]?.operations[0]).toMatchObject({ state: 'failed', failure: 'ambiguous' })
    expect(core.logged.join('\n')).toMatch(/given up: sent 4 times/)
    await host.accept(message('@Golem next'))
    await core.pass(1_000)
    expect(sends.at(-1)?.op).toMatchObject({ part: { text: expect.stringContaining('re: next') } })
  })

  it('an attempt that surely did not arrive counts for nothing', async () => {
    const { core, platform, sends } = keyless(0)
    let tries = 0
    platform.before = (op) => {
      if (!isAnswer(op)) return
      sends.push({ at: 0, op })
      if (++tries <= 3) refuse({ kind: 'unreachable' })
    }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(60_000)
    expect(platform.posts()).toEqual(['re: hi'])
  })

  it('a file says it in its name', async () => {
    const { core, platform, sends } = keyless(1)
    const host = core.connect(platform)
    await core.store.enqueue({
      connection: 'local',
      chatKey: 'local:lobby',
      conversation: 'local:lobby',
      turn: null,
      message: null,
      at: core.clock.now(),
      role: 'answer',
      op: { kind: 'upload', place: { chat: 'lobby' }, path: '/out/report.pdf', name: 'report.pdf' },
    })
    expect(host).toBeDefined()
    core.threads.start()
    await core.pass(10_000)
    expect(sends.map(({ op }) => (op.kind === 'upload' ? op.name : ''))).toEqual([
      'report.pdf',
      'report (may be a duplicate).pdf',
    ])
  })

  it('a part that is as long as the platform takes leaves room for the label', async () => {
    const { core, platform } = keyless(0)
    const { limits } = platform.platform
    const given: number[] = []
    const original = platform.platform
    Object.defineProperty(platform, 'platform', {
      value: {
        ...original,
        codec: {
          ...original.codec,
          write: (...args: Parameters<typeof original.codec.write>) => {
            given.push(args[1].text.max)
            return original.codec.write(...args)
          },
        },
      },
    })
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await settled()
    expect(Math.max(...given)).toBeLessThanOrEqual(limits.text.max - LABEL.length - 2)
  })
})

describe('where a status post stands', () => {
  /** An agent that takes long enough for a status post. */
  function slow(unsure: number) {
    let done: (text: string) => void = () => undefined
    const world = keyless(
      unsure,
      () =>
        new Promise<string>((resolve) => {
          done = resolve
        }),
    )
    return { ...world, finish: (text: string) => done(text) }
  }

  it('it becomes the answer with a label, and is not deleted: there is never a third copy', async () => {
    const { core, platform, sends, finish } = slow(3)
    const host = core.connect(platform)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(8_000)
    const status = platform.sent.findIndex(
      ({ op }) => op.kind === 'post' && op.part.text === 'Working on it…',
    )
    expect(status).toBeGreaterThanOrEqual(0)
    finish('hello')
    await core.pass(120_000, 1_000)
    expect(sends.map(({ op }) => op.kind)).toEqual(['post', 'edit', 'edit', 'edit'])
    expect(sends.at(-1)?.op).toMatchObject({ part: { text: `${LABEL}\n\nhello` }, buttons: [] })
    expect(platform.sent.some(({ op }) => op.kind === 'delete')).toBe(false)
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt).toMatchObject({ outcome: 'answered' })
    const own = receipt?.turns[0]?.operations.find(({ role }) => role === 'answer')
    expect(own).toMatchObject({ kind: 'edit', state: 'sent', native: expect.stringMatching(/^n/) })
  })

  it('that is gone meanwhile: it is a post again, with its label', async () => {
    const { core, platform, finish } = slow(1)
    const note = platform.before
    platform.before = (op, key, attempt) => {
      if (op.kind === 'edit') refuse({ kind: 'gone', what: 'target' })
      return note(op, key, attempt)
    }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(8_000)
    finish('hello')
    await core.pass(60_000, 1_000)
    expect(platform.posts().at(-1)).toBe(`${LABEL}\n\nhello`)
  })

  it('that cannot be edited is deleted after all', async () => {
    const { core, platform, finish } = slow(1)
    const note = platform.before
    platform.before = (op, key, attempt) => {
      if (op.kind === 'edit') refuse({ kind: 'invalid', field: 'other' })
      return note(op, key, attempt)
    }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(8_000)
    finish('hello')
    await core.pass(60_000, 1_000)
    expect(platform.posts().at(-1)).toBe(`${LABEL}\n\nhello`)
    expect(platform.sent.some(({ op }) => op.kind === 'delete')).toBe(true)
  })
})

describe('where the platform can be asked', () => {
  it('"not there" counts only when the request can no longer arrive; then it is sent without a label', async () => {
    const { core, platform, sends } = keyless(1)
    const looks: number[] = []
    const start = core.clock.now()
    platform.settles = async () => {
      looks.push(core.clock.now() - start)
      return 'not-sent'
    }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(60_000, 100)
    expect(looks.at(0)).toBeLessThan(2_000)
    expect(looks.at(-1)).toBeGreaterThanOrEqual(20_000)
    expect(sends.map(({ at }) => at >= 20_000 || at === 0)).toEqual([true, true])
    expect(platform.posts()).toEqual(['re: hi'])
  })

  it('a look that fails sends nothing, and is repeated', async () => {
    const { core, platform, sends } = keyless(1)
    let looks = 0
    platform.settles = async (): Promise<Receipt> => {
      if (++looks < 4) refuse({ kind: 'unreachable' })
      return { id: 'found', at: core.clock.now() }
    }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(60_000, 1_000)
    expect(sends).toHaveLength(1)
    expect((await core.store.receipt('local:lobby:q'))?.turns[0]?.operations[0]).toMatchObject({
      state: 'sent',
      native: 'found',
    })
  })

  it('a look that never ends is ended', async () => {
    const { core, platform, sends } = keyless(1)
    let looks = 0
    platform.settles = () =>
      ++looks === 1 ? new Promise(() => undefined) : Promise.resolve({ id: 'found', at: core.clock.now() })
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(120_000, 1_000)
    expect([looks, sends.length]).toEqual([2, 1])
  })

  it('"nobody knows" is labelled, and asked to the end', async () => {
    const { core, platform, sends } = keyless(100)
    platform.settles = async () =>
      sends.length < UNSURE_SENDS ? 'unknown' : { id: 'found', at: core.clock.now() }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await core.pass(60 * 60_000, 5_000)
    expect(sends).toHaveLength(UNSURE_SENDS)
    expect((await core.store.receipt('local:lobby:q'))?.outcome).toBe('answered')
  })

  it('after a restart the time of the call is known from the store', async () => {
    const { core, platform, sends } = keyless(0)
    platform.before = (op) => {
      if (!isAnswer(op)) return
      sends.push({ at: 0, op })
      return new Promise<void>(() => undefined)
    }
    const host = core.connect(platform)
    await host.accept(message('@Golem hi'))
    await core.pass(2_000)
    const next = new Core(() => '', policy(), core.memory.test, 'boot-2')
    next.clock.advance(2_000)
    next.memory.test.recover()
    const again = new TestPlatform(next.clock, false)
    again.settles = async () => 'not-sent'
    next.connect(again)
    next.threads.start()
    await next.pass(15_000)
    expect(again.posts()).toEqual([])
    await next.pass(5_000)
    expect(again.posts()).toEqual(['re: hi'])
  })
})

describe('an edit', () => {
  it('that may still arrive is waited out, and then said again: an old text never comes last', async () => {
    const core = new Core(() => '')
    const platform = new TestPlatform(core.clock)
    core.connect(platform)
    const edits: { at: number; text: string }[] = []
    const start = core.clock.now()
    platform.before = (op) => {
      if (op.kind !== 'edit') return
      edits.push({ at: core.clock.now() - start, text: op.part.text })
      if (edits.length === 1) refuse({ kind: 'ambiguous' })
    }
    const put = (text: string) =>
      core.store.enqueue({
        connection: 'local',
        chatKey: 'local:lobby',
        conversation: 'local:lobby',
        turn: null,
        message: null,
        at: core.clock.now(),
        role: 'answer',
        op: { kind: 'edit', place: { chat: 'lobby' }, id: 'n1', part: { text, body: {}, mentions: [] } },
      })
    await put('one')
    await put('two')
    core.threads.start()
    await core.pass(60_000, 100)
    expect(edits.map(({ text }) => text)).toEqual(['one', 'one', 'two'])
    expect(edits[1]?.at).toBeGreaterThanOrEqual(20_000)
  })
})

describe('with keys that the platform remembers for some time', () => {
  const LIFE = 5 * 60_000

  function forgetful(until: number) {
    const house = keyless(0)
    const { core, platform, sends, start } = house
    platform.can = { idempotentFor: LIFE, history: true }
    platform.before = (op) => {
      if (!isAnswer(op)) return
      sends.push({ at: core.clock.now() - start, op })
      if (core.clock.now() - start < until) refuse({ kind: 'ambiguous' })
    }
    const asked: number[] = []
    platform.settles = async () => {
      asked.push(core.clock.now() - start)
      return 'unknown'
    }
    return { ...house, asked }
  }

  it('while it remembers, the same is sent again without a label, and nothing is looked up', async () => {
    const { core, platform, sends, asked } = forgetful(20_000)
    await core.connect(platform).accept(message('@Golem hi'))
    await core.pass(LIFE)
    expect(sends.length).toBeGreaterThan(2)
    expect(asked).toEqual([])
    expect(platform.posts()).toEqual(['re: hi'])
    expect(new Set(platform.sent.filter(({ op }) => isAnswer(op)).map(({ key }) => key)).size).toBe(1)
    expect(platform.attempts.get(platform.sent.find(({ op }) => isAnswer(op))?.key ?? '')).toBe(sends.length)
  })

  it('once it has forgotten, the post is looked up first and labelled where that tells nothing', async () => {
    const { core, platform, sends, asked } = forgetful(LIFE + 1)
    await core.connect(platform).accept(message('@Golem hi'))
    await core.pass(3 * LIFE, 5_000)
    expect(
      sends.filter(({ at }) => at < LIFE).every(({ op }) => isAnswer(op) && !op.part.text.includes(LABEL)),
    ).toBe(true)
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(LIFE)
    expect(platform.posts()).toEqual([`${LABEL}\n\nre: hi`])
  })

  it('what was surely not sent begins anew: the key is fresh again', async () => {
    const { core, platform, sends } = forgetful(LIFE + 1)
    platform.settles = async () => 'not-sent'
    await core.connect(platform).accept(message('@Golem hi'))
    await core.pass(3 * LIFE, 5_000)
    expect(sends.at(-1)?.at).toBeGreaterThan(LIFE)
    expect(platform.posts()).toEqual(['re: hi'])
  })
})
