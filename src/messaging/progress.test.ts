/** What a person sees of a turn while it works: typing, a status post, the text as it grows; then the answer. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Budget, Operation } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'
import type { RoomSettings } from './roster.js'
import type { TurnWork } from './runner.js'

interface House {
  budgets?: Budget[]
  settings?: Partial<RoomSettings>
  can?: Partial<TestPlatform['can']>
}

/** One agent that says what the test has it say. */
function house({ budgets = [], settings = {}, can = {} }: House = {}) {
  let release: (text: string) => void = () => undefined
  let work: TurnWork | undefined
  const given = policy(settings)
  const core = new Core(
    (it) => {
      work = it
      return new Promise<string>((resolve) => {
        release = resolve
      })
    },
    given,
    new TestRoom(given),
  )
  const platform = new TestPlatform(core.clock)
  platform.limits = { budgets, timeoutMs: 20_000 }
  platform.can = can
  const host = core.connect(platform)
  const start = core.clock.now()
  const calls: { at: number; op: Operation }[] = []
  platform.before = (op) => void calls.push({ at: core.clock.now() - start, op })
  return {
    core,
    platform,
    host,
    calls,
    start,
    get work(): TurnWork {
      if (work === undefined) throw new Error('no turn is at work')
      return work
    },
    say: (text: string) => work?.progress(text),
    answer: async (text: string) => {
      release(text)
      await settled()
    },
    /** What stands in the chat now: by native id. */
    standing: () => standing(platform),
    edits: () => platform.sent.flatMap(({ op }) => (op.kind === 'edit' ? [op.part.text] : [])),
  }
}

function standing(platform: TestPlatform): string[] {
  const posts = new Map<string, string>()
  platform.sent.forEach(({ op }, index) => {
    if (op.kind === 'post') posts.set(`n${index + 1}`, op.part.text)
    if (op.kind === 'edit' && posts.has(op.id)) posts.set(op.id, op.part.text)
    if (op.kind === 'delete') posts.delete(op.id)
  })
  return [...posts.values()]
}

const refuse = (failure: Failure): never => {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}

describe('a turn that takes its time', () => {
  it('shows its text as it grows, once a second at most, with its Stop button; then the answer is a new post', async () => {
    const { core, host, platform, calls, say, answer, edits, standing } = house()
    await host.accept(message('@Golem tell', { id: 'q' }))
    await core.pass(5_500)
    for (let n = 1; n <= 20; n++) {
      say(Array.from({ length: n }, (_, i) => `word${i}`).join(' '))
      await core.pass(200, 100)
    }
    const times = calls.filter(({ op }) => op.kind === 'edit').map(({ at }) => at)
    expect(times.length).toBeGreaterThanOrEqual(4)
    expect(times.length).toBeLessThanOrEqual(5)
    for (const [index, at] of times.entries())
      expect(at - (times[index - 1] ?? -1_000)).toBeGreaterThanOrEqual(1_000)
    expect(edits()[0]).toBe('word0\n\nWorking on it…')
    for (const { op } of platform.sent)
      if (op.kind === 'edit') expect(op.buttons).toMatchObject([{ label: 'Stop' }])
    await answer('the whole answer')
    await core.pass(2_000)
    expect(standing()).toEqual(['the whole answer'])
    expect(platform.sent.map(({ op }) => op).find((op) => op.kind === 'post' && !op.silent)).toMatchObject({
      replyTo: 'q',
    })
    const receipt = await core.store.receipt('local:lobby:q')
    expect(receipt?.turns[0]?.previews).toMatchObject({ edits: times.length, drafts: 0 })
  })

  it('says what it does, and for whom it waits', async () => {
    const it = house()
    await it.host.accept(message('@Golem tell'))
    await it.core.pass(5_500)
    it.work.doing({ tool: 'history_search' })
    await settled()
    it.work.doing({ note: 'Reading *a.ts*' })
    await it.core.pass(1_000)
    expect(it.edits()).toEqual(['Working on it… uses history_search', 'Working on it… Reading *a.ts*'])
  })

  it('shows nothing of a fast one', async () => {
    const { core, host, platform, say, answer } = house()
    await host.accept(message('@Golem tell'))
    await settled()
    say('quick')
    await core.pass(1_000)
    await answer('quick answer')
    await core.pass(10_000)
    expect(platform.sent.filter(({ op }) => op.kind === 'edit')).toEqual([])
    expect(platform.posts()).toEqual(['quick answer'])
  })

  it('is left alone when somebody deletes its status post', async () => {
    const it = house()
    await it.host.accept(message('@Golem tell'))
    await it.core.pass(5_500)
    let asked = 0
    it.platform.before = (op) => {
      if (op.kind !== 'edit') return
      asked++
      refuse({ kind: 'gone', what: 'target' })
    }
    for (let n = 0; n < 10; n++) {
      it.say(`word ${n}`)
      await it.core.pass(1_000)
    }
    expect(asked).toBe(1)
    await it.answer('done')
    await it.core.pass(1_000)
    expect(it.standing()).toEqual(['done'])
  })

  it('waits as long as it is told to, and the answer does not wait with it', async () => {
    const it = house()
    await it.host.accept(message('@Golem tell'))
    await it.core.pass(5_500)
    let asked = 0
    it.platform.before = (op) => {
      if (op.kind !== 'edit') return
      asked++
      refuse({ kind: 'rate-limited', retryAt: it.core.clock.now() + 30_000 })
    }
    for (let n = 0; n < 20; n++) {
      it.say(`word ${n}`)
      await it.core.pass(1_000)
    }
    expect(asked).toBe(1)
    const at = it.core.clock.now()
    it.platform.before = () => undefined
    await it.answer('done')
    expect(it.platform.posts().at(-1)).toBe('done')
    expect(it.core.clock.now()).toBe(at)
  })

  it('has one preview on its way at a time; the status post goes when that has landed', async () => {
    const it = house()
    await it.host.accept(message('@Golem tell'))
    await it.core.pass(5_500)
    let land: () => void = () => undefined
    it.platform.before = (op) =>
      op.kind === 'edit'
        ? new Promise<void>((resolve) => {
            land = resolve
          })
        : undefined
    for (let n = 0; n < 5; n++) {
      it.say(`word ${n}`)
      await it.core.pass(1_000)
    }
    expect(it.platform.attempts.get('')).toBeGreaterThan(0)
    await it.answer('done')
    await it.core.pass(500)
    const kinds = () => it.platform.sent.map(({ op }) => op.kind)
    expect(it.platform.posts().at(-1)).toBe('done')
    expect(kinds()).not.toContain('delete')
    land()
    await settled()
    expect(kinds().slice(-2)).toEqual(['edit', 'delete'])
    expect(it.standing()).toEqual(['done'])
  })

  it('posts its answer although a preview never lands', async () => {
    const it = house()
    await it.host.accept(message('@Golem tell'))
    await it.core.pass(5_500)
    it.platform.before = (op) => (op.kind === 'edit' ? new Promise<void>(() => undefined) : undefined)
    it.say('half')
    await it.core.pass(1_000)
    await it.answer('done')
    expect(it.platform.posts().at(-1)).toBe('done')
    await it.core.pass(2_000)
    expect(it.standing()).toEqual(['done'])
  })
})

describe('a turn that nobody asked for', () => {
  const smart: House = { settings: { groupPolicy: 'smart' } }

  it('shows nothing at all until its text can be no silence any more', async () => {
    const it = house(smart)
    await it.host.accept(message('just talking'))
    await it.core.pass(20_000)
    expect(it.platform.sent).toEqual([])
    await it.answer('[PASS]')
    await it.core.pass(20_000)
    expect(it.platform.sent).toEqual([])
  })

  it('is then shown as any other', async () => {
    const it = house(smart)
    await it.host.accept(message('just talking'))
    await it.core.pass(20_000)
    it.say('I know that')
    await it.core.pass(2_000)
    expect(it.platform.sent.some(({ op }) => op.kind === 'typing')).toBe(true)
    expect(it.edits()).toEqual(['I know that\n\nWorking on it…'])
    await it.answer('I know that: 42.')
    await it.core.pass(2_000)
    expect(it.standing()).toEqual(['I know that: 42.'])
    expect(it.platform.sent.some(({ op }) => op.kind === 'react')).toBe(false)
  })
})

describe('a direct chat of a platform with drafts', () => {
  const operations = ['post', 'edit', 'delete', 'react', 'upload', 'typing', 'whisper', 'draft'] as const
  const direct = () => message('tell', { chat: { kind: 'dm' }, place: { chat: 'D' } })
  const drafts = ({ platform }: ReturnType<typeof house>) =>
    platform.sent.flatMap(({ op }) => (op.kind === 'draft' ? [op.part.text] : []))

  it('shows the text at once, without a message, and again before it goes away', async () => {
    const it = house({ can: { operations } })
    await it.host.accept(direct())
    await settled()
    it.say('Once')
    await settled()
    expect(drafts(it)).toEqual(['Once'])
    it.say('Once upon')
    await it.core.pass(1_000)
    expect(drafts(it)).toEqual(['Once', 'Once upon'])
    await it.core.pass(21_000)
    expect(drafts(it)).toEqual(['Once', 'Once upon', 'Once upon'])
    expect(it.standing()).toEqual(['Working on it…'])
    await it.answer('Once upon a time')
    await it.core.pass(60_000)
    expect(drafts(it)).toHaveLength(3)
    expect(it.standing()).toEqual(['Once upon a time'])
  })

  it('falls back to the status post where the platform refuses drafts, and asks no more', async () => {
    const it = house({ can: { operations } })
    let asked = 0
    it.platform.before = (op) => {
      if (op.kind !== 'draft') return
      asked++
      refuse({ kind: 'invalid', field: 'other' })
    }
    await it.host.accept(direct())
    await settled()
    it.say('Once')
    await it.core.pass(6_000)
    it.say('Once upon')
    await it.core.pass(2_000)
    expect(asked).toBe(1)
    expect(it.edits().at(-1)).toBe('Once upon\n\nWorking on it…')
  })
})

describe('an answer in the place of its status post', () => {
  const edit: House = { settings: { answer: 'edit' } }
  const begun = async (given: House = edit) => {
    const it = house(given)
    await it.host.accept(message('@Golem tell', { id: 'q' }))
    await it.core.pass(5_500)
    return it
  }

  it('is that post, without its button', async () => {
    const it = await begun()
    it.say('half')
    await it.core.pass(1_000)
    await it.answer('done')
    await it.core.pass(30_000)
    expect(it.standing()).toEqual(['done'])
    const last = it.platform.sent.map(({ op }) => op).findLast((op) => op.kind === 'edit')
    expect(last).toMatchObject({ buttons: [], part: { text: 'done' } })
    expect(it.platform.sent.filter(({ op }) => op.kind === 'delete')).toEqual([])
    expect(await it.core.store.receipt('local:lobby:q')).toMatchObject({ outcome: 'answered' })
  })

  it('is a new post where none stands yet', async () => {
    const it = house(edit)
    await it.host.accept(message('@Golem tell'))
    await it.core.pass(1_000)
    await it.answer('done')
    await it.core.pass(10_000)
    expect(it.standing()).toEqual(['done'])
    expect(it.edits()).toEqual([])
  })

  it('is a new post that quotes the question where somebody has deleted it', async () => {
    const it = await begun()
    it.platform.before = (op) => (op.kind === 'edit' ? refuse({ kind: 'gone', what: 'target' }) : undefined)
    await it.answer('done')
    await it.core.pass(10_000)
    expect(it.platform.posts()).toEqual(['Working on it…', 'done'])
    expect(it.platform.sent.map(({ op }) => op).findLast((op) => op.kind === 'post')).toMatchObject({
      replyTo: 'q',
    })
  })

  it('comes last, also after a preview that lands late', async () => {
    const it = await begun()
    let land: (() => void) | undefined
    it.platform.before = (op) =>
      op.kind === 'edit' && op.part.text.startsWith('half')
        ? new Promise<void>((resolve) => {
            land = resolve
          })
        : undefined
    it.say('half')
    await settled()
    await it.answer('done')
    // It waits a moment for what is on its way, and no longer.
    await it.core.pass(1_500, 100)
    expect(it.edits()).toEqual(['done'])
    await it.core.pass(5_000)
    land?.()
    await settled()
    expect(it.standing()).toEqual(['half\n\nWorking on it…'])
    await it.core.pass(30_000)
    expect(it.standing()).toEqual(['done'])
    expect(it.edits()).toEqual(['done', 'half\n\nWorking on it…', 'done'])
    const receipt = await it.core.store.receipt('local:lobby:q')
    expect(receipt?.outcome).toBe('answered')
  })
})

describe('the write budgets', () => {
  const WRITES = 8
  const PER = 8_000
  const budgets: Budget[] = [{ scope: 'chat', writes: WRITES, perMs: PER, kinds: ['post', 'edit'] }]

  /** Answers of other threads of the chat meet a turn that streams, or that works without a word. */
  async function run(finals: readonly number[], streams: boolean) {
    const given = policy()
    const core = new Core(
      (work) =>
        work.turn.lines.at(-1)?.text === 'long'
          ? new Promise<string>(() => {
              const speak = (n: number): void => {
                if (streams) work.progress(`word ${n}`)
                core.clock.at(core.clock.now() + 200, () => speak(n + 1))
              }
              speak(0)
            })
          : `re: ${work.turn.lines.at(-1)?.text}`,
      given,
      new TestRoom(given),
    )
    const platform = new TestPlatform(core.clock)
    platform.limits = { budgets }
    const host = core.connect(platform)
    const start = core.clock.now()
    const writes: { at: number; kind: string; text: string }[] = []
    platform.before = (op) => {
      if (op.kind === 'post' || op.kind === 'edit')
        writes.push({ at: core.clock.now() - start, kind: op.kind, text: op.part.text })
    }
    await host.accept(message('@Golem long', { place: { chat: 'A' } }))
    await core.pass(6_000, 200)
    for (let at = 6_000; at < 46_000; at += 200) {
      for (const [index, when] of finals.entries())
        if (when === at)
          await host.accept(message(`@Scribe ${index}`, { place: { chat: 'A', thread: `t${index}` } }))
      await core.pass(200, 200)
    }
    return writes
  }

  it('an answer is never later because of previews, in bursts of up to half of what may be written', async () => {
    const bursts = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 0, max: 9 }), async (counts, offset) => {
        // Bursts a window apart, at any moment of the stream.
        const finals = counts.flatMap((count, index) =>
          Array.from({ length: count }, () => 6_400 + index * (PER + 400) + offset * 200),
        )
        const quiet = await run(finals, false)
        const loud = await run(finals, true)
        const answers = (writes: typeof loud) => writes.filter(({ text }) => text.startsWith('re:'))
        expect(answers(loud)).toEqual(answers(quiet))
        expect(loud.some(({ kind }) => kind === 'edit')).toBe(true)
      }),
      { numRuns: 6 },
    )
  }, 60_000)

  it('in a flood there are no previews: none goes into the half that is kept for the rest', async () => {
    const flood = fc.array(fc.integer({ min: 30, max: 150 }), { minLength: 20, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(flood, async (ticks) => {
        const writes = await run(
          ticks.map((tick) => tick * 200),
          true,
        )
        for (const { at, kind } of writes.filter((one) => one.kind === 'edit')) {
          expect(kind).toBe('edit')
          const before = writes.filter((one) => one.at <= at && one.at > at - PER)
          expect(before.length).toBeLessThanOrEqual(WRITES / 2 + before.filter((one) => one.at === at).length)
        }
        for (const { at } of writes)
          expect(writes.filter((one) => one.at <= at && one.at > at - PER).length).toBeLessThanOrEqual(WRITES)
      }),
      { numRuns: 4 },
    )
  }, 60_000)
})
