/** Previews take only what is left of the write budgets. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Budget } from './contract.js'

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
