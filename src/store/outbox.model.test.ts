/** The outbox against a model of it, through random lives. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import type { Operation } from '../messaging/contract.js'
import type { OperationResult } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'
import { enqueue } from './outbox.js'

const CHATS = ['local:a', 'local:b', 'other:c']
const connectionOf = (chat: string) => chat.slice(0, chat.indexOf(':'))
const post = (text: string): Operation => ({
  kind: 'post',
  place: { chat: 'a' },
  part: { text, body: {}, mentions: [] },
})
const react: Operation = { kind: 'react', place: { chat: 'a' }, id: 'm', mark: 'done' }

interface Row {
  id: number
  conversation: string
  chat: string
  priority: number
  readyAt: number
  notBefore: number
  state: 'pending' | 'sending' | 'sent' | 'failed'
  /** Attempts that may have had their effect. */
  unsure: number
  attempts: number
}

/** What the outbox must do, said in a few lines; it is compared with the real one after each step. */
class Model {
  readonly rows = new Map<number, Row>()

  /** The row that must go next in a conversation, if it may. */
  next(conversation: string, now: number): Row | null {
    const own = [...this.rows.values()].filter((row) => row.conversation === conversation)
    if (own.some(({ state }) => state === 'sending')) return null
    const head = own
      .filter(({ state, readyAt }) => state === 'pending' && readyAt <= now)
      .sort((a, b) => a.priority - b.priority || a.id - b.id)[0]
    return head && head.notBefore <= now ? head : null
  }
}

type Step =
  | {
      do: 'enqueue'
      chat: number
      thread: boolean
      what: 'answer' | 'notice' | 'mark' | 'status'
      delay: number
    }
  | { do: 'claim'; max: number; down: boolean; blocked: boolean }
  | { do: 'end'; which: number; how: OperationResult['state'] | 'ambiguous' }
  | { do: 'wait'; ms: number }
  | { do: 'reboot' }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('enqueue' as const),
      chat: fc.nat(2),
      thread: fc.boolean(),
      what: fc.constantFrom('answer', 'notice', 'mark', 'status'),
      delay: fc.constantFrom(0, 0, 0, 500),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      max: fc.integer({ min: 1, max: 6 }),
      down: fc.boolean(),
      blocked: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(20),
      how: fc.constantFrom('sent', 'sent', 'sent', 'retry', 'ambiguous', 'replace', 'failed'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 100, 1_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'reboot' as const }) },
)

class Run {
  readonly model = new Model()
  room = new TestRoom()
  #boots = 1

  step(step: Step): void {
    const { model, room } = this
    switch (step.do) {
      case 'enqueue': {
        const chat = CHATS[step.chat] ?? ''
        const conversation = step.thread ? `${chat}:t` : chat
        const id = enqueue(room.room, {
          connection: connectionOf(chat),
          chatKey: chat,
          conversation,
          turn: null,
          message: null,
          at: room.now,
          role: step.what === 'mark' ? 'notice' : step.what,
          op: step.what === 'mark' ? react : post('x'),
          readyAt: room.now + step.delay,
        })
        model.rows.set(id, {
          id,
          conversation,
          chat,
          priority: ['answer', 'notice', 'mark', 'status'].indexOf(step.what),
          readyAt: room.now + step.delay,
          notBefore: room.now,
          state: 'pending',
          unsure: 0,
          attempts: 0,
        })
        return
      }
      case 'claim': {
        const up = step.down ? ['local'] : ['local', 'other']
        const blocked: Record<string, number> = step.blocked ? { 'local:a': room.now + 50 } : {}
        const may = [...new Set([...model.rows.values()].map(({ conversation }) => conversation))]
          .map((conversation) => model.next(conversation, room.now))
          .filter((row): row is Row => row !== null)
          .filter(({ chat }) => up.includes(connectionOf(chat)) && blocked[chat] === undefined)
        const { operations, nextAt } = COMMANDS.claimOperations(room.room, {
          now: room.now,
          max: step.max,
          connections: up,
          blocked,
        })
        // Exactly the heads that may go, as many as were asked for.
        const ids = operations.map(({ id }) => id)
        expect(may.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
        expect(ids).toHaveLength(Math.min(step.max, may.length))
        for (const { id, unsure, attempt } of operations) {
          const row = model.rows.get(id) as Row
          row.state = 'sending'
          row.attempts++
          expect([unsure, attempt]).toEqual([row.unsure, row.attempts])
        }
        if (nextAt !== null) expect(nextAt).toBeGreaterThan(room.now)
        return
      }
      case 'end': {
        const flying = [...model.rows.values()].filter(({ state }) => state === 'sending')
        const row = flying[step.which % Math.max(flying.length, 1)]
        if (row === undefined) return
        const at = room.now
        const failure = { kind: step.how === 'ambiguous' ? 'ambiguous' : 'unreachable' } as const
        const result: OperationResult =
          step.how === 'sent'
            ? { state: 'sent', at, receipt: { id: `n${row.id}`, at } }
            : step.how === 'failed'
              ? { state: 'failed', at, failure, message: 'no' }
              : step.how === 'replace'
                ? { state: 'replace', at, op: post('plain'), failure, message: 'no' }
                : {
                    state: 'retry',
                    at,
                    retryAt: at + 700,
                    failure,
                    ambiguous: step.how === 'ambiguous',
                    message: 'no',
                  }
        COMMANDS.recordReceipt(room.room, row.id, result)
        row.state = result.state === 'sent' ? 'sent' : result.state === 'failed' ? 'failed' : 'pending'
        if (result.state === 'retry') {
          row.notBefore = at + 700
          if (result.ambiguous) row.unsure++
        }
        if (result.state === 'replace') {
          row.notBefore = at
          row.unsure = 0
        }
        if (result.state === 'sent') row.unsure = 0
        // Told twice, it stands as it stood.
        COMMANDS.recordReceipt(room.room, row.id, { state: 'failed', at, failure, message: 'late' })
        return
      }
      case 'wait':
        room.now += step.ms
        return
      case 'reboot':
        this.room = room.reboot(`boot-${++this.#boots}`)
        this.room.recover()
        for (const row of model.rows.values())
          if (row.state === 'sending') {
            row.state = 'pending'
            row.unsure++
          }
    }
  }

  /** Nothing lost, nothing made up, and each row as the model has it. */
  compare(): void {
    const rows = this.room.room.raw
      .prepare('SELECT id, state, ambiguous, attempt, native FROM outbox ORDER BY id')
      .all() as { id: number; state: string; ambiguous: number; attempt: number; native: string | null }[]
    expect(rows.map(({ id, state, ambiguous, attempt }) => [id, state, ambiguous, attempt])).toEqual(
      [...this.model.rows.values()].map(({ id, state, unsure, attempts }) => [id, state, unsure, attempts]),
    )
    for (const { id, state, native } of rows) expect(native).toBe(state === 'sent' ? `n${id}` : null)
  }

  /** Whatever happened, everything gets out in the end, by looking again only when the store says so. */
  drain(): void {
    for (let rounds = 0; rounds < 1_000; rounds++) {
      const { operations, nextAt } = COMMANDS.claimOperations(this.room.room, {
        now: this.room.now,
        max: 50,
        connections: ['local', 'other'],
        blocked: {},
      })
      for (const { id } of operations) {
        const row = this.model.rows.get(id) as Row
        row.state = 'sending'
        row.attempts++
      }
      const flying = [...this.model.rows.values()].some(({ state }) => state === 'sending')
      if (flying) for (let n = 0; n < 20; n++) this.step({ do: 'end', which: 0, how: 'sent' })
      else if (nextAt !== null) this.room.now = nextAt
      else break
    }
    expect(
      [...this.model.rows.values()].filter(({ state }) => state !== 'sent' && state !== 'failed'),
    ).toEqual([])
  }
}

describe('the outbox', () => {
  it('law: whatever happens, in order per conversation, one at a time, and nothing is lost', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const run = new Run()
        for (const step of steps) {
          run.step(step)
          run.compare()
        }
        run.drain()
        run.compare()
      }),
      { numRuns: 120 },
    )
  })
})
