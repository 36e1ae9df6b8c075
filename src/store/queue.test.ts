import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { natively } from '../../tests/support/decision.js'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { RoomSettings } from '../messaging/roster.js'
import { COMMANDS } from './commands-table.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const file = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/rooms-vectors.json', import.meta.url), 'utf8'),
) as {
  vectors: {
    id: string
    mechanism: string
    expected: number
    data: { items: { id: string; sender?: { id: string }; queuedAtMs: number }[] }
  }[]
}
const always = (change: Partial<RoomSettings> = {}) => policy({ groupPolicy: 'always', ...change })
const fresh = (turn: { lines: readonly { text: string; new: boolean }[] }) =>
  turn.lines.filter((line) => line.new).map((line) => line.text)

describe('bursts that wait behind a turn', () => {
  it.each(file.vectors.filter(({ mechanism }) => mechanism === 'queue.coalesce'))(
    '$id',
    ({ expected, data }) => {
      const room = new TestRoom(
        policy({ groupPolicy: 'always' }, undefined, {
          // The number that may wait is another bound.
          bounds: { ...always().bounds, waitingPerSender: 100 },
        }),
      )
      room.say('the turn in front', { author: BOB })
      const first = room.next()
      const start = room.now
      for (const { id, sender, queuedAtMs } of data.items) {
        room.now = start + queuedAtMs
        const who = sender?.id ?? 'local'
        room.say(id, { author: { id: who, name: who, kind: 'person' } })
      }
      room.answer(first, 'done')
      expect(fresh(room.next())).toHaveLength(expected)
    },
  )

  it('never take in what another person says in between', () => {
    const room = new TestRoom(always())
    room.say('front')
    const first = room.next()
    room.say('one', { author: BOB })
    room.say('two')
    room.say('three', { author: BOB })
    room.answer(first, 'done')
    const order: string[][] = []
    for (let turn = room.claim()[0]; turn; turn = room.claim()[0]) {
      order.push(fresh(turn))
      room.answer(turn, 'ok')
    }
    expect(order).toEqual([['one'], ['two'], ['three']])
  })

  it('are addressed when one of them is, with the files of all, and quote the last that is', () => {
    const room = new TestRoom(always())
    room.say('front')
    const first = room.next()
    room.say('look', { id: '1', files: [{ id: 'f1', name: 'a.png' }] })
    room.say('@Golem what is it?', { id: '2' })
    room.say('and this', { id: '3', files: [{ id: 'f2', name: 'b.png' }] })
    room.answer(first, 'done')
    const turn = room.next()
    expect(turn).toMatchObject({ addressed: true, replyTo: '2' })
    expect(turn.files.map(({ file: { name } }) => name)).toEqual(['a.png', 'b.png'])
    expect(room.receipt('local:lobby:3').turns[0]?.messages).toEqual([
      'local:lobby:1',
      'local:lobby:2',
      'local:lobby:3',
    ])
  })

  it('of two agents called together stay one request', () => {
    const room = new TestRoom(always())
    room.say('front')
    const first = room.next()
    room.say('@Librarian @Scribe one')
    room.say('@Librarian @Scribe two')
    room.answer(first, 'done')
    const one = room.next()
    expect([one.agent, fresh(one)]).toEqual([
      'Librarian',
      ['@Librarian @Scribe one', '@Librarian @Scribe two'],
    ])
    room.say('@Librarian @Scribe too late to join')
    room.answer(one, 'mine')
    const two = room.next()
    expect([two.agent, fresh(two)]).toEqual(['Scribe', ['@Librarian @Scribe one', '@Librarian @Scribe two']])
  })
})

describe('the rest of a message', () => {
  it('reaches its request although another person spoke in between', () => {
    const room = new TestRoom()
    room.say('@Golem', { id: '1' })
    room.now += 200
    room.say('@Golem something else', { author: BOB })
    room.now += 200
    room.say('what is the plan?', { id: '3' })
    expect(fresh(room.next())).toEqual(['', 'what is the plan?'])
  })

  it('reaches it behind a turn as well', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    const first = room.next()
    room.say('@Golem', { id: '1' })
    room.now += 1_000
    room.say('what is the plan?', { id: '2' })
    room.answer(first, 'done')
    expect(fresh(room.next())).toEqual(['', 'what is the plan?'])
  })

  it('comes too late when the agent was only busy elsewhere', () => {
    const room = new TestRoom(policy({}, undefined, { agentConcurrency: 1 }))
    room.say('@Golem', { id: '0', place: { chat: 'den' }, doc: natively('@Golem hold on') })
    room.next()
    room.say('@Golem', { id: '1' })
    room.now += 40_000
    expect(room.claim()).toEqual([])
    room.say('lunch, anybody?', { id: '2' })
    expect(room.receipt('local:lobby:2')).toMatchObject({ decision: { verdict: 'keep', reason: 'policy' } })
  })

  it('of a text that the platform cut is one message, however long', () => {
    const room = new TestRoom()
    room.say('', { id: '1', doc: natively(`@Golem ${'x'.repeat(4_000)}`), partial: true })
    for (const id of ['2', '3']) {
      room.now += 300
      room.say('y'.repeat(4_000), { id, partial: true })
    }
    expect(room.claim()).toEqual([])
    room.now += 300
    room.say('the end', { id: '4' })
    expect(fresh(room.next())).toHaveLength(4)
  })

  it('an album that is addressed to nobody is one turn in a room that answers all', () => {
    const room = new TestRoom(always())
    for (const id of ['1', '2', '3']) {
      room.say('', { id, partial: true, files: [{ id, name: `${id}.png` }] })
      room.now += 100
    }
    expect(room.claim()).toEqual([])
    room.now += 1_500
    const turn = room.next()
    expect(turn.addressed).toBe(false)
    expect(turn.files).toHaveLength(3)
  })
})

describe('what waits too long', () => {
  it.each(['housekeeping', 'a late start'])('is told so, by %s', (by) => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB, id: 'f' })
    const first = room.next()
    room.say('@Golem hi', { id: '1' })
    room.now += 30 * 60_000 + 1
    if (by === 'housekeeping') expect(room.tend().expired).toBe(1)
    room.answer(first, 'done')
    expect(room.claim()).toEqual([])
    expect(room.deliver()).toEqual(expect.arrayContaining(['note expired', 'react stopped']))
    const receipt = room.receipt('local:lobby:1')
    expect(receipt).toMatchObject({ outcome: 'kept', turns: [{ state: 'cancelled', reason: 'expired' }] })
    expect(receipt.summary).toMatch(/waited too long/)
  })

  it('is told once for all the agents it called', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    room.next()
    room.say('@Librarian @Scribe hi')
    room.now += 30 * 60_000 + 1
    expect(room.tend().expired).toBe(2)
    expect(room.deliver().filter((line) => line === 'note expired')).toHaveLength(1)
  })

  it('leaves without a word when nobody was addressed', () => {
    const room = new TestRoom(always())
    room.say('front', { author: BOB })
    room.next()
    room.say('hi')
    room.now += 30 * 60_000 + 1
    room.tend()
    expect(room.deliver()).toEqual([])
  })
})

describe('who may start', () => {
  it('an agent works once in a conversation, and so often in all', () => {
    const room = new TestRoom(policy({}, undefined, { agentConcurrency: 2 }))
    for (const chat of ['a', 'b', 'c']) room.say('@Golem hi', { id: chat, place: { chat } })
    const [one] = room.claim()
    expect(room.claim()).toEqual([])
    room.answer(one as never, 'ok')
    expect(room.claim()).toHaveLength(1)
  })

  it('a crowd that waits for a busy agent does not stand before the others', () => {
    const room = new TestRoom(policy({}, undefined, { agentConcurrency: 1 }))
    for (let chat = 0; chat < 200; chat++)
      room.say('@Golem hi', { id: `g${chat}`, place: { chat: `g${chat}` } })
    room.say('@Librarian hi', { place: { chat: 'quiet' } })
    expect(room.claim(2).map(({ agent: name }) => name)).toEqual(['Golem', 'Librarian'])
  })

  it('an agent that left the roster is missed aloud, and holds up nobody', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    const first = room.next()
    room.say('@Scribe hi', { id: '1' })
    room.say('@Golem hi', { id: '2', author: { id: 'cy', name: 'Cy', kind: 'person' } })
    room.answer(first, 'done')
    const without = policy({}, [agent('Golem', { orchestrator: true })])
    const after = new TestRoom(without, 'boot-2', room.room.raw)
    after.now = room.now
    after.recover()
    expect(fresh(after.next())).toEqual(['hi'])
    expect(after.deliver()).toContain('note archived')
    expect(after.receipt('local:lobby:1')).toMatchObject({ outcome: 'kept' })
    expect(after.receipt('local:lobby:1').summary).toMatch(/no longer in this room/)
  })
})

describe('the queue as people see it', () => {
  const view = (room: TestRoom) =>
    COMMANDS.queue(room.room).turns.map(({ agent: member, state, position }) => ({ member, state, position }))

  it('queue.visibility.01: one speaks, two named in the same message wait', () => {
    const room = new TestRoom()
    room.say('@Golem @Librarian @Scribe hi')
    expect(view(room).map(({ position }) => position)).toEqual([1, 2, 3])
    room.next()
    expect(view(room)).toEqual([
      { member: 'Golem', state: 'running', position: 0 },
      { member: 'Librarian', state: 'queued', position: 1 },
      { member: 'Scribe', state: 'queued', position: 2 },
    ])
    expect(COMMANDS.queue(room.room).turns[2]?.waitsFor).toEqual(['Golem', 'Librarian'])
  })

  it('queue.visibility.03: who delegated and has ended its turn waits, and is not busy', () => {
    const room = new TestRoom()
    room.say('@Golem hi')
    const turn = room.next()
    room.ask(turn, 'Librarian')
    room.ask(turn, 'Scribe')
    room.settle(turn.id, { state: 'settled', text: '' })
    expect(COMMANDS.queue(room.room).turns).toContainEqual(
      expect.objectContaining({
        agent: 'Golem',
        state: 'waiting-for-teammates',
        requester: 'Ann',
        waitsFor: ['Librarian', 'Scribe'],
      }),
    )
    room.say('@Golem again', { author: BOB })
    expect(room.claim().map(({ agent: name }) => name)).toContain('Golem')
  })

  it('queue.visibility.05: nothing is left after a stop', () => {
    const room = new TestRoom()
    room.say('@Golem @Librarian hi')
    const turn = room.next()
    const { abort } = room.say('/stop', { command: { name: 'stop' } })
    expect(abort).toEqual([{ turn: turn.id, why: 'stopped' }])
    room.settle(turn.id, { state: 'cancelled', reason: 'stopped' })
    expect(view(room)).toEqual([])
  })

  it('says behind whom a message waits, if it waits for long; not when its turn comes', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    const first = room.next()
    room.say('@Librarian hi', { id: '1' })
    expect(room.deliver()).not.toContain('note waiting')
    room.now += 5_000
    expect(room.deliver()).toContain('note waiting')
    room.answer(first, 'done')
    room.next()
    expect(room.deliver()).toContain('delete')
  })
})
