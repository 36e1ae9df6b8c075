import { describe, expect, it } from 'vitest'
import { operation, receipt, turn } from './sample.js'
import {
  answerTime,
  isLive,
  phaseLine,
  phases,
  sawValue,
  shownLine,
  timeline,
  whyCommand,
} from './timeline.js'

describe('the timeline of a receipt', () => {
  it('tells the story in order: heard, gates, then turns and marks by time', () => {
    const mark = operation({ id: 9, kind: 'react', role: 'notice', createdAt: 1_006, settledAt: 1_007 })
    const entries = timeline(receipt({ operations: [mark] }), 2_000)
    expect(entries.map((entry) => entry.key)).toEqual([
      'heard',
      'gate-author',
      'gate-addressed',
      'operation-9',
      'turn-1',
    ])
    expect(entries[0]).toMatchObject({ delay: 5 })
  })

  it('has no gates for what Golem said itself', () => {
    const entries = timeline(receipt({ decision: null, turns: [], outcome: 'said' }), 2_000)
    expect(entries.map((entry) => entry.kind)).toEqual(['heard'])
  })

  it('shows where the time of a settled turn went', () => {
    const found = phases(turn({ operations: [operation()] }), 99_999)
    expect(phaseLine(found)).toBe('Waited 2 ms · Thought 88 ms · Wrote 50 ms · Posted 3 ms')
    expect(found.every((phase) => !phase.open)).toBe(true)
  })

  it('counts an unfinished phase up to now, and names none that was not reached', () => {
    const waiting = turn({ state: 'queued', startedAt: null, firstEventAt: null, settledAt: null })
    expect(phases(waiting, 1_510)).toEqual([{ name: 'Waited', ms: 500, open: true }])
    const working = turn({ state: 'running', firstEventAt: null, settledAt: null })
    expect(phases(working, 1_512)).toEqual([
      { name: 'Waited', ms: 2, open: false },
      { name: 'Thought', ms: 500, open: true },
    ])
    const dropped = turn({ state: 'cancelled', startedAt: null, firstEventAt: null, settledAt: 1_200 })
    expect(phases(dropped, 9_999)).toEqual([])
  })

  it('knows when something may still change', () => {
    expect(isLive(receipt())).toBe(false)
    expect(isLive(receipt({ outcome: 'running' }))).toBe(true)
    expect(isLive(receipt({ operations: [operation({ state: 'ambiguous' })] }))).toBe(true)
    expect(isLive(receipt({ turns: [turn({ state: 'queued' })] }))).toBe(true)
  })

  it('measures from durable to visible', () => {
    expect(answerTime(receipt())).toBe(148)
    expect(answerTime(receipt({ turns: [] }))).toBeNull()
  })

  it('words what a gate saw and what an agent was shown', () => {
    expect([null, true, false, 3, 'x', [], ['a', 'b']].map(sawValue)).toEqual([
      '–',
      'yes',
      'no',
      '3',
      'x',
      'none',
      'a, b',
    ])
    expect(
      shownLine({ lines: 1, characters: 1_200, cut: 2, memoryHash: 'ab', template: 't', engine: 'offline' }),
    ).toBe('1 line (1,200 characters, 2 left out), with the group memory')
    const shown = { lines: 2, characters: 10, cut: 0, memoryHash: 'ab', template: 't', engine: 'ai' }
    expect(shownLine({ ...shown, memoryCut: 900, facts: 1 })).toBe(
      '2 lines (10 characters), with the group memory (a digest of it) and 1 fact',
    )
  })

  it('gives a command that a shell reads as one argument', () => {
    expect(whyCommand('local:lobby:12')).toBe('golem why local:lobby:12')
    expect(whyCommand("slack:C1:it's; rm")).toBe("golem why 'slack:C1:it'\\''s; rm'")
  })
})
