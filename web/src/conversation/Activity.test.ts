import { describe, expect, it } from 'vitest'
import type { QueuedTurn } from '../api/wire.js'
import { activity } from './Activity.js'

const turn = (change: Partial<QueuedTurn>): QueuedTurn => ({
  turn: 1,
  conversation: 'local:lobby',
  agent: 'Golem',
  kind: 'message',
  state: 'running',
  position: 0,
  since: 0,
  requester: null,
  waitsFor: [],
  ...change,
})

describe('the line above the compose box', () => {
  it('is empty when nothing happens', () => {
    expect(activity([], [])).toBe('')
  })

  it('names each worker once, whoever tells of them', () => {
    expect(activity([turn({})], ['Golem'])).toBe('Golem is working')
    expect(activity([turn({}), turn({ agent: 'Scout' })], [])).toBe('Golem and Scout are working')
  })

  it('tells of those who wait, and for whom', () => {
    expect(
      activity(
        [
          turn({ state: 'waiting-for-teammates', waitsFor: ['Scout'] }),
          turn({ agent: 'Scout' }),
          turn({ state: 'queued' }),
        ],
        [],
      ),
    ).toBe('Scout is working · Golem waits for Scout · 1 waiting')
  })
})
