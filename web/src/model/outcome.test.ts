import { describe, expect, it } from 'vitest'
import { GATE_NAMES } from '../api/wire.js'
import { gateTitle, operationTitle } from './outcome.js'

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
