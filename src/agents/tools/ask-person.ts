import { z } from 'zod'
import type { Ruling } from '../../messaging/approval.js'
import { ToolError } from '../../messaging/engine.js'
import { safeName } from '../../messaging/text/index.js'
import { defineTool } from './tool.js'

/** What refuses, by its label: `deny CODE` means that one. */
const REFUSES =
  /^(?:no|deny|cancel|reject|refuse|decline|stop|don['’]?t|do not|abort)\b|^(?:否|不|拒绝|取消|停止|别)/iu

const UNANSWERED: Record<Extract<Ruling, { kind: 'refused' }>['why'], string> = {
  expired: 'Nobody answered in time. Take it as a no, and say so.',
  stopped: 'The question was withdrawn.',
  'nobody-to-ask': 'There is nobody who could answer here. Take it as a no, and say so.',
}

const NOBODY: Ruling = { kind: 'refused', why: 'nobody-to-ask' }

interface Result {
  /** The label that was chosen; null where nobody chose. */
  decision: string | null
  by: string | null
  why?: string
}

export const askPerson = defineTool({
  name: 'ask_person',
  description:
    'Ask the person you work for to decide something, and wait for the answer. They see the question with one button for each option. Ask only what you may not decide yourself, one thing at a time, complete in itself. No answer means no.',
  args: z.strictObject({
    question: z.string().trim().min(1).max(1_500).describe('what is to be decided, as they will read it'),
    options: z
      .array(z.string().trim().min(1).max(40))
      .min(1)
      .max(8)
      .default(['Yes', 'No'])
      .refine((labels) => new Set(labels.map((label) => label.toLowerCase())).size === labels.length, {
        message: 'each option must be another one',
      })
      .describe('what they can choose, at most 40 characters each'),
  }),
  // No effect that a run which was cut off would repeat: the question is a row, and its decision waits for the next run.
  writes: false,
  offered: ({ decide }) => decide !== undefined,
  async run({ question, options }, scope) {
    const ruling = await (scope.decide?.({
      kind: 'question',
      text: question,
      // A decision is given once: asked again, the same question is a new one.
      subject: JSON.stringify([question, options]),
      options: options.map((label, index) => ({
        id: String(index),
        label,
        ...(REFUSES.test(label) ? { deny: true } : {}),
      })),
    }) ?? NOBODY)
    if (ruling.kind === 'refused' && ruling.why === 'stopped') throw new ToolError(UNANSWERED.stopped)
    const result: Result =
      ruling.kind === 'refused'
        ? { decision: null, by: null, why: UNANSWERED[ruling.why] }
        : { decision: options[Number(ruling.option)] ?? null, by: safeName(ruling.by.name) }
    const note =
      ruling.kind === 'refused' ? `no answer: ${ruling.why}` : `decided by ${safeName(ruling.by.name)}`
    return { result, note }
  },
})
