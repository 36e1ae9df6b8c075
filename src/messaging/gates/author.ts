import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'

/** Who speaks: a person, another bot (context, wakes only by a mention), or this bot itself (never input). */
export function authorGate(message: InboundMessage): Gate {
  const { kind, name, outside } = message.author
  const saw = { author: kind, ...(outside ? { outside } : {}) }
  switch (kind) {
    case 'self':
      return { gate: 'author', verdict: 'stop', saw, why: 'It is a message of this bot itself.' }
    case 'bot':
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
