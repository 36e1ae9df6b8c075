/**
 * The settings the core decides with, as plain data: a snapshot of golem.yaml that crosses into the store's worker.
 * The config room makes it; nothing here reads a file.
 */
import type { Account } from './accounts.js'
import type { ConnectionId, Millis } from './contract.js'

export type GroupPolicy = 'mention-only' | 'smart' | 'always'
export type SessionScope = 'auto' | 'group' | 'thread'
export type ThreadFollowUps = 'mention' | 'one-person' | 'always'
export type ReplyStyle = 'quote' | 'thread' | 'plain'
/** Who answers when nobody is named: everyone · nobody (`mentions`) · by role and skills (`auto`) · one agent. */
export type DefaultResponder =
  | { kind: 'everyone' }
  | { kind: 'mentions' }
  | { kind: 'auto' }
  | { kind: 'agent'; agent: string }
export type Language = 'en' | 'zh'
/** What an engine may have done when it is cut off; see design "Interrupted turns". */
export type Effects = 'none' | 'recorded' | 'unknown'

/** What every room has; `rooms:` in golem.yaml changes it per chat. */
export interface RoomSettings {
  groupPolicy: GroupPolicy
  /** Lines of context an agent is shown, 0-30. */
  historyLimit: number
  /** Replies in a row by bots before a person must speak. */
  maxTurns: number
  sessionScope: SessionScope
  threadFollowUps: ThreadFollowUps
  reply: ReplyStyle
  /** `edit`: an answer takes the place of the status post, where one stands. */
  answer: 'new' | 'edit'
  smartGate: 'off' | 'local'
  respondToEveryone: boolean
  cjkNames: 'strict' | 'longest'
  /** Names of the agents in this room, in order. */
  members: readonly string[]
  defaultResponder: DefaultResponder
  /** Standing instructions, at most 12,000 characters. */
  bulletin: string | null
  /** One line about the room. */
  description: string | null
  /** Absolute folder the agents work in; null = the data folder's own. */
  workingFolder: string | null
  /** Ids of the people who may change its schedules and models. */
  owners?: readonly string[]
  /**
   * Ids of those who decide what agents ask, in place of who asked them; `requester` stands for that person. None: the
   * requester.
   */
  approvers?: readonly string[]
  /** Keys of the chats that agents here may post to, or `connection:*` for the groups of a connection. None: nowhere. */
  places?: readonly string[]
  coalesceWindowMs: number
  debounceMs: number
}

export interface Agent {
  name: string
  role: string
  aliases: readonly string[]
  orchestrator: boolean
  /** Archived agents are addressable only to say that they are archived. Hidden ones are not addressable at all. */
  archived: boolean
  hidden: boolean
  effects: Effects
  /** Words the local router may match besides name and role: skill names and descriptions. */
  skills: readonly string[]
  /** The models people may choose for it, and the one it has by itself; null where nobody says. */
  models?: readonly string[]
  model?: string | null
}

export interface Access {
  allow?: { users?: readonly string[]; chats?: readonly string[] }
  deny?: { users?: readonly string[]; chats?: readonly string[] }
}

/** Everything `decide` and `admit` may know that does not change while the daemon runs. */
export interface Policy {
  /** The bot's own name (golem.yaml `name`). */
  name: string
  language: Language
  agents: readonly Agent[]
  defaults: RoomSettings
  /** chatKey -> what differs from the defaults. The most specific match wins; `slack:*` matches a connection. */
  rooms: Readonly<Record<string, Partial<RoomSettings>>>
  access: Readonly<Record<ConnectionId, Access>>
  /** Accounts of platforms where an agent has one of its own, in the order of golem.yaml. Absent: there are none. */
  accounts?: readonly Account[]
  /** Turns of one agent that may run at the same time over all conversations. */
  agentConcurrency: number
  bounds: Bounds
  /** Questions to people: when they count as refused, and when their turn no longer holds its place. */
  approvals?: { expireMs: Millis; parkMs: Millis }
}

/** Bounds of the queue; see spec "Queue and turns". */
export interface Bounds {
  waitingPerSender: number
  waitingPerRoom: number
  waitingMs: number
  mergeItems: number
  mergeCharacters: number
}

/**
 * The settings of one chat: the defaults, then every match from the least to the most specific.
 *
 * @param formerly keys that the chat had before, oldest first: what was written under them still holds
 */
export function settingsFor(policy: Policy, chatKey: string, formerly: readonly string[] = []): RoomSettings {
  const colon = chatKey.indexOf(':')
  const wildcard = `${chatKey.slice(0, colon)}:*`
  const keys = ['*', wildcard, ...formerly, chatKey]
  return Object.assign({ ...policy.defaults }, ...keys.map((key) => policy.rooms[key]))
}

/** The agents of a room, in the room's order. */
export function roomAgents(policy: Policy, settings: RoomSettings): Agent[] {
  const byName = new Map(policy.agents.map((agent) => [agent.name, agent]))
  return settings.members.flatMap((name) => byName.get(name) ?? [])
}
