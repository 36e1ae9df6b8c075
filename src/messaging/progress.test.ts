/** What a person sees of a turn while it works: typing, a status post, the text as it grows; then the answer. */
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { message } from '../../tests/support/policy.js'
import { type House, house, refuse } from './progress.fixture.js'

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

  it('types where the answer will stand', async () => {
    const it = house({ can: { quoteOpensThread: true } })
    await it.host.accept(message('@Golem tell', { id: 'q' }))
    await it.core.pass(1_000)
    expect(it.calls.map(({ op }) => op).find((op) => op.kind === 'typing')).toMatchObject({
      place: { chat: 'lobby', thread: 'q' },
    })
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
