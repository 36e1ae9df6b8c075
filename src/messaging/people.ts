/** People and places as platforms name them. Types only; adapters reach them through `contract.ts`. */

/** Where something was said: native ids. `thread` only for native threads and topics, never for a reply chain. */
export interface Place {
  chat: string
  thread?: string
}

/** The account a connection speaks as. A mention of it, or a reply to it, addresses the bot. */
export interface BotIdentity {
  id: string
  name: string
  aliases?: readonly string[]
}

export interface Author {
  id: string
  /** Display name; untrusted, may hold anything. The core neutralises it. */
  name: string
  /** `self`: this connection's own account. `bot`: any other automated account. */
  kind: 'person' | 'bot' | 'self'
  /** Other names that people call them by: user name, nickname. */
  aliases?: readonly string[]
  /** Not of the organisation the bot belongs to, where a platform tells: a guest of a shared channel. */
  outside?: boolean
}

/** Somebody who is in a chat. */
export type Member = Author

/** A file as the platform names it. Bytes come from `Connection.download`. */
export interface FileRef {
  id: string
  name: string
  mime?: string
  bytes?: number
}
