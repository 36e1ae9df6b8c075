import { describe, expect, it } from 'vitest'
import { settled, TestClock } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import type { Operation } from './contract.js'
import { LateEdits, PREVIEW_PATIENCE } from './late.js'
import type { ClaimedOperation } from './store.js'
import type { Trial } from './trial.js'

const POST = { connection: 'local', chat: 'a', id: '7' }
const edit = (id = '7'): Operation => ({
  kind: 'edit',
  place: { chat: 'a' },
  id,
  part: { text: 'done', body: {}, mentions: [] },
})

function trial(clock: TestClock, op: Operation, claimed: Partial<ClaimedOperation> = {}): Trial {
  const core = new Core(() => '')
  core.connect(new TestPlatform(clock))
  const entry = core.directory.get('local')
  if (entry === undefined) throw new Error('there is no connection')
  const operation = { connection: 'local', role: 'notice', createdAt: clock.now(), ...claimed }
  return { claimed: operation as ClaimedOperation, op, entry, cleared: false }
}

describe('what is on its way past the outbox', () => {
  it('is waited for by what changes the same post, for a moment', async () => {
    const clock = new TestClock()
    const late = new LateEdits(clock)
    const end = late.begin(POST, clock.now() + 20_000)
    let quiet = 0
    const count = () => quiet++
    void late.quiet('local', edit()).then(count)
    void late.quiet('local', edit('8')).then(count)
    await settled()
    expect(quiet).toBe(1)
    end('known')
    await settled()
    expect(quiet).toBe(2)
    late.begin(POST, clock.now() + 20_000)
    void late.quiet('local', { kind: 'delete', place: { chat: 'a' }, id: '7' }).then(count)
    clock.advance(PREVIEW_PATIENCE - 1)
    await settled()
    expect(quiet).toBe(2)
    clock.advance(1)
    await settled()
    expect(quiet).toBe(3)
    expect(clock.waiting).toBe(0)
  })

  it('makes an edit of the same post be said again when nothing of it can arrive any more', () => {
    const clock = new TestClock()
    const late = new LateEdits(clock)
    const until = clock.now() + 20_000
    const end = late.begin(POST, until)
    end('unknown')
    expect(late.assertAgain(trial(clock, edit()))).toMatchObject({
      state: 'retry',
      retryAt: until,
      ambiguous: true,
    })
    expect(late.assertAgain(trial(clock, edit('8')))).toBeNull()
    clock.advance(20_000)
    expect(late.assertAgain(trial(clock, edit()))).toBeNull()
  })

  it('is over when the platform has answered', () => {
    const clock = new TestClock()
    const late = new LateEdits(clock)
    late.begin(POST, clock.now() + 20_000)('known')
    expect(late.assertAgain(trial(clock, edit()))).toBeNull()
  })

  it('may be of an earlier life: an answer of that life is said again, too', () => {
    const clock = new TestClock()
    const createdAt = clock.now() - 1_000
    const late = new LateEdits(clock)
    const own = trial(clock, edit(), { role: 'answer', createdAt })
    expect(late.assertAgain(own)).toMatchObject({ state: 'retry', retryAt: clock.now() + 20_000 })
    expect(late.assertAgain(trial(clock, edit(), { createdAt }))).toBeNull()
    expect(late.assertAgain(trial(clock, edit(), { role: 'answer' }))).toBeNull()
    clock.advance(20_000)
    expect(late.assertAgain(own)).toBeNull()
  })
})
