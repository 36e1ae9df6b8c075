import { describe, expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.js'
import { TestPlatform } from '../../tests/support/core.js'
import { policy } from '../../tests/support/policy.js'
import { Directory } from './directory.js'
import type { MemberLists } from './member-lists.js'
import { settingsFor } from './roster.js'
import type { TurnEnd } from './runner.js'
import { noticesOf, settlementOf } from './settlement.js'
import type { ClaimedTurn } from './store.js'

const turn = { ask: null, agent: 'Golem', addressed: true } as ClaimedTurn
const said = (refused: TurnEnd['refused']) => noticesOf(turn, { refused } as TurnEnd, false)

describe('files that are not sent', () => {
  it('are one line a reason, and name each once', () => {
    const hidden = ['.env', '.env', 'id_rsa'].map((name) => ({ name, why: 'hidden' }))
    expect(said([...hidden, { name: 'big', why: 'too large' }])).toEqual([
      { kind: 'file-lost', name: '.env, id_rsa', why: 'hidden' },
      { kind: 'file-lost', name: 'big', why: 'too large' },
    ])
  })

  it('are named up to a bound', () => {
    const [notice] = said(Array.from({ length: 100 }, (_, i) => ({ name: `f${i}`, why: 'hidden' })))
    expect(notice).toMatchObject({ name: 'f0, f1, f2, f3, f4, +95' })
  })
})

describe('files that an agent has made', () => {
  const FILE = { name: 'chart.csv', path: '/out/chart.csv' }

  function settle(ask: ClaimedTurn['ask'], result: TurnEnd['result'], refused: TurnEnd['refused'] = []) {
    const clock = new TestClock()
    const rules = policy()
    const entry = new Directory().add('local', new TestPlatform(clock).platform, 'Golem')
    const claimed = { ...turn, ask, id: 1, place: { chat: 'lobby' }, replyTo: 'q', hop: 0 } as ClaimedTurn
    const end = { result, files: [FILE], refused, tools: [], asked: [] } as unknown as TurnEnd
    const settings = settingsFor(rules, 'local:lobby')
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const members = { for: async () => [] } as unknown as MemberLists
    return settlementOf({ turn: claimed, end, firstEventAt: null, settings }, entry, {
      policy: rules,
      members,
      clock,
      log,
    })
  }
  const ASK = { id: 1, asker: 'Golem', task: 'make a chart' } as ClaimedTurn['ask']

  it('for a teammate that asked: they go to the chat, its words to who asked, with what became of the files', async () => {
    const { operations, outcome, files, notices } = await settle(ASK, { kind: 'answer', text: 'Here.' }, [
      { name: '.env', why: 'hidden' },
    ])
    expect(operations).toMatchObject([{ kind: 'upload', name: 'chart.csv', replyTo: 'q' }])
    expect(outcome).toEqual({
      state: 'settled',
      text: 'Here.\n[The file chart.csv is in the chat.]\n[The file .env was not sent: hidden.]',
    })
    expect(files).toEqual([{ name: 'chart.csv' }, { name: '.env', refused: 'hidden' }])
    expect(notices).toEqual([])
  })

  it('and nothing else: that is a result', async () => {
    const { outcome } = await settle(ASK, { kind: 'answer', text: '' })
    expect(outcome).toMatchObject({ text: '[The file chart.csv is in the chat.]' })
  })

  it('in a turn that failed: they are not sent, and the receipt says so', async () => {
    for (const ask of [null, ASK]) {
      const { operations, files } = await settle(ask, { kind: 'failed', code: 'exit', message: 'no' })
      expect(operations).toEqual([])
      expect(files).toEqual([{ name: 'chart.csv', refused: 'the turn did not end well' }])
    }
  })
})
