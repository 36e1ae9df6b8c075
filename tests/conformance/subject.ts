/**
 * What a platform brings to be held to the contract's laws: itself, a world in which people speak and look, and a few
 * words on what it cannot show. One file in `platforms/` exports one of these; everything else is shared.
 */
import type {
  BotIdentity,
  Connection,
  Failure,
  Operation,
  OperationKind,
  Part,
  Platform,
} from '../../src/messaging/contract.js'
import type { VirtualClock } from '../simulators/kit/clock.js'
import type { FaultRule } from '../simulators/kit/faults.js'
import type { Call, Person, Said, Seen, Stage } from '../simulators/kit/stage.js'
import type { Shows } from './kit/normalise.js'

/** `inside`: the platform lives in the daemon, and there is no network in between. */
export type Way = 'socket' | 'webhook' | 'inside'

/** The part of a {@link Stage} that has to do with a network. */
export type Network = Pick<Stage, 'fault' | 'cut' | 'redeliver' | 'webhook'> & {
  readonly calls: readonly Call[]
  readonly pending: number
}

/** People in chats. What a {@link Stage} does at once, a platform of another kind may take its time for. */
export interface Scene {
  readonly bot: Person
  person(name: string): Person
  group(title: string, people: readonly Person[]): Promise<string>
  dm(person: Person): Promise<string>
  /** Resolves when it was said, not when it was heard. */
  say(chat: string, person: Person, text: string, options?: Said): Promise<string>
  edit(chat: string, id: string, text: string, person: Person): Promise<void>
  delete(chat: string, id: string, person: Person): Promise<void>
  react(chat: string, id: string, person: Person, emoji: string): Promise<void>
  press(chat: string, id: string, person: Person, value: string): Promise<void>
  seen(chat: string, viewer?: Person): Promise<readonly Seen[]>
  /** Deliveries that the platform counts as taken. */
  readonly acknowledged: readonly string[]
  /** Absent where there is none. */
  readonly network?: Network
  close(): Promise<void>
}

/** A running world and the settings that connect to it. */
export interface World {
  readonly scene: Scene
  /** The platform's time; the core shares it. Absent: real time. */
  readonly clock?: VirtualClock
  /** Told of the connection, by a platform that people reach through it. */
  attach?(connection: Connection): void
  /** `channels.<platform>` of golem.yaml, before the platform's schema. */
  settings(way: Way): Record<string, unknown>
  /** What follows `/webhooks/<connection>` in the address that the platform calls. Default nothing. */
  readonly webhookPath?: string
  /** A native thread, for platforms that have them, in a chat with these people. */
  thread?(chat: string, people: readonly Person[]): Promise<{ chat: string; thread: string }>
  /** This person does something that reaches the bot as a `change` of the chat. */
  change?(chat: string, person: Person): Promise<void>
}

/** A refusal of the platform, and what the adapter has to make of it. */
export interface Refusal {
  /** Names the test. */
  name: string
  failure: Failure
  /** The operation that is refused. `target` is a message of a person in `chat`, `own` a post of the bot. */
  op(given: { chat: string; target: string; own: string; part: Part }): Operation
  /** Absent: the platform refuses this operation as it is. */
  fault?: FaultRule
}

/** The rate limit of one call, for each scope the platform knows. */
export interface Throttle {
  name: string
  fault: FaultRule & { do: { kind: 'rate-limit' } }
  /** Milliseconds until {@link Failure} `retryAt`, by the host's clock. */
  waitMs: number
  scope?: 'chat' | 'kind' | 'account'
}

export interface Subject {
  readonly platform: Platform
  readonly ways: readonly Way[]
  open(): Promise<World>
  /** Settings that no platform would let in, with what the person is told to do about them. */
  readonly refused?: readonly {
    name: string
    /** Default: every way. */
    ways?: readonly Way[]
    settings(good: Record<string, unknown>): Record<string, unknown>
  }[]
  /** Real payload shapes: what the mutations of the reading laws start from. */
  readonly samples: readonly { name: string; raw: unknown }[]
  /** Who the bot is in the samples. */
  readonly self: BotIdentity
  /** Ids that could be those of users, for documents nobody sends. Default `u1`, `u2`… At least four. */
  readonly userIds?: readonly string[]
  /** How the platform shows what a document holds. */
  readonly shows: Shows
  /** Size of a part as the platform counts it, where that is not the length of its text. */
  size?(part: Part): number
  /** Texts that would page somebody or make a mention if the platform read them in a message of the bot. */
  readonly hostile: readonly string[]
  /** Operations that take more than one request, and why. */
  readonly requests?: Partial<Record<OperationKind, { most: number; why: string }>>
  readonly refusals: readonly Refusal[]
  readonly throttles: readonly Throttle[]
  /** No notification for a silent post: the platform can do that. */
  readonly silent: boolean
  /** Whom `members` names: everybody who has spoken or joined, or some only. Default all. */
  readonly members?: 'all' | 'some'
  /** The API's method that posts a text: what faults of posting are put on. */
  readonly postMethod?: string
  /** Methods by which a connection listens; they are no requests of a `perform`. */
  readonly listening?: readonly string[]
}

/** The people and chats of a simulator, as the laws speak of them. */
export function sceneOf(stage: Stage): Scene {
  return {
    bot: stage.bot,
    person: (name) => stage.person(name),
    group: async (title, people) => stage.group(title, people),
    dm: async (person) => stage.dm(person),
    say: async (chat, person, text, options) => stage.say(chat, person, text, options),
    edit: async (chat, id, text) => stage.edit(chat, id, text),
    delete: async (chat, id) => stage.delete(chat, id),
    react: async (chat, id, person, emoji) => stage.react(chat, id, person, emoji),
    press: async (chat, id, person, value) => stage.press(chat, id, person, value),
    seen: async (chat, viewer) => stage.seen(chat, viewer),
    get acknowledged() {
      return stage.acknowledged
    },
    network: stage,
    close: () => stage.close(),
  }
}
