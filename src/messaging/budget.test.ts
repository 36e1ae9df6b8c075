import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fits, mayUse, type Write, WriteLedger } from './budget.js'
import type { Budget } from './contract.js'

const write = (change: Partial<Write> = {}): Write => ({
  connection: 'x',
  chatKey: 'x:a',
  chat: 'group',
  kind: 'post',
  yields: false,
  ...change,
})
const ledger = (...budgets: Budget[]) => new WriteLedger(() => budgets)

describe('a budget', () => {
  it('is for the chats and kinds it names, or for all', () => {
    const budget: Budget = { scope: 'chat', writes: 1, perMs: 1 }
    expect(fits(budget, { chat: 'dm', kind: 'react' })).toBe(true)
    expect(fits({ ...budget, chats: 'group' }, { chat: 'dm', kind: 'post' })).toBe(false)
    expect(fits({ ...budget, kinds: ['post'] }, { chat: 'dm', kind: 'edit' })).toBe(false)
  })

  it('keeps its last quarter for what does not yield', () => {
    const of = (writes: number) => mayUse({ scope: 'chat', writes, perMs: 1 }, true)
    expect([1, 3, 4, 20, 30].map(of)).toEqual([1, 3, 3, 15, 23])
  })
})

describe('the ledger', () => {
  it('counts each chat by itself, and the account over all of them', () => {
    const own = ledger({ scope: 'chat', writes: 1, perMs: 1_000 })
    own.spend(write(), 0)
    expect(own.freeAt(write(), 10)).toBe(1_000)
    expect(own.freeAt(write({ chatKey: 'x:b' }), 10)).toBe(10)
    expect(own.freeAt(write({ connection: 'y' }), 10)).toBe(10)
    const shared = ledger({ scope: 'account', writes: 1, perMs: 1_000 })
    shared.spend(write(), 0)
    expect(shared.freeAt(write({ chatKey: 'x:b' }), 10)).toBe(1_000)
  })

  it('asks every budget that fits', () => {
    const both = ledger(
      { scope: 'chat', writes: 1, perMs: 1_000 },
      { scope: 'chat', writes: 2, perMs: 60_000, chats: 'group' },
    )
    both.spend(write(), 0)
    both.spend(write(), 1_000)
    expect(both.freeAt(write(), 2_500)).toBe(60_000)
    both.spend(write({ chatKey: 'x:d', chat: 'dm' }), 0)
    both.spend(write({ chatKey: 'x:d', chat: 'dm' }), 1_000)
    expect(both.freeAt(write({ chatKey: 'x:d', chat: 'dm' }), 2_500)).toBe(2_500)
  })

  it('counts a write from when it was answered: the platform may have counted it as late as that', () => {
    const slow = ledger({ scope: 'chat', writes: 1, perMs: 1_000 })
    const answered = slow.spend(write(), 0)
    answered(400)
    expect(slow.freeAt(write(), 500)).toBe(1_400)
  })

  it('does not wait for the time that a clock was set back by', () => {
    const one = ledger({ scope: 'chat', writes: 1, perMs: 1_000 })
    one.spend(write(), 3_600_000)
    expect(one.freeAt(write(), 10)).toBe(1_010)
  })

  it('says what is left as plain data, and forgets what is over', () => {
    const all = ledger(
      { scope: 'account', writes: 30, perMs: 1_000 },
      { scope: 'chat', writes: 20, perMs: 60_000 },
    )
    all.spend(write(), 0)
    all.spend(write({ chatKey: 'x:b' }), 500)
    expect(all.allowances(['x'], 1_200)).toEqual({
      x: [
        { scope: 'account', writes: 30, perMs: 1_000, used: { '': 1 } },
        { scope: 'chat', writes: 20, perMs: 60_000, used: { 'x:a': 1, 'x:b': 1 } },
      ],
    })
    expect(all.allowances(['x'], 100_000).x?.map(({ used }) => used)).toEqual([{}, {}])
    expect(new WriteLedger(() => []).allowances(['x'], 0)).toEqual({})
  })

  it('law: no window ever holds more than the budget, and what yields never takes what is kept', () => {
    const steps = fc.array(
      fc.record({ wait: fc.nat(700), yields: fc.boolean(), chat: fc.nat(1), took: fc.nat(300) }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('chat', 'account'),
        (list, writes, scope) => {
          const budget: Budget = { scope: scope as Budget['scope'], writes, perMs: 1_000 }
          const one = ledger(budget)
          const done: { at: number; chat: string }[] = []
          let now = 0
          for (const { wait, yields, chat, took } of list) {
            now += wait
            const next = write({ chatKey: `x:${chat}`, yields })
            now = one.freeAt(next, now)
            const inWindow = done.filter(
              (other) =>
                other.at > now - budget.perMs && (scope === 'account' || other.chat === next.chatKey),
            ).length
            expect(inWindow).toBeLessThan(mayUse(budget, yields))
            one.spend(next, now)(now + took)
            done.push({ at: now + took, chat: next.chatKey })
            now += took
          }
        },
      ),
    )
  })
})
