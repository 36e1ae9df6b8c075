import { describe, expect, it } from 'vitest'
import type { TurnEnd } from './runner.js'
import { noticesOf } from './settlement.js'
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
