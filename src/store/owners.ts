/** Whose a conversation is: an agent's that it was handed to, until a person names another one, or for long enough nobody asks. */
import type { Decision } from '../messaging/decision.js'
import { HAND_OFF_TIMEOUT } from '../messaging/limits.js'
import type { Db, Room } from './db.js'
import type { ConversationRow } from './rows.js'

/** @returns whether it was not theirs before */
export function giveTo(db: Db, conversation: string, agent: string, now: number): boolean {
  const { changes } = db
    .sql('UPDATE conversations SET owner = ?, owner_at = ? WHERE key = ? AND owner IS NOT ?')
    .run(agent, now, conversation, agent)
  return changes > 0
}

/** An agent has answered: where the conversation is its own, it stays so from now on. */
export function noteOwner(db: Db, conversation: string, agent: string, now: number): void {
  db.sql('UPDATE conversations SET owner_at = ? WHERE key = ? AND owner = ?').run(now, conversation, agent)
}

/** Without an answer of its owner for so long, a conversation is the orchestrator's again. */
export function lapse(
  db: Db,
  conversation: ConversationRow | undefined,
  now: number,
): ConversationRow | undefined {
  if (conversation?.owner == null || conversation.owner_at === null) return conversation
  if (now - conversation.owner_at < HAND_OFF_TIMEOUT) return conversation
  db.sql('UPDATE conversations SET owner = NULL, owner_at = NULL WHERE key = ?').run(conversation.key)
  return { ...conversation, owner: null, owner_at: null }
}

/** A conversation that was handed to an agent goes to the next one that is named in it, or back to the orchestrator. */
export function release(
  room: Room,
  conversation: ConversationRow | undefined,
  decision: Decision,
  now: number,
): void {
  if (conversation?.owner == null) return
  const [named, second] = decision.responders
  if (decision.route !== 'named' || decision.join === 'debounce' || decision.join === 'utterance') return
  if (named === undefined || second !== undefined || named === conversation.owner) return
  const lead = room.policy.agents.find((agent) => agent.name === named)?.orchestrator === true
  room
    .sql('UPDATE conversations SET owner = ?, owner_at = ? WHERE key = ?')
    .run(lead ? null : named, lead ? null : now, conversation.key)
}
