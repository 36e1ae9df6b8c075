/** What `decide` and `admit` are shown of a room, read in the same transaction that stores their answer. */
import type { AccountsHere } from './accounts.js'
import type { Millis } from './contract.js'

export interface RoomState {
  /** Replies by bots since a person last spoke in this chat. */
  botTurns: number
  /** The one notice of the quiet room was given since a person last spoke. */
  quietNoticed: boolean
  /** It was said once that nobody answers here without a mention. */
  hintGiven: boolean
  /** The native thread of the message; null outside threads. */
  thread: {
    /** Golem has answered in it. */
    answered: boolean
    /** Ids of the people who have spoken in it, this message's author included. */
    people: readonly string[]
  } | null
  /** The agent this conversation was handed to. */
  owner: string | null
  /** The message replied to, when it is known. */
  repliedTo: { ours: boolean; agent: string | null } | null
  /** Messages that wait for a turn: of this sender in this chat, and of the chat. */
  waiting: { sender: number; room: number }
  /** A turn of this conversation is running or waiting. */
  busy: boolean
  /** The last request that still waits in this conversation, whole. */
  tail: WaitingRequest | null
  /** Other parts of the same message (an album, a text cut by the platform) that came before it; null without any. */
  utterance: {
    /** Their request, while all of it still waits. */
    waiting: WaitingRequest | null
    /** An agent has begun to answer them: as something that was addressed, or not. */
    begun: 'no' | 'unaddressed' | 'addressed'
  } | null
  /** This sender's request that waits for its rest (a bare mention, a text cut by the platform), until when. */
  unfinished: (WaitingRequest & { until: Millis }) | null
  /** Golem's other accounts; only where an agent has one of its own on this platform. */
  accounts?: AccountsHere
  /** What the smart gate looks at; only where there is one. */
  talk?: Talk
}

/** The end of a conversation, and who talks in the chat. */
export interface Talk {
  /** Oldest first, the message itself not among them. */
  lines: readonly RecentLine[]
  /** Names of the people of the chat. */
  people: readonly string[]
}

export interface RecentLine {
  kind: 'person' | 'agent' | 'bot'
  name: string
  text: string
  at: Millis
}

export interface WaitingRequest {
  sender: string
  responders: readonly string[]
  /** When its last message came. */
  lastAt: Millis
  items: number
  characters: number
  /** One of its messages is addressed. */
  addressed: boolean
}
