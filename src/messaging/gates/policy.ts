import type { Gate } from '../decision.js'
import type { GroupPolicy } from '../roster.js'
import type { AddressedBy } from './addressed.js'

/** Does the group policy let this message wake an agent? `byBot` messages need a mention under every policy. */
export function policyGate(policy: GroupPolicy, by: AddressedBy, byBot: boolean): Gate {
  const saw = { policy, addressed: by !== null }
  const gate = (verdict: Gate['verdict'], why: string): Gate => ({ gate: 'policy', verdict, saw, why })
  if (by !== null) return gate('pass', 'It is addressed, and every policy answers that.')
  if (byBot) return gate('stop', 'A message of another bot wakes nobody without a mention.')
  switch (policy) {
    case 'mention-only':
      return gate('stop', 'The room is mention-only: what nobody is asked is kept as context.')
    case 'smart':
      return gate('pass', 'The room is smart: an agent reads every message and may stay silent.')
    case 'always':
      return gate('pass', 'The room answers every message.')
  }
}
