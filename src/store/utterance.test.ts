/** Albums and texts that the platform cut: one utterance, one answer. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { natively } from '../../tests/support/decision.js'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { InboundMessage } from '../messaging/contract.js'
import { compareNative } from './utterance.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const always = () => policy({ groupPolicy: 'always' })

/** An item of Ann's album: a photo, with a caption or without. */
function item(room: TestRoom, id: string, caption = '', change: Partial<InboundMessage> = {}) {
  return room.say('', {
    id,
    album: 'trip',
    partial: true,
    doc: natively(caption),
    files: [{ id: `f${id}`, name: `${id}.png` }],
    ...change,
  })
}
const names = (turn: { files: readonly { file: { name: string } }[] }) =>
  turn.files.map(({ file }) => file.name)

describe('an album', () => {
  it.each([
    ['first', ['1']],
    ['second', ['2']],
    ['last', ['3']],
    ['second and last', ['2', '3']],
  ])('with a mention on its %s item is one turn with all files, quoting that item', (_, mentioned) => {
    const room = new TestRoom()
    for (const id of ['1', '2', '3']) {
      item(room, id, mentioned.includes(id) ? '@Golem what is this?' : '')
      room.now += 100
    }
    expect(room.claim()).toEqual([])
    room.now += 1_500
    const turn = room.next()
    expect(names(turn)).toEqual(['1.png', '2.png', '3.png'])
    expect(turn).toMatchObject({ addressed: true, replyTo: mentioned[0] })
    room.answer(turn, 'a mountain')
    expect(room.claim()).toEqual([])
    for (const id of ['1', '2', '3'])
      expect(room.receipt(`local:lobby:${id}`)).toMatchObject({
        decision: { verdict: 'run' },
        turns: [{ messages: ['local:lobby:1', 'local:lobby:2', 'local:lobby:3'] }],
      })
  })

  it('without a mention wakes nobody in a mention-only room', () => {
    const room = new TestRoom()
    for (const id of ['1', '2', '3']) item(room, id, id === '2' ? 'look at this' : '')
    room.now += 60_000
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:2')).toMatchObject({ outcome: 'kept' })
  })

  it('to the bot alone is one turn, quoting its first item', () => {
    const room = new TestRoom()
    for (const id of ['11', '9', '10'])
      item(room, id, '', { chat: { kind: 'dm' }, place: { chat: 'dm-ann' } })
    room.now += 1_500
    const turn = room.next()
    expect(names(turn)).toEqual(['9.png', '10.png', '11.png'])
    expect(turn.replyTo).toBe('9')
  })

  it('of an item that comes when the turn has begun is context, and no second answer', () => {
    const room = new TestRoom()
    item(room, '1', '@Golem what is this?')
    room.now += 1_500
    const turn = room.next()
    item(room, '2')
    room.now += 10_000
    expect(room.claim()).toEqual([])
    room.answer(turn, 'a mountain')
    item(room, '3')
    room.now += 10_000
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:2')).toMatchObject({
      outcome: 'kept',
      decision: { reason: 'late-part' },
    })
    expect(room.receipt('local:lobby:3').summary).toMatch(/answered already/)
    room.say('@Golem and the others?', { id: '4' })
    expect(room.next().lines.map(({ native }) => native)).toContain('4')
  })

  it('answered without a mention, is answered again when a late item mentions the bot', () => {
    const room = new TestRoom(always())
    item(room, '1')
    room.now += 1_500
    room.answer(room.next(), 'nice')
    item(room, '2', '@Golem what is this?')
    room.now += 1_500
    const turn = room.next()
    expect(names(turn)).toEqual(['1.png', '2.png'])
    expect(turn).toMatchObject({ addressed: true, replyTo: '2' })
  })

  it('goes to the agents that any of its items names', () => {
    const room = new TestRoom(always())
    item(room, '1')
    room.now += 100
    item(room, '2', '@Librarian what is this?')
    room.now += 100
    item(room, '3', '@Scribe note it')
    room.now += 1_500
    const first = room.next()
    expect([first.agent, names(first)]).toEqual(['Librarian', ['1.png', '2.png', '3.png']])
    room.answer(first, 'a mountain')
    const second = room.next()
    expect([second.agent, names(second)]).toEqual(['Scribe', ['1.png', '2.png', '3.png']])
    room.answer(second, 'noted')
    expect(room.claim()).toEqual([])
  })

  it("does not take in somebody else's, nor another album", () => {
    const room = new TestRoom()
    item(room, '1', '@Golem what is this?')
    item(room, '2', '', { author: BOB })
    item(room, '3', '', { album: 'other', author: BOB })
    room.now += 1_500
    expect(names(room.next())).toEqual(['1.png'])
  })

  it('behind a busy agent still takes in what comes late', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB, id: 'b' })
    const front = room.next()
    item(room, '1', '@Golem what is this?')
    room.now += 20_000
    item(room, '2')
    room.now += 20_000
    room.answer(front, 'done')
    expect(names(room.next())).toEqual(['1.png', '2.png'])
  })

  it('loses an item that is deleted before its turn', () => {
    const room = new TestRoom()
    item(room, '1')
    item(room, '2', '@Golem what is this?')
    room.remove('1')
    room.now += 1_500
    expect(names(room.next())).toEqual(['2.png'])
  })

  it('law: in whatever order and however often its items come, it is one turn with all of them', () =>
    fc.assert(
      fc.property(
        fc
          .record({
            captions: fc.array(fc.constantFrom('', 'look', '@Golem what is it?', '@Librarian see'), {
              minLength: 2,
              maxLength: 6,
            }),
            groupPolicy: fc.constantFrom('mention-only', 'smart', 'always'),
            dm: fc.boolean(),
          })
          .chain((given) =>
            fc.record({
              given: fc.constant(given),
              order: fc.shuffledSubarray([...given.captions.keys(), ...given.captions.keys()], {
                minLength: given.captions.length * 2,
              }),
              gap: fc.integer({ min: 0, max: 1_400 }),
            }),
          ),
        ({ given: { captions, groupPolicy, dm }, order, gap }) => {
          const room = new TestRoom(
            policy({ groupPolicy }, [agent('Golem', { orchestrator: true }), agent('Librarian')]),
          )
          for (const index of order) {
            item(room, String(index + 1), captions[index], {
              ...(dm ? { chat: { kind: 'dm' }, place: { chat: 'dm' } } : {}),
            })
            room.now += gap
          }
          room.now += 1_500
          const turns: { agent: string; files: string[]; addressed: boolean; replyTo: string | null }[] = []
          for (let turn = room.claim()[0]; turn; turn = room.claim()[0]) {
            turns.push({
              agent: turn.agent,
              files: names(turn),
              addressed: turn.addressed,
              replyTo: turn.replyTo,
            })
            room.answer(turn, 'ok')
            room.now += 2_000
          }
          const addressed = captions.some((caption) => caption.startsWith('@'))
          const wakes = addressed || dm || groupPolicy !== 'mention-only'
          const all = captions.map((_, index) => `${index + 1}.png`)
          expect(new Set(turns.map((turn) => turn.agent)).size).toBe(turns.length)
          expect(turns.length > 0).toBe(wakes)
          for (const turn of turns) {
            expect(turn.files).toEqual(all)
            expect(turn.addressed).toBe(addressed || dm)
            if (addressed && !dm) expect(captions[Number(turn.replyTo) - 1]).toMatch(/^@/)
          }
          if (captions.some((caption) => caption.startsWith('@Librarian')))
            expect(turns.map((turn) => turn.agent)).toContain('Librarian')
        },
      ),
      { numRuns: 80 },
    ))
})

describe('a text that the platform cut', () => {
  const half = (room: TestRoom, id: string, text: string, partial = true) =>
    room.say('', { id, doc: natively(text), ...(partial ? { partial } : {}) })

  it('waits for its rest, which mentions nobody, and is answered once', () => {
    const room = new TestRoom()
    half(room, '1', `@Golem ${'x'.repeat(4_000)}`)
    expect(room.claim()).toEqual([])
    room.now += 200
    half(room, '2', 'the rest', false)
    const turn = room.next()
    expect(turn.lines.map(({ native, new: fresh }) => [native, fresh])).toEqual([
      ['1', true],
      ['2', true],
    ])
    expect(turn.replyTo).toBe('1')
    room.answer(turn, 'ok')
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:2')).toMatchObject({ outcome: 'sending' })
  })

  it('is one also when only its rest mentions the bot', () => {
    const room = new TestRoom()
    half(room, '1', 'x'.repeat(4_000))
    room.now += 200
    half(room, '2', 'so, @Golem?', false)
    const turn = room.next()
    expect(turn.lines.filter((line) => line.new).map(({ native }) => native)).toEqual(['1', '2'])
    expect(turn.replyTo).toBe('2')
  })

  it('is answered as it is when no rest comes', () => {
    const room = new TestRoom()
    half(room, '1', `@Golem ${'x'.repeat(4_000)}`)
    room.now += 1_500
    room.answer(room.next(), 'ok')
    room.now += 5_000
    half(room, '2', 'lunch?', false)
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:2')).toMatchObject({ outcome: 'kept', decision: { reason: 'policy' } })
  })

  it('ends with its last piece: what the person says then stands for itself', () => {
    const room = new TestRoom()
    half(room, '1', 'x'.repeat(4_000))
    half(room, '2', 'the end', false)
    half(room, '3', '@Golem hi', false)
    expect(room.next().lines.filter((line) => line.new)).toHaveLength(1)
  })

  it("does not take in somebody else's line", () => {
    const room = new TestRoom()
    half(room, '1', `@Golem ${'x'.repeat(4_000)}`)
    room.say('lunch?', { id: 'b', author: BOB })
    half(room, '2', 'the rest', false)
    expect(
      room
        .next()
        .lines.filter((line) => line.new)
        .map(({ native }) => native),
    ).toEqual(['1', '2'])
  })
})

it('orders ids as platforms count them', () => {
  const ids = ['10', '9', '1700000002.000100', '1700000001.000200', '100']
  expect(ids.toSorted(compareNative)).toEqual(['9', '10', '100', '1700000001.000200', '1700000002.000100'])
})
