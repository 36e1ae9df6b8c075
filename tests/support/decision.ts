/** Decisions in a test: what is not said otherwise is a quiet room with nothing waiting. */
import type { Doc, InboundMessage } from '../../src/messaging/contract.js'
import { type DecideInput, decide } from '../../src/messaging/decide.js'
import { parseDoc, withMentions } from '../../src/messaging/doc/index.js'
import type { Policy } from '../../src/messaging/roster.js'
import type { RoomState, WaitingRequest } from '../../src/messaging/state.js'
import { message, policy, SELF, T0 } from './policy.js'

export function roomState(change: Partial<RoomState> = {}): RoomState {
  return {
    botTurns: 0,
    quietNoticed: false,
    hintGiven: false,
    thread: null,
    owner: null,
    repliedTo: null,
    waiting: { sender: 0, room: 0 },
    busy: false,
    tail: null,
    unfinished: null,
    utterance: null,
    ...change,
  }
}

export function request(change: Partial<WaitingRequest> = {}): WaitingRequest {
  return {
    sender: 'ann',
    responders: ['Golem'],
    lastAt: T0,
    items: 1,
    characters: 10,
    addressed: true,
    ...change,
  }
}

/** Text in which `@Name` is a native mention of that account. */
export function natively(text: string, id = SELF.id, name = SELF.name): Doc {
  return withMentions(parseDoc(text), (plain) => {
    const start = plain.indexOf(`@${name}`)
    return start < 0 ? [] : [{ start, end: start + name.length + 1, mention: { target: 'user', id, name } }]
  })
}

export interface Case {
  policy?: Policy
  state?: Partial<RoomState>
  message?: Partial<InboundMessage>
  now?: number
}

export function inputFor(text: string, given: Case = {}): { policy: Policy; input: DecideInput } {
  const rules = given.policy ?? policy()
  return {
    policy: rules,
    input: {
      connection: 'local',
      self: SELF,
      message: message(text, { id: 'm1', ...given.message }),
      conversation: 'local:lobby',
      settings: rules.defaults,
      state: roomState(given.state),
      now: given.now ?? T0,
    },
  }
}

export function decideOn(text: string, given: Case = {}) {
  const { policy: rules, input } = inputFor(text, given)
  return decide(rules, input)
}
