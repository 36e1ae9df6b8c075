/** Whose turn it is when more wait than can work: rooms take turns, however much waits in each. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'

const MINUTE = 60_000
/** Short enough that nothing waits for longer than a room remembers. */
const WORK = MINUTE / 3
const rules = (agentConcurrency: number) =>
  policy({ sessionScope: 'auto' }, [agent('Golem', { orchestrator: true })], { agentConcurrency })

class House {
  readonly room: TestRoom
  #next = 0

  constructor(agentConcurrency = 1) {
    this.room = new TestRoom(rules(agentConcurrency))
  }

  /** Somebody new asks in a chat, or in a thread of it. */
  ask(chat: string, thread?: string): void {
    const id = `m${++this.#next}`
    this.room.say('@Golem hi', {
      id,
      event: `message:${id}`,
      place: thread === undefined ? { chat } : { chat, thread },
      author: { id: `p${this.#next}`, name: `P${this.#next}`, kind: 'person' },
    })
  }

  /** Starts what may start, has it work for a while, and tells in which chats. */
  round(): string[] {
    const turns = this.room.claim()
    this.room.now += WORK
    for (const turn of turns) this.room.answer(turn, 'ok', { operations: [] })
    return turns.map(({ chatKey }) => chatKey.slice('local:'.length))
  }
}

describe('rooms take turns', () => {
  it('a room with much in one conversation holds up nobody for longer than what works already', () => {
    const house = new House()
    for (let n = 0; n < 15; n++) house.ask('busy')
    expect(house.round()).toEqual(['busy'])
    house.ask('calm')
    house.ask('quiet')
    expect([house.round(), house.round(), house.round(), house.round()]).toEqual([
      // It waits since its last turn began, which was before anybody else came.
      ['busy'],
      ['calm'],
      ['quiet'],
      ['busy'],
    ])
  })

  it('nor does one with many conversations', () => {
    const house = new House(2)
    for (let n = 0; n < 12; n++) house.ask('busy', `t${n}`)
    expect(house.round()).toEqual(['busy', 'busy'])
    house.ask('calm')
    const later = [house.round(), house.round()].flat()
    expect(later).toContain('calm')
  })

  it('conversations of one room take turns too, the one that waits longest first', () => {
    const house = new House()
    const order: string[] = []
    for (const thread of ['a', 'a', 'b', 'a', 'b']) house.ask('lobby', thread)
    for (let n = 0; n < 5; n++) {
      const [turn] = house.room.claim()
      order.push(turn?.place.thread ?? '')
      house.room.now += MINUTE
      if (turn) house.room.answer(turn, 'ok', { operations: [] })
    }
    expect(order.slice(0, 2).toSorted()).toEqual(['a', 'b'])
    expect(order).toHaveLength(5)
  })

  it('after the clock was set back, those who were served before are not the last for so long', () => {
    const house = new House()
    for (let n = 0; n < 3; n++) house.ask('busy')
    house.round()
    house.room.now -= 60 * MINUTE
    house.round()
    for (let n = 0; n < 3; n++) house.ask(`new${n}`)
    const rounds = Array.from({ length: 5 }, () => house.round()[0])
    expect(rounds).toContain('busy')
  })
})

it('law: what waits in a room starts before any other room has had two turns more', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      (waiting, concurrency) => {
        const house = new House(concurrency)
        waiting.forEach((count, room) => {
          for (let n = 0; n < count; n++) house.ask(`r${room}`)
          house.room.now += 1
        })
        const served = new Map<string, number>()
        const left = new Map(waiting.map((count, room) => [`r${room}`, count]))
        for (;;) {
          const chats = house.round()
          if (chats.length === 0) break
          for (const chat of chats) {
            served.set(chat, (served.get(chat) ?? 0) + 1)
            left.set(chat, (left.get(chat) ?? 0) - 1)
          }
          const behind = [...left].filter(([, count]) => count > 0).map(([chat]) => served.get(chat) ?? 0)
          if (behind.length > 0)
            expect(Math.max(...served.values()) - Math.min(...behind)).toBeLessThanOrEqual(2)
        }
        expect([...left.values()].every((count) => count === 0)).toBe(true)
      },
    ),
    { numRuns: 60 },
  )
})
