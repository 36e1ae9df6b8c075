import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'
import type { Agent } from '../roster.js'
import type { RoomState } from '../state.js'
import type { Naming } from './naming.js'
import { type Signs, signsOf } from './smart-signs.js'

/** `unsure` is shown to the agents like `run`: only a clear `skip` keeps them asleep. */
export type SmartVerdict = 'run' | 'skip' | 'unsure'

/**
 * The cheap gate of a busy smart room: no model, a few plain questions about the message and the lines before it. Its
 * sentence begins with the verdict; what it saw is in the trace, nobody's words are.
 */
export function smartGate(
  message: InboundMessage,
  state: RoomState,
  naming: Naming,
  agents: readonly Agent[],
): Gate {
  const toOthers = naming.others > 0
  const replyToOther = message.replyTo !== undefined && !state.repliedTo?.ours
  const active = agents.filter((agent) => !agent.hidden && !agent.archived)
  const signs = signsOf(naming.text, message.author.name, message.at, active, state.talk)
  const [verdict, why] = judge(signs, toOthers, replyToOther)
  return {
    gate: 'smart-gate',
    verdict: verdict === 'run' ? 'pass' : verdict === 'skip' ? 'stop' : 'note',
    saw: {
      question: signs.question && !signs.rhetorical,
      request: signs.request,
      trouble: signs.trouble,
      'in the field of': signs.field,
      'mentions others': toOthers,
      'calls a person': signs.calls,
      'reply to others': replyToOther,
      'an agent spoke last': signs.afterAgent,
    },
    why: `${verdict}: ${why}`,
  }
}

/** The first rule that holds decides. */
function judge(signs: Signs, toOthers: boolean, replyToOther: boolean): [SmartVerdict, string] {
  const asks = (signs.question && !signs.rhetorical) || signs.request
  if (toOthers) return ['skip', 'it is said to somebody else.']
  if (replyToOther) return ['skip', 'it replies to somebody else.']
  if (signs.bare) return ['skip', 'there are no words in it but code, links or marks.']
  if (signs.calls) return ['skip', 'it calls a person by name.']
  if (signs.notice) return ['skip', 'it is an announcement.']
  if (signs.closing && !asks) return ['skip', 'it ends a talk.']
  if (signs.settled && !asks) return ['skip', 'what it tells of is taken care of.']
  if (signs.afterQuestion && !asks)
    return ['skip', 'it comes after a question of somebody else, as an answer does.']
  if (signs.rhetorical && !signs.request) return ['skip', 'it is a question that wants no answer.']
  if (signs.social) return ['skip', 'it is talk among people.']
  if (asks) return ['run', signs.request ? 'something is asked for.' : 'it is a question.']
  if (signs.field !== null && signs.trouble)
    return ['run', `it tells of trouble in the field of ${signs.field}.`]
  if (signs.afterAgent)
    return signs.trouble
      ? ['run', 'it goes on with what an agent said.']
      : ['unsure', 'an agent spoke last, and may be meant.']
  if (signs.field !== null) return ['unsure', `it is in the field of ${signs.field}, and asks nothing.`]
  if (signs.trouble) return ['unsure', 'it tells of trouble, in no field that is known.']
  return ['skip', 'it asks nothing, and is in the field of no agent.']
}
