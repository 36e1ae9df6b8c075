/** Write budgets, and platforms that ask to wait: nothing is dropped, nothing overtakes, nothing is asked too early. */
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { type Agents, Core, TestPlatform } from '../../tests/support/core.js'
import { message } from '../../tests/support/policy.js'
import type { Budget, InboundMessage, Operation } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'

function refuse(failure: Failure): never {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}
const isAnswer = (op: Operation): op is Extract<Operation, { kind: 'post' }> =>
  op.kind === 'post' && !op.silent

/** A core on a platform with budgets, which notes when it is asked for what. */
function house(budgets: Budget[], agents: Agents = ({ turn }) => `re: ${turn.lines.at(-1)?.text}`) {
  const core = new Core(agents)
  const platform = new TestPlatform(core.clock)
  platform.limits = { budgets }
  const host = core.connect(platform)
  const start = core.clock.now()
  const calls: { at: number; chat: string; what: string }[] = []
  platform.before = (op) => {
    if (op.kind === 'typing') return
    const what = op.kind === 'post' ? op.part.text : op.kind === 'react' ? `react ${op.mark}` : op.kind
    calls.push({ at: core.clock.now() - start, chat: op.place.chat, what })
  }
  const say = (text: string, chat = 'A', change: Partial<InboundMessage> = {}) =>
    host.accept(message(`@Golem ${text}`, { place: { chat }, ...change }))
  const answers = (chat?: string) =>
    calls.filter((call) => call.what.startsWith('re:') && (chat === undefined || call.chat === chat))
  return { core, platform, host, calls, say, answers, start }
}

describe('write budgets', () => {
  it('of a chat space its posts, in order, and hold up no other chat', async () => {
    const { core, say, answers } = house([{ scope: 'chat', writes: 1, perMs: 1_000, kinds: ['post'] }])
    for (const n of [1, 2, 3]) {
      await say(`${n}`)
      await settled()
    }
    await say('other', 'B')
    await core.pass(5_000, 50)
    expect(answers('A').map(({ at, what }) => [at, what])).toEqual([
      [0, 're: 1'],
      [1_000, 're: 2'],
      [2_000, 're: 3'],
    ])
    expect(answers('B').map(({ at }) => at)).toEqual([0])
  })

  it('of the account are shared by all its chats, and by threads at the same moment', async () => {
    const { core, say, answers } = house([{ scope: 'account', writes: 3, perMs: 1_000, kinds: ['post'] }])
    await Promise.all([...'ABCDEFGH'].map((chat) => say(chat, chat)))
    await core.pass(10_000, 50)
    expect(answers().map(({ at }) => at)).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000])
  })

  it('hold for the chats and the kinds they name', async () => {
    const { core, say, answers, calls } = house([
      { scope: 'chat', writes: 1, perMs: 60_000, chats: 'group', kinds: ['post'] },
    ])
    await say('group')
    await say('dm 1', 'D', { chat: { kind: 'dm' } })
    await settled()
    await say('dm 2', 'D', { chat: { kind: 'dm' } })
    await core.pass(2_000)
    expect(answers('D')).toHaveLength(2)
    expect(answers('A')).toHaveLength(1)
    expect(calls.filter(({ what }) => what.startsWith('react'))).not.toEqual([])
  })

  it('a crowd of conversations that must wait stands before nobody on another connection', async () => {
    const { core, say, answers } = house([{ scope: 'account', writes: 1, perMs: 60_000 }])
    const free = new TestPlatform(core.clock)
    const other = core.connect(free, 'other')
    await Promise.all(Array.from({ length: 200 }, (_, n) => say(`${n}`, `c${n}`)))
    await core.pass(1_000)
    await other.accept(message('@Golem hi'))
    await core.pass(1_000)
    expect(answers()).toHaveLength(1)
    expect(free.posts()).toEqual(['re: hi'])
  })

  it('the last quarter is for answers: marks and status posts wait', async () => {
    const { core, say, calls } = house([{ scope: 'chat', writes: 8, perMs: 60_000 }])
    for (let n = 0; n < 8; n++) {
      await say(`${n}`)
      await settled()
    }
    await core.pass(30_000, 500)
    expect(calls).toHaveLength(8)
    const marks = calls.filter(({ what }) => what.startsWith('react'))
    expect(marks.length).toBeLessThanOrEqual(6)
    expect(calls.slice(6).every(({ what }) => what.startsWith('re:'))).toBe(true)
  })

  it('an answer goes before what only marks, wherever both wait', async () => {
    const { core, say, calls } = house([{ scope: 'account', writes: 2, perMs: 10_000 }])
    await Promise.all(['A', 'B', 'C', 'D'].map((chat) => say(chat, chat)))
    await core.pass(25_000, 500)
    expect(calls.slice(0, 4).map(({ what }) => what.slice(0, 3))).toEqual(['re:', 're:', 're:', 're:'])
  })

  it('what is only about a moment and still must wait after two minutes is dropped', async () => {
    const { core, say, calls } = house([{ scope: 'account', writes: 4, perMs: 180_000 }])
    for (let n = 0; n < 4; n++) await say(`${n}`, `c${n}`)
    await core.pass(400_000, 5_000)
    // Three marks when the budget was free again; the fourth would have had to wait for it a second time.
    expect(calls).toHaveLength(7)
    expect(await core.store.queue()).toMatchObject({ operations: [] })
  })

  it('is what the receipt says an answer waits for', async () => {
    const { core, say } = house([{ scope: 'chat', writes: 1, perMs: 60_000 }])
    await say('1', 'A', { id: 'q1' })
    await settled()
    await say('2', 'A', { id: 'q2' })
    await core.pass(40_000, 1_000)
    await say('3', 'B')
    await core.pass(1_000)
    const receipt = await core.store.receipt('local:A:q2')
    expect(receipt?.turns[0]?.operations[0]).toMatchObject({ state: 'pending', failure: 'busy', attempts: 0 })
    expect(receipt?.turns[0]?.operations[0]?.log.map(({ what }) => what)).toEqual([
      'waiting: the platform allows only so many writes in a while',
    ])
    await core.pass(60_000, 1_000)
    expect((await core.store.receipt('local:A:q2'))?.turns[0]?.operations[0]).toMatchObject({
      state: 'sent',
      failure: null,
    })
  })

  it('start empty after a restart, and are never recorded', async () => {
    const { core, say } = house([{ scope: 'chat', writes: 1, perMs: 60_000 }])
    await say('1')
    await settled()
    await say('2')
    await core.pass(1_000)
    const next = new Core(() => '', undefined, core.memory.test, 'boot-2')
    next.memory.test.recover()
    const again = new TestPlatform(next.clock)
    again.limits = { budgets: [{ scope: 'chat', writes: 1, perMs: 60_000 }] }
    next.connect(again)
    next.threads.start()
    await next.pass(1_000)
    expect(again.posts()).toEqual(['re: 2'])
  })
})

describe('a platform that asks to wait', () => {
  it('is asked again at the millisecond it named, and not before', async () => {
    const { core, platform, say, start } = house([])
    const tries: number[] = []
    platform.before = (op) => {
      if (!isAnswer(op)) return
      tries.push(core.clock.now() - start)
      if (tries.length === 1) refuse({ kind: 'rate-limited', retryAt: start + 1_234 })
    }
    await say('hi')
    await core.pass(3_000, 1)
    expect(tries).toEqual([0, 1_234])
  })

  it('for a kind: that kind waits in every chat, other kinds go on', async () => {
    const { core, platform, say, calls, start } = house([])
    const note = platform.before
    platform.before = (op, key, attempt) => {
      if (op.kind === 'react') refuse({ kind: 'rate-limited', retryAt: start + 30_000, scope: 'kind' })
      return note(op, key, attempt)
    }
    await say('1')
    await settled()
    platform.before = note
    await say('2', 'B')
    await core.pass(20_000)
    expect(calls.map(({ what }) => what)).toEqual(['re: 1', 're: 2'])
    await core.pass(11_000, 50)
    expect(calls.filter(({ what }) => what.startsWith('react')).map(({ at }) => at)).toEqual([30_000, 30_000])
  })

  it('for the account: all of it waits, and no other connection', async () => {
    const { core, platform, say, calls, answers, start } = house([])
    const other = new TestPlatform(core.clock)
    const second = core.connect(other, 'other')
    const note = platform.before
    platform.before = (op, key, attempt) => {
      if (core.clock.now() < start + 5_000 && isAnswer(op))
        refuse({ kind: 'rate-limited', retryAt: start + 5_000, scope: 'account' })
      return note(op, key, attempt)
    }
    await say('1')
    await settled()
    await say('2', 'B')
    await second.accept(message('@Golem hi'))
    await core.pass(4_500)
    expect(calls).toEqual([])
    expect(other.posts()).toEqual(['re: hi'])
    await core.pass(1_000)
    expect(answers().map(({ at, what }) => [at, what])).toEqual(
      expect.arrayContaining([
        [5_000, 're: 1'],
        [5_000, 're: 2'],
      ]),
    )
  })

  it('is no attempt: what fails afterwards is tried again as soon as ever', async () => {
    const { core, platform, say, start } = house([])
    const tries: number[] = []
    platform.before = (op) => {
      if (!isAnswer(op)) return
      tries.push(core.clock.now() - start)
      if (tries.length <= 20) refuse({ kind: 'rate-limited', retryAt: core.clock.now() + 100 })
      if (tries.length === 21) refuse({ kind: 'unreachable' })
    }
    await say('hi', 'A', { id: 'q' })
    await core.pass(10_000, 50)
    expect(tries).toHaveLength(22)
    expect((tries[21] ?? 0) - (tries[20] ?? 0)).toBeLessThan(1_500)
    expect((await core.store.receipt('local:A:q'))?.turns[0]?.operations[0]).toMatchObject({ attempts: 2 })
  })

  it('and names no time to come is not asked without end', async () => {
    const { core, platform, say, start } = house([])
    let tries = 0
    platform.before = (op) => {
      if (isAnswer(op) && ++tries) refuse({ kind: 'rate-limited', retryAt: start })
    }
    await say('hi')
    await core.pass(10_000, 100)
    expect(tries).toBeLessThan(12)
  })

  it('tg-429-during-streaming-edits: while it waits nothing is asked of that chat, not even typing', async () => {
    const { core, platform, say, start } = house([], () => new Promise<string>(() => undefined))
    const asked: number[] = []
    platform.before = (op) => {
      asked.push(core.clock.now() - start)
      if (op.kind === 'typing') refuse({ kind: 'rate-limited', retryAt: start + 60_000 })
    }
    await say('hi')
    await core.pass(59_000, 50)
    const first = asked.findIndex((at) => at >= 300)
    expect(asked.slice(first)).toEqual([asked[first]])
    await core.pass(10_000)
    expect(asked.some((at) => at >= 60_000)).toBe(true)
  })
})
