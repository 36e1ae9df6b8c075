/** Nothing is kept in memory for a chat once it is quiet: what must be known of it again is in the store. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message, policy } from '../../tests/support/policy.js'
import { PlatformFailure } from './failure.js'
import { TURN_SLOTS } from './threads.js'

const CHATS = 20_000
/** Chats that write within one tick. */
const AT_ONCE = 250
/** Objects of a chat that may still be on their way: turns at work, posts being sent. */
const CAP = TURN_SLOTS + AT_ONCE
/** Less than the name of a chat would take in any map. */
const BYTES_PER_CHAT = 40

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function heap(): Promise<number> {
  // What one collection finds dead may only be let go by the next.
  for (let round = 0; round < 3; round++) {
    await settled(5)
    collect()
  }
  return process.memoryUsage().heapUsed
}

it('any-caches-stay-bounded: 20,000 chats with a message each leave nothing behind but what the store holds', {
  timeout: 300_000,
}, async () => {
  let held = new Set<WeakRef<object>>()
  const core = new Core(
    (work) => {
      held.add(new WeakRef(work))
      held.add(new WeakRef(work.turn))
      return `re: ${work.turn.lines.at(-1)?.text}`
    },
    policy({}, undefined, { agentConcurrency: TURN_SLOTS }),
  )
  const platform = new TestPlatform(core.clock)
  let answered = 0
  platform.before = (op, _, attempt) => {
    if (op.kind !== 'post') return
    // One chat in fifty is told to wait: what is remembered of that must go as well.
    if (attempt === 1 && Number(op.place.chat.slice(1)) % 50 === 0)
      throw new PlatformFailure({ kind: 'rate-limited', retryAt: core.clock.now() + 1_000 }, 'slow down')
    answered++
  }
  const host = core.connect(platform)

  const wave = async (from: number, to: number): Promise<void> => {
    for (let chat = from; chat < to; chat += AT_ONCE) {
      const accepted = Array.from({ length: AT_ONCE }, (_, index) => {
        const id = `c${chat + index}`
        return host.accept(
          message(`@Golem hello from ${id}`, {
            id: `m-${id}`,
            place: { chat: id },
            author: { id: `u-${id}`, name: `Person ${id}`, kind: 'person' },
          }),
        )
      })
      expect(new Set(await Promise.all(accepted))).toEqual(new Set(['new']))
      for (let tries = 0; answered < chat + AT_ONCE && tries < 100; tries++) await core.pass(500)
      expect(answered).toBe(chat + AT_ONCE)
      // What the test itself notes of them.
      platform.sent.length = 0
      platform.attempts.clear()
      core.worked.length = 0
      core.seen.length = 0
      core.logged.length = 0
    }
    await core.pass(5_000, 1_000)
  }

  await wave(0, CHATS / 2)
  const before = await heap()
  held = new Set()
  await wave(CHATS / 2, CHATS)
  const grown = (await heap()) - before - held.size * 100
  expect([...held].filter((ref) => ref.deref() !== undefined).length).toBeLessThanOrEqual(CAP)
  expect(grown / (CHATS / 2)).toBeLessThan(BYTES_PER_CHAT)
  expect(core.threads.running()).toEqual([])

  // A day later the first of them writes again, and is answered as if it had been remembered all the time.
  core.clock.advance(24 * 3_600_000)
  await settled()
  platform.sent.length = 0
  await host.accept(
    message('@Golem again', {
      place: { chat: 'c1' },
      author: { id: 'u-c1', name: 'Person c1', kind: 'person' },
    }),
  )
  await core.pass(2_000)
  expect(platform.posts('c1')).toEqual(['re: again'])
  expect(core.worked.at(-1)?.turn.lines.map(({ text }) => text)).toEqual([
    'hello from c1',
    're: hello from c1',
    'again',
  ])
})
