/**
 * What to do when a post is refused. An answer is never thrown away: a target that is gone gives way to a plain post,
 * markup that is refused to plain text, a text that is too long to a file. Pure.
 */
import type { Operation, Part, Platform } from './contract.js'
import { parseDoc } from './doc/index.js'
import type { Failure } from './failure.js'
import { wording } from './notices.js'
import type { Language } from './roster.js'

/** Steps an operation may take before it is given up and reported. */
export const LADDER_STEPS = 4

export type Step =
  | { do: 'replace'; op: Operation }
  /** Too long even in parts: the text goes as a file. */
  | { do: 'file'; text: string }
  /** What it wanted holds already (a deleted thing is gone), or is not worth a second try. */
  | { do: 'accept' }
  | { do: 'give-up' }

export function nextStep(
  op: Operation,
  failure: Failure,
  step: number,
  platform: Pick<Platform, 'codec' | 'limits' | 'can'>,
): Step {
  // Nothing is left to delete, or to mark.
  if ((op.kind === 'delete' || op.kind === 'react') && failure.kind === 'gone') return { do: 'accept' }
  if (op.kind !== 'post' && op.kind !== 'upload') return { do: 'give-up' }
  if (step >= LADDER_STEPS) return { do: 'give-up' }
  switch (failure.kind) {
    case 'gone':
      if (failure.what === 'target' && op.replyTo !== undefined) {
        const { replyTo: _, ...plain } = op
        return { do: 'replace', op: plain }
      }
      return { do: 'give-up' }
    case 'invalid':
      if (op.kind === 'upload') return { do: 'give-up' }
      return plainer(op, failure.field, step, platform)
    default:
      return { do: 'give-up' }
  }
}

function plainer(
  op: Extract<Operation, { kind: 'post' }>,
  field: 'length' | 'markup' | 'file' | 'other',
  step: number,
  platform: Pick<Platform, 'codec' | 'limits' | 'can'>,
): Step {
  if (field === 'length')
    return platform.can.operations.includes('upload') ? { do: 'file', text: op.part.text } : { do: 'give-up' }
  return step === 0
    ? { do: 'replace', op: { ...op, part: plainPart(op.part.text, platform) } }
    : { do: 'give-up' }
}

/** The text with everything that could be markup made literal. */
function plainPart(text: string, platform: Pick<Platform, 'codec' | 'limits'>): Part {
  const doc = parseDoc('')
  doc.children = text
    .split(/\n{2,}/)
    .map((block) => ({ type: 'paragraph' as const, children: [{ type: 'text' as const, value: block }] }))
  const { source: _, ...bare } = doc
  return platform.codec.write(bare, platform.limits)[0] ?? { text, body: { text }, mentions: [] }
}

/** A post that may already stand in the chat, sent again: it says so. */
export function labelled(
  op: Operation,
  platform: Pick<Platform, 'codec' | 'limits'>,
  language: Language,
): Operation {
  if (op.kind !== 'post') return op
  const label = wording({ kind: 'fell-back', what: 'duplicate' }, language)
  if (op.part.text.startsWith(label)) return op
  return { ...op, part: plainPart(`${label}\n\n${op.part.text}`, platform) }
}
