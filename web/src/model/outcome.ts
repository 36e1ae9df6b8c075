/** What became of a message, a turn or an operation, in a word and a tone. */
import type { GateName, Operation, Outcome, Turn } from '../api/wire.js'

/** `good` green · `bad` red · `busy` blue, something still moves · `care` amber · `calm` grey. */
export type Tone = 'good' | 'bad' | 'busy' | 'care' | 'calm'

interface Label {
  text: string
  tone: Tone
}

const OUTCOME: Record<Outcome, Label> = {
  kept: { text: 'Kept as context', tone: 'calm' },
  refused: { text: 'Not taken', tone: 'bad' },
  waiting: { text: 'Waiting', tone: 'busy' },
  running: { text: 'Working', tone: 'busy' },
  sending: { text: 'Posting', tone: 'busy' },
  answered: { text: 'Answered', tone: 'good' },
  passed: { text: 'Passed in silence', tone: 'calm' },
  failed: { text: 'Failed', tone: 'bad' },
  stopped: { text: 'Stopped', tone: 'care' },
  interrupted: { text: 'Interrupted', tone: 'care' },
  skipped: { text: 'Skipped', tone: 'calm' },
  said: { text: 'Said by Golem', tone: 'calm' },
  read: { text: 'Read back as context', tone: 'calm' },
}
export const outcomeLabel = (outcome: Outcome): Label => OUTCOME[outcome]

/** By the emoji that the bot puts on a message. */
const MARK: Readonly<Record<string, Label>> = {
  '👀': { text: 'Seen', tone: 'busy' },
  '✅': OUTCOME.answered,
  '❌': OUTCOME.failed,
  '⏹️': OUTCOME.stopped,
  '⏹': OUTCOME.stopped,
}

/** There is one emoji for whatever went wrong: which of it, only the receipt knows. */
export const isVague = (emoji: string): boolean => MARK[emoji] === OUTCOME.failed

/** @param outcome what the message's receipt says, null while that is not known; undefined for what is no mark */
export function markLabel(emoji: string, outcome: Outcome | null): Label | undefined {
  return isVague(emoji) && outcome === 'interrupted' ? OUTCOME.interrupted : MARK[emoji]
}

const TURN: Record<Turn['state'], Label> = {
  queued: { text: 'Waiting', tone: 'busy' },
  running: { text: 'Working', tone: 'busy' },
  parked: { text: 'Waiting for a decision', tone: 'busy' },
  settled: { text: 'Done', tone: 'good' },
  passed: { text: 'Silent', tone: 'calm' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Stopped', tone: 'care' },
  interrupted: { text: 'Interrupted', tone: 'care' },
}
export const turnLabel = (state: Turn['state']): Label => TURN[state]

const OPERATION: Record<Operation['state'], Label> = {
  pending: { text: 'Waiting', tone: 'busy' },
  sending: { text: 'Sending', tone: 'busy' },
  sent: { text: 'Sent', tone: 'good' },
  ambiguous: { text: 'Not known', tone: 'care' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Cancelled', tone: 'calm' },
}
export const operationLabel = (state: Operation['state']): Label => OPERATION[state]

const GATE: Record<GateName, string> = {
  schedule: 'When it was due',
  author: 'Who said it',
  access: 'May they?',
  bounds: 'Room in the queue',
  addressed: 'Said to Golem?',
  account: 'Whose account',
  policy: 'Policy of the room',
  'smart-gate': 'Worth an answer?',
  responders: 'Who answers',
  'max-turns': 'Replies in a row',
  admit: 'Start of the turn',
  history: 'Earlier lines',
}
export const gateTitle = (gate: GateName): string => GATE[gate]

const MARKS: Readonly<Record<string, string>> = {
  received: 'Mark: seen',
  done: 'Mark: answered',
  failed: 'Mark: failed',
  stopped: 'Mark: stopped',
}

/** What an operation is to a person who reads the receipt. A kind may say more in a second word: `react done`. */
export function operationTitle(operation: Pick<Operation, 'kind' | 'role'>): string {
  const [kind, more = ''] = operation.kind.split(' ')
  const status = operation.role === 'status'
  switch (kind) {
    case 'post':
      return operation.role === 'answer' ? 'Answer' : status ? 'Status post' : 'Notice'
    case 'note':
      return status ? 'Status post' : more === '' ? 'Notice' : `Notice: ${more.replaceAll('-', ' ')}`
    case 'react':
      return MARKS[more] ?? 'Mark on the message'
    case 'edit':
      return status ? 'Status post changed' : 'Post changed'
    case 'delete':
      return status ? 'Status post removed' : 'Post removed'
    case 'upload':
      return 'File'
    default:
      return operation.kind
  }
}
