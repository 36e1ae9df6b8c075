/** What a reader is given: Feishu's own body and what the connection knows about the people and places in it. */
import type { Fields } from './shape.js'

/** Somebody as the members of a chat, `contact.v3.user` or `application.v6` name them. */
export interface Known {
  name: string
  bot?: boolean
  /** Of another organisation: an external group. */
  outside?: boolean
  aliases?: readonly string[]
}

/** A chat as `im.v1.chat` describes it. */
export interface KnownChat {
  name?: string
  kind?: 'dm' | 'group'
}

/** Names by id; absent where nobody could be asked. */
export interface Names {
  /** By `open_id` (`ou_…`); other apps, which history names by it, by `app_id` (`cli_…`). */
  people?: Readonly<Record<string, Known>>
  /** By `chat_id` (`oc_…`). */
  chats?: Readonly<Record<string, KnownChat>>
}

/**
 * A raw event. `body` is what Feishu sent, decrypted: `{schema: '2.0', header, event}`, the old `{uuid, event}`, or
 * either of them flattened into one object, as the SDK's EventDispatcher hands them over. From history, one item of
 * `im.v1.messages`, whose shape is another: `msg_type`, `body.content`, `sender.id`, `mentions[].id`.
 */
export interface FeishuRaw {
  body: unknown
  /** `history`: `body` is a message read back from `chat`. */
  from?: 'history'
  /**
   * The chat it belongs to, for what does not say: messages of history; a reaction, which names its message only; an
   * entry of the bot's menu, chosen in a direct chat.
   */
  chat?: string
  /** The topic of a pressed card, or of a message of history, for what does not say. */
  thread?: string
  names?: Names
  /** The app that the connection is: history names the sender of its posts by it. */
  appId?: string
  /** The message that this one answers (`parent_id`), as `im.v1.message.get` gives it, where it was looked up. */
  parent?: unknown
  /** What a merged forward holds: the items of `im.v1.message.get` behind the first, where they were looked up. */
  merged?: readonly unknown[]
  /** When it arrived, for what carries no time of its own. */
  at?: number
}

/** A raw event without its envelope is one that nothing more is known about. */
export function rawOf(raw: unknown): FeishuRaw {
  return typeof raw === 'object' && raw !== null && 'body' in raw && !('message_id' in raw)
    ? (raw as FeishuRaw)
    : { body: raw as Fields }
}

/** An event's type, id and content, wherever its form puts them. */
export interface Envelope {
  /** `im.message.receive_v1`; of the old form, the event's own `type`. */
  type?: string
  /** Of the delivery: another one may come for the same thing. */
  id?: string
  /** The app that it was delivered to. */
  appId?: string
  /** Milliseconds, as Feishu wrote them. */
  createdAt?: unknown
  event: Fields
}
