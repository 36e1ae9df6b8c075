import { describe, expect, it } from 'vitest'
import { GATE_NAMES } from '../api/wire.js'
import { gateTitle, markLabel, operationTitle, outcomeLabel } from './outcome.js'

describe('the mark on a message', () => {
  it('is called as its receipt is, once that is known', () => {
    expect(markLabel('❌', 'interrupted')).toEqual(outcomeLabel('interrupted'))
    expect(markLabel('❌', 'failed')).toEqual(outcomeLabel('failed'))
    // A teammate failed, and the answer came all the same: the mark is what people see.
    expect(markLabel('❌', 'answered')).toEqual(outcomeLabel('failed'))
    expect(markLabel('❌', null)).toEqual(outcomeLabel('failed'))
    expect(markLabel('⏹️', 'interrupted')?.text).toBe('Stopped')
    expect(markLabel('🎉', null)).toBeUndefined()
  })
})

describe('words of a receipt', () => {
  it('say what an operation was for', () => {
    const titles = (
      [
        ['post', 'answer'],
        ['post', 'status'],
        ['react received', 'notice'],
        ['react done', 'notice'],
        ['note not-taken', 'notice'],
        ['delete', 'status'],
        ['upload', 'answer'],
        ['whisper', 'notice'],
      ] as const
    ).map(([kind, role]) => operationTitle({ kind, role }))
    expect(titles).toEqual([
      'Answer',
      'Status post',
      'Mark: seen',
      'Mark: answered',
      'Notice: not taken',
      'Status post removed',
      'File',
      'whisper',
    ])
  })

  it('have a title for every gate', () => {
    expect(new Set(GATE_NAMES.map(gateTitle)).size).toBe(GATE_NAMES.length)
  })
})
