/**
 * What to do when a post is refused. An answer is never thrown away: a target that is gone gives way to a plain post, a
 * thread that is gone to the chat around it, markup that is refused to plain text, a text that is too long to a file.
 * Pure.
 */
import type { Operation, Platform } from './contract.js'
import type { Failure } from './failure.js'
import { plainPart } from './label.js'

/** Steps an operation may take before it is given up and reported. */
export const LADDER_STEPS = 4

export type Step =
  | { do: 'replace'; op: Operation }
  /** Too long even in parts: the text goes as a file. */
  | { do: 'file'; text: string }
  /** What it wanted holds already (a deleted thing is gone), or is not worth a second try. */
  | { do: 'accept' }
  | { do: 'give-up' }

/** Refused by the platform, or tried in vain for long while others get through. */
export type Refusal = Failure | { kind: 'stuck' }

type Sent = Extract<Operation, { kind: 'post' | 'upload' }>
type Way = Pick<Platform, 'codec' | 'limits' | 'can'>
const GIVE_UP: Step = { do: 'give-up' }

/**
 * @param step how many steps it has taken before
 * @param answer it is, or has become, an agent's answer: an edit of the status post, if that is gone, is a post again
 */
export function nextStep(op: Operation, refusal: Refusal, step: number, platform: Way, answer = false): Step {
  // Nothing is left to delete, or to mark.
  if ((op.kind === 'delete' || op.kind === 'react') && refusal.kind === 'gone') return { do: 'accept' }
  if (step >= LADDER_STEPS) return GIVE_UP
  if (op.kind === 'edit') return answer ? anew(op) : GIVE_UP
  if (op.kind !== 'post' && op.kind !== 'upload') return GIVE_UP
  switch (refusal.kind) {
    case 'gone':
      if (refusal.what === 'thread') return outside(op) ?? unquoted(op) ?? GIVE_UP
      return refusal.what === 'target' ? (unquoted(op) ?? outside(op) ?? GIVE_UP) : GIVE_UP
    case 'invalid':
      return op.kind === 'upload' ? GIVE_UP : plainer(op, refusal.field, step, platform)
    case 'stuck':
      return unquoted(op) ?? outside(op) ?? (op.kind === 'post' ? literal(op, platform) : null) ?? GIVE_UP
    default:
      return GIVE_UP
  }
}

function anew({ place, part, agent, replyTo }: Extract<Operation, { kind: 'edit' }>): Step {
  const quote = replyTo === undefined ? {} : { replyTo }
  return {
    do: 'replace',
    op: { kind: 'post', place, part, ...(agent === undefined ? {} : { agent }), ...quote },
  }
}

function unquoted(op: Sent): Step | null {
  const { replyTo, ...plain } = op
  return replyTo === undefined ? null : { do: 'replace', op: plain }
}

/** In the chat, where it stood in a thread. */
function outside(op: Sent): Step | null {
  const { thread, ...place } = op.place
  return thread === undefined ? null : { do: 'replace', op: { ...op, place } }
}

function plainer(
  op: Extract<Operation, { kind: 'post' }>,
  field: 'length' | 'markup' | 'file' | 'other',
  step: number,
  platform: Way,
): Step {
  if (field === 'length')
    return platform.can.operations.includes('upload') ? { do: 'file', text: op.part.text } : GIVE_UP
  return (step === 0 ? literal(op, platform) : null) ?? GIVE_UP
}

/** As plain text; null where it is that already. */
function literal(op: Extract<Operation, { kind: 'post' }>, platform: Way): Step | null {
  const part = plainPart(op.part.text, platform)
  return JSON.stringify(part) === JSON.stringify(op.part) ? null : { do: 'replace', op: { ...op, part } }
}
