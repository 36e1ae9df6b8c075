import { z } from 'zod'
import { ToolError } from '../../messaging/engine.js'
import { FACT_CHARACTERS } from '../../messaging/facts.js'
import { defineTool } from './tool.js'

export const factRemember = defineTool({
  name: 'fact_remember',
  description:
    'Keep one fact for every later turn in which all who read along may know it: in a direct message for that person (it is shown in no group), in a group for its people. Only what the person asks you to keep; never a secret, a password or a token. It is erased when the message that you took it from is deleted.',
  args: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(FACT_CHARACTERS * 4)
      .describe('one sentence, complete in itself'),
    audience: z
      .enum(['chat', 'person', 'connection'])
      .optional()
      .describe(
        'left out: whoever it was said to. person: only in a direct message. chat: only in a group. connection, everybody of the organisation, is for an owner of the room to say',
      ),
  }),
  writes: true,
  async run({ text, audience }, { store, turn, clock }) {
    const kept = await store.rememberFact({
      turn: turn.id,
      text,
      audience: audience ?? null,
      at: clock.now(),
    })
    if (kept.status === 'refused') throw new ToolError(`Nothing was kept. ${kept.why}`)
    const note = `${kept.status === 'known' ? 'known already' : 'kept'} for the ${kept.audience}`
    return { result: { status: kept.status, audience: kept.audience, text: kept.text }, note }
  },
})

export const factForget = defineTool({
  name: 'fact_forget',
  description:
    'Remove one fact that you were shown, when the person asks for it. Name it as it stands, or by words that only it has.',
  args: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(FACT_CHARACTERS * 4)
      .describe('the fact, or words of it'),
  }),
  writes: true,
  async run({ text }, { store, turn, clock }) {
    const gone = await store.forgetFact({ turn: turn.id, text, at: clock.now() })
    if (gone.status === 'refused') {
      const which = (gone.candidates ?? []).map((one) => JSON.stringify(one)).join(', ')
      throw new ToolError(`Nothing was forgotten. ${gone.why}${which === '' ? '' : ` Name one: ${which}`}`)
    }
    return { result: { status: 'forgotten', text: gone.text }, note: 'one fact forgotten' }
  },
})
