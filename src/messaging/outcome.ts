import type { Effects } from './roster.js'
import type { TurnEnd } from './runner.js'
import type { ClaimedTurn, TurnOutcome } from './store.js'

/** What a run's end means for its turn. */
export function outcomeOf(turn: ClaimedTurn, end: TurnEnd, effects: Effects): TurnOutcome {
  const { result } = end
  switch (result.kind) {
    case 'answer':
      return { state: 'settled', text: result.text }
    case 'silence':
      return { state: 'passed', reason: result.reason }
    case 'failed':
      return { state: 'failed', code: result.code, message: result.message }
    case 'aborted':
      switch (result.reason) {
        case 'stopped':
          return { state: 'cancelled', reason: 'stopped', partial: result.partial }
        case 'deleted':
          return { state: 'cancelled', reason: 'the message was deleted' }
        case 'overdue':
          return { state: 'cancelled', reason: 'it took longer than whoever asked for it waits' }
        case 'edited':
          return { state: 'queued', reason: 'the message was edited: it starts again with the new words' }
        case 'parked':
          return { state: 'parked', reason: 'it waits for a decision' }
        case 'shutdown':
          return result.started && effects !== 'none'
            ? { state: 'interrupted', reason: `Golem was stopped while ${turn.agent} worked` }
            : { state: 'queued', reason: 'Golem was stopped before it was answered' }
      }
  }
}
