import type { Gate } from '../decision.js'
import type { GroupPolicy } from '../roster.js'
import type { AddressedBy } from './addressed.js'

/** What a connection is shown of a chat; see `ConnectionState`. */
export type Sees = 'all' | 'addressed'

/** Why a room that is set to read everything does not. Also said by `/health` and the console. */
export const REFUSED =
  'This connection is shown only what addresses the bot, so the room behaves as mention-only: smart and always need a bot that may read everything.'

/** The policy that a room can really follow: nobody can answer what is not shown to it. */
export function possiblePolicy(policy: GroupPolicy, sees: Sees): GroupPolicy {
  return sees === 'addressed' ? 'mention-only' : policy
}

/** Does the group policy let this message wake an agent? `byBot` messages need a mention under every policy. */
export function policyGate(policy: GroupPolicy, by: AddressedBy, byBot: boolean, sees: Sees = 'all'): Gate {
  const refused = possiblePolicy(policy, sees) !== policy
  const saw = { policy, addressed: by !== null, ...(refused ? { sees } : {}) }
  const gate = (verdict: Gate['verdict'], why: string): Gate => ({ gate: 'policy', verdict, saw, why })
  if (by !== null) return gate('pass', 'It is addressed, and every policy answers that.')
  if (byBot) return gate('stop', 'A message of another bot wakes nobody without a mention.')
  if (refused) return gate('stop', REFUSED)
  switch (policy) {
    case 'mention-only':
      return gate('stop', 'The room is mention-only: what nobody is asked is kept as context.')
    case 'smart':
      return gate('pass', 'The room is smart: an agent reads every message and may stay silent.')
    case 'always':
      return gate('pass', 'The room answers every message.')
  }
}
