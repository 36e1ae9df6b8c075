/** What a reader is given: Slack's own body and what the connection knows about the people and places in it. */
import type { Fields } from './shape.js'

/** Somebody as `users.info` or `bots.info` describes them. */
export interface Known {
  name: string
  bot?: boolean
  /** Of another organisation: Slack Connect. */
  outside?: boolean
  /** Of single channels only. */
  guest?: boolean
  aliases?: readonly string[]
}

/** Names by id; absent where nobody could be asked. */
export interface Names {
  users?: Readonly<Record<string, Known>>
  channels?: Readonly<Record<string, string>>
  groups?: Readonly<Record<string, string>>
}

/**
 * A raw event. `body` is what Slack sent: the payload of a Socket Mode envelope, the JSON of an HTTP event, the
 * `payload` of an interaction, the fields of a slash command; from history, one message.
 */
export interface SlackRaw {
  body: unknown
  /** `history`: `body` is a message read back from `channel`. */
  from?: 'history'
  channel?: string
  names?: Names
  /** The bot's other ids: its `bot_id`, its app. */
  bot?: { botId?: string; appId?: string }
  /** When it arrived, for what carries no time of its own. */
  at?: number
}

/** A raw event without its envelope is one that nothing more is known about. */
export function rawOf(raw: unknown): SlackRaw {
  return typeof raw === 'object' && raw !== null && 'body' in raw
    ? (raw as SlackRaw)
    : { body: raw as Fields }
}
