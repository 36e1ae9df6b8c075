/** A receipt as a story: what was heard, each gate, each turn, each operation, in the order in which they happened. */
import type { Gate, Operation, Receipt, Seen, Turn } from '../api/wire.js'
import { duration } from './time.js'

/** A stretch of a turn's time. */
export interface Phase {
  name: 'Waited' | 'Thought' | 'Wrote' | 'Posted'
  ms: number
  /** It has not ended yet; `ms` counts up to now. */
  open: boolean
}

export type Entry =
  | { kind: 'heard'; key: string; at: number; delay: number }
  | { kind: 'gate'; key: string; gate: Gate }
  | { kind: 'turn'; key: string; at: number; turn: Turn; phases: readonly Phase[] }
  | { kind: 'operation'; key: string; at: number; operation: Operation }

const UNSETTLED = new Set<Operation['state']>(['pending', 'sending', 'ambiguous'])

/** Something may still change by itself, so the receipt is worth asking for again. */
export function isLive(receipt: Receipt): boolean {
  const operations = [...receipt.operations, ...receipt.turns.flatMap((turn) => turn.operations)]
  return (
    receipt.outcome === 'waiting' ||
    receipt.outcome === 'running' ||
    receipt.outcome === 'sending' ||
    receipt.turns.some(
      (turn) => turn.state === 'queued' || turn.state === 'running' || turn.state === 'parked',
    ) ||
    operations.some((operation) => UNSETTLED.has(operation.state))
  )
}

/** The answer that people saw first. */
function firstAnswer(turn: Turn): Operation | undefined {
  return turn.operations.find(
    (operation) => operation.role === 'answer' && !operation.kind.startsWith('react'),
  )
}

/** Where the time of a turn went. Phases that were not reached are left out. */
export function phases(turn: Turn, now: number): Phase[] {
  const found: Phase[] = []
  const add = (name: Phase['name'], from: number | null, to: number | null, running: boolean) => {
    if (from === null) return
    if (to !== null) found.push({ name, ms: Math.max(0, to - from), open: false })
    else if (running) found.push({ name, ms: Math.max(0, now - from), open: true })
  }
  const running = turn.state === 'running'
  add('Waited', turn.createdAt, turn.startedAt, turn.state === 'queued')
  add('Thought', turn.startedAt, turn.firstEventAt ?? turn.settledAt, running)
  if (turn.firstEventAt !== null) add('Wrote', turn.firstEventAt, turn.settledAt, running)
  const answer = firstAnswer(turn)
  if (answer) add('Posted', turn.settledAt, answer.settledAt, UNSETTLED.has(answer.state))
  return found
}

/** From "durable" to "the answer is in the chat", in ms; null while there is none. */
export function answerTime(receipt: Receipt): number | null {
  const times = receipt.turns.flatMap((turn) => {
    const answer = firstAnswer(turn)
    return answer?.state === 'sent' && answer.settledAt !== null ? [answer.settledAt] : []
  })
  return times.length === 0 ? null : Math.max(0, Math.min(...times) - receipt.message.receivedAt)
}

/** The whole story, oldest first. */
export function timeline(receipt: Receipt, now: number): Entry[] {
  const { message, decision } = receipt
  const later = [
    ...receipt.turns.map(
      (turn): Entry => ({
        kind: 'turn',
        key: `turn-${turn.id}`,
        at: turn.createdAt,
        turn,
        phases: phases(turn, now),
      }),
    ),
    ...receipt.operations.map(
      (operation): Entry => ({
        kind: 'operation',
        key: `operation-${operation.id}`,
        at: operation.createdAt,
        operation,
      }),
    ),
  ]
  const at = (entry: Entry) => ('at' in entry ? entry.at : 0)
  return [
    {
      kind: 'heard',
      key: 'heard',
      at: message.receivedAt,
      delay: Math.max(0, message.receivedAt - message.at),
    },
    ...(decision?.gates ?? []).map((gate): Entry => ({ kind: 'gate', key: `gate-${gate.gate}`, gate })),
    ...later.sort((a, b) => at(a) - at(b)),
  ]
}

/** A gate's input as a person reads it. */
export function sawValue(value: Seen): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return String(value)
}

/** What an agent was shown, in one line. */
export function shownLine(shown: NonNullable<Turn['shown']>): string {
  const lines = `${shown.lines} ${shown.lines === 1 ? 'line' : 'lines'}`
  const cut = shown.cut === 0 ? '' : `, ${shown.cut} left out`
  const part = shown.memoryCut === undefined || shown.memoryCut === 0 ? '' : ' (a digest of it)'
  const memory = shown.memoryHash === null ? '' : `, with the group memory${part}`
  const { facts = 0 } = shown
  const known = facts === 0 ? '' : ` and ${facts} ${facts === 1 ? 'fact' : 'facts'}`
  return `${lines} (${shown.characters.toLocaleString('en')} characters${cut})${memory}${known}`
}

/** `Waited 2 ms · Thought 340 ms`. */
export function phaseLine(found: readonly Phase[]): string {
  return found.map((phase) => `${phase.name} ${duration(phase.ms)}`).join(' · ')
}

/** What to type to read this receipt in a terminal. */
export function whyCommand(reference: string): string {
  return /^[A-Za-z0-9:._-]+$/.test(reference)
    ? `golem why ${reference}`
    : `golem why '${reference.replaceAll("'", "'\\''")}'`
}
