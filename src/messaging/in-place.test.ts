/** Rooms with `answer: edit`: exactly one answer is seen, and it comes last, whatever is on its way. */
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { message } from '../../tests/support/policy.js'
import { type House, house, refuse } from './progress.fixture.js'

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

  const held = (it: Awaited<ReturnType<typeof begun>>): { land(): void } => {
    let land: () => void = () => undefined
    it.platform.before = (op) =>
      op.kind === 'edit' && op.part.text.startsWith('half')
        ? new Promise<void>((resolve) => {
            land = resolve
          })
        : undefined
    return { land: () => land() }
  }

  it('comes last: it is said again as soon as a late preview has landed', async () => {
    const it = await begun()
    const preview = held(it)
    it.say('half')
    await settled()
    await it.answer('done')
    // It waits a moment for what is on its way, and no longer.
    await it.core.pass(1_500, 100)
    expect(it.edits()).toEqual(['done'])
    preview.land()
    await it.core.pass(500, 100)
    expect(it.edits()).toEqual(['done', 'half\n\nWorking on it…', 'done'])
    await it.core.pass(60_000)
    expect(it.edits()).toHaveLength(3)
    expect((await it.core.store.receipt('local:lobby:q'))?.outcome).toBe('answered')
  })

  it('comes last, also after a preview that nobody knows of until its time is over', async () => {
    const it = await begun()
    const preview = held(it)
    it.say('half')
    await settled()
    await it.answer('done')
    await it.core.pass(10_000)
    preview.land()
    await settled()
    expect(it.standing()).toEqual(['half\n\nWorking on it…'])
    await it.core.pass(30_000)
    expect(it.standing()).toEqual(['done'])
    expect(it.edits()).toEqual(['done', 'half\n\nWorking on it…', 'done'])
    expect((await it.core.store.receipt('local:lobby:q'))?.outcome).toBe('answered')
  })
})
