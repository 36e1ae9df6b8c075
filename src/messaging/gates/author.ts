import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'

/**
 * Who speaks: a person, another bot (context, wakes only by a mention), or this bot itself (never input).
 *
 * @param speaker the agent that speaks through another account of Golem's
 */
export function authorGate(message: InboundMessage, speaker: string | null = null): Gate {
  const { kind, name, outside } = message.author
  const saw = { author: kind, ...(outside ? { outside } : {}) }
  switch (kind) {
    case 'self':
      return { gate: 'author', verdict: 'stop', saw, why: 'It is a message of this bot itself.' }
    case 'bot':
      if (speaker !== null)
        return {
          gate: 'author',
          verdict: 'note',
          saw: { author: 'agent', agent: speaker },
          why: `${speaker} spoke through another account of Golem's: it is context, and wakes an agent only by a mention.`,
        }
      return {
        gate: 'author',
        verdict: 'note',
        saw,
        why: `${name} is another bot: it is context, and wakes an agent only by a mention.`,
      }
    case 'person':
      return {
        gate: 'author',
        verdict: 'pass',
        saw,
        why: outside ? 'A person of another organisation spoke.' : 'A person spoke.',
      }
  }
}
