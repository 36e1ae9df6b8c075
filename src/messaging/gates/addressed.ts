import { isOurs } from '../commands.js'
import type { BotIdentity, InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'
import type { RoomSettings } from '../roster.js'
import type { RoomState } from '../state.js'
import type { Naming } from './naming.js'

export type AddressedBy = 'direct' | 'mention' | 'command' | 'reply' | 'name' | 'thread' | 'everyone' | null

/** Is the bot, or one of its agents, spoken to? The first rule that holds names the reason. */
export function addressedGate(
  message: InboundMessage,
  self: BotIdentity,
  settings: RoomSettings,
  state: RoomState,
  naming: Naming,
): { by: AddressedBy; gate: Gate } {
  const by = addressedBy(message, self, settings, state, naming)
  const saw = {
    mention: naming.self,
    names: naming.named.map((agent) => agent.name),
    'near misses': naming.nearMisses.map((miss) => miss.name),
    everyone: naming.everyone,
    'reply to': replyTarget(message, state),
    command: message.command?.name ?? null,
    thread: message.place.thread ?? null,
  }
  if (by !== null) return { by, gate: { gate: 'addressed', verdict: 'pass', saw, why: WHY[by] } }
  const miss = naming.nearMisses[0]
  const why = message.command?.target
    ? `Nobody was addressed: the command is for ${message.command.target}.`
    : miss
      ? `Nobody was addressed. "@${miss.name}" is near: ${miss.hint}`
      : naming.everyone
        ? 'Nobody was addressed: @everyone does not address the bot here (respondToEveryone is off).'
        : 'Nobody was addressed: no mention, no reply to the bot, no command.'
  return { by, gate: { gate: 'addressed', verdict: 'note', saw, why } }
}

const WHY: Record<NonNullable<AddressedBy>, string> = {
  direct: 'It is a direct message.',
  mention: 'The message mentions this bot.',
  command: 'It is a command to this bot.',
  reply: "It replies to one of the bot's own messages.",
  name: 'The message names an agent with @.',
  thread: 'It goes on in a thread in which the bot answered.',
  everyone: 'It is aimed at everyone, and this room answers that.',
}

function addressedBy(
  message: InboundMessage,
  self: BotIdentity,
  settings: RoomSettings,
  state: RoomState,
  naming: Naming,
): AddressedBy {
  const person = message.author.kind === 'person'
  if (naming.self) return 'mention'
  if (naming.named.length > 0 || naming.archived.length > 0) return 'name'
  // Another bot wakes Golem by a mention only: everything below is a person's privilege.
  if (!person) return null
  if (message.chat.kind === 'dm') return 'direct'
  // `/cmd@otherbot` is for the other bot, wherever it stands.
  if (message.command) return isOurs(message.command.target, self) ? 'command' : null
  if (state.repliedTo?.ours || message.replyTo?.author?.kind === 'self') return 'reply'
  if (naming.everyone && settings.respondToEveryone) return 'everyone'
  if (followsUp(settings, state)) return 'thread'
  return null
}

function followsUp(settings: RoomSettings, state: RoomState): boolean {
  if (!state.thread?.answered) return false
  switch (settings.threadFollowUps) {
    case 'mention':
      return false
    case 'one-person':
      return state.thread.people.length <= 1
    case 'always':
      return true
  }
}

function replyTarget(message: InboundMessage, state: RoomState): string | null {
  if (!message.replyTo) return null
  if (state.repliedTo?.ours || message.replyTo.author?.kind === 'self')
    return state.repliedTo?.agent ?? 'this bot'
  return 'somebody else'
}
