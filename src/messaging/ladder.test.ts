import { describe, expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.js'
import { TestPlatform } from '../../tests/support/core.js'
import type { Operation } from './contract.js'
import { LADDER_STEPS, nextStep, type Refusal } from './ladder.js'

const platform = new TestPlatform(new TestClock()).platform
const part = { text: 'hello', body: { text: '**hello**' }, mentions: [] }
const post: Operation = {
  kind: 'post',
  place: { chat: 'a', thread: 't' },
  part,
  replyTo: 'q',
  agent: 'Golem',
}
const file: Operation = {
  kind: 'upload',
  place: { chat: 'a', thread: 't' },
  path: '/x',
  name: 'x',
  replyTo: 'q',
}

/** Every way that is tried, while each is refused as the test says. */
function ways(op: Operation, refusal: (op: Operation) => Refusal, answer = false): Operation[] {
  const tried: Operation[] = []
  for (let now = op, step = 0; step <= LADDER_STEPS; step++) {
    const next = nextStep(now, refusal(now), step, platform, answer)
    if (next.do !== 'replace') break
    tried.push(next.op)
    now = next.op
  }
  return tried
}

describe('a thread that is gone', () => {
  it.each([post, file])('$kind: it stands in the chat outside the thread, quoting if it may', (op) => {
    const [outside, plain, ...more] = ways(op, ({ place }) =>
      place.thread === undefined ? { kind: 'gone', what: 'target' } : { kind: 'gone', what: 'thread' },
    )
    expect(outside).toEqual({ ...op, place: { chat: 'a' } })
    const { replyTo: _, ...unquoted } = op as Extract<Operation, { kind: 'post' }>
    expect(plain).toEqual({ ...unquoted, place: { chat: 'a' } })
    expect(more).toEqual([])
  })

  it('is a platform that says so of a post without one: nothing is tried in a circle', () => {
    expect(
      ways({ ...post, place: { chat: 'a' } } as Operation, () => ({ kind: 'gone', what: 'thread' })),
    ).toHaveLength(1)
  })
})

it('a target that is gone: without the quote; and if that was the thread itself, outside of it', () => {
  const tried = ways(post, () => ({ kind: 'gone', what: 'target' }))
  expect(tried.map((op) => ['replyTo' in op, op.place.thread])).toEqual([
    [false, 't'],
    [false, undefined],
  ])
})

it('tried in vain while others get through: simpler each time, then no more', () => {
  const tried = ways(post, () => ({ kind: 'stuck' }))
  expect(tried.map((op) => ['replyTo' in op, op.place.thread, (op as typeof post).part.body])).toEqual([
    [false, 't', part.body],
    [false, undefined, part.body],
    [false, undefined, { text: 'hello' }],
  ])
})

describe('an edit', () => {
  const edit: Operation = { kind: 'edit', place: { chat: 'a' }, id: 'n1', part, agent: 'Golem', buttons: [] }

  it('that is an answer becomes a post again', () => {
    expect(ways(edit, () => ({ kind: 'gone', what: 'target' }), true)[0]).toEqual({
      kind: 'post',
      place: { chat: 'a' },
      part,
      agent: 'Golem',
    })
  })

  it('of anything else is given up', () => {
    expect(ways(edit, () => ({ kind: 'gone', what: 'target' }))).toEqual([])
  })
})

it.each<Refusal>([{ kind: 'forbidden' }, { kind: 'gone', what: 'chat' }])(
  '%o: there is no other way in this chat',
  (refusal) => {
    expect(nextStep(post, refusal, 0, platform)).toEqual({ do: 'give-up' })
  },
)

it.each(['delete', 'react'] as const)('nothing is left to %s', (kind) => {
  const op = { kind, place: { chat: 'a' }, id: 'n1', mark: 'done' } as Operation
  expect(nextStep(op, { kind: 'gone', what: 'target' }, 0, platform)).toEqual({ do: 'accept' })
})
