/**
 * Facts: single sentences that agents and people have kept, each for an audience. A fact is shown only where everybody who
 * reads along belongs to its audience. What a fact is, who may be shown it, and what the core asks of its store for it.
 */
import type { Millis } from './ambient.js'
import type { ConnectionId } from './contract.js'

/** The people of one chat · one person · everybody of the organisation that the connection belongs to. */
export type Audience = 'chat' | 'person' | 'connection'

/** Longest fact. */
export const FACT_CHARACTERS = 500
/** Most characters of all facts of one audience: they are all shown, so there must be room for them. */
export const FACTS_CHARACTERS = 6_000
/** Most facts of one audience. */
export const FACTS_PER_AUDIENCE = 100
/** For so long is a list of a chat's members believed, in milliseconds. */
export const LISTED_FOR = 10 * 60_000
/** A list of more members than this is not taken to be whole. */
export const LISTED_MOST = 5_000

export interface ShownFact {
  audience: Audience
  text: string
  /** Who had it kept. */
  by: string
  at: Millis
}

/** For whom a fact is. */
export interface FactWall {
  connection: ConnectionId
  audience: Audience
  /** The chat's key, the person's id, or empty. */
  key: string
}

/** Who reads what is said in a chat, as far as that is known. */
export interface Readers {
  connection: ConnectionId
  chatKey: string
  dm: boolean
  /** Ids of the people who have been seen in a direct chat; not asked for elsewhere. */
  people: readonly string[]
  /** Everybody who reads along is known, and of the organisation. */
  listed: boolean
}

/** Whether everybody who reads along belongs to a fact's audience. What is not known for sure is no. */
export function mayShow(fact: FactWall, readers: Readers): boolean {
  if (fact.connection !== readers.connection) return false
  switch (fact.audience) {
    case 'chat':
      return fact.key === readers.chatKey
    case 'person':
      return readers.dm && readers.people.length === 1 && readers.people[0] === fact.key
    case 'connection':
      return readers.listed
  }
}

/** `others`: a direct chat in which somebody else reads along · `not-here`: not by this turn, or not for this audience. */
export type FactRefusal = 'empty' | 'too-long' | 'full' | 'others' | 'not-here'

export type FactKept =
  | { status: 'kept' | 'known'; audience: Audience; text: string }
  | { status: 'refused'; code: FactRefusal; why: string }
export type FactForgotten =
  | { status: 'forgotten'; text: string }
  | { status: 'refused'; why: string; candidates?: readonly string[] }

/** A command that is answered outside of the store. */
export interface Errand {
  id: number
  chatKey: string
  /** `show`: the chat's memory and facts · `forget`: the line of the memory file that holds these words. */
  kind: 'show' | 'forget'
  words: string
  facts: readonly ShownFact[]
}

/** The store's part. */
export interface FactStore {
  /** For the person a running turn works for. Without an audience: the person in a direct chat, else the chat. */
  rememberFact(wanted: {
    turn: number
    text: string
    audience: Audience | null
    at: Millis
  }): Promise<FactKept>
  /** One that the turn is shown, by who had it kept or an owner of the room. */
  forgetFact(wanted: { turn: number; text: string; at: Millis }): Promise<FactForgotten>
  /** Everybody who reads this chat is of the organisation, says the platform. What was seen of outsiders counts more. */
  noteListed(connection: ConnectionId, chat: string, at: Millis): Promise<void>
  /** What may be shown in a chat. */
  factsOf(chatKey: string, now: Millis): Promise<ShownFact[]>
  /** Commands that wait to be answered, oldest first. */
  errands(now: Millis, max: number): Promise<Errand[]>
  /** Posts the answer. Once: an errand that is done is left alone. */
  settleErrand(id: number, text: string, at: Millis): Promise<void>
}

/** A fact as it is kept: one line, without what is not seen. Empty where nothing is left. Not shortened. */
export function factLine(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/(?:[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf})+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** What makes two facts the same: the words, not case, width, blanks or closing punctuation. */
export function factSameness(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .replace(/[.!。！\s]+$/u, '')
    .toLowerCase()
    .trim()
}
