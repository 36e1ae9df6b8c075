import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'
import type { Agent } from '../roster.js'
import type { RoomState } from '../state.js'
import { fit as fitOf } from '../text/score.js'
import type { Naming } from './naming.js'

/** Above this share of fitting words a message is in an agent's field. */
const IN_FIELD = 0.3

/** How a question ends or begins, with a question mark or without. */
const QUESTION = [
  /[?？]$/u,
  /^(?:who|what|when|where|why|how|which|can|could|is|are|does|do)\b/iu,
  /(?:吗|呢|嘛)[。！!…~～]*$/u,
  /什么|怎么|怎样|为何|为什么|哪[里个些]|谁|几点|多少|是不是|能不能|有没有/u,
]

/**
 * The cheap gate of a busy smart room: no model, a few plain questions. `run`, `skip` or `unsure`; only a clear `skip`
 * keeps the agent asleep, an `unsure` message is shown to it.
 */
export function smartGate(
  message: InboundMessage,
  state: RoomState,
  naming: Naming,
  agents: readonly Agent[],
): Gate {
  const text = naming.text
  const toOthers = naming.others > 0
  const replyToOther = message.replyTo !== undefined && !state.repliedTo?.ours
  const question = QUESTION.some((pattern) => pattern.test(text.trim()))
  const field = agents
    .map((agent) => ({ agent: agent.name, score: fitOf(text, [agent.name, agent.role, ...agent.skills]) }))
    .reduce((best, next) => (next.score > best.score ? next : best), { agent: '', score: 0 })
  const saw = {
    question,
    'in the field of': field.score >= IN_FIELD ? field.agent : null,
    'mentions others': toOthers,
    'reply to others': replyToOther,
  }
  const gate = (verdict: Gate['verdict'], why: string): Gate => ({ gate: 'smart-gate', verdict, saw, why })
  if (toOthers) return gate('stop', 'skip: it is said to somebody else.')
  if (replyToOther) return gate('stop', 'skip: it replies to somebody else.')
  if (question) return gate('pass', 'run: it is a question.')
  if (field.score >= IN_FIELD) return gate('pass', `run: it is in the field of ${field.agent}.`)
  if (text.trim().length === 0) return gate('stop', 'skip: there is no text.')
  return gate('note', 'unsure: the agent reads it and may stay silent.')
}
