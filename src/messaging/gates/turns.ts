import type { Gate } from '../decision.js'
import type { RoomSettings } from '../roster.js'
import type { RoomState } from '../state.js'

/** Replies in a row by bots: at `maxTurns` the room is quiet until a person speaks. A person always resets it. */
export function maxTurnsGate(settings: RoomSettings, botTurns: number, person: boolean): Gate {
  const saw = { 'bot replies in a row': person ? 0 : botTurns, 'max turns': settings.maxTurns }
  if (person)
    return { gate: 'max-turns', verdict: 'pass', saw, why: 'A person spoke: the count starts anew.' }
  return botTurns >= settings.maxTurns
    ? {
        gate: 'max-turns',
        verdict: 'stop',
        saw,
        why: 'Bots have spoken as often in a row as this room allows; a person must speak first.',
      }
    : { gate: 'max-turns', verdict: 'pass', saw, why: 'Bots may still speak.' }
}

/** How much may wait. Beyond it the sender is told that the message was not taken. */
export function boundsGate(
  bounds: { waitingPerSender: number; waitingPerRoom: number },
  state: RoomState,
): { gate: Gate; full: 'sender-full' | 'room-full' | null } {
  const { sender, room } = state.waiting
  const saw = {
    'waiting of this sender': sender,
    'waiting in this room': room,
    'limit a sender': bounds.waitingPerSender,
    'limit a room': bounds.waitingPerRoom,
  }
  const full =
    sender >= bounds.waitingPerSender ? 'sender-full' : room >= bounds.waitingPerRoom ? 'room-full' : null
  const why =
    full === null
      ? 'There is room in the queue.'
      : full === 'sender-full'
        ? 'This sender already has as many messages waiting as are allowed.'
        : 'As many messages are waiting in this room as are allowed.'
  return { gate: { gate: 'bounds', verdict: full === null ? 'pass' : 'stop', saw, why }, full }
}
