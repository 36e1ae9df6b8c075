/** What an agent says beside its answer, here or in another chat, and what of a room it may change. */
import type { Millis } from './ambient.js'
import type { Operation } from './contract.js'

/** Messages a turn may post beside its answer. */
export const POSTS_PER_TURN = 10
/** Longest of them. */
export const POST_CHARACTERS = 12_000
/** Chats that `list_places` names at most. */
export const PLACES_LISTED = 200

/** A message of a turn beside its answer, rendered. */
export interface TurnPost {
  turn: number
  at: Millis
  /** Key of the chat it goes to; null = where the turn works. */
  to: string | null
  text: string
  operations: readonly Operation[]
  /** One more, although an earlier run of the same turn has posted there already. */
  more: boolean
}

export type Posted =
  /** `known`: an earlier run of the turn has posted these words there. `reference` names the message. */
  { status: 'posted' | 'known'; reference: string } | { status: 'refused'; why: string }

export interface PlaceView {
  /** Key of the chat. */
  key: string
  kind: 'dm' | 'group'
  title: string | null
}

/** What people may have an agent change in a room. */
export type RoomText = 'bulletin' | 'description'
/** What was changed, over golem.yaml's. */
export type RoomTexts = { readonly [Key in RoomText]?: string }

export interface RoomTextChange {
  turn: number
  key: RoomText
  /** null: as golem.yaml has it. */
  text: string | null
  at: Millis
}
export type Changed = { status: 'changed' | 'same' } | { status: 'refused'; why: string }

/** The store's part. */
export interface PostStore {
  /** Durable when it resolves: the line, its operations, and that this turn has said it. */
  postFromTurn(post: TurnPost): Promise<Posted>
  /** Chats that the turn's room may reach, as far as they are known. */
  placesOf(turn: number): Promise<PlaceView[]>
  /** Only for a person who may change the turn's room. */
  changeRoomText(change: RoomTextChange): Promise<Changed>
}

/**
 * Whether a room may reach a chat.
 *
 * @param places keys of chats, or `connection:*`. None: nowhere
 */
export function mayReach(places: readonly string[] | undefined, key: string, kind: 'dm' | 'group'): boolean {
  const everywhere = `${key.slice(0, key.indexOf(':'))}:*`
  // A direct chat is one person's: only by its own name.
  return (places ?? []).some((place) => place === key || (place === everywhere && kind === 'group'))
}
