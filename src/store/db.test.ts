import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { wrap } from './db.js'

describe('statements', () => {
  it('are made once', () => {
    const raw = new Database(':memory:')
    const db = wrap(raw)
    expect(db.sql('SELECT 1')).toBe(db.sql('SELECT 1'))
    raw.close()
  })

  it('that SQLite would plan anew at every use are refused', () => {
    const raw = new Database(':memory:')
    const db = wrap(raw)
    expect(() => db.sql('SELECT 1 AS n LIMIT ?')).toThrow('LIMIT ? + 0')
    expect(db.sql('SELECT 1 AS n LIMIT ? + 0').all(1)).toEqual([{ n: 1 }])
    raw.close()
  })
})
